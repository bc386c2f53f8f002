"""Notices that the machine slept, or that this process stood still: by then others may be gone, and nobody said so.

Three clocks tell it apart. The monotonic one stands still in a sleep and the boot clock does not. Both go on while a process is stopped,
which is seen by how late it looks. In a virtual machine that is paused both stand still, and only the wall clock is set afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import anyio

from mirrord.clock import Clock
from mirrord.daemon.ticks import next_second

LOOK_SECONDS: Final = 1.0
"""How often it is looked at, at each `next_second`, besides before everything that happens: so long after waking, what was due in the sleep
is late at most."""

SLEPT_SECONDS: Final = 0.5
"""So much more on the boot clock than on the monotonic one was a sleep; both are read within microseconds."""

STOOD_SECONDS: Final = 5.0
"""A look that comes so much too late: no work of ours, and no load that a person would put up with, takes that long."""

SET_SECONDS: Final = 10.0
"""The wall clock went so far ahead of the others: it was set, by a person or because the machine stood still. It costs nothing to ask."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One look at all clocks, in seconds."""

    wall: float
    monotonic: float
    boot: float


def read(clock: Clock) -> Reading:
    """All clocks, now."""
    return Reading(clock.wall() / 1000, clock.monotonic(), clock.boot())


@dataclass(slots=True)
class Sleeper:
    """Pure. `last` is the newest look."""

    last: Reading

    def look(self, now: Reading) -> float | None:
        """How many seconds were lost since the last look, in which this process did not run; None when it did."""
        before, self.last = self.last, now
        boot, ran = now.boot - before.boot, now.monotonic - before.monotonic
        if boot - ran > SLEPT_SECONDS:
            return boot
        if ran > LOOK_SECONDS + STOOD_SECONDS:
            return ran
        ahead = (now.wall - before.wall) - boot
        return ahead if ahead > SET_SECONDS else None


class WakeWatch:
    """`woken` is told how many seconds were lost. While nobody is there nothing is due, and nobody looks."""

    def __init__(self, clock: Clock, woken: Callable[[float], None]) -> None:
        self._clock = clock
        self._woken = woken
        self._sleeper = Sleeper(read(clock))
        self._company = anyio.Event()

    def expect(self, company: bool) -> None:
        """Whether somebody is there from now on."""
        if company and not self._company.is_set():
            self._sleeper = Sleeper(read(self._clock))
            self._company.set()
        elif not company and self._company.is_set():
            self._company = anyio.Event()

    def look(self) -> None:
        """Now: before anything that happened is handled."""
        lost = self._sleeper.look(read(self._clock)) if self._company.is_set() else None
        if lost is not None:
            self._woken(lost)

    async def run(self) -> None:
        """For ever, for when nothing happens."""
        while True:
            await self._company.wait()
            await next_second()
            self.look()
