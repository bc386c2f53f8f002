"""The other end of a link of the screen wire, for tests of the daemon."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import anyio
from anyio.abc import ByteStream

from bridge.framing import LineReader
from bridge.messages import ProtocolRange
from bridge.screen import messages as screen
from bridge.screen.wire import Unknown, decode_from_daemon, encode

_M = TypeVar("_M", bound=screen.FromDaemon)


def hello(pid: int, *, shared: bool = False) -> screen.ScreenHello:
    """What the follower of that Pi says first."""
    return screen.ScreenHello(ProtocolRange(screen.PROTOCOL_MIN, screen.PROTOCOL_MAX), "0.1.0", pid, shared, 80, 24)


@dataclass(slots=True)
class FakeFollower:
    """A follower that says what the test has it say."""

    stream: ByteStream
    _lines: LineReader = field(default_factory=LineReader)
    _pings: int = 0

    async def say(self, *messages: screen.FromFollower) -> None:
        """Send messages; returns once the daemon has dealt with them."""
        self._pings += 1
        await self.stream.send(b"".join(map(encode, [*messages, screen.Ping(self._pings)])))
        while (await self.until(screen.Pong)).n != self._pings:
            pass

    async def until(self, kind: type[_M]) -> _M:
        """The next message of this type; others are dropped. Raises anyio.EndOfStream when the daemon closed the link."""
        while True:
            while (line := self._lines.next_line()) is None:
                self._lines.receive(await self.stream.receive())
            message = decode_from_daemon(line)
            assert not isinstance(message, Unknown)
            if isinstance(message, kind):
                return message


@asynccontextmanager
async def refused_follower(socket: Path, first: screen.ScreenHello) -> AsyncIterator[screen.ScreenRefused]:
    """The sentence with which the daemon sends a follower away."""
    async with await anyio.connect_unix(str(socket)) as stream:
        await stream.send(encode(first))
        yield await FakeFollower(stream).until(screen.ScreenRefused)


@asynccontextmanager
async def follower(socket: Path, first: screen.ScreenHello) -> AsyncIterator[FakeFollower]:
    """A follower that was welcomed; gone without a word at the end of the block."""
    async with await anyio.connect_unix(str(socket)) as stream:
        await stream.send(encode(first))
        fake = FakeFollower(stream)
        await fake.until(screen.ScreenWelcome)
        yield fake
