"""Who may say what: one table, read by the core and by the gate's tests.

A message type without a row cannot be sent by anybody, and a test fails for it.
"""

from __future__ import annotations

import enum
from typing import Final


class Role(enum.IntEnum):
    """A client's standing; each includes the ones below it."""

    OBSERVER = 1
    """Sees everything that is shown, changes nothing."""
    CONTROLLER = 2
    """Also answers prompts and stops the agent."""
    OWNER = 3
    """The person at this machine, over the control socket; also pairs devices and stops the daemon."""


MINIMUM_ROLE: Final[dict[str, Role]] = {
    "hello": Role.OBSERVER,
    "subscribe": Role.OBSERVER,
    "unsubscribe": Role.OBSERVER,
    "content_part": Role.CONTROLLER,
    "extension_ui_response": Role.CONTROLLER,
    "command": Role.OBSERVER,
    "looking": Role.OBSERVER,
    "chat_subscribe": Role.OBSERVER,
    "chat_unsubscribe": Role.OBSERVER,
    "chat_action": Role.CONTROLLER,
}

MINIMUM_COMMAND_ROLE: Final[dict[str, Role]] = {
    "sessions": Role.OBSERVER,
    "options": Role.OBSERVER,
    "prefill": Role.OBSERVER,
    "verdict": Role.OBSERVER,
    "push_info": Role.OBSERVER,
    "push_subscribe": Role.OBSERVER,
    "push_unsubscribe": Role.OBSERVER,
    "notify_settings": Role.OBSERVER,
    "notify_set": Role.OBSERVER,
    "handoff": Role.CONTROLLER,
    "stop_turn": Role.CONTROLLER,
    "screen_watch": Role.CONTROLLER,
    "chat_history": Role.OBSERVER,
    "chat_receipts": Role.CONTROLLER,
    "chat_commands": Role.CONTROLLER,
    "abort_retry": Role.CONTROLLER,
    "abort_bash": Role.CONTROLLER,
    "reload": Role.CONTROLLER,
    "compact": Role.CONTROLLER,
    "set_model": Role.CONTROLLER,
    "set_thinking_level": Role.CONTROLLER,
    "set_session_name": Role.CONTROLLER,
    "set_steering_mode": Role.CONTROLLER,
    "set_follow_up_mode": Role.CONTROLLER,
    "set_auto_compaction": Role.CONTROLLER,
    "set_auto_retry": Role.CONTROLLER,
    "navigate_tree": Role.CONTROLLER,
    "new_session": Role.CONTROLLER,
    "resume_session": Role.CONTROLLER,
    "fork": Role.CONTROLLER,
    "share": Role.CONTROLLER,
    "status": Role.OWNER,
    "pair": Role.OWNER,
    "pair_code": Role.OWNER,
    "pair_wait": Role.OWNER,
    "devices": Role.OWNER,
    "device_rename": Role.OWNER,
    "device_revoke": Role.OWNER,
    "stop": Role.OWNER,
}


def may_send(role: Role, message_type: str) -> bool:
    """Whether a client of this role may send a message of this type; unknown types are refused."""
    minimum = MINIMUM_ROLE.get(message_type)
    return minimum is not None and role >= minimum


def may_run(role: Role, command: str) -> bool:
    """Whether a client of this role may run this command; unknown commands are refused."""
    minimum = MINIMUM_COMMAND_ROLE.get(command)
    return minimum is not None and role >= minimum
