"""Lines in the colours of their roles, as content for the screen. Every text passes `sanitize` again here, and none is read as markup."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal

from textual.content import Content

from mirrord.attach.answers import AT_THE_TERMINAL, CANCEL
from mirrord.attach.card import card_lines, how_to_answer
from mirrord.attach.mirror import fitted
from mirrord.attach.surfaces import Board, Drawn, Entry, Pills, Text
from mirrord.attach.view import SHORT_STATES
from mirrord.client.clean import one_line, several_lines
from mirrord.wire import messages
from mirrord.wire.surfaces import Block, TextSpan
from mirrord.wire.tones import tone
from sanitize.spans import Role

_ROLES: Final[dict[Role, str]] = {
    "primary": "",
    "secondary": "dim",
    "muted": "dim",
    "accent": "$text-accent",
    "success": "$text-success",
    "warning": "$text-warning",
    "danger": "$text-error",
    "code": "$text-secondary",
}
_TRAITS: Final = {"bold": "bold", "italic": "italic", "underline": "underline", "strikethrough": "strike"}
_TONES: Final = {"success": "$text-success", "error": "$text-error", "warning": "$text-warning", "info": "$text-primary", "muted": ""}


Look = Literal["plain", "strong", "quiet", "accent", "success", "warning", "error"]

_FRONTS: Final[tuple[tuple[str, Look], ...]] = (
    ("? ", "warning"),
    ("= ", "success"),
    ("> ", "strong"),
    ("[", "accent"),
    ("(", "quiet"),
    ("- error", "error"),
    ("- warning", "warning"),
    ("- ", "quiet"),
    ("---", "quiet"),
    ("    ! ", "error"),
    ("    │", "quiet"),
)
"""How lines of the stream begin, and what that says of them."""


def look_of(line: str) -> Look:
    """How a line that `mirrord attach` would print is to be looked at."""
    return next((look for front, look in _FRONTS if line.startswith(front)), "plain")


def stream_card(prompt: messages.ExtensionUIRequest, may_answer: bool) -> Iterator[str]:
    """A prompt among the lines of the stream: what it asks; the rest is on its card."""
    yield f"? {one_line(prompt.title)}"


def card(prompt: messages.ExtensionUIRequest) -> Content:
    """What is asked, and by whom."""
    first, *rest = [line for line in card_lines(prompt, False) if line]
    return Content("\n").join([Content.styled(first, "bold $text-warning"), *map(Content, rest)])


def hint(prompt: messages.ExtensionUIRequest, may_answer: bool, waits: bool) -> Content:
    """What can be typed now. `waits`: an answer of ours has no verdict yet."""
    if waits:
        return Content.styled("Your answer is with the terminal, which has not ruled yet.", "bold $text-accent")
    if not may_answer:
        return Content.styled("Only to look at here.", "dim")
    if prompt.terminal_only is None and prompt.method not in ("custom", "other"):
        return Content.styled(how_to_answer(prompt), "$text-accent")
    return Content.styled(f"{CANCEL} cancels it." if prompt.cancellable else AT_THE_TERMINAL, "dim")


def session_row(session: messages.Session, followed: bool, columns: int) -> Content:
    """A session in the list: its title, and below it what it does, each in one row."""
    title = one_line(session.name or session.first_message or session.cwd.rstrip("/").rpartition("/")[2] or session.cwd)
    state = session.status.state
    asks = f" ({session.open_prompts})" if session.open_prompts else ""
    look = "bold $text-warning" if state == "waiting" else _TONES[tone(state)]
    mark = "▸ " if followed else "  "
    words = f"{SHORT_STATES[state]}{asks}"
    return Content.assemble(mark, (fitted(title, columns - 2), "bold" if followed else ""), "\n  ", (words, look))


def surfaces(board: Board) -> Content:
    """All that extensions show, from the top of Pi's screen to its foot."""
    blocks = [_entry(entry) for _, entry in sorted(board.entries.items(), key=lambda item: _place(item[0], item[1]))]
    return Content("\n\n").join(blocks) if blocks else Content.styled("No extension shows anything.", "dim")


def _place(key: str, entry: Entry) -> int:
    if isinstance(entry, Drawn) and key.startswith("widget/"):
        return 5 if entry.placement == "aboveEditor" else 7
    order = ("title", "header", "view/", "working", "strip/above", "widget/", "strip/below", "status/", "footer")
    return next((place for place, front in enumerate(order) if key.startswith(front)), len(order))


def _entry(entry: Entry) -> Content:
    match entry:
        case Text():
            return Content.assemble((f"{one_line(entry.name)}: ", "dim"), entry.lines[0])
        case Pills():
            return Content.assemble((f"{entry.name}: ", "dim"), (entry.row(), "$text-accent"))
        case Drawn():
            heading = Content.styled(entry.heading, "bold")
            return Content("\n").join([heading, *_drawn(entry)])


def _drawn(drawn: Drawn) -> Iterator[Content]:
    """With roles where it was drawn as lines; blocks of other kinds as `attach` writes them."""
    blocks = () if drawn.surface is None else drawn.surface.blocks
    if drawn.is_hidden or not blocks or any(block.type not in ("terminal", "text") for block in blocks):
        yield from (Content(f"  {line}") for line in drawn.lines)
        return
    for block in blocks:
        yield from (Content.assemble("  ", *map(_span, line)) for line in _lines(block))
    for line in drawn.lines[len(drawn.lines) - len(drawn.truncated) :] if drawn.truncated else ():
        yield Content.styled(f"  {line}", "dim")


def _lines(block: Block) -> Sequence[Sequence[TextSpan]]:
    return block.lines or () if block.type == "terminal" else (block.spans or (),)


def _span(span: TextSpan) -> tuple[str, str]:
    looks = [_ROLES.get(span.role or "primary", ""), *(_TRAITS.get(trait, "") for trait in span.traits)]
    return " ".join(several_lines(span.text)), " ".join(look for look in looks if look)
