"""What of a screen may leave: everything but what is typed, and nothing where that cannot be told for sure.

Only a screen of a known build leaves: a menu of Pi's own, a choice, or a text field between two borders that the cursor stands in. Of
the first its text fields are blanked, of the last all between the borders, and below them the completions that are offered. While
somebody logs in nothing leaves.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from bridge.screen.messages import Hidden
from bridge.screen.page import FOOTER_ROWS, Page, Region, at_editor, words
from bridge.screen.states import Found
from sanitize.spans import EMPTY, Line

_FIELD: Final = re.compile(r"\s*>|\s*Type to search:")
"""Rows of a menu that may hold what was typed, wherever the cursor is."""

_CHOICE_TAIL: Final = re.compile(r"^ ↑↓ navigate  \S+ select  \S+ cancel$")
_INPUT_TAIL: Final = re.compile(r" \S+ submit \S+ cancel$")
_EDITOR_TAIL: Final = re.compile(r"^\S+ submit \S+ newline \S+ cancel\b")

_COMPLETIONS: Final = re.compile(r"\s*→ |\s*No match")

_BOX_TOP: Final = re.compile("┌─+┐")
_BOX_BOTTOM: Final = re.compile("└─[^┘]*┘")

_EDITOR_ROWS: Final = 5
_EDITOR_SHARE: Final = 0.3
"""Pi's editor shows this share of the terminal's rows, and so many at least."""


def leaving(page: Page, lines: Sequence[Line], found: Found | None) -> tuple[Line, ...] | Hidden:
    """The rows that may leave, those with typed text empty; or why none may. `lines` are the page's, `found` what waits on it."""
    typed = _typed_in_menu(found) if found is not None else _typed(page)
    if isinstance(typed, str):
        return typed
    typed |= _searched(page)
    kept = [EMPTY if row in typed else line for row, line in enumerate(lines)]
    while kept and kept[-1] == EMPTY:
        kept.pop()
    return tuple(kept)


def _typed_in_menu(found: Found) -> set[int] | Hidden:
    """Rows of the screen that hold typed text while a menu waits."""
    if found.menu == "login":
        return "login"
    region = found.region
    rows = range(region.top + 1, region.bottom)
    return {row for row in rows if _FIELD.match(region.page.texts[row])} | _focused(region)


def _typed(page: Page) -> set[int] | Hidden:
    """Rows of the screen that hold typed text while no menu waits."""
    for region in at_editor(page):
        if not region.cut_above and not region.cut_below and _is_choice(region):
            return _focused(region)
    row = page.cursor[0]
    above = [border for border in page.borders if border < row]
    below = [border for border in page.borders if border > row]
    if not above or not below or len(below) > 2:
        return "unknown"
    if len(below) == 2:
        asked = words(page.texts[below[0] + 1 : below[1]])
        if len(above) < 2 or not _EDITOR_TAIL.search(asked):
            return "unknown"
        return set(range(above[-2] + 1, below[1]))
    inside = Region(page, above[-1], below[0])
    allowed = max(_EDITOR_ROWS, int(page.rows * _EDITOR_SHARE))
    if len(inside.texts) > allowed and not _INPUT_TAIL.search(words(inside.texts)):
        return "unknown"
    return set(range(above[-1] + 1, below[0])) | _completions(page, below[0])


def _focused(region: Region) -> set[int]:
    """The cursor's row, unless it is below the region, where Pi leaves the cursor when no field has the focus."""
    row = region.page.cursor[0]
    return {row} if row < region.bottom else set()


def _searched(page: Page) -> set[int]:
    """Rows of the box in which Pi looks for words in the conversation, wherever it lies."""
    rows = zip(page.texts, page.texts[1:], page.texts[2:], strict=False)
    return {row + 1 for row, (top, _, bottom) in enumerate(rows) if _BOX_TOP.search(top) and _BOX_BOTTOM.search(bottom)}


def _is_choice(region: Region) -> bool:
    """A dialog with a list and nothing to type: built as Pi builds them, to the spaces of its last words."""
    texts = region.texts
    said = [text for text in texts if text]
    return bool(said) and not texts[0] and not texts[-1] and _CHOICE_TAIL.search(said[-1]) is not None


def _completions(page: Page, bottom: int) -> set[int]:
    """Rows below Pi's editor, where it offers to complete what is typed."""
    below = range(bottom + 1, len(page.texts))
    offered = any(_COMPLETIONS.match(page.texts[row]) for row in below) or len(below) > FOOTER_ROWS
    return set(below) if offered else set()
