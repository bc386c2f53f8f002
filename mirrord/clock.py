"""What time it is: one clock for people, one for deadlines, and one that tells whether the machine slept (docs/state.md)."""

from __future__ import annotations

import time
from typing import Protocol

from mirrord.core.model import Moment

_BOOT = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""Counts while the machine sleeps. macOS has no such name; its CLOCK_MONOTONIC counts then as well."""


class Clock(Protocol):
    """Tells the time. `boot` and `monotonic` never go backwards; `wall` may jump whenever somebody sets it."""

    def wall(self) -> int:
        """Milliseconds since the epoch."""

    def boot(self) -> float:
        """Seconds since some moment in the past, sleep of the machine included."""

    def monotonic(self) -> float:
        """Seconds since some moment in the past without sleep of the machine: what every timer of the event loop counts."""


class SystemClock:
    """The machine's clocks."""

    def wall(self) -> int:
        """Milliseconds since the epoch."""
        return time.time_ns() // 1_000_000

    def boot(self) -> float:
        """Seconds since the machine started."""
        return time.clock_gettime(_BOOT)

    def monotonic(self) -> float:
        """Seconds that the machine ran."""
        return time.monotonic()


def moment(clock: Clock) -> Moment:
    """Now, on both clocks."""
    return Moment(clock.wall(), clock.boot())
