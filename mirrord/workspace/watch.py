"""Looks at the folders that the core wants looked at, one after another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import anyio

from mirrord.clock import Clock, moment
from mirrord.core.events import Event
from mirrord.core.model import TerminalId
from mirrord.core.workspace import LeaveWorkspace, LookAtWorkspace, WorkspaceSeen
from mirrord.workspace.look import look
from mirrord.workspace.schedule import Schedule

FILE_THREADS: Final = 2
"""Threads that may hang in a file system that does not answer; then looks end, and nothing else."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a Pi works, as it says, never shown as it is; and whether Pi says that its person trusts the project."""

    folder: str
    trusted: bool


@dataclass(slots=True)
class Workspaces:
    """Carries out LookAtWorkspace and LeaveWorkspace. `place` knows where a terminal's Pi works now."""

    clock: Clock
    place: Callable[[TerminalId], Place | None]
    happen: Callable[[Event], None]
    _schedule: Schedule[TerminalId] = field(default_factory=Schedule)
    _woken: anyio.Event = field(default_factory=anyio.Event)
    _files: anyio.CapacityLimiter = field(default_factory=lambda: anyio.CapacityLimiter(FILE_THREADS))

    def look(self, command: LookAtWorkspace) -> None:
        """Look at this one soon."""
        self._schedule.touch(command.terminal, self.clock.boot())
        self._woken.set()

    def leave(self, command: LeaveWorkspace) -> None:
        """Look at this one no longer."""
        self._schedule.drop(command.terminal, self.clock.boot())

    async def run(self) -> None:
        """For ever: look at what is due."""
        while True:
            terminal = self._schedule.take(self.clock.boot())
            if terminal is not None:
                await self._look(terminal)
                continue
            due = self._schedule.next_due()
            self._woken = anyio.Event()
            with anyio.move_on_after(None if due is None else max(0.0, due - self.clock.boot())):
                await self._woken.wait()

    async def _look(self, terminal: TerminalId) -> None:
        place = self.place(terminal)
        if place is None:
            self._schedule.drop(terminal, self.clock.boot())
            return
        seen = await look(place.folder, place.trusted, self._files)
        if self._schedule.done(terminal, self.clock.boot(), slow=seen.slow):
            self.happen(WorkspaceSeen(at=moment(self.clock), terminal=terminal, workspace=seen.workspace))
