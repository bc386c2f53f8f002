"""One row of a screen.

A column is one code point of a string, and one pen of a list beside it: runs of text are written, cut and read as slices. Code points
that joined the first one of their cell are kept apart, by column; a wide cell has a second column, `HALF`. There is nothing behind the
last column that was written.
"""

from __future__ import annotations

from typing import Final

from sanitize.cells import HALF
from sanitize.pens import Pen
from sanitize.spans import Line

_BLANK: Final = " "


class Row:
    """Columns are counted from 0. Every change leaves wide cells whole: what loses a half becomes blank."""

    __slots__ = ("columns", "joined", "line", "pens", "plain", "shared")

    def __init__(self, plain: Pen) -> None:
        self.columns = ""
        self.pens: list[Pen] = []
        self.joined: dict[int, str] = {}
        self.plain: Final = plain
        """The pen of blanks that nobody wrote."""
        self.line: Line | None = None
        """What it was rendered to, until it changes. Belongs to the caller."""
        self.shared = False
        """Whether it stands at several places of a screen, and must be copied before it is changed. Belongs to the caller."""

    def copy(self) -> Row:
        """One that may be changed."""
        row = Row(self.plain)
        row.columns = self.columns
        row.pens = self.pens.copy()
        row.joined = self.joined.copy()
        return row

    def write(self, at: int, columns: str, pen: Pen) -> None:
        """Replace the columns from `at` on."""
        before = self.columns
        have = len(before)
        end = at + len(columns)
        if at == have:
            self.columns = before + columns
            self.pens += [pen] * len(columns)
        elif at > have:
            self.columns = before.ljust(at) + columns
            self.pens += [self.plain] * (at - have)
            self.pens += [pen] * len(columns)
        else:
            if HALF in before:
                self._part(at)
                self._part(end)
                before = self.columns
            self.columns = before[:at] + columns + before[end:]
            self.pens[at:end] = [pen] * len(columns)
            if self.joined:
                self.joined = {column: rest for column, rest in self.joined.items() if not at <= column < end}
        self.line = None

    def erase(self, start: int, end: int) -> None:
        """Blank the columns from `start` to before `end`."""
        if end < len(self.columns):
            self.write(start, _BLANK * (end - start), self.plain)
        elif start < len(self.columns):
            self.cut(start)

    def cut(self, at: int) -> None:
        """Remove the columns from `at` on."""
        self._part(at)
        self.columns = self.columns[:at]
        del self.pens[at:]
        if self.joined:
            self.joined = {column: rest for column, rest in self.joined.items() if column < at}
        self.line = None

    def insert(self, at: int, count: int, width: int) -> None:
        """Move the columns from `at` on to the right, where they are lost behind `width`."""
        if at >= len(self.columns):
            return
        self._part(at)
        self.columns = self.columns[:at] + _BLANK * count + self.columns[at:]
        self.pens[at:at] = [self.plain] * count
        if self.joined:
            self.joined = {column + count * (column >= at): rest for column, rest in self.joined.items()}
        self.cut(width)

    def delete(self, at: int, count: int) -> None:
        """Remove columns; those behind them move to the left."""
        if at >= len(self.columns):
            return
        self._part(at)
        self._part(at + count)
        self.columns = self.columns[:at] + self.columns[at + count :]
        del self.pens[at : at + count]
        if self.joined:
            self.joined = {column - count * (column >= at): rest for column, rest in self.joined.items() if not at <= column < at + count}
        self.line = None

    def cell_before(self, at: int) -> tuple[int, str]:
        """Column and text of the cell that ends before column `at`; -1 and no text when there is none."""
        if not 0 < at <= len(self.columns):
            return -1, ""
        column = at - 2 if self.columns[at - 1] == HALF else at - 1
        return column, self.columns[column] + self.joined.get(column, "")

    def width_at(self, column: int) -> int:
        """Columns of the cell that starts at `column`."""
        return 2 if self.columns.startswith(HALF, column + 1) else 1

    def join(self, column: int, cell: str) -> None:
        """Give the cell at `column` more code points; it keeps its first one, its columns and its pen."""
        if len(cell) > 1:
            self.joined[column] = cell[1:]
        self.line = None

    def runs(self) -> list[tuple[str, Pen]]:
        """Its text, cut where the pen changes."""
        runs: list[tuple[str, Pen]] = []
        pens, start, length = self.pens, 0, len(self.pens)
        while start < length:
            pen = pens[start]
            end = start + 1
            while end < length and pens[end] is pen:
                end += 1
            runs.append((self._text(start, end), pen))
            start = end
        return runs

    def _text(self, start: int, end: int) -> str:
        text = self.columns[start:end]
        if self.joined:
            text = "".join(character + self.joined.get(start + offset, "") for offset, character in enumerate(text))
        return text.replace(HALF, "")

    def _part(self, at: int) -> None:
        """Blank the wide cell that reaches over the border before column `at`."""
        columns = self.columns
        if at < len(columns) and columns[at] == HALF:
            self.columns = columns[: at - 1] + _BLANK * 2 + columns[at + 1 :]
            self.pens[at - 1] = self.pens[at] = self.plain
            self.joined.pop(at - 1, None)
