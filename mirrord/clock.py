"""What time it is: one clock for people, one for deadlines."""

from __future__ import annotations

import time
from typing import Protocol

from mirrord.core.model import Moment

_BOOT = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""Counts while the machine sleeps. macOS has no such name; its CLOCK_MONOTONIC counts then as well."""


class Clock(Protocol):
    """Tells the time. Two calls never go backwards in `boot`; `wall` may jump whenever somebody sets it."""

    def wall(self) -> int:
        """Milliseconds since the epoch."""

    def boot(self) -> float:
        """Seconds since some moment in the past, sleep of the machine included."""


class SystemClock:
    """The machine's clocks."""

    def wall(self) -> int:
        """Milliseconds since the epoch."""
        return time.time_ns() // 1_000_000

    def boot(self) -> float:
        """Seconds since the machine started."""
        return time.clock_gettime(_BOOT)


def moment(clock: Clock) -> Moment:
    """Now, on both clocks."""
    return Moment(clock.wall(), clock.boot())
