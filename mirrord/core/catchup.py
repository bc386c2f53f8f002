"""Events of one session for clients that come back: `epoch:seq` cursors, a bounded journal, an explicit gap when it does not reach.

Of events that set the same thing again (a status, a widget) only the newest is kept: who missed all of them needs no other, and a progress
bar does not push prompts out.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import msgspec

from bridge.limits import KIB
from mirrord.wire.limits import JOURNAL_EVENTS
from mirrord.wire.messages import ServerMessage
from mirrord.wire.surface_limits import SURFACES_BYTES

JOURNAL_BYTES: Final = SURFACES_BYTES + 1024 * KIB
"""What one session's journal may hold: every surface once, and as much of prompts; a client that missed more takes a snapshot."""


class _Event(NamedTuple):
    message: ServerMessage
    size: int
    key: str | None


@dataclass(slots=True)
class Journal:
    """The newest durable events of one session. The epoch is its own: no other session has it, nor the same one when it is listed anew."""

    epoch: str
    seq: int = 0
    _events: OrderedDict[int, _Event] = field(default_factory=OrderedDict)
    _newest: dict[str, int] = field(default_factory=dict)
    """Key → its event that is kept."""
    _lost: int = 0
    """The newest event that is not here, neither itself nor a newer one of its key."""
    _bytes: int = 0

    @property
    def bytes(self) -> int:
        """What the events take as JSON."""
        return self._bytes

    @property
    def cursor(self) -> str:
        """Cursor of the newest event; a snapshot taken now carries it."""
        return self.at(self.seq)

    def at(self, seq: int) -> str:
        """The cursor of an event."""
        return f"{self.epoch}:{seq}"

    def advance(self) -> str:
        """The cursor for the next event, which must then be recorded."""
        self.seq += 1
        return self.cursor

    def record(self, message: ServerMessage, key: str | None = None) -> None:
        """Keep the event that carries the current cursor, instead of an older one with its key, and let the oldest go past the bounds."""
        if key is not None:
            older = self._newest.pop(key, None)
            if older is not None:
                self._bytes -= self._events.pop(older).size
            self._newest[key] = self.seq
        event = _Event(message, len(msgspec.json.encode(message)), key)
        self._events[self.seq] = event
        self._bytes += event.size
        while self._events and (len(self._events) > JOURNAL_EVENTS or self._bytes > JOURNAL_BYTES):
            self._lost, oldest = self._events.popitem(last=False)
            self._bytes -= oldest.size
            if oldest.key is not None:
                del self._newest[oldest.key]

    def forget(self) -> None:
        """Keep no event: whoever comes back with a cursor that is not the newest takes a snapshot."""
        self._events.clear()
        self._newest.clear()
        self._lost, self._bytes = self.seq, 0

    def after(self, cursor: str) -> tuple[ServerMessage, ...] | None:
        """The events after a cursor, or None when they cannot all be given: another epoch, too old, from the future, not a cursor."""
        epoch, _, number = cursor.rpartition(":")
        if epoch != self.epoch or not (number.isascii() and number.isdecimal()) or len(number) > len(str(self.seq)):
            return None
        since = int(number)
        if not self._lost <= since <= self.seq:
            return None
        return tuple(event.message for seq, event in self._events.items() if seq > since)
