"""The screen of a terminal: what its sequences do to cells, cursor, margins and modes.

It replaces what stock pyte does wrongly, slowly or not at all. Where terminals disagree it does as xterm.js does. It never answers: there
is no process to write to. Its size is changed by `resize` alone, never by what is written.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from pyte import modes
from pyte.charsets import LAT1_MAP, VT100_MAP
from pyte.screens import Margins

from sanitize.grid import Grid
from sanitize.pens import Pen
from sanitize.rows import Row

_TAB_COLUMNS: Final = 8
_STOP: Final = 1


class _Saved(NamedTuple):
    """What DECSC saves."""

    x: int
    y: int
    pen: Pen
    charsets: tuple[int, str, str]


class _Main(NamedTuple):
    """The main screen, while the alternate one is shown."""

    rows: list[Row]
    saved: _Saved
    margins: Margins | None
    tabs: bytearray


class Screen(Grid):
    """A screen of at least one column and one line. A count that is 0 or None counts as 1."""

    def reset(self) -> None:
        """As when it was made."""
        super().reset()
        self._tabs = _tab_stops(self.columns)
        self._saved = self._at_home()
        self._main: _Main | None = None

    @property
    def alternate(self) -> bool:
        """Whether the alternate screen is shown."""
        return self._main is not None

    def resize(self, lines: int | None = None, columns: int | None = None) -> None:
        """Rows below the cursor go first when there are fewer, then those at the top; nothing is wrapped anew."""
        lines, columns = lines or self.lines, columns or self.columns
        if (lines, columns) == (self.lines, self.columns):
            return
        self.margins = None
        above = max(self.cursor.y + 1 - lines, 0)
        self.rows = self._resized(self.rows, above, lines, columns)
        self.cursor.y -= above
        if self._main is not None:
            self._main = _Main(self._resized(self._main.rows, 0, lines, columns), self._main.saved, None, _tab_stops(columns))
        self.lines, self.columns = lines, columns
        self._tabs = _tab_stops(columns)
        self.ensure_hbounds()
        self.ensure_vbounds()

    def _resized(self, rows: list[Row], above: int, lines: int, columns: int) -> list[Row]:
        kept = rows[above : above + lines]
        for y, row in enumerate(kept):
            if len(row.columns) > columns:
                kept[y] = row.copy()
                kept[y].cut(columns)
        return kept + [self.blank] * (lines - len(kept))

    # Cursor

    def cursor_up(self, count: int | None = None) -> None:
        """CUU: not out of the region."""
        top, _ = self.region()
        y = self.cursor.y
        self.cursor.y = max(y - (count or 1), top if y >= top else 0)
        self.ensure_hbounds()

    def cursor_down(self, count: int | None = None) -> None:
        """CUD: not out of the region."""
        _, bottom = self.region()
        y = self.cursor.y
        self.cursor.y = min(y + (count or 1), bottom if y <= bottom else self.lines - 1)
        self.ensure_hbounds()

    def cursor_position(self, line: int | None = None, column: int | None = None) -> None:
        """CUP: in origin mode lines count from the region's first, and the cursor stays within the region."""
        self.cursor_to_line(line)
        self.cursor_to_column(column)

    def cursor_to_line(self, line: int | None = None) -> None:
        """VPA."""
        top = self.region()[0] if modes.DECOM in self.mode else 0
        self.cursor.y = top + (line or 1) - 1
        self.ensure_vbounds()
        self.ensure_hbounds()

    def lines_forward(self, count: int | None = None) -> None:
        """VPR: the region does not stop it."""
        self.cursor.y += count or 1
        self.ensure_vbounds()
        self.ensure_hbounds()

    def next_line(self) -> None:
        """NEL."""
        self.index()
        self.carriage_return()

    def reverse_index(self) -> None:
        """RI: at the start of the region it scrolls."""
        top, bottom = self.region()
        if self.cursor.y == top:
            self.insert_rows(top, bottom, 1)
        else:
            self.cursor.y = max(self.cursor.y - 1, 0)
        self.ensure_hbounds()

    def save_cursor(self) -> None:
        """DECSC: there is one place, for each of both screens."""
        self._saved = _Saved(self.cursor.x, self.cursor.y, self.pen, (self.charset, self.g0_charset, self.g1_charset))

    def restore_cursor(self) -> None:
        """DECRC: to home when nothing was saved."""
        self.cursor.x, self.cursor.y, self.pen, (self.charset, self.g0_charset, self.g1_charset) = self._saved
        self.choose_path()
        self.ensure_hbounds()
        self.ensure_vbounds()

    # Tab stops

    def tab(self) -> None:
        """HT."""
        self.tabs_forward(1)

    def tabs_forward(self, count: int | None = None) -> None:
        """CHT: to a later tab stop, or to the last column."""
        x = self.cursor.x
        for _ in range(count or 1):
            if x >= self.columns - 1:
                return
            x = self._tabs.find(_STOP, x + 1)
            x = self.columns - 1 if x < 0 else x
            self.cursor.x = x

    def tabs_back(self, count: int | None = None) -> None:
        """CBT: to an earlier tab stop, or to the first column."""
        if self.cursor.x < self.columns:
            for _ in range(count or 1):
                self.cursor.x = max(self._tabs.rfind(_STOP, 0, self.cursor.x), 0)
                if self.cursor.x == 0:
                    return

    def set_tab_stop(self) -> None:
        """HTS."""
        self._tabs[min(self.cursor.x, self.columns - 1)] = _STOP

    def clear_tab_stop(self, how: int = 0) -> None:
        """TBC: 0 the one here, 3 all."""
        if how == 0:
            self._tabs[min(self.cursor.x, self.columns - 1)] = 0
        elif how == 3:
            self._tabs = bytearray(self.columns)

    # Rows

    def scroll_up(self, count: int | None = None) -> None:
        """SU."""
        self.remove_rows(*self.region(), count or 1)

    def scroll_down(self, count: int | None = None) -> None:
        """SD."""
        self.insert_rows(*self.region(), count or 1)

    def insert_lines(self, count: int | None = None) -> None:
        """IL: only within the region."""
        self.ensure_hbounds()
        top, bottom = self.region()
        if top <= self.cursor.y <= bottom:
            self.insert_rows(self.cursor.y, bottom, count or 1)
            self.carriage_return()

    def delete_lines(self, count: int | None = None) -> None:
        """DL: only within the region."""
        self.ensure_hbounds()
        top, bottom = self.region()
        if top <= self.cursor.y <= bottom:
            self.remove_rows(self.cursor.y, bottom, count or 1)
            self.carriage_return()

    def erase_in_display(self, how: int = 0, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 (as pyte has it)
        """ED: 0 from the cursor on, 1 up to the cursor, 2 all. There is no history for 3 to erase."""
        y = self.cursor.y
        if how == 0:
            self.erase_in_line(0)
            self.rows[y + 1 :] = [self.blank] * (self.lines - y - 1)
        elif how == 1:
            self.rows[:y] = [self.blank] * y
            self.erase_in_line(1)
        elif how == 2:
            self.rows = [self.blank] * self.lines

    def alignment_display(self) -> None:
        """DECALN: the letter E everywhere."""
        row = Row(self.plain)
        row.write(0, "E" * self.columns, self.plain)
        row.shared = True
        self.rows = [row] * self.lines
        self.cursor_position()

    # Columns

    def erase_in_line(self, how: int = 0, private: bool = False) -> None:
        """EL: 0 from the cursor on, 1 up to the cursor, 2 all."""
        x, y = self.cursor.x, self.cursor.y
        if not self.rows[y].columns:
            return
        if how == 2 or (how == 0 and x == 0):
            self.rows[y] = self.blank
        elif how == 0:
            self.own_row().erase(x, self.columns)
        elif how == 1:
            self.own_row().erase(0, x + 1)

    def erase_characters(self, count: int | None = None) -> None:
        """ECH."""
        self.ensure_hbounds()
        x = self.cursor.x
        self.own_row().erase(x, min(x + (count or 1), self.columns))

    def insert_characters(self, count: int | None = None) -> None:
        """ICH."""
        self.ensure_hbounds()
        x = self.cursor.x
        self.own_row().insert(x, min(count or 1, self.columns - x), self.columns)

    def delete_characters(self, count: int | None = None) -> None:
        """DCH."""
        self.ensure_hbounds()
        x = self.cursor.x
        self.own_row().delete(x, min(count or 1, self.columns - x))

    # Modes

    def set_margins(self, top: int | None = None, bottom: int | None = None) -> None:
        """DECSTBM: a region of at least two rows, then the cursor goes home."""
        first, last = (top or 1) - 1, min(bottom or self.lines, self.lines) - 1
        if first < last:
            self.margins = Margins(first, last)
            self.cursor_position()

    def set_mode(self, *numbers: int, **kwargs: Any) -> None:  # noqa: ANN401 (as pyte has it)
        """Turn on modes of `pyte.modes`; those of other numbers have no effect."""
        self.mode.update(numbers)
        self._mode_changed(numbers)

    def reset_mode(self, *numbers: int, **kwargs: Any) -> None:  # noqa: ANN401 (as pyte has it)
        """Turn them off."""
        self.mode.difference_update(numbers)
        self._mode_changed(numbers)

    def _mode_changed(self, numbers: tuple[int, ...]) -> None:
        self.choose_path()
        self.cursor.hidden = modes.DECTCEM not in self.mode
        if modes.DECOM in numbers:
            self.cursor_position()

    def define_charset(self, code: str, mode: str) -> None:
        """SCS: line drawing (0), or ASCII for every other set, as G0 where `mode` is "(" and G1 where it is ")"."""
        charset = VT100_MAP if code == "0" else LAT1_MAP
        if mode == "(":
            self.g0_charset = charset
        else:
            self.g1_charset = charset
        self.choose_path()

    def shift_in(self) -> None:
        """SI: G0."""
        super().shift_in()
        self.choose_path()

    def shift_out(self) -> None:
        """SO: G1."""
        super().shift_out()
        self.choose_path()

    def soft_reset(self) -> None:
        """DECSTR: all but the cells, the tab stops and where the cursor is."""
        self.margins = None
        self.pen = self.plain
        self.charset, self.g0_charset, self.g1_charset = 0, LAT1_MAP, LAT1_MAP
        self.mode = {modes.DECAWM, modes.DECTCEM}
        self._saved = self._at_home()
        self._mode_changed(())

    def show_alternate(self) -> None:
        """Another screen, which is empty; the cursor stays where it is."""
        if self._main is None:
            self._main = _Main(self.rows, self._saved, self.margins, self._tabs)
            self.rows = [self.blank] * self.lines
            self.margins = None
            self._tabs = _tab_stops(self.columns)
            self._saved = self._at_home()

    def show_main(self) -> None:
        """The main screen as it was left; the cursor stays where it is."""
        if self._main is not None:
            self.rows, self._saved, self.margins, self._tabs = self._main
            self._main = None

    def _at_home(self) -> _Saved:
        return _Saved(0, 0, self.plain, (0, LAT1_MAP, LAT1_MAP))


def _tab_stops(columns: int) -> bytearray:
    """One byte for each column, `_STOP` where there is a tab stop."""
    stops = bytearray(columns)
    stops[_TAB_COLUMNS::_TAB_COLUMNS] = bytes([_STOP]) * len(range(_TAB_COLUMNS, columns, _TAB_COLUMNS))
    return stops
