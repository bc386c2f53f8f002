"""A remote that follows sessions, knows the open prompt of each, and the moment it learned how a prompt ended."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeVar

import anyio

from bench.websocket import WebSocket, websocket
from bench.world import START_SECONDS, NotMeasured
from mirrord.client import Remote
from mirrord.wire import messages as wire

_Found = TypeVar("_Found")


@dataclass(slots=True)
class Phone:
    """One device on the network. Times are in ns of CLOCK_MONOTONIC."""

    _socket: WebSocket
    came: dict[str, int] = field(default_factory=dict)
    """When each prompt had been read."""
    _sessions: dict[str, wire.Session] = field(default_factory=dict)
    _open: dict[str, wire.ExtensionUIRequest] = field(default_factory=dict)
    _ends: dict[str, tuple[int, wire.ExtensionUISettled]] = field(default_factory=dict)
    _news: anyio.Event = field(default_factory=anyio.Event)

    async def follow(self, pid: int) -> str:
        """Follows the session of that Pi, waiting until there is one; gives the session's id."""
        session = await self._until(lambda: next((one for one in self._sessions.values() if one.pid == pid), None), "a session")
        self._say(wire.Subscribe(session_id=session.session_id))
        return session.session_id

    async def prompt(self, session_id: str) -> wire.ExtensionUIRequest:
        """The open prompt of that session, waiting until there is one."""
        return await self._until(lambda: self._open.get(session_id), "a prompt")

    def answer(self, prompt: wire.ExtensionUIRequest, index: int) -> int:
        """Answers; gives the moment at which the frame was about to be written."""
        frame = self._socket.frame(wire.ExtensionUIResponse(id=prompt.id, response_id=prompt.id, index=index))
        begun = time.monotonic_ns()
        self._socket.write(frame)
        return begun

    async def settled(self, prompt: wire.ExtensionUIRequest, winner: wire.Winner) -> int:
        """The moment at which the settlement had come. NotMeasured when somebody else won than `winner`."""
        came, settled = await self._until(lambda: self._ends.pop(prompt.id, None), "a settlement")
        if settled.winner != winner:
            raise NotMeasured(f"{prompt.title} was won by {settled.winner}, not by {winner}")
        return came

    async def listen(self) -> None:
        """Says hello, then reads until cancelled."""
        self._socket.say_hello("phone")
        while True:
            now, messages = await self._socket.read()
            for message in messages:
                self._take(message, now)
            self._news.set()
            self._news = anyio.Event()

    def _say(self, message: wire.ClientMessage) -> None:
        self._socket.write(self._socket.frame(message))

    def _take(self, message: wire.ServerMessage, now: int) -> None:
        match message:
            case wire.Welcome(sessions=sessions):
                self._sessions.update({session.session_id: session for session in sessions})
            case wire.SessionChanged(session=session):
                self._sessions[session.session_id] = session
            case wire.ExtensionUIRequest():
                self._open[message.session_id] = message
                self.came[message.id] = now
            case wire.ExtensionUISettled():
                self._open.pop(message.session_id, None)
                self._ends[message.id] = (now, message)
            case wire.ResponseResult(accepted=False) | wire.Error():
                raise NotMeasured(f"the daemon refused: {message}")
            case _:
                pass

    async def _until(self, look: Callable[[], _Found | None], what: str) -> _Found:
        with anyio.move_on_after(START_SECONDS):
            while (found := look()) is None:
                await self._news.wait()
            return found
        raise NotMeasured(f"{what} did not come within {START_SECONDS:.0f} s")


@asynccontextmanager
async def phone(remote: Remote) -> AsyncIterator[Phone]:
    """A phone that listens for the length of the block."""
    async with websocket(remote) as socket, anyio.create_task_group() as tasks:
        one = Phone(socket)
        tasks.start_soon(one.listen)
        yield one
        tasks.cancel_scope.cancel()
