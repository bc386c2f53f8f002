"""Tells the core what time it is when it wants to know: what it holds back so that no client gets too much at once goes out then."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import anyio

from mirrord.clock import Clock, moment
from mirrord.core import events
from mirrord.core.core import Core


@dataclass(slots=True)
class Waker:
    """One timer, for the moment that the core names."""

    core: Core
    clock: Clock
    happen: Callable[[events.Event], None]
    _awaited: float | None = None
    """The moment it sleeps until."""
    _changed: anyio.Event = field(default_factory=anyio.Event)

    def look(self) -> None:
        """Something happened: the core may want to be woken sooner, or the machine slept through the moment that was waited for."""
        wanted = self.core.wake_at
        if wanted is not None and (self._awaited is None or wanted < self._awaited or self._awaited <= self.clock.boot()):
            self._changed.set()

    async def run(self) -> None:
        """For ever."""
        while True:
            self._changed = anyio.Event()
            self._awaited = self.core.wake_at
            late = self._awaited is not None and await self._slept(self._awaited - self.clock.boot())
            if self._awaited is None:
                await self._changed.wait()
            elif late:
                self.happen(events.TimeIs(at=moment(self.clock)))

    async def _slept(self, seconds: float) -> bool:
        """Whether so much time passed without a change of plan."""
        with anyio.move_on_after(max(seconds, 0)) as scope:
            await self._changed.wait()
        return scope.cancelled_caught
