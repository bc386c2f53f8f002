"""Bytes on their way from one descriptor to another."""

from __future__ import annotations

import errno
import os
import select
from collections.abc import Callable
from enum import Enum, auto
from typing import Final

from bridge.pty.interest import Interests

READ_BYTES: Final = 1 << 16
"""The most that is read at once, and so the most that waits in a flow. Terminals have been seen to give 20 kB."""

MUCH: Final = 2048
"""After a read of so many bytes more is there already: Linux gives 4 kB of a terminal at most while a program floods it."""
BURST: Final = 16
"""So many reads are made without asking who else is ready: half a millisecond, which nobody at a keyboard notices."""


class Moved(Enum):
    """What became of an attempt to move bytes."""

    SOME = auto()
    NOTHING = auto()
    """There was nothing to read."""
    ENDED = auto()
    """The source will give no more."""
    STUCK = auto()
    """The sink takes no more now; nothing is read meanwhile."""
    LOST = auto()
    """The sink is gone."""


class Flow:
    """Both descriptors are non-blocking. What was read and not written yet is kept, and nothing is read until it is gone."""

    def __init__(
        self, interests: Interests, source: int, sink: int, before: Callable[[bytes], None] | None, after: Callable[[bytes], None] | None
    ) -> None:
        """`before` and `after` are told of each piece that was read: before any of it is written, and once all of it was."""
        self._interests = interests
        self._source = source
        self._sink = sink
        self._before = before
        self._after = after
        self._piece = b""
        self._rest = memoryview(b"")
        """The end of `_piece`, which waits for the sink."""
        self._open = True

    @property
    def stuck(self) -> bool:
        """Whether bytes wait for the sink."""
        return bool(self._rest)

    def open(self, wanted: bool) -> None:
        """Wait for the source, or leave it alone."""
        self._open = wanted
        self._interests.change(self._source, select.POLLIN, wanted and not self._rest)

    def move(self) -> Moved:
        """Read and write what the sink takes; again, a few times, while much comes. What became of the last attempt."""
        if self._rest:
            return self.push()
        for _ in range(BURST):
            try:
                data = os.read(self._source, READ_BYTES)
            except BlockingIOError:
                return Moved.NOTHING
            except OSError as error:
                # Linux's way to say that the last program has closed the terminal.
                if error.errno != errno.EIO:
                    raise
                return Moved.ENDED
            if not data:
                return Moved.ENDED
            if self._before is not None:
                self._before(data)
            written = self._write(data)
            if written < 0:
                return Moved.LOST
            if written < len(data):
                self._piece = data
                self._hold(memoryview(data)[written:])
                return Moved.STUCK
            if self._after is not None:
                self._after(data)
            if len(data) < MUCH:
                break
        return Moved.SOME

    def push(self) -> Moved:
        """Write what waits."""
        written = self._write(self._rest)
        if written < 0:
            self._hold(memoryview(b""))
            return Moved.LOST
        self._hold(self._rest[written:])
        if self._rest:
            return Moved.STUCK
        if self._after is not None:
            self._after(self._piece)
        self._piece = b""
        return Moved.SOME

    def _write(self, data: bytes | memoryview) -> int:
        """How many bytes went; -1 when the sink is gone."""
        try:
            return os.write(self._sink, data)
        except BlockingIOError:
            return 0
        except OSError as error:
            if error.errno not in (errno.EIO, errno.EPIPE, errno.ENXIO):
                raise
            return -1

    def _hold(self, rest: memoryview) -> None:
        self._rest = rest
        self._interests.change(self._sink, select.POLLOUT, bool(rest))
        self._interests.change(self._source, select.POLLIN, self._open and not rest)
