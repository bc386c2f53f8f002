"""The cells of a screen, and how text gets into them.

A `pyte.Screen` with rows of our own. Where terminals disagree it does as xterm.js does.
"""

from __future__ import annotations

from typing import Final

import pyte
from pyte import modes
from pyte.charsets import LAT1_MAP, VT100_MAP
from pyte.screens import Cursor

from sanitize.cells import HALF, cells, columns_of, drawn, is_narrow, is_plain, joins_all, narrow_part, spread
from sanitize.pens import Pen
from sanitize.rows import Row

_LINE_DRAWING: Final = {code: VT100_MAP[code] for code in range(ord("`"), ord("~") + 1)} | {ord("h"): "\u2424"}
"""pyte has a shade where DEC's set has the sign for a new line."""


class Grid(pyte.Screen):
    """Rows of cells, a cursor, and a region that scrolls.

    `cursor.x` equals `columns` while a character in the last column waits for the next one, which wraps. Of pyte, `buffer`, `dirty`,
    `savepoints`, `tabstops`, `title` and `cursor.attrs` are not used.
    """

    def __init__(self, columns: int, lines: int, plain: Pen) -> None:
        self.plain: Final = plain
        """What blanks are written with."""
        self.blank: Final = Row(plain)
        self.blank.shared = True
        super().__init__(columns, lines)

    def reset(self) -> None:
        """An empty screen, the cursor at home, each mode and character set as it is at first."""
        self.rows = [self.blank] * self.lines
        self.pen = self.plain
        self.cursor = Cursor(0, 0)
        self.margins = None
        self.mode = {modes.DECAWM, modes.DECTCEM}
        self.charset, self.g0_charset, self.g1_charset = 0, LAT1_MAP, LAT1_MAP
        self.repeatable = False
        """Whether a character was drawn and nothing else happened since. To be taken back by whoever does something else."""
        self._drawn_row = self.blank
        self._drawn_x = 0
        """Where the cursor was left by the last character; what comes next may join it only there."""
        self._pending = ""
        """The last cell, when it has no columns yet, or when there were too few for it: then all that joins it is lost as well."""
        self._open = False
        """Whether the last cell may join what is plain by itself."""
        self.choose_path()

    @property
    def display(self) -> list[str]:
        """The text of each row, without the blanks that nobody wrote."""
        return ["".join(text for text, _ in row.runs()) for row in self.rows]

    def choose_path(self) -> None:
        """To be called when insert mode or a character set has changed."""
        self._graphics = (self.g1_charset if self.charset else self.g0_charset) is VT100_MAP
        self._inserts = modes.IRM in self.mode
        self._special = self._graphics or self._inserts

    # Rows

    def own_row(self) -> Row:
        """The cursor's row, to be changed."""
        y = self.cursor.y
        row = self.rows[y]
        if row.shared:
            row = self.rows[y] = row.copy()
        return row

    def region(self) -> tuple[int, int]:
        """First and last row of what scrolls."""
        return self.margins if self.margins is not None else (0, self.lines - 1)

    def remove_rows(self, top: int, bottom: int, count: int, fill: Row | None = None) -> None:
        """Take rows away at `top`; as many come in at `bottom`."""
        count = min(count, bottom - top + 1)
        del self.rows[top : top + count]
        end = bottom + 1 - count
        self.rows[end:end] = [self.blank if fill is None else fill] * count

    def insert_rows(self, top: int, bottom: int, count: int) -> None:
        """Let blank rows come in at `top`; as many are lost at `bottom`."""
        count = min(count, bottom - top + 1)
        del self.rows[bottom + 1 - count : bottom + 1]
        self.rows[top:top] = [self.blank] * count

    def index(self) -> None:
        """One row down; at the end of the region it scrolls."""
        cursor = self.cursor
        top, bottom = self.region()
        if cursor.y == bottom:
            del self.rows[top]
            self.rows.insert(bottom, self.blank)
        elif cursor.y < self.lines - 1:
            cursor.y += 1
        if cursor.x == self.columns:
            cursor.x -= 1

    # Text

    def draw(self, data: str) -> None:
        """Write text without controls at the cursor, with the pen."""
        self.repeatable = True
        cursor = self.cursor
        x = cursor.x
        if self._special or self._open:
            self._draw_cells(data)
            return
        columns = data
        if not data.isascii() and is_narrow(data) is None:
            columns = spread(data)
            if x + len(columns) > self.columns or is_plain(data) is None:
                self._draw_cells(data)
                return
        end = x + len(columns)
        if end > self.columns:
            self._draw_long(columns)
            return
        row = self.rows[cursor.y]
        if row.shared:
            row = self.own_row()
        row.write(x, columns, self.pen)
        cursor.x = self._drawn_x = end
        self._drawn_row = row

    def repeat(self, count: int | None = None) -> None:
        """Draw the last character again, if nothing happened since."""
        x = self.cursor.x
        row = self.rows[self.cursor.y]
        column, cell = row.cell_before(x)
        if not self.repeatable or not cell:
            return
        width = row.width_at(column)
        a_row = self.columns // width
        count = count or 1
        here = min(count, (self.columns - x) // width)
        if here:
            self._put(cell, width, here)
            count -= here
        if count and modes.DECAWM in self.mode:
            full, count = divmod(count - 1, a_row)
            self._wrap()
            if full:
                self._put_rows(cell, width, full)
            self._put(cell, width, count + 1)
        elif count:
            self.cursor.x = self.columns - 1
            if width == 1:
                self._put(cell, width)
        self._drawn_row, self._drawn_x = self.rows[self.cursor.y], self.cursor.x

    def _draw_long(self, data: str) -> None:
        """Text of one column each that reaches behind the last one."""
        cursor = self.cursor
        if modes.DECAWM in self.mode:
            at = 0
            while at < len(data):
                if cursor.x == self.columns:
                    self._wrap()
                piece = data[at : at + self.columns - cursor.x]
                self.own_row().write(cursor.x, piece, self.pen)
                cursor.x += len(piece)
                at += len(piece)
        else:
            cursor.x = min(cursor.x, self.columns - 1)
            self.own_row().write(cursor.x, data[: self.columns - 1 - cursor.x] + data[-1], self.pen)
            cursor.x = self.columns
        self._drawn_row, self._drawn_x = self.rows[cursor.y], cursor.x

    def _draw_cells(self, data: str) -> None:
        """Any text: cell by cell, after the cell that its first code points may join."""
        if self._graphics:
            data = data.translate(_LINE_DRAWING)
        data = drawn(data)
        if not data:
            return
        column, before = self._joinable(data[0])
        cell = ""
        for cell in cells(before + data):
            if cell != before:
                if column >= 0 and before:
                    self._grow(column, cell)
                elif before and columns_of(before):
                    self._pending = cell
                else:
                    self._place(cell)
            before = ""
        self._open = bool(self._pending) or is_plain(cell) is None
        self._drawn_row, self._drawn_x = self.rows[self.cursor.y], self.cursor.x

    def _joinable(self, character: str) -> tuple[int, str]:
        """Column and text of the cell that a character may join. The column is -1 when it was not drawn."""
        row, x = self.rows[self.cursor.y], self.cursor.x
        if row is self._drawn_row and x == self._drawn_x:
            return (-1, self._pending) if self._pending else row.cell_before(x)
        self._pending = ""
        return row.cell_before(x) if joins_all(character) else (-1, "")

    def _place(self, cell: str) -> None:
        """Draw a new cell, or of one that is too wide its narrow part."""
        cursor = self.cursor
        wraps = modes.DECAWM in self.mode
        width = columns_of(cell)
        self._pending = "" if width else cell
        if width > (self.columns if wraps else max(self.columns - cursor.x, 1)):
            self._pending = cell
            cell = narrow_part(cell)
            if not cell:
                cursor.x = self.columns - 1
            width = len(cell[:1])
        if not width:
            return
        if cursor.x + width > self.columns:
            if wraps:
                self._wrap()
            else:
                cursor.x = self.columns - 1
        self._put(cell, width)

    def _grow(self, column: int, cell: str) -> None:
        """Give the cell before the cursor more code points, and a second column when it becomes wide."""
        cursor = self.cursor
        row = self.own_row()
        pen = row.pens[column]
        if columns_of(cell) > row.width_at(column):
            if cursor.x < self.columns:
                if self._inserts:
                    row.insert(cursor.x, 1, self.columns)
                row.write(cursor.x, HALF, pen)
                cursor.x += 1
            elif modes.DECAWM in self.mode and self.columns > 1:
                cursor.x = column
                self._wrap()
                self.pen, pen = pen, self.pen
                self._put(cell, 2)
                self.pen = pen
                return
            else:
                self._pending = cell
                cell = narrow_part(cell)
        row.join(column, cell)

    def _wrap(self) -> None:
        """To the start of the next row. Columns that are left were too few for a wide cell."""
        if self.cursor.x < self.columns:
            self.own_row().erase(self.cursor.x, self.columns)
        self.cursor.x = 0
        self.index()

    def _put(self, cell: str, width: int, count: int = 1) -> None:
        """Write a cell at the cursor so often; there is room for it."""
        x, columns = self.cursor.x, width * count
        row = self.own_row()
        if self._inserts:
            row.insert(x, columns, self.columns)
        row.write(x, (cell[0] + HALF * (width - 1)) * count, self.pen)
        if len(cell) > 1:
            for column in range(x, x + columns, width):
                row.join(column, cell)
        self.cursor.x += columns

    def _put_rows(self, cell: str, width: int, count: int) -> None:
        """Fill so many rows with a cell, from the cursor's on, and wrap. They are one object: it takes no longer for 9,999 of them."""
        filled = self.blank.copy()
        self.rows[self.cursor.y] = filled
        self._put(cell, width, self.columns // width)
        filled.shared = True
        cursor = self.cursor
        top, bottom = self.region()
        down = min(count - 1, (bottom if cursor.y <= bottom else self.lines - 1) - cursor.y)
        self.rows[cursor.y : cursor.y + down] = [filled] * down
        cursor.y += down
        self.rows[cursor.y] = filled
        if cursor.y == bottom:
            self.remove_rows(top, bottom, count - 1 - down, filled)
        self._wrap()
