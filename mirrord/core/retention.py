"""How long and how much is kept of what is over: receipts of turns, settlements, sessions that ended. Pure.

Days are counted where they can be: on disk by the wall clock, which alone goes on between two daemons; in memory by the boot clock, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mirrord.core.events import Event
from mirrord.core.model import Moment
from mirrord.wire.limits import RETENTION_BYTES, RETENTION_DAYS

DAY_SECONDS: Final = 24 * 3600

DAY_MS: Final = DAY_SECONDS * 1000

DRIFT_SECONDS: Final = 3600.0
"""A wall clock that went so much faster or slower than time did was set. Corrections of a running clock are seconds."""


@dataclass(frozen=True, slots=True)
class Retention:
    """`days`, and `bytes` of receipts as of ended sessions, each."""

    days: int = RETENTION_DAYS
    bytes: int = RETENTION_BYTES

    @property
    def ms(self) -> int:
        """The days in milliseconds."""
        return self.days * DAY_MS

    @property
    def seconds(self) -> float:
        """The days in seconds."""
        return float(self.days * DAY_SECONDS)


USUAL: Final = Retention()
"""What holds until somebody sets it otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prune(Event):
    """What is too old or too much by these limits is to be forgotten; they hold from now on.

    `before`: what the wall clock says is older is too old, in ms; None when that clock is not to be believed today.
    """

    retention: Retention
    before: int | None


@dataclass(slots=True)
class Calendar:
    """Whether the wall clock told days truly since it was looked at last: one that somebody set to another year makes nothing old."""

    last: Moment

    def before(self, retention: Retention, now: Moment) -> int | None:
        """The moment before which everything is too old, ms since the epoch; None when the clock was set meanwhile."""
        by_wall, by_boot = (now.wall - self.last.wall) / 1000, now.boot - self.last.boot
        self.last = now
        return now.wall - retention.ms if abs(by_wall - by_boot) <= DRIFT_SECONDS else None
