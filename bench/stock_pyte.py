"""Stock pyte with everything in its favour: one screen for all lines, and spans read from its buffer, not cell by cell into objects."""

from __future__ import annotations

from itertools import groupby
from typing import Final

import pyte
from pyte.screens import Char

from sanitize.roles import DEFAULT, DIRECT, Palette
from sanitize.spans import Line, Role, Span, Trait

_ANSI: Final = ("black", "red", "green", "brown", "blue", "magenta", "cyan", "white")


class StockPyte:
    """A screen of stock pyte, whose cells become spans with the roles of the palette."""

    def __init__(self, columns: int, rows: int, palette: Palette, history: int = 0) -> None:
        self.screen: Final = pyte.HistoryScreen(columns, rows, history) if history else pyte.Screen(columns, rows)
        self._stream: Final = pyte.Stream(self.screen)
        self._palette: Final = palette
        self._looks: dict[tuple[object, ...], tuple[Role, tuple[Trait, ...]]] = {}

    def feed(self, text: str) -> None:
        self._stream.feed(text)

    def line(self, text: str) -> Line:
        """A line that stands for itself, on a screen of one row."""
        self._stream.feed(f"\r\x1b[2K\x1b[0m{text}")
        return self._line(0)

    def lines(self) -> list[Line]:
        """All rows of the screen."""
        return [self._line(row) for row in range(self.screen.lines)]

    def _line(self, row: int) -> Line:
        cells = self.screen.buffer[row]
        spans = []
        for look, same in groupby((cells[column] for column in range(self.screen.columns)), _look):
            known = self._looks.get(look)
            if known is None:
                known = self._looks[look] = self._look(look)
            spans.append(Span("".join([cell.data for cell in same]), *known))
        return Line(tuple(spans))

    def _look(self, look: tuple[object, ...]) -> tuple[Role, tuple[Trait, ...]]:
        cell = Char(" ", *look)  # type: ignore[arg-type]  # groupby gave what _look took
        traits: list[Trait] = []
        if cell.bold:
            traits.append("bold")
        if cell.italics:
            traits.append("italic")
        if cell.strikethrough:
            traits.append("strikethrough")
        if cell.underscore:
            traits.append("underline")
        return self._palette.role(_colour(cell.fg)) or "primary", tuple(traits)


def _look(cell: Char) -> tuple[object, ...]:
    return cell[1:]


def _colour(name: str) -> int:
    if name in _ANSI:
        return _ANSI.index(name)
    return DEFAULT if name == "default" else DIRECT + int(name, 16)
