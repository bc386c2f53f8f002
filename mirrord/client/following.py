"""Sessions followed over as many connections as it takes: answers get their verdict, events are continued where they stopped.

The policy is `mirrord.client.pending` and `mirrord.client.backoff`, which are pure; this file does what they say.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Final, Protocol

import anyio

from mirrord.client.backoff import Backoff
from mirrord.client.connection import Connection
from mirrord.client.content import Answer
from mirrord.client.errors import ConnectionLost, DaemonNotRunning, NotADaemon, Refused
from mirrord.client.frames import Frame
from mirrord.client.pending import Action, Decided, Ignored, NotConfirmed, Pending, Send
from mirrord.errors import MirrordError
from mirrord.wire import messages as wire
from mirrord.wire.chat import ChatEvent

OURS_TO_MEND: Final = frozenset((1002, 1003, 1007, 1008, 1009))
"""Close codes that say that this client did something wrong: it would do it again."""

WATCH_SECONDS: Final = 1.0
"""How often it is asked whether a session that the daemon does not list still lives."""

Dial = Callable[[dict[str, str]], AbstractAsyncContextManager[Connection]]
"""Makes a connection that resumes these sessions after these cursors."""


class Watcher(Protocol):
    """Told what happens, in order, by one task at a time."""

    async def welcomed(self, frame: Frame, welcome: wire.Welcome, again: bool) -> None:
        """A connection stands; `again` when it is not the first."""

    async def received(self, frame: Frame) -> bool:
        """A frame came; True when there is nothing more to follow."""

    async def decided(self, frame: Frame, decided: Decided) -> None:
        """An answer has its verdict, or never will."""

    async def unconfirmed(self, action: NotConfirmed) -> None:
        """An answer has had no verdict for RETRY_SECONDS and is tried again."""

    async def lost(self, why: MirrordError) -> None:
        """The connection ended; another one is tried."""

    async def gone(self) -> None:
        """The session ended while no daemon could tell; there is nothing more to follow."""


class Following:
    """A session, and whatever else is subscribed to on the way. `run` once."""

    def __init__(
        self, first: Connection, dial: Dial, session_id: str, watcher: Watcher, *, pending: Pending, alive: Callable[[], bool]
    ) -> None:
        """`first` is a fresh connection; `alive` says whether the session's process still runs."""
        self._pending = pending
        self._first = first
        self._dial = dial
        self._session_id = session_id
        self._watcher = watcher
        self._alive = alive
        self._cursors: dict[str, str | None] = {session_id: None}
        self._followed: set[str] = set()
        self._strangers = 0
        self._connection: Connection | None = None
        self._changed = anyio.Event()
        # The watcher is told by the reader and by the clock.
        self._telling = anyio.Lock()

    async def run(self) -> None:
        """Return when the watcher has seen the session's end. Raises what cannot be mended by connecting again."""
        async with anyio.create_task_group() as tasks:

            async def follow() -> None:
                await self._follow()
                tasks.cancel_scope.cancel()

            async def look() -> None:
                await self._keep_looking()
                async with self._telling:
                    await self._watcher.gone()
                tasks.cancel_scope.cancel()

            tasks.start_soon(self._keep_time)
            tasks.start_soon(look)
            tasks.start_soon(follow)

    async def answer(self, answer: Answer) -> None:
        """Give an answer: now, or as soon as a connection stands. It is tried again until the watcher hears its verdict."""
        actions = self._pending.give(answer, anyio.current_time())
        self._wake()
        await self._do(actions)

    async def send(self, message: wire.ClientMessage) -> bool:
        """Give a message to the daemon once; False when it is away, and nothing was sent."""
        if isinstance(message, wire.Subscribe):
            self._cursors.setdefault(message.session_id, message.since)
            self._followed.add(message.session_id)
        elif isinstance(message, wire.Unsubscribe):
            self._cursors.pop(message.session_id, None)
            self._followed.discard(message.session_id)
        if self._connection is None:
            return False
        try:
            await self._connection.send(message)
        except ConnectionLost:
            # The reader meets it too, and connects again.
            return False
        return True

    async def connected(self) -> None:
        """Return when a connection stands."""
        while self._connection is None:
            await self._changed.wait()

    async def decided(self) -> None:
        """Return when no answer waits for its verdict."""
        while len(self._pending):
            await self._changed.wait()

    # ---- one connection after the other ------------------------------------------------------------------------------

    async def _follow(self) -> None:
        backoff = Backoff()
        begun = anyio.current_time()
        first: Connection | None = self._first
        while True:
            try:
                if first is not None:
                    return await self._read(first, again=False)
                async with self._dial({session: cursor for session, cursor in self._cursors.items() if cursor}) as made:
                    begun = anyio.current_time()
                    return await self._read(made, again=True)
            except (ConnectionLost, DaemonNotRunning, NotADaemon, Refused) as error:
                if isinstance(error, ConnectionLost) and error.code in OURS_TO_MEND:
                    raise
                if self._connection is not None:
                    first, self._connection = None, None
                    self._pending.lost()
                    backoff.stood(anyio.current_time() - begun)
                    async with self._telling:
                        await self._watcher.lost(error)
            await anyio.sleep(backoff.wait(random.random()))

    async def _read(self, connection: Connection, again: bool) -> None:
        """Returns when the watcher has seen the end."""
        self._connection = connection
        async with self._telling:
            await self._watcher.welcomed(connection.welcome_frame, connection.welcome, again)
        await self._subscribe(connection, again)
        if again:
            await self._do(self._pending.back(anyio.current_time()))
        self._wake()
        while True:
            frame = await connection.receive_frame()
            async with self._telling:
                if await self._take(connection, frame):
                    return

    async def _subscribe(self, connection: Connection, again: bool) -> None:
        """Ask for what the hello did not: sessions without a cursor. One that is not listed comes when its extension does."""
        listed = {session.session_id for session in connection.welcome.sessions}
        self._followed = {session for session in self._cursors if session in listed or not again}
        self._strangers = 0
        for session, cursor in self._cursors.items():
            if session in self._followed and (cursor is None or not again):
                await connection.send(wire.Subscribe(session_id=session))
            elif session not in self._followed and cursor is not None:
                self._strangers += 1

    async def _take(self, connection: Connection, frame: Frame) -> bool:
        message = frame.message
        match message:
            case wire.ResponseResult():
                return await self._verdict(frame, message)
            case wire.SessionChanged(session=session) if message.change != "removed":
                await self._came_back(connection, session.session_id)
            case wire.Error(code="unknown_session") if self._strangers:
                # What the hello asked to resume, from a daemon that has not met that Pi yet.
                self._strangers -= 1
                return False
            case _:
                self._note_cursor(message)
        return await self._watcher.received(frame)

    async def _verdict(self, frame: Frame, result: wire.ResponseResult) -> bool:
        decided = self._pending.result(result, anyio.current_time())
        self._wake()
        match decided:
            case Decided():
                await self._watcher.decided(frame, decided)
            case Ignored():
                pass
            case None:
                return await self._watcher.received(frame)
        return False

    async def _came_back(self, connection: Connection, session_id: str) -> None:
        if session_id in self._cursors and session_id not in self._followed:
            self._followed.add(session_id)
            await connection.send(wire.Subscribe(session_id=session_id, since=self._cursors[session_id]))

    def _note_cursor(self, message: wire.ServerMessage | None) -> None:
        if isinstance(message, ChatEvent):
            # The cursor of a conversation is a place in another stream.
            return
        cursor: str | None = getattr(message, "cursor", None)
        session: str | None = getattr(message, "session_id", None)
        if cursor is not None and session in self._cursors:
            self._cursors[session] = cursor

    # ---- time --------------------------------------------------------------------------------------------------------

    async def _keep_time(self) -> None:
        while True:
            next_at = self._pending.next_at
            changed = self._changed
            with anyio.move_on_after(None if next_at is None else max(0.0, next_at - anyio.current_time())):
                await changed.wait()
            await self._do(self._pending.tick(anyio.current_time()))

    async def _keep_looking(self) -> None:
        """Return when the session's process is gone and no daemon can tell."""
        while True:
            await anyio.sleep(WATCH_SECONDS)
            told = self._connection is not None and self._session_id in self._followed
            if not told and not self._alive():
                return

    async def _do(self, actions: list[Action]) -> None:
        for action in actions:
            match action:
                case NotConfirmed():
                    async with self._telling:
                        await self._watcher.unconfirmed(action)
                case Send(answer=answer):
                    await self._write(answer)

    async def _write(self, answer: Answer) -> None:
        connection = self._connection
        if connection is None:
            return
        try:
            for frame in answer.frames:
                await connection.send(frame)
        except ConnectionLost:
            # The reader meets it too; the answer goes out again over the next connection.
            return

    def _wake(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()
