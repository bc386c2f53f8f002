"""A listener, and the other end of its links, for tests."""

from __future__ import annotations

import socket
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import anyio
from anyio.lowlevel import checkpoint

from bridge.framing import LineReader, decode_from_daemon, encode
from bridge.link import Closed
from bridge.listener import LinkConnection, Listener
from bridge.messages import (
    FromDaemon,
    FromExtension,
    Hello,
)
from tests.bridge.linking import DAEMON


@dataclass
class Recorder:
    """A handler that notes everything, and does what `react` says to each message."""

    events: list[str] = field(default_factory=list)
    links: list[LinkConnection] = field(default_factory=list)
    ended: list[Closed] = field(default_factory=list)
    react: Callable[[LinkConnection, FromExtension], None] = lambda link, message: None
    verdict: str | None = None

    def vet(self, link: LinkConnection, hello: Hello) -> str | None:
        return self.verdict

    def opened(self, link: LinkConnection, hello: Hello) -> None:
        self.links.append(link)
        self.events.append(f"opened {hello.terminal.id}")
        self.react(link, hello)

    def received(self, link: LinkConnection, message: FromExtension) -> None:
        self.events.append(f"{type(message).__name__} {message.seq}")
        self.react(link, message)

    def answered(self, link: LinkConnection, question: int) -> None:
        self.events.append(f"answered {question}")

    async def closed(self, link: LinkConnection, closed: Closed) -> None:
        await checkpoint()
        self.ended.append(closed)


@contextmanager
def listening_socket() -> Iterator[tuple[socket.socket, str]]:
    """A listening unix socket and its path."""
    with tempfile.TemporaryDirectory(dir="/tmp") as directory, socket.socket(socket.AF_UNIX) as sock:
        path = str(Path(directory, "s"))
        sock.bind(path)
        sock.listen(64)
        sock.setblocking(False)
        yield sock, path


@asynccontextmanager
async def serving(sock: socket.socket, handler: Recorder) -> AsyncIterator[Listener]:
    """A listener that serves inside the block."""
    served = Listener(sock, DAEMON, handler, lambda: 1_000)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(served.serve)
        with anyio.fail_after(20):
            yield served
        tasks.cancel_scope.cancel()


@dataclass
class Extension:
    """Our end of a link."""

    stream: anyio.abc.SocketStream
    lines: LineReader = field(default_factory=LineReader)

    async def say(self, *messages: FromExtension) -> None:
        await self.stream.send(b"".join(encode(message) for message in messages))

    async def hear(self) -> FromDaemon:
        while (line := self.lines.next_line()) is None:
            self.lines.receive(await self.stream.receive())
        message = decode_from_daemon(line)
        assert isinstance(message, FromDaemon)
        return message

    async def hears_the_end(self) -> None:
        try:
            while True:
                self.lines.receive(await self.stream.receive())
        except (anyio.EndOfStream, anyio.BrokenResourceError):
            return


@asynccontextmanager
async def dialled(path: str) -> AsyncIterator[Extension]:
    """A connection that has said nothing."""
    async with await anyio.connect_unix(path) as stream:
        yield Extension(stream)


async def until(condition: Callable[[], bool]) -> None:
    """Return when it holds; the caller bounds the time."""
    while not condition():
        await checkpoint()
