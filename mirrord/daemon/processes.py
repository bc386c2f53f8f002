"""Pi processes as the daemon knows them: which ones were ever linked and still run, or left something running.

A tool that one of them started is not the person at this machine (design FIXED 8), and a helper of the daemon's own is not either.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup

from bridge.messages import TerminalInfo
from bridge.process import Doubt, ProcessInfo, Suspect, descent, is_alive, left_something, look, note, start_time, wait_for_exit
from mirrord.core.model import TerminalId

FOREIGN_PEER: Final = "The process that asks is not the Pi of that terminal, so it cannot pair a device."
STARTED_BY_PI: Final = "This Pi was started by another Pi, and what an agent starts cannot pair a device."
UNKNOWN_ORIGIN: Final = "The system does not tell who started this Pi, so it cannot pair a device."

ENDED: Final = 64
"""Pis that have ended and left something running: each is one agent's forgotten job, and of more the oldest are forgotten."""

_ELSEWHERE: Final = ""
"""The start time of a process that the kernel does not name: none here has it."""


@dataclass(frozen=True, slots=True)
class Process:
    """A Pi as this machine knows it, and who was at the other end of its socket."""

    noted: Suspect
    peer_pid: int | None

    @property
    def pid(self) -> int:
        """As the system counts here."""
        return self.noted.pid

    @property
    def start(self) -> str | None:
        """When it started."""
        return self.noted.start

    @property
    def had_terminal(self) -> bool:
        """Whether it had a controlling terminal when it was linked; one that has none later lost it."""
        return self.noted.info is not None and self.noted.info.terminal != ""


def identify(told: TerminalInfo, peer_pid: int | None) -> Process:
    """The process that speaks: the one it says it is, if that descends from the one that the kernel names; else the latter.

    They differ when Pi runs in a pid namespace of its own, or somebody stands between. Nobody may name a process that is not its own
    child: everything that descends from it would be taken for Pi's. Blocks for milliseconds on macOS.
    """
    if peer_pid is None:
        return Process(Suspect(told.pid, _ELSEWHERE), None)
    start = told.start_time if told.start_time is not None else start_time(told.pid)
    if peer_pid != told.pid and not (is_alive(told.pid, start) and descent(told.pid, [Suspect(peer_pid, None)]) == "pi"):
        return Process(note(peer_pid), peer_pid)
    return Process(note(told.pid, start), peer_pid)


@dataclass(slots=True)
class Processes:
    """The Pi of each terminal. `tasks` runs the watches over them."""

    tasks: TaskGroup
    daemon: Suspect | None = None
    """This process, when what it starts is not the person either."""
    _known: dict[TerminalId, Process] = field(default_factory=dict)
    _begun: anyio.Event = field(default_factory=anyio.Event)
    """Set once there is a process to look at."""
    _watched: set[TerminalId] = field(default_factory=set)
    _ended: tuple[Suspect, ...] = ()
    """Pis that have ended, as long as something may run that they left behind."""
    _looking: bool = False
    """Whether it is being found out which of them."""

    def __len__(self) -> int:
        """How many there are."""
        return len(self._known)

    def get(self, terminal: TerminalId) -> Process | None:
        """The Pi of this terminal, until it is forgotten."""
        return self._known.get(terminal)

    def at(self, pid: int, start: str | None) -> TerminalId | None:
        """The terminal whose Pi is this process."""
        return next((terminal for terminal, process in self._known.items() if (process.pid, process.start) == (pid, start)), None)

    def linked(self, terminal: TerminalId, told: TerminalInfo, peer_pid: int | None) -> Process:
        """A Pi speaks for this terminal. From now on, what descends from it is its own."""
        process = self._known[terminal] = identify(told, peer_pid)
        self._begun.set()
        return process

    def doubt(self, pid: int) -> Doubt | None:
        """Why the process is not taken for the person at this machine: a mirrored Pi or the daemon may have started it.

        May be called from another thread.
        """
        if self.daemon is not None and pid != self.daemon.pid and descent(pid, [self.daemon]) == "pi":
            return "daemon"
        return descent(pid, self._suspects())

    def pairing_obstacle(self, terminal: TerminalId | None, peer_pid: int | None) -> str | None:
        """Why who speaks for this terminal may not pair a device: only its Pi may, and only one that no agent started. Blocks."""
        process = self._known.get(terminal) if terminal is not None else None
        if process is None or process.pid != peer_pid or not is_alive(process.pid, process.start):
            return FOREIGN_PEER
        doubt = descent(process.pid, [other for other in self._suspects() if other.pid != process.pid])
        return None if doubt is None else STARTED_BY_PI if doubt == "pi" else UNKNOWN_ORIGIN

    def _suspects(self) -> list[Suspect]:
        return [*(process.noted for process in tuple(self._known.values())), *self._ended]

    async def until_one_is_there(self) -> None:
        """Return once there is a process to look at."""
        if not self._known:
            self._begun = anyio.Event()
            await self._begun.wait()

    async def look(self) -> dict[TerminalId, ProcessInfo]:
        """What the system says of every one that is still there."""
        processes = dict(self._known)

        def look_at_all() -> dict[TerminalId, ProcessInfo | None]:
            return {terminal: look(process.pid) for terminal, process in processes.items()}

        # Where it takes microseconds a thread would cost more, and two more wake-ups a second.
        infos = look_at_all() if sys.platform == "linux" else await anyio.to_thread.run_sync(look_at_all)
        return {terminal: info for terminal, info in infos.items() if info is not None and processes[terminal].start in (None, info.start)}

    def without_terminal(self, infos: Mapping[TerminalId, ProcessInfo]) -> Iterable[TerminalId]:
        """Terminals that are closed. Their Pi may live on for seconds, or for ever if it heeds no SIGHUP."""
        return [
            terminal
            for terminal, info in infos.items()
            if not info.ended and info.terminal == "" and (process := self._known.get(terminal)) is not None and process.had_terminal
        ]

    async def is_alive(self, terminal: TerminalId) -> bool:
        """Whether its Pi runs."""
        process = self._known.get(terminal)
        return process is not None and await anyio.to_thread.run_sync(is_alive, process.pid, process.start)

    def watch(self, terminal: TerminalId, gone: Callable[[], None]) -> None:
        """Call `gone` once its Pi has ended. Watching twice is watching once."""
        if terminal in self._known and terminal not in self._watched:
            self._watched.add(terminal)
            self.tasks.start_soon(self._watch, terminal, self._known[terminal], gone)

    async def _watch(self, terminal: TerminalId, process: Process, gone: Callable[[], None]) -> None:
        await wait_for_exit(process.pid, process.start)
        self._watched.discard(terminal)
        gone()

    def forget(self, terminal: TerminalId) -> None:
        """Its Pi has ended; not so, perhaps, what it started."""
        process = self._known.pop(terminal, None)
        if process is not None:
            # Suspected at once: what it left behind is nobody's child any more.
            self._ended = (*self._ended, process.noted)[-ENDED:]
            if not self._looking:
                self._looking = True
                self.tasks.start_soon(self._look_for_what_is_left)

    async def _look_for_what_is_left(self) -> None:
        """Of Pis that left nothing running nothing need be remembered."""
        seen: set[Suspect] = set()
        while not seen.issuperset(self._ended):
            seen = set(self._ended)
            innocent = seen - await anyio.to_thread.run_sync(left_something, seen)
            self._ended = tuple(ended for ended in self._ended if ended not in innocent)
        self._looking = False
