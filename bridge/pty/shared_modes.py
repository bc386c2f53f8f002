"""The modes of the terminal, told by the process that copies in memory that outlives it."""

from __future__ import annotations

import mmap
from typing import Final

from bridge.pty.modes import Modes

_WORD: Final = "Q"
"""One machine word, written at once: who is killed while writing leaves the old one or the new one. (`struct` writes byte by byte.)"""


class SharedModes:
    """One `Modes.word`, which this process and all that it forks read and write."""

    def __init__(self) -> None:
        self._words = memoryview(mmap.mmap(-1, mmap.PAGESIZE)).cast(_WORD)

    def store(self, word: int) -> None:
        """From here on every process reads this."""
        self._words[0] = word

    def load(self) -> Modes:
        """What was stored last; nothing at first."""
        return Modes(self._words[0])
