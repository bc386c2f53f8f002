"""One session recorded from a connection until its person, time, size or the session's end stops it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final

import anyio
import anyio.to_thread

from mirrord.client import Connection, ConnectionLost
from mirrord.recording.file import RecordingFile
from mirrord.recording.format import Why
from mirrord.recording.recorder import Recorder
from mirrord.wire.capabilities import CHAT
from mirrord.wire.chat import ChatSubscribe
from mirrord.wire.messages import Subscribe

WRITE_SECONDS: Final = 1.0
"""Between two writes: what a kill that nobody can catch costs, and how often the progress is told."""


@dataclass(slots=True)
class Capture:
    """`wall`: ms since the epoch. `progress` is told every WRITE_SECONDS."""

    connection: Connection
    file: RecordingFile
    recorder: Recorder
    wall: Callable[[], int]
    progress: Callable[[], None]
    _waiting: bytearray = field(default_factory=bytearray)

    async def run(self, stopped: Callable[[], Awaitable[None]], seconds: float | None) -> Why:
        """Why it ended: `stopped` returned, `seconds` passed, or as the recording itself has it. The file holds all of it then."""
        why: Why = "lost"
        self._waiting += self.recorder.begin(self.connection.welcome)
        async with anyio.create_task_group() as tasks:

            async def until(event: Callable[[], Awaitable[None]], reason: Why) -> None:
                nonlocal why
                await event()
                why = reason
                tasks.cancel_scope.cancel()

            async def follow() -> None:
                nonlocal why
                why = await self._follow()
                tasks.cancel_scope.cancel()

            async def pass_time() -> None:
                await anyio.sleep(seconds if seconds is not None else float("inf"))

            tasks.start_soon(until, stopped, "stopped")
            tasks.start_soon(until, pass_time, "time")
            tasks.start_soon(self._write_on)
            tasks.start_soon(follow)
        self._waiting += self.recorder.end(self.wall(), why)
        with anyio.CancelScope(shield=True):
            await self._write()
        return why

    async def _follow(self) -> Why:
        session = self.recorder.session_id
        try:
            await self.connection.send(Subscribe(session_id=session))
            if CHAT in self.connection.welcome.capabilities:
                await self.connection.send(ChatSubscribe(session_id=session))
            while not self.recorder.over and not self.recorder.full:
                frame = await self.connection.receive_frame()
                self._waiting += self.recorder.take(frame, self.wall())
        except ConnectionLost:
            return "lost"
        return "size" if self.recorder.full else "session"

    async def _write_on(self) -> None:
        while True:
            self.progress()
            await anyio.sleep(WRITE_SECONDS)
            with anyio.CancelScope(shield=True):
                await self._write()

    async def _write(self) -> None:
        data, self._waiting = self._waiting, bytearray()
        if data:
            await anyio.to_thread.run_sync(self.file.write, bytes(data))
