"""Events of one session for clients that come back: `epoch:seq` cursors, a bounded journal, an explicit gap when it does not reach."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Final

import msgspec

from bridge.limits import KIB
from mirrord.wire.limits import JOURNAL_EVENTS
from mirrord.wire.messages import ServerMessage

JOURNAL_BYTES: Final = 1024 * KIB
"""What one session's journal may hold: a client that missed more takes a snapshot, which is smaller."""


@dataclass(slots=True)
class Journal:
    """The newest durable events of one session. The epoch is new with each run of the daemon."""

    epoch: str
    seq: int = 0
    _events: deque[tuple[int, ServerMessage, int]] = field(default_factory=deque)
    _bytes: int = 0

    @property
    def cursor(self) -> str:
        """Cursor of the newest event; a snapshot taken now carries it."""
        return f"{self.epoch}:{self.seq}"

    def advance(self) -> str:
        """The cursor for the next event, which must then be recorded."""
        self.seq += 1
        return self.cursor

    def record(self, message: ServerMessage) -> None:
        """Keep the event that carries the current cursor, and let the oldest go past JOURNAL_EVENTS or JOURNAL_BYTES."""
        size = len(msgspec.json.encode(message))
        self._events.append((self.seq, message, size))
        self._bytes += size
        while self._events and (len(self._events) > JOURNAL_EVENTS or self._bytes > JOURNAL_BYTES):
            self._bytes -= self._events.popleft()[2]

    def after(self, cursor: str) -> tuple[ServerMessage, ...] | None:
        """The events after a cursor, or None when they cannot all be given: another epoch, too old, from the future, not a cursor."""
        epoch, _, number = cursor.rpartition(":")
        if epoch != self.epoch or not (number.isascii() and number.isdecimal()) or len(number) > len(str(self.seq)):
            return None
        since = int(number)
        oldest = self._events[0][0] if self._events else self.seq + 1
        if since > self.seq or since < oldest - 1:
            return None
        return tuple(message for seq, message, _ in self._events if seq > since)
