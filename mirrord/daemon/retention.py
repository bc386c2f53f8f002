"""At the start, every day and when the limits change, what is too old or too much is forgotten, in memory and on disk.

Nothing that anybody does waits for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import anyio

from mirrord import logs
from mirrord.clock import Clock, moment
from mirrord.core.events import Event
from mirrord.core.retention import DAY_SECONDS, Calendar, Prune, Retention
from mirrord.errors import StoreNotWritable
from mirrord.settings import Settings
from mirrord.store import ReceiptTable

LOOK_SECONDS: Final = 1800.0
"""How often it is looked at whether a day is over: timers stand still while the machine sleeps, and days do not."""

RETENTION_SETTINGS: Final = frozenset(("retention_days", "retention_bytes"))
"""Names of the settings that say how old and how much."""


class Retainer:
    """`settings` are asked each time: they may have been read anew."""

    def __init__(self, settings: Callable[[], Settings], table: ReceiptTable, clock: Clock, happen: Callable[[Event], None]) -> None:
        self._settings = settings
        self._table = table
        self._clock = clock
        self._happen = happen
        self._calendar = Calendar(moment(clock))

    async def run(self) -> None:
        """For ever."""
        while True:
            due = self._clock.boot() + DAY_SECONDS
            await self.prune()
            while (left := due - self._clock.boot()) > 0:  # noqa: ASYNC110 - no event says that the machine slept
                await anyio.sleep(min(left, LOOK_SECONDS))

    async def prune(self) -> None:
        """Now. A disk that cannot take it is logged: tomorrow is another day."""
        settings, now = self._settings(), moment(self._clock)
        retention = Retention(settings.retention_days, settings.retention_bytes)
        prune = Prune(at=now, retention=retention, before=self._calendar.before(retention, now))
        if prune.before is None:
            logs.warn("retention: somebody set the clock, so nothing counts as too old today")
        self._happen(prune)
        try:
            await self._table.prune(prune)
        except StoreNotWritable as error:
            logs.warn("retention: the store keeps what is too old", why=str(error))
