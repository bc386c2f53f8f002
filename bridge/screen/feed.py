"""The copy loop's side of the follower: takes what Pi writes, and never makes the copy loop wait.

The loop polls `fileno()` for writing while `wanting`, and calls `flush` then. When the follower is slow or gone nothing is felt: the
oldest bytes are dropped and a gap is told in their place, and a pipe that nobody reads closes the feed.
"""

from __future__ import annotations

import contextlib
import os
from collections import deque

from bridge.screen.limits import FEED_BYTES, RECORD_BYTES, RECORD_COST
from bridge.screen.records import Gap, Output, Record, Resized, pack


class Feed:
    """Records for a follower, in the order they came. No method raises or waits; after `close` all of them do nothing."""

    def __init__(self, fd: int) -> None:
        """`fd` is the pipe's end for writing, or a stream socket; it is the feed's from here on."""
        self._fd = fd
        self._waiting: deque[Output | Resized] = deque()
        self._tail = bytearray()
        """Output that came last; it becomes a record when it is large enough or its turn has come."""
        self._cost = 0
        """What `_waiting` holds, in bytes."""
        self._sending = memoryview(b"")
        """The rest of a record that was begun: it must be finished, whatever is dropped."""
        self._gap: Gap | None = None
        """Told before `_waiting`: what was dropped from its beginning."""
        with contextlib.suppress(OSError):
            os.set_blocking(fd, False)

    def fileno(self) -> int:
        """The descriptor to poll; -1 once the feed is closed."""
        return self._fd

    @property
    def wanting(self) -> bool:
        """Whether there is something to write."""
        return self._fd >= 0 and bool(self._sending or self._waiting or self._tail or self._gap)

    def offer(self, data: bytes) -> None:
        """Pi wrote this."""
        if self._fd < 0:
            return
        if len(self._tail) + len(data) > RECORD_BYTES:
            self._cut()
            for start in range(0, len(data) - RECORD_BYTES, RECORD_BYTES):
                self._add(Output(data[start : start + RECORD_BYTES]), RECORD_BYTES)
            data = data[-(len(data) % RECORD_BYTES or RECORD_BYTES) :]
        self._tail += data

    def resized(self, columns: int, rows: int) -> None:
        """The terminal has another size."""
        if self._fd >= 0:
            self._cut()
            self._add(Resized(columns, rows), 0)

    def flush(self) -> None:
        """Write what the descriptor takes now."""
        while self.wanting:
            if not self._sending:
                self._sending = memoryview(pack(self._next()))
            try:
                written = os.write(self._fd, self._sending)
            except BlockingIOError:
                return
            except OSError:
                self.close()
                return
            self._sending = self._sending[written:]

    def close(self) -> None:
        """Close the descriptor, which ends the follower, and forget what was to be written."""
        fd, self._fd = self._fd, -1
        self._waiting.clear()
        self._tail.clear()
        self._gap = None
        self._sending = memoryview(b"")
        if fd >= 0:
            with contextlib.suppress(OSError):
                os.close(fd)

    def _cut(self) -> None:
        """End the record that is being filled."""
        if self._tail:
            self._add(Output(bytes(self._tail)), len(self._tail))
            self._tail.clear()

    def _add(self, record: Output | Resized, length: int) -> None:
        self._waiting.append(record)
        self._cost += length + RECORD_COST
        while self._cost > FEED_BYTES:
            match self._take():
                case Resized(columns=columns, rows=rows):
                    self._gap = Gap(columns, rows)
                case _:
                    self._gap = self._gap or Gap()

    def _take(self) -> Output | Resized:
        record = self._waiting.popleft()
        self._cost -= RECORD_COST
        if isinstance(record, Output):
            self._cost -= len(record.data)
        return record

    def _next(self) -> Record:
        if self._gap is not None:
            gap, self._gap = self._gap, None
            return gap
        if not self._waiting:
            self._cut()
        return self._take()
