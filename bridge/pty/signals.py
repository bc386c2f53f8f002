"""Signals as bytes of a pipe, so that one poll waits for them and for everything else."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Final

_READ: Final = 4096


def _note(number: int, frame: FrameType | None) -> None:
    """The interpreter has written the number into the pipe already."""


class Signals:
    """Catches these signals in this process, but leaves those alone that it was told to ignore when it started (`nohup`).

    SIGCHLD is caught in any case: to who ignores it nobody tells of a child's end.
    """

    def __init__(self, numbers: Iterable[signal.Signals]) -> None:
        self._read, self._write = os.pipe()
        os.set_blocking(self._read, False)
        os.set_blocking(self._write, False)
        # A full pipe is no loss: it wakes us all the same, and of each signal one is enough.
        signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        before = {number: signal.getsignal(number) for number in numbers}
        self.ignored = frozenset(number for number, handler in before.items() if handler is signal.SIG_IGN)
        """Those that this process was told to ignore."""
        self._before = {number: signal.signal(number, _note) for number in before.keys() - (self.ignored - {signal.SIGCHLD})}

    def fileno(self) -> int:
        """Readable when there is something to `take`."""
        return self._read

    def take(self) -> set[signal.Signals]:
        """Which signals came since the last call."""
        found: set[signal.Signals] = set()
        with suppress(BlockingIOError):
            while data := os.read(self._read, _READ):
                found.update(map(signal.Signals, data))
        return found

    @contextmanager
    def default(self, number: signal.Signals) -> Iterator[None]:
        """The system's own action for this signal, meanwhile."""
        before = signal.signal(number, signal.SIG_DFL)
        try:
            yield
        finally:
            signal.signal(number, before)

    def close(self) -> None:
        """As it was before."""
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(-1)
        os.close(self._read)
        os.close(self._write)


def ignore(*numbers: signal.Signals) -> None:
    """From here on nothing happens when these come."""
    for number in numbers:
        signal.signal(number, signal.SIG_IGN)
