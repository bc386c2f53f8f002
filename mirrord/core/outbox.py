"""Frames that wait for one client: bounded in bytes, newest state wins, a prompt is never dropped (design FIXED 4)."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Literal

from mirrord.core.model import Importance
from mirrord.wire.limits import MAY_BYTES, OUTBOX_BYTES

Eviction = Literal["slow: pending", "slow: age"]
"""Why a client is cut; it goes into the close frame, with code 1013."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    frame: bytes
    key: str | None


@dataclass(slots=True)
class Outbox:
    """Frames in the order they are to be sent."""

    pending: int = 0
    """Bytes that wait."""
    dropped: int = 0
    """`may` frames that found no room."""
    _frames: OrderedDict[int, _Waiting] = field(default_factory=OrderedDict)
    _latest: dict[str, int] = field(default_factory=dict)
    _number: int = 0

    def __len__(self) -> int:
        """Frames that wait."""
        return len(self._frames)

    def push(self, frame: bytes, importance: Importance, key: str | None) -> Eviction | None:
        """Let a frame wait; returns why the client must be cut, or None.

        A `latest` frame removes a waiting one with the same key and goes to the end: frames carry cursors, so their order must stay that
        of the events. A `may` frame finds room only while nothing or little waits (MAY_BYTES), so that a slow reader is not kept busy with
        what it could do without. Whether the client takes anything at all is for the writer to judge: frames may be old because nobody ran.
        """
        newest = key if importance == "latest" else None
        if newest is not None and newest in self._latest:
            self._remove(self._latest[newest])
        if importance == "may" and self.pending + len(frame) > (MAY_BYTES if self.pending else OUTBOX_BYTES):
            self.dropped += 1
            return None
        if self.pending + len(frame) > OUTBOX_BYTES:
            return "slow: pending"
        self._number += 1
        self._frames[self._number] = _Waiting(frame, newest)
        self.pending += len(frame)
        if newest is not None:
            self._latest[newest] = self._number
        return None

    def take(self) -> bytes | None:
        """The next frame to write, or None when nothing waits."""
        if not self._frames:
            return None
        return self._remove(next(iter(self._frames)))

    def _remove(self, number: int) -> bytes:
        waiting = self._frames.pop(number)
        self.pending -= len(waiting.frame)
        if waiting.key is not None:
            del self._latest[waiting.key]
        return waiting.frame
