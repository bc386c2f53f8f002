"""Followers of terminals' screens: what they say becomes core events, and which session it is about is found out here.

A follower is there before Pi's extension is, so what it said last waits for the session to begin: one state for each link, no more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import anyio.to_thread
from anyio.abc import TaskGroup

from bridge.process import Peer, are_kin, start_time
from bridge.screen.link import Closed
from bridge.screen.listener import Said, ScreenConnection
from bridge.screen.messages import Screen, ScreenHello, ScreenProgram, ScreenState
from mirrord import logs
from mirrord.clock import Clock, moment
from mirrord.core import events
from mirrord.core.commands import WatchScreen
from mirrord.core.model import TerminalId
from mirrord.core.screen import QUESTION
from mirrord.daemon.links import Links
from mirrord.intake.screen import screen
from sanitize import label

STARTED_BY_PI: Final = "what a mirrored Pi started shows no screen: an agent could say there what a person did not"
FOREIGN: Final = "there is no Pi with pid {} here that the same `mirrord pi` started"
TAKEN: Final = "another program follows the screen of Pi {} already"

MENU_CLUSTERS: Final = 40
"""The name of a menu: a word or two, also of a later version."""


@dataclass(slots=True)
class Followed:
    """One link, and what it said last."""

    connection: ScreenConnection
    pid: int
    start: str | None
    shared: bool
    state: ScreenState | None = None
    program: ScreenProgram | None = None
    wishes: int = 0
    """How often it was asked for its screen, or no longer to send it."""
    terminal: TerminalId | None = None
    """The session's, once Pi's extension is there."""


@dataclass(slots=True)
class Screens:
    """The `ScreenHandler` of the daemon."""

    clock: Clock
    happen: Callable[[events.Event], None]
    links: Links
    tasks: TaskGroup
    _followed: dict[int, Followed] = field(default_factory=dict)

    def __len__(self) -> int:
        """Followers that are there."""
        return len(self._followed)

    # ---- from the listener -------------------------------------------------------------------------------------------

    async def admit(self, peer: Peer) -> str | None:
        """What an agent started is heard no further (design FIXED 8); nor is who cannot be told apart from it."""
        if peer.pid is None or await anyio.to_thread.run_sync(self.links.processes.doubt, peer.pid) is not None:
            logs.warn("screen: refused, an agent started it", peer=peer.pid)
            return STARTED_BY_PI
        return None

    def vet(self, connection: ScreenConnection, hello: ScreenHello) -> str | None:
        """One follower for each Pi, from the same `mirrord pi`. A pid of another pid namespace means somebody else here."""
        assert connection.peer.pid is not None
        if not are_kin(hello.pid, connection.peer.pid):
            return FOREIGN.format(hello.pid)
        others = [other for other in self._followed.values() if other.pid == hello.pid]
        return TAKEN.format(hello.pid) if any(other.connection.peer.pid != connection.peer.pid for other in others) else None

    def opened(self, connection: ScreenConnection, hello: ScreenHello) -> None:
        """The link stands; an older one of the same follower is over, though its end was not noticed yet."""
        for other in [other for other in self._followed.values() if other.pid == hello.pid]:
            other.connection.close()
            self._forget(other)
        followed = Followed(connection, hello.pid, start_time(hello.pid), hello.shared)
        self._followed[connection.id] = followed
        logs.note("screen: up", id=connection.id, pi=hello.pid, peer=connection.peer.pid)
        terminal = self.links.processes.at(followed.pid, followed.start)
        if terminal is not None:
            self._begin(followed, terminal)

    def said(self, connection: ScreenConnection, message: Said) -> None:
        """What is true now."""
        followed = self._followed.get(connection.id)
        if followed is None:
            return
        match message:
            case ScreenState():
                followed.state = message
            case ScreenProgram():
                followed.program = message
            case Screen():
                if followed.terminal is not None:
                    drawn = screen(message, followed.terminal)
                    self.happen(events.ScreenDrawn(at=moment(self.clock), terminal=followed.terminal, screen=drawn))
                return
        if followed.terminal is not None:
            self._tell(followed.terminal, message)

    def closed(self, connection: ScreenConnection, closed: Closed) -> None:
        """The link is over, or never stood."""
        report = logs.warn if closed.why in ("broken", "refused", "expired") else logs.note
        report("screen: down", id=connection.id, why=closed.why, detail=closed.detail, peer=connection.peer.pid)
        followed = self._followed.get(connection.id)
        if followed is not None:
            self._forget(followed)

    # ---- from the links ----------------------------------------------------------------------------------------------

    def look_again(self) -> None:
        """A Pi was linked: what it started may have been here before it. Blocks for milliseconds on macOS."""
        for followed in tuple(self._followed.values()):
            pid = followed.connection.peer.pid
            if pid is None or self.links.processes.doubt(pid) is not None:
                logs.warn("screen: cut, an agent started it", peer=pid)
                followed.connection.close()
                self._forget(followed)

    def linked(self, terminal: TerminalId, pid: int, start: str | None) -> None:
        """Pi's extension is there, maybe again: the session hears what is known of its screen."""
        for followed in self._followed.values():
            if (followed.pid, followed.start) == (pid, start):
                self._begin(followed, terminal)

    # ---- from the core -----------------------------------------------------------------------------------------------

    def watch(self, command: WatchScreen) -> None:
        """Ask for the screen of a terminal, or no longer."""
        for followed in self._followed.values():
            if followed.terminal != command.terminal:
                continue
            followed.wishes += 1
            if command.after:
                self.tasks.start_soon(self._want_later, followed, command, followed.wishes)
            else:
                followed.connection.want(command.on)

    async def _want_later(self, followed: Followed, command: WatchScreen, wish: int) -> None:
        await anyio.sleep(command.after)
        if followed.wishes == wish:
            followed.connection.want(command.on)

    def close_all(self) -> None:
        """The daemon stops; followers look for the next one."""
        for followed in tuple(self._followed.values()):
            followed.connection.close()

    def _begin(self, followed: Followed, terminal: TerminalId) -> None:
        followed.terminal = terminal
        self.happen(events.ScreenLinked(at=moment(self.clock), terminal=terminal, shared=followed.shared))
        for message in (followed.state, followed.program):
            if message is not None:
                self._tell(terminal, message)

    def _tell(self, terminal: TerminalId, message: ScreenState | ScreenProgram) -> None:
        at = moment(self.clock)
        if isinstance(message, ScreenState):
            menu = label(message.menu or "", limit=MENU_CLUSTERS).text or QUESTION if message.state == "menu" else None
            self.happen(events.ScreenStateChanged(at=at, terminal=terminal, menu=menu, since=message.since))
        else:
            self.happen(events.ScreenProgramSaid(at=at, terminal=terminal, state=message.state))

    def _forget(self, followed: Followed) -> None:
        del self._followed[followed.connection.id]
        if followed.terminal is not None:
            self.happen(events.ScreenLost(at=moment(self.clock), terminal=followed.terminal))
