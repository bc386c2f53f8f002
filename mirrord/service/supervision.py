"""Keeps the service manager informed, from the loop that serves everybody: a loop that hangs is silent, and is started anew."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import anyio

from mirrord.service.notify import Notifier

STATUS_SECONDS: Final = 60.0
"""How old what `systemctl status` shows may be where nobody watches the loop."""


@dataclass(frozen=True, slots=True)
class Supervision:
    """`describe` gives one line for people: what the daemon does now."""

    manager: Notifier
    describe: Callable[[], str]

    async def run(self) -> None:
        """Say that the daemon answers, and from then on that it lives, until it is cancelled.

        Twice in the time after which the manager would give us up, as it asks for.
        """
        pause = STATUS_SECONDS if self.manager.watchdog is None else self.manager.watchdog / 2
        await self.manager.ready(self.describe())
        while True:
            await anyio.sleep(pause)
            await self.manager.alive(self.describe())
