"""When a daemon that nobody started by name ends by itself: after a while without session and client. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

IDLE_EXIT_SECONDS: Final = 600.0
"""Longer than the pause between two Pis of one piece of work, so that devices stay connected through it; then memory is given back."""


@dataclass(slots=True)
class Idle:
    """`limit` in seconds; times are of one clock that counts while the machine sleeps.

    `since` is when the last one left, None while one is there.
    """

    limit: float
    since: float | None

    def look(self, deserted: bool, now: float) -> None:
        """Note whether nobody is there now; the wait begins when the last one leaves."""
        if not deserted:
            self.since = None
        elif self.since is None:
            self.since = now

    def knocked(self, now: float) -> None:
        """Somebody is about to come: the wait begins anew."""
        if self.since is not None:
            self.since = now

    @property
    def ends_at(self) -> float | None:
        """When the daemon ends if nobody comes; None while somebody is there."""
        return None if self.since is None else self.since + self.limit
