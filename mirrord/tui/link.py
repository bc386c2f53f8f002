"""One session followed after the other, over as many connections as it takes; a `Follower` of `mirrord attach` tells what is on screen."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Protocol

import anyio

from mirrord.attach.follow import Follower
from mirrord.attach.session import AttachSession
from mirrord.client import Connection, ConnectionLost, DaemonNotRunning, Decided, Following, Frame, NotADaemon, NotConfirmed, Refused
from mirrord.client.backoff import Backoff
from mirrord.errors import MirrordError
from mirrord.tui.model import Model
from mirrord.wire import messages

Dial = Callable[[dict[str, str]], AbstractAsyncContextManager[Connection]]
"""Makes a connection that resumes these sessions after these cursors."""


class Face(Protocol):
    """The screen, as far as the link knows it."""

    def follow(self, session_id: str, state: AttachSession, may_answer: bool) -> Follower:
        """Show this session from now on."""

    def leave(self) -> None:
        """No session is shown."""


@dataclass(slots=True)
class Link:
    """`wall`: ms since the epoch; `alive` makes of a session whether its process still runs."""

    dial: Dial
    model: Model
    face: Face
    wall: Callable[[], int]
    alive: Callable[[messages.Session], Callable[[], bool]]
    _chosen: str | None = None
    _over: str | None = None
    """A session that has ended while it was followed: it stays on screen until another is chosen."""
    _choice: anyio.Event = field(default_factory=anyio.Event)

    def choose(self, session_id: str) -> None:
        """Follow another session."""
        if session_id != self.model.chosen:
            self._chosen = session_id
            self._choice.set()

    async def run(self) -> None:
        """For ever. Raises what connecting again cannot mend."""
        backoff = Backoff()
        while True:
            begun = anyio.current_time()
            lost = await self._once()
            backoff.stood(anyio.current_time() - begun)
            if lost is not None:
                self.model.lost(str(lost))
                await anyio.sleep(backoff.wait(random.random()))

    async def _once(self) -> BaseException | None:
        """Over one connection: why it ended; None when another session is to be followed."""
        lost: BaseException | None = None
        try:
            async with self.dial({}) as connection:
                self.model.welcome(connection.welcome, self.wall())
                await self._attend(connection)
        except* (ConnectionLost, DaemonNotRunning, NotADaemon, Refused) as several:
            lost = _first(several)
        return lost

    async def _attend(self, connection: Connection) -> None:
        """Returns when another session is to be followed."""
        chosen = self._chosen if self._chosen in self.model.sessions else None
        if chosen is None and self._over is None:
            chosen = self.model.candidate()
        if chosen is None:
            chosen = await self._idle(connection)
        session = self.model.sessions.get(chosen)
        self._chosen, self._choice = chosen if session is not None else None, anyio.Event()
        if session is None:
            # It went while it was chosen.
            return
        self._over = None
        self.model.choose(chosen)
        await self._follow(connection, session)
        if not self._choice.is_set():
            self._over, self._chosen = chosen, None

    async def _idle(self, connection: Connection) -> str:
        """The session that was chosen, or that has come."""
        known = set(self.model.sessions)
        async with self._until_choice():
            while not (come := set(self.model.sessions) - known):
                self.model.take(await connection.receive())
            self._chosen = come.pop()
        return self._chosen or ""

    async def _follow(self, connection: Connection, session: messages.Session) -> None:
        state = AttachSession()
        follower = self.face.follow(session.session_id, state, connection.welcome.role != "observer")
        watch = _Watch(follower, self.model, self.wall)
        following = Following(connection, self.dial, session.session_id, watch, pending=state.pending, alive=self.alive(session))
        async with self._until_choice():
            await follower.run(following)
        if self._choice.is_set():
            self.face.leave()

    @asynccontextmanager
    async def _until_choice(self) -> AsyncIterator[None]:
        """The block is given up when another session is chosen."""
        async with anyio.create_task_group() as tasks:

            async def wait() -> None:
                await self._choice.wait()
                tasks.cancel_scope.cancel()

            tasks.start_soon(wait)
            yield
            tasks.cancel_scope.cancel()


def _first(several: BaseExceptionGroup[BaseException]) -> BaseException:
    first = several.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first


@dataclass(slots=True)
class _Watch:
    """A `Watcher` that has the model know first."""

    follower: Follower
    model: Model
    wall: Callable[[], int]

    async def welcomed(self, frame: Frame, welcome: messages.Welcome, again: bool) -> None:
        if again:
            self.model.welcome(welcome, self.wall())
        await self.follower.welcomed(frame, welcome, again)

    async def received(self, frame: Frame) -> bool:
        if frame.message is not None:
            self.model.take(frame.message)
        return await self.follower.received(frame)

    async def decided(self, frame: Frame, decided: Decided) -> None:
        await self.follower.decided(frame, decided)

    async def unconfirmed(self, action: NotConfirmed) -> None:
        await self.follower.unconfirmed(action)

    async def lost(self, why: MirrordError) -> None:
        self.model.lost(str(why))
        await self.follower.lost(why)

    async def gone(self) -> None:
        await self.follower.gone()
