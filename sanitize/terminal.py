"""The screen path: a stream of terminal output becomes a screen of lines, as often as they are asked for."""

from __future__ import annotations

import codecs
import re
from typing import Final

from pyte import modes

from sanitize.assemble import assemble
from sanitize.commands import Commands
from sanitize.counters import Counters
from sanitize.limits import COLUMNS, ROWS
from sanitize.parser import Parser
from sanitize.pens import Pens
from sanitize.screen import Screen
from sanitize.spans import EMPTY, Line

_surrogate: Final = re.compile(r"[\ud800-\udfff]")
_REPLACEMENT: Final = "\ufffd"


class Terminal:
    """A terminal of `columns` and `rows`, which are brought within 1 to COLUMNS and 1 to ROWS. No input raises."""

    def __init__(self, columns: int, rows: int, pens: Pens, counters: Counters) -> None:
        self._counters: Final = counters
        self._screen: Final = Screen(_within(columns, COLUMNS), _within(rows, ROWS), pens.plain)
        self._commands: Final = Commands(self._screen, pens, counters)
        self._parser: Final = Parser(self._commands, counters)
        self._decoder: Final = codecs.getincrementaldecoder("utf-8")("replace")

    def feed(self, data: bytes | str) -> None:
        """Obey what came next. Bytes are UTF-8 which may be cut anywhere; what is none becomes U+FFFD, so a byte 0x9B is no control."""
        if isinstance(data, bytes):
            data = self._decoder.decode(data)
        elif not data.isascii():
            data = _surrogate.sub(_REPLACEMENT, data)
        self._parser.feed(data)

    def lines(self) -> list[Line]:
        """The rows, top to bottom, without empty ones at the end. A row that did not change is the same object as before."""
        lines: list[Line] = []
        for row in self._screen.rows:
            line = row.line
            if line is None:
                line = row.line = assemble(row.runs(), None, self._counters)
            lines.append(line)
        while lines and lines[-1] == EMPTY:
            lines.pop()
        return lines

    @property
    def caret(self) -> tuple[int, int] | None:
        """Row and column of the cursor, from 0; None while it is hidden."""
        cursor = self._screen.cursor
        return None if cursor.hidden else (cursor.y, min(cursor.x, self._screen.columns - 1))

    @property
    def cursor(self) -> tuple[int, int]:
        """Row and column of the cursor, from 0, shown or hidden. The column is one past the last after a row was filled."""
        return self._screen.cursor.y, self._screen.cursor.x

    @property
    def wraps(self) -> bool:
        """Whether text that reaches the end of a row goes on in the next one."""
        return modes.DECAWM in self._screen.mode

    @property
    def frames(self) -> int:
        """Complete frames: synchronized updates that were ended."""
        return self._commands.frames

    @property
    def in_frame(self) -> bool:
        """Whether a synchronized update was begun and not ended."""
        return self._commands.in_frame

    @property
    def alternate(self) -> bool:
        """Whether the alternate screen is shown."""
        return self._screen.alternate

    def resize(self, columns: int, rows: int) -> None:
        """Another size, within the same bounds."""
        self._screen.resize(lines=_within(rows, ROWS), columns=_within(columns, COLUMNS))

    def reset(self) -> None:
        """An empty screen; what is unfinished is forgotten. `frames` goes on."""
        self._decoder.reset()
        self._parser.reset()
        self._screen.reset()


def _within(size: int, limit: int) -> int:
    return min(max(size, 1), limit)
