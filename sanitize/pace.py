"""When a screen that is being written to is worth a look: at the end of a frame, or when it rests."""

from __future__ import annotations

from sanitize.limits import QUIET_SECONDS, SNAPSHOT_SECONDS, UNSEEN_SECONDS


class Pace:
    """When to take the next snapshot of a terminal. Times are seconds of one clock that never goes back."""

    def __init__(self) -> None:
        self._frames = 0
        self._in_frame = False
        self._complete = False
        """Whether a frame was ended since the last snapshot, and none was begun after it."""
        self._first: float | None = None
        """When it was first fed since the last snapshot."""
        self._last = 0.0
        self._taken: float | None = None

    def fed(self, now: float, frames: int, in_frame: bool) -> None:
        """The terminal was fed, and is as its properties of these names say."""
        if self._first is None:
            self._first = now
        self._last = now
        self._complete = not in_frame and (self._complete or frames != self._frames)
        self._frames, self._in_frame = frames, in_frame

    def due(self) -> float | None:
        """From when on; None while there is nothing new."""
        if self._first is None:
            return None
        wanted = self._first + UNSEEN_SECONDS
        if self._complete:
            wanted = self._last
        elif not self._in_frame:
            wanted = min(wanted, self._last + QUIET_SECONDS)
        return wanted if self._taken is None else max(wanted, self._taken + SNAPSHOT_SECONDS)

    def taken(self, now: float) -> None:
        """A snapshot was taken."""
        self._taken = now
        self._first = None
        self._complete = False
