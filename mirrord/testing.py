"""Fakes for tests, of this project and of programs that use its packages; each keeps the promises of the real thing."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeVar

import anyio
import msgspec
from anyio.abc import ByteStream

from bridge import messages as bridge
from bridge.framing import LineReader, Unknown, decode_from_daemon, encode
from bridge.paths import paths_in
from bridge.process import start_time
from mirrord.clock import Clock
from mirrord.daemon.daemon import Daemon
from mirrord.place import Place
from mirrord.push import Transport
from mirrord.settings import Settings

_CHUNK: Final = 65_536

_Message = TypeVar("_Message", bound=bridge.FromDaemon)


@dataclass(slots=True)
class FakeClock:
    """A `mirrord.clock.Clock` that stands still until it is told to move."""

    wall_ms: int = 1_700_000_000_000
    boot_seconds: float = 1_000.0
    slept: float = 0.0
    """Seconds that the machine slept since it started."""

    def wall(self) -> int:
        """Milliseconds since the epoch."""
        return self.wall_ms

    def boot(self) -> float:
        """Seconds since the machine started."""
        return self.boot_seconds

    def monotonic(self) -> float:
        """Seconds that the machine ran."""
        return self.boot_seconds - self.slept

    def sleep(self, seconds: float) -> None:
        """The machine sleeps."""
        self.advance(seconds)
        self.slept += seconds

    def advance(self, seconds: float) -> None:
        """All clocks go on, as when the machine runs."""
        if seconds < 0:
            raise ValueError("a clock does not go backwards; set_wall does")
        self.boot_seconds += seconds
        self.wall_ms += round(seconds * 1000)

    def set_wall(self, wall_ms: int) -> None:
        """Somebody sets the clock; deadlines do not notice."""
        self.wall_ms = wall_ms


def settings_in(directory: Path, port: int = 0) -> Settings:
    """Settings of a daemon of its own: everything it makes is in `directory`, which must be private and have a short path."""
    return Settings(paths_in(directory), port)


@asynccontextmanager
async def running_daemon(place: Place, settings: Settings, clock: Clock, transport: Transport | None = None) -> AsyncIterator[Daemon]:
    """A daemon in this process, which answers inside the block and stops in order at its end.

    `place` has to be taken outside of the loop, because that blocks. `transport` carries pushes.
    """
    async with anyio.create_task_group() as tasks:
        daemon = Daemon.build(place, settings, clock, tasks, transport=transport)
        ready, stopped = anyio.Event(), anyio.Event()

        async def serve() -> None:
            await daemon.serve(lambda _: ready.set())
            stopped.set()

        tasks.start_soon(serve)
        await ready.wait()
        yield daemon
        daemon.stop()
        await stopped.wait()
        tasks.cancel_scope.cancel()


def hello(pid: int | None = None, *, name: str = "", generation: int = 1) -> bridge.Hello:
    """What the extension in the process `pid` (default: this one) says first. `name` tells several of one process apart."""
    pid = os.getpid() if pid is None else pid
    start = start_time(pid)
    return bridge.Hello(
        seq=1,
        protocol=bridge.ProtocolRange(bridge.PROTOCOL_MIN, bridge.PROTOCOL_MAX),
        bridge=bridge.BridgeInfo(version="0.1.0", path="/extension/mirrord", generation=generation),
        terminal=bridge.TerminalInfo(f"{pid}-{name or start}", pid, start, "tui", "1.6.0", "22.20.0"),
        conversation=bridge.Conversation(id=f"conversation-{name or pid}", cwd="/home/ada/garden"),
        reason="startup",
        capabilities=("prompt:select", "prompt:confirm", "prompt:input"),
    )


@dataclass(slots=True)
class FakeExtension:
    """The extension's side of one link, with the transport's rules kept: frames, and a seq that it sets itself."""

    stream: ByteStream
    _lines: LineReader = field(default_factory=LineReader)
    _said: int = 0
    _heard: int = 0

    async def say(self, *messages: bridge.FromExtension) -> None:
        """Send messages; whatever seq they have is replaced by the one that is due."""
        frames = b""
        for message in messages:
            self._said += 1
            frames += encode(msgspec.structs.replace(message, seq=self._said))
        await self.stream.send(frames)

    async def hear(self) -> bridge.FromDaemon:
        """The daemon's next message. Raises anyio.EndOfStream when the daemon closed the link."""
        while (line := self._lines.next_line()) is None:
            self._lines.receive(await self.stream.receive(_CHUNK))
        message = decode_from_daemon(line)
        if isinstance(message, Unknown) or message.seq != self._heard + 1:
            raise AssertionError(f"seq {self._heard + 1} was due, and a known type: {line!r}")
        self._heard = message.seq
        return message

    async def until(self, kind: type[_Message]) -> _Message:
        """The next message of this type; others are dropped."""
        while not isinstance(message := await self.hear(), kind):
            pass
        return message

    async def settled(self) -> None:
        """Return when the daemon has acknowledged everything that was said."""
        while (await self.until(bridge.Ack)).up_to < self._said:
            pass


@asynccontextmanager
async def fake_extension(socket: Path, first: bridge.Hello | None = None, *prompts: bridge.Prompt) -> AsyncIterator[FakeExtension]:
    """A link that was welcomed and told the daemon these prompts; closed without a word at the end of the block."""
    async with await anyio.connect_unix(str(socket)) as stream:
        extension = FakeExtension(stream)
        await extension.say(first or hello())
        await extension.until(bridge.Welcome)
        opened = [bridge.PromptOpened(seq=0, prompt=prompt) for prompt in prompts]
        await extension.say(bridge.ResyncBegin(seq=0), *opened, bridge.ResyncEnd(seq=0))
        await extension.settled()
        yield extension
