"""A screen as it is looked at: its rows as text, where Pi's borders are, and where the next character would stand.

Pi draws what it waits for at the foot of the screen, in the place of its input editor, between two borders over the whole width; below
it there is nothing but its footer. The cursor, which it hides, stands in the text field that has the focus.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from sanitize.spans import Line
from sanitize.width import text_width

_RULE: Final = "─"

FOOTER_ROWS: Final = 14
"""Rows with text below Pi's editor: three of its own, ten of a widget and one to spare."""


@dataclass(frozen=True, slots=True)
class Page:
    """A complete screen. `texts` are its rows from the top, without blanks at their ends and without empty ones at the foot."""

    texts: tuple[str, ...]
    columns: int
    rows: int
    cursor: tuple[int, int]
    """Row and column where the next character would stand, shown or hidden."""
    plain: tuple[int, ...] = field(init=False)
    """Rows that are a border and nothing else."""
    borders: tuple[int, ...] = field(init=False)
    """Those, and rows that are a border with words in it."""

    def __post_init__(self) -> None:
        rule = _RULE * self.columns
        borders = [row for row, text in enumerate(self.texts) if text == rule or self._is_border(text)]
        object.__setattr__(self, "borders", tuple(borders))
        object.__setattr__(self, "plain", tuple(row for row in borders if self.texts[row] == rule))

    def _is_border(self, text: str) -> bool:
        return text.startswith(_RULE) and text.endswith(_RULE) and text_width(text) == self.columns

    @property
    def full(self) -> bool:
        """Whether there is text down to the last row: more may be hidden below it."""
        return len(self.texts) == self.rows

    @classmethod
    def of(cls, lines: Sequence[Line], columns: int, rows: int, cursor: tuple[int, int]) -> Page:
        """The page of a terminal's lines."""
        return cls(tuple(line.text.rstrip() for line in lines), columns, rows, cursor)


@dataclass(frozen=True, slots=True)
class Region:
    """The rows between two borders, which are not among them; `cut` where one of the borders is beyond the screen."""

    page: Page
    top: int
    """Row of the upper border; -1 where that is beyond the screen."""
    bottom: int
    """Row of the lower border, or the number of rows where that is beyond the screen."""

    @property
    def texts(self) -> tuple[str, ...]:
        """The rows in between."""
        return self.page.texts[self.top + 1 : self.bottom]

    @property
    def cursor(self) -> int | None:
        """The row in between where the cursor is, from 0; None where it is elsewhere."""
        row = self.page.cursor[0] - self.top - 1
        return row if 0 <= row < self.bottom - self.top - 1 else None

    @property
    def cut_above(self) -> bool:
        """Whether there is no upper border on the screen."""
        return self.top < 0

    @property
    def cut_below(self) -> bool:
        """Whether there is no lower border on the screen."""
        return self.bottom >= len(self.page.texts)


def words(texts: Sequence[str]) -> str:
    """The text of some rows as if it had not been wrapped."""
    return " ".join(" ".join(texts).split())


def at_editor(page: Page) -> tuple[Region, ...]:
    """What may stand in the place of Pi's editor, the likeliest first. The last border is its lower one, or its upper one where the
    terminal is too small for the rest."""
    if not page.borders or page.borders[-1] not in page.plain:
        return ()
    last = page.borders[-1]
    found: list[Region] = []
    if sum(map(bool, page.texts[last + 1 :])) <= FOOTER_ROWS:
        above = page.borders[-2] if len(page.borders) > 1 else -1
        found.append(Region(page, above, last))
    if page.full:
        found.append(Region(page, last, len(page.texts)))
    return tuple(found)
