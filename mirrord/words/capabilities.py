"""What a Pi can do, in words: what is mirrored of it and what is not, as its extension found when it looked. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

from mirrord.client.clean import one_line


@dataclass(frozen=True, slots=True)
class Meaning:
    """A capability: what it is about, and what a device does not have without it. Sentences without a full stop."""

    about: str
    without: str


MEANINGS: Final[dict[str, Meaning]] = {
    "prompt:select": Meaning("choices", "choices are made at the terminal"),
    "prompt:confirm": Meaning("confirmations", "they are given at the terminal"),
    "prompt:input": Meaning("lines to type", "they are typed at the terminal"),
    "prompt:editor": Meaning("texts to edit", "they are edited at the terminal"),
    "prompt:ask": Meaning("several questions at once", "extensions cannot ask them"),
    "prompt:custom": Meaning("dialogs of an extension's own", "that one is open is not told"),
    "confirm:no-or-escape": Meaning("No told from Esc", "a confirmation that was cancelled looks like a No"),
    "chat": Meaning("the conversation", "it is seen at the terminal alone"),
    "chat:send": Meaning("turns from afar", "they are typed at the terminal"),
    "chat:commands": Meaning("slash commands from afar", "they are typed at the terminal"),
    "chat:bash": Meaning("shell commands from afar", "they are typed at the terminal"),
    "chat:tree": Meaning("going back in the conversation", "that is done at the terminal"),
    "stop": Meaning("stopping the agent", "it is stopped at the terminal"),
    "activity": Meaning("whether the agent works", "that is not told"),
    "notify": Meaning("notifications", "they are seen at the terminal alone"),
    "status": Meaning("status texts", "they are seen at the terminal alone"),
    "title": Meaning("the title", "it is seen at the terminal alone"),
    "widget": Meaning("widgets of lines", "they are seen at the terminal alone"),
    "widget:component": Meaning("widgets that extensions draw", "they are seen at the terminal alone"),
    "widget:native": Meaning("widgets that describe themselves", "they are shown as the terminal draws them"),
    "region:header": Meaning("an extension's header", "it is seen at the terminal alone"),
    "region:footer": Meaning("an extension's footer", "it is seen at the terminal alone"),
    "view:custom": Meaning("what dialogs draw", "that a dialog is open is told, and nothing of what it shows"),
    "working": Meaning("the working row", "devices have one of their own"),
    "thinking-label": Meaning("the name of hidden thinking", "devices have one of their own"),
    "tools-expanded": Meaning("whether tools are expanded", "devices decide for themselves"),
    "editor-text": Meaning("texts handed to the composer", "they are seen at the terminal alone"),
    "palette": Meaning("colours as roles", "what is drawn has no colours"),
    "provenance": Meaning("which extension shows something", "nothing says whose it is"),
    "screen-share": Meaning("the terminal's screen, where it is shared", "it cannot be shared"),
}
"""By capability, in the order in which they are told. `dialogs:*` says how this Pi does something, not what can be done with it."""

_HOW: Final = "dialogs:"


def capability_lines(capabilities: Collection[str]) -> Iterator[str]:
    """What of all this a Pi can do, then a line for each thing that it cannot, then what this version has no word for.

    Nothing for one that has said nothing: an extension names at least what it does by itself.
    """
    if not capabilities:
        return
    missing = [meaning for name, meaning in MEANINGS.items() if name not in capabilities]
    able = [meaning.about for name, meaning in MEANINGS.items() if name in capabilities]
    yield "mirrors everything" if not missing else f"mirrors {', '.join(able)}" if able else "mirrors nothing"
    for meaning in missing:
        yield f"not {meaning.about}: {meaning.without}"
    unknown = [name for name in capabilities if name not in MEANINGS and not name.startswith(_HOW)]
    if unknown:
        yield f"and what this version has no word for: {one_line(', '.join(unknown))}"
