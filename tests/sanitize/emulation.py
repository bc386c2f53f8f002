"""What the tests of the screen share: a screen that obeys sequences."""

from __future__ import annotations

from sanitize.commands import Commands
from sanitize.counters import Counters
from sanitize.parser import Parser
from sanitize.pens import Pens
from sanitize.roles import Palette
from sanitize.screen import Screen

PENS = Pens(Palette())


class Emulation:
    """A screen of so many columns and lines, after it was fed."""

    def __init__(self, data: str = "", columns: int = 10, lines: int = 4) -> None:
        self.counters = Counters()
        self.screen = Screen(columns, lines, PENS.plain)
        self.commands = Commands(self.screen, PENS, self.counters)
        self._parser = Parser(self.commands, self.counters)
        self.feed(data)

    def feed(self, data: str) -> None:
        self._parser.feed(data)

    @property
    def rows(self) -> list[str]:
        """Text of the rows, without blanks at their ends and without empty rows at the end."""
        rows = [row.rstrip(" ") for row in self.screen.display]
        while rows and not rows[-1]:
            rows.pop()
        return rows

    @property
    def cursor(self) -> tuple[int, int]:
        """Column and row. The column behind the last one is where the next character wraps."""
        return self.screen.cursor.x, self.screen.cursor.y
