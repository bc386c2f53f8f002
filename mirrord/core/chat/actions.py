"""Commands of clients about a conversation: what goes to its terminal, and what only the terminal may do, with the reason."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from mirrord.core.chat.commands import AskHistory, ForwardAction
from mirrord.core.chat.conversation import CHAT, TOO_OLD
from mirrord.core.chat.events import ActionDone, PageTold
from mirrord.core.model import Client, ClientId, LinkId
from mirrord.core.session import Session
from mirrord.wire.chat import ChatCommandList, ChatHistoryPage
from mirrord.wire.limits import CHAT_HISTORY_ROWS, TURN_ID_CHARS
from mirrord.wire.messages import Command, CommandError, CommandResult
from mirrord.wire.roles import Role

PENDING_ACTIONS: Final = 64
"""Actions on which one terminal has not answered yet; it answers within milliseconds, a compaction once it has begun."""

PENDING_PAGES: Final = 4
"""Pages of older messages that one device waits for from one terminal: a client asks for one at a time. They are all that an observer
can ask of a Pi, so they are counted by themselves: who may only look takes no place of who may act, however often he connects."""

RECEIPTS_ASKED: Final = 64
"""Receipts that one command asks for."""

NAME_CHARS: Final = 300
"""A session's name, a model's id: words, not documents."""

INSTRUCTION_CHARS: Final = 32 * 1024
"""What a compaction is to keep: a page or two."""

UNREACHABLE: Final = "The terminal cannot be reached right now; try again."

TERMINAL_OWNED: Final[dict[str, str]] = {
    "new_session": "Another conversation is begun at the terminal: type /new there.",
    "resume_session": "Another conversation is opened at the terminal: type /resume there.",
    "fork": "A fork is another conversation in the terminal: make it there, with /fork.",
    "share": "A conversation is shared from the terminal alone: type /share there.",
}

Name = Annotated[str, Meta(min_length=1, max_length=NAME_CHARS)]


class _Args(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """What every command of a conversation says."""

    session_id: str


class HistoryArgs(_Args, frozen=True):
    """The entry in front of which messages are wanted, and how many."""

    before: Name
    limit: Annotated[int, Meta(ge=1, le=CHAT_HISTORY_ROWS)] = CHAT_HISTORY_ROWS


class ReceiptsArgs(_Args, frozen=True):
    """The submissions that are asked after."""

    client_turn_ids: Annotated[tuple[Annotated[str, Meta(max_length=TURN_ID_CHARS)], ...], Meta(max_length=RECEIPTS_ASKED)]


class CompactArgs(_Args, frozen=True):
    """What to keep in mind."""

    instructions: Annotated[str, Meta(max_length=INSTRUCTION_CHARS)] | None = None


class ModelArgs(_Args, frozen=True):
    """A model of the list."""

    provider: Name
    id: Name


class LevelArgs(_Args, frozen=True):
    """A level of the list."""

    level: Name


class NameArgs(_Args, frozen=True):
    """A name for the conversation."""

    name: Name


class ModeArgs(_Args, frozen=True):
    """How what waits is delivered."""

    mode: Literal["all", "one-at-a-time"]


class SwitchArgs(_Args, frozen=True):
    """On or off."""

    enabled: bool


class TreeArgs(_Args, frozen=True):
    """The entry to go to, and whether the branch that is left is to be summarized."""

    entry_id: Name
    summarize: bool = False


class ForkArgs(_Args, frozen=True):
    """The entry to fork from."""

    entry_id: Name | None = None


ARGS: Final[dict[str, type[_Args]]] = {
    "chat_history": HistoryArgs,
    "chat_receipts": ReceiptsArgs,
    "chat_commands": _Args,
    "abort_retry": _Args,
    "abort_bash": _Args,
    "reload": _Args,
    "compact": CompactArgs,
    "set_model": ModelArgs,
    "set_thinking_level": LevelArgs,
    "set_session_name": NameArgs,
    "set_steering_mode": ModeArgs,
    "set_follow_up_mode": ModeArgs,
    "set_auto_compaction": SwitchArgs,
    "set_auto_retry": SwitchArgs,
    "navigate_tree": TreeArgs,
    "new_session": _Args,
    "resume_session": _Args,
    "fork": ForkArgs,
    "share": _Args,
}
"""Every command of a conversation, and what it takes."""


class RefusedError(Exception):
    """A command that cannot be carried out: a code, and one sentence."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def read(command: Command) -> _Args:
    """The command's arguments. Raises RefusedError."""
    try:
        return msgspec.convert(command.args, ARGS[command.name])
    except msgspec.ValidationError as error:
        raise RefusedError("malformed", f"args do not fit the command: {error}.") from None


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request on its way. `reader`: whose page of older messages it is; None for an action."""

    client: ClientId
    request_id: str
    link: LinkId
    reader: tuple[str, Role] | None


@dataclass(slots=True)
class Actions:
    """Requests that wait for a terminal. Keys are ours: clients' request ids are not unique."""

    _waiting: dict[str, _Asked] = field(default_factory=dict)
    _number: int = 0

    def run(self, client: Client, command: Command, args: _Args, session: Session | None) -> AskHistory | ForwardAction:
        """What is to be asked of the terminal. Raises RefusedError when it is not to be."""
        if command.name in TERMINAL_OWNED:
            raise RefusedError("terminal_owned", TERMINAL_OWNED[command.name])
        if session is None or session.ended:
            raise RefusedError("unknown_session", "There is no such session.")
        if session.link is None:
            raise RefusedError("detached", UNREACHABLE)
        if CHAT not in session.terminal.capabilities:
            raise RefusedError("refused", TOO_OLD)
        agent = session.conversation.agent
        if agent is not None and command.name in agent.refuses:
            raise RefusedError("refused", agent.refuses[command.name])
        # By role as well: what descends from a Pi has the same credential on the control socket as the person at this machine.
        reader = (client.credential, client.role) if isinstance(args, HistoryArgs) else None
        pending = sum((asked.link, asked.reader) == (session.link, reader) for asked in self._waiting.values())
        if pending >= (PENDING_ACTIONS if reader is None else PENDING_PAGES):
            raise RefusedError("busy", "Too many requests wait for this terminal; try again.")
        self._number += 1
        request = f"{client.credential}/{command.name}.{self._number}"
        self._waiting[request] = _Asked(client.id, command.request_id, session.link, reader)
        if isinstance(args, HistoryArgs):
            return AskHistory(session.link, request, args.before, args.limit)
        given = msgspec.to_builtins(args)
        del given["sessionId"]
        return ForwardAction(session.link, request, command.name, given, client.credential, client.kind)

    def done(self, event: ActionDone) -> tuple[ClientId, CommandResult] | None:
        """The terminal's answer to an action: who asked, and the result. None when nobody did."""
        asked = self._waiting.pop(event.request, None)
        if asked is None:
            return None
        client, request_id = asked.client, asked.request_id
        if event.ok and event.commands is not None:
            listed = msgspec.to_builtins(ChatCommandList(event.commands))
            return client, CommandResult(request_id=request_id, ok=True, data=listed)
        if event.ok:
            return client, CommandResult(request_id=request_id, ok=True, data=event.data)
        return client, failed(request_id, "refused", event.message or "Pi did not do that.")

    def page(self, event: PageTold) -> tuple[ClientId, CommandResult] | None:
        """Older messages that somebody asked for."""
        asked = self._waiting.pop(event.request, None)
        if asked is None:
            return None
        client, request_id = asked.client, asked.request_id
        if event.error is not None:
            return client, failed(request_id, "refused", event.error)
        before = event.messages[0].id if event.more and event.messages else None
        page = ChatHistoryPage(event.messages, event.more, before)
        return client, CommandResult(request_id=request_id, ok=True, data=msgspec.to_builtins(page))

    def link_lost(self, link: LinkId) -> list[tuple[ClientId, CommandResult]]:
        """Nothing more comes over this link."""
        requests = [request for request, asked in self._waiting.items() if asked.link == link]
        lost = [self._waiting.pop(request) for request in requests]
        return [(asked.client, failed(asked.request_id, "detached", UNREACHABLE)) for asked in lost]


def failed(request_id: str, code: str, message: str) -> CommandResult:
    """The result of a command that did not happen."""
    return CommandResult(request_id=request_id, ok=False, error=CommandError(code=code, message=message))
