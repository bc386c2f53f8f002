"""What a client is sent instead of something it must understand natively (the contract's "Compatibility levels").

A client without `prompt-native` gets a prompt as plain widget lines that say where to answer, and their clear when it is settled.
"""

from __future__ import annotations

from mirrord.core.model import Client
from mirrord.wire.capabilities import PROMPT_NATIVE
from mirrord.wire.messages import (
    ExtensionUINotification,
    ExtensionUIRequest,
    ExtensionUISettled,
    ServerMessage,
    Snapshot,
)

FALLBACK_OPTIONS = 20
"""Options listed in the text form of a prompt: it is read, not chosen from."""


def project(message: ServerMessage, client: Client) -> tuple[ServerMessage, ...]:
    """The messages that this client gets for `message`, by the capabilities it claimed."""
    if PROMPT_NATIVE in client.capabilities:
        return (message,)
    match message:
        case ExtensionUIRequest():
            return (_as_widget(message),)
        case ExtensionUISettled():
            return (_clear(message), message)
        case Snapshot(prompts=prompts):
            return (_without_prompts(message), *(_as_widget(prompt) for prompt in prompts))
        case _:
            return (message,)


def _widget_key(prompt_id: str) -> str:
    return f"prompt:{prompt_id}"


def _as_widget(prompt: ExtensionUIRequest) -> ExtensionUINotification:
    lines = [f"Pi asks: {prompt.title}"]
    if prompt.message:
        lines += prompt.message.split("\n")
    options = prompt.options or ()
    lines += [f"{place}. {option}" for place, option in enumerate(options[:FALLBACK_OPTIONS], start=1)]
    hidden = (prompt.option_count or len(options)) - min(len(options), FALLBACK_OPTIONS)
    if hidden > 0:
        lines.append(f"… and {hidden} more")
    lines.append("Answer at the terminal.")
    return ExtensionUINotification(
        session_id=prompt.session_id,
        method="setWidget",
        widget_key=_widget_key(prompt.id),
        widget_lines=tuple(lines),
        widget_placement="aboveEditor",
        cursor=prompt.cursor,
    )


def _clear(settled: ExtensionUISettled) -> ExtensionUINotification:
    return ExtensionUINotification(session_id=settled.session_id, method="setWidget", widget_key=_widget_key(settled.id))


def _without_prompts(snapshot: Snapshot) -> Snapshot:
    return Snapshot(
        session_id=snapshot.session_id,
        cursor=snapshot.cursor,
        session=snapshot.session,
        prompts=(),
        statuses=snapshot.statuses,
        title=snapshot.title,
        working=snapshot.working,
    )
