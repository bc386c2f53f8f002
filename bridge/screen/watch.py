"""Pi's screen as its bytes make it: what waits on it, and what of it may leave. Pure: bytes and times come in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from bridge.screen.blank import leaving
from bridge.screen.limits import LOOK_SECONDS
from bridge.screen.messages import Hidden, Menu, ScreenProgram
from bridge.screen.osc7501 import ProgramReader
from bridge.screen.page import Page
from bridge.screen.records import Gap, Output, Record, Resized
from bridge.screen.states import recognise
from sanitize.counters import Counters
from sanitize.limits import COLUMNS, ROWS
from sanitize.pace import Pace
from sanitize.pens import Pens
from sanitize.roles import Palette
from sanitize.spans import Line
from sanitize.terminal import Terminal

_UNKNOWN: Final = "\ue0ff"
"""Fills a screen of which bytes are missing; a row is known again once it is gone there."""

_CANCEL: Final = "\x18"
"""Breaks off a sequence that the missing bytes would have ended."""

_HANDED_OVER: Final = b"\x1b[?2004l"
"""Pi gives the terminal away: to an editor of the person's, or for good."""

_TAKEN_BACK: Final = b"\x1b[?2004h"


@dataclass(frozen=True, slots=True)
class View:
    """The screen at one look."""

    menu: Menu | None
    columns: int
    rows: int
    shown: tuple[Line, ...] | Hidden
    """The rows that may leave, or why none may."""


class Watch:
    """Follows one terminal. Times are seconds of a clock that never goes back."""

    def __init__(self, columns: int, rows: int) -> None:
        self._terminal: Final = Terminal(columns, rows, Pens(Palette()), Counters())
        self._columns, self._rows = max(columns, 1), max(rows, 1)
        self._pace = Pace()
        self._programs = ProgramReader()
        self._looked: float | None = None
        self._incomplete = False
        self._menu: Menu | None = None
        """What waited when the screen was last complete."""
        self._tail = b""
        """The end of what came last, where a mode's sequence may have been cut."""
        self._handed_over = False
        """Whether Pi gave the terminal away and has not drawn since it took it back."""
        self._back: int | None = None
        """Frames there were when it took it back."""
        self.program: ScreenProgram | None = None
        """What Pi said of itself last, if anything."""

    @property
    def size(self) -> tuple[int, int]:
        """Columns, rows."""
        return self._columns, self._rows

    def take(self, record: Record, now: float) -> None:
        """What the copy loop says next. No bytes raise."""
        match record:
            case Output(data=data):
                said = self._programs.feed(data)
                if said:
                    self.program = said[-1]
                self._terminal.feed(data)
                self._notice(data)
            case Resized(columns=columns, rows=rows):
                self._resize(columns, rows)
            case Gap(columns=columns, rows=rows):
                if columns and rows:
                    self._resize(columns, rows)
                self._miss()
        self._pace.fed(now, self._terminal.frames, self._terminal.in_frame)

    def due(self) -> float | None:
        """When to look next; None while there is nothing new."""
        due = self._pace.due()
        if due is None or self._looked is None:
            return due
        return max(due, self._looked + LOOK_SECONDS)

    def look(self, now: float) -> View:
        """What is to be seen."""
        self._pace.taken(now)
        self._looked = now
        lines = self._terminal.lines()
        if self._incomplete:
            self._incomplete = any(_UNKNOWN in line.text for line in lines)
        columns, rows = min(self._columns, COLUMNS), min(self._rows, ROWS)
        fits = (columns, rows) == (self._columns, self._rows)
        if self._incomplete or not (fits or self._terminal.alternate):
            return View(None, self._columns, self._rows, "incomplete" if fits else "large")
        if self._terminal.in_frame:
            return View(self._menu, self._columns, self._rows, "incomplete" if fits else "large")
        page = Page.of(lines, columns, rows, self._terminal.cursor)
        found = recognise(page)
        shown: tuple[Line, ...] | Hidden = "large"
        if fits:
            shown = "unknown" if self._foreign() else leaving(page, lines, found)
        self._menu = found.menu if found is not None else None
        return View(self._menu, self._columns, self._rows, shown)

    def _resize(self, columns: int, rows: int) -> None:
        self._columns, self._rows = max(columns, 1), max(rows, 1)
        self._terminal.resize(columns, rows)

    def _miss(self) -> None:
        """Bytes are missing. Modes most likely stayed; of the cells none is known, nor whether it is still Pi that draws.

        Where Pi addresses rows from its last one, the cursor was most likely in the lowest: above it all moves have room.
        """
        self._programs.reset()
        self._tail = b""
        self._menu = None
        self._incomplete = True
        self._handed_over, self._back = True, self._terminal.frames
        row_of_them = _UNKNOWN * min(self._columns, COLUMNS)
        rows = "".join(f"\x1b[{row};1H{row_of_them}" for row in range(1, min(self._rows, ROWS) + 1))
        self._terminal.feed(f"{_CANCEL}\x1b[0m\x1b[r{rows}\r")

    def _notice(self, data: bytes) -> None:
        """Look for the terminal being given away and taken back."""
        seen = self._tail + data
        given, taken = seen.rfind(_HANDED_OVER), seen.rfind(_TAKEN_BACK)
        if given >= 0:
            self._handed_over, self._back = True, None
        if taken > given and self._handed_over:
            self._back = self._terminal.frames
        self._tail = seen[-(len(_TAKEN_BACK) - 1) :]

    def _foreign(self) -> bool:
        """Whether somebody else than Pi may draw: an editor draws no frames, or on another screen and with wrapping, as Pi does not."""
        drawn = self._back is not None and self._terminal.frames > self._back
        if drawn and not (self._terminal.alternate and self._terminal.wraps):
            self._handed_over, self._back = False, None
        return self._handed_over
