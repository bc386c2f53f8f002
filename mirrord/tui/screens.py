"""What is opened over the screen: the help."""

from __future__ import annotations

from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from mirrord.attach.say import HELP_LINES

KEYS: Final = (
    ("F1", "this help"),
    ("F2 F3 F4", "conversation, what extensions show, the protocol"),
    ("F5", "the next session; Enter in the list takes the marked one"),
    ("F6", "hides the list of sessions, for narrow terminals"),
    ("Tab", "the next part of the screen; Shift+Tab the one before"),
    ("PgUp PgDn", "scroll"),
    ("Ctrl+Q", "leaves"),
)
PROTOCOL_KEYS: Final = (
    ("/", "filter: only frames that hold this text"),
    ("p", "holds the list as it is, and lets it go on"),
    ("y", "copies the frame that is marked, as JSON on one line"),
    ("Enter", "from the filter back to the list"),
)
PROMPTS: Final = (
    "A line answers the prompt that was on screen when its first key was typed, and no other. The first answer",
    "anywhere wins; what became of yours is told by the terminal's ruling. Every prompt says what can be typed.",
)


class Help(ModalScreen[None]):
    """Closed by Escape, F1, Enter or q."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape,f1,enter,q", "dismiss", "Close")]

    def compose(self) -> ComposeResult:
        """One text that scrolls."""
        with VerticalScroll(id="help"):
            yield Static(_help())


def _help() -> Content:
    lines = [Content.styled("Keys", "bold"), *map(_key, KEYS), Content(""), Content.styled("In the protocol", "bold")]
    lines += [*map(_key, PROTOCOL_KEYS), Content(""), Content.styled("Prompts", "bold"), *map(Content, PROMPTS)]
    said = (line.replace("; Ctrl+C leaves", "") for line in HELP_LINES)
    lines += [Content(""), Content.styled("Lines", "bold"), *map(Content, said)]
    return Content("\n").join(lines)


def _key(row: tuple[str, str]) -> Content:
    return Content.assemble((f"  {row[0]:<10}", "bold"), f" {row[1]}")
