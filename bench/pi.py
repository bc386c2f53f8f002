"""The real Pi with the asking extension: in a terminal, followed by a phone; and as `pi --mode rpc`, answered over stdio."""

from __future__ import annotations

import subprocess
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

import anyio
import msgspec
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream

from bench.phone import Phone
from bench.terminal import BenchTerminal, running
from bench.world import PATIENCE_SECONDS, START_SECONDS, NotMeasured, Start, World, until
from bridge.limits import FRAME_BYTES
from mirrord.demo.stage import end_process
from tests.harness.pi import PiKind

QUIET_SECONDS: Final = 0.5
"""Pi takes keys once it has drawn nothing for so long."""

OPTIONS: Final = ("first", "second", "third")
"""What asking.ts offers."""

By = Literal[0, 1]
TERMINAL: Final[By] = 0
REMOTE: Final[By] = 1
"""The option that each side takes, so that what the promise gave tells who won."""


class Asked(msgspec.Struct, frozen=True):
    """What became of one question: when it was about to be asked and when its promise had resolved, in ns of CLOCK_MONOTONIC."""

    number: int
    resolved: str
    value: str | None = None
    begun: str = ""


@dataclass(frozen=True, slots=True)
class Given:
    """One answer: to which question, by whom, when it was given and when a remote had read that it settled the question. Times in ns."""

    number: int
    by: By
    begun: int
    seen: int | None = None


class _Request(msgspec.Struct, frozen=True):
    type: str
    id: str = ""
    title: str = ""
    method: str = ""


@dataclass(frozen=True, slots=True)
class Rpc:
    """`pi --mode rpc`."""

    start: Start
    process: Process
    lines: BufferedByteReceiveStream

    async def ask(self, count: int) -> None:
        """Has it ask so many questions, one after the other."""
        await self._write(line_of({"type": "prompt", "message": f"/b-ask {count}"}))

    async def answer(self, thinking: float) -> Given:
        """Waits for the question, thinks for so many seconds, answers."""
        request = await self._next()
        await anyio.sleep(thinking)
        response = line_of({"type": "extension_ui_response", "id": request.id, "value": OPTIONS[REMOTE]})
        begun = time.monotonic_ns()
        await self._write(response)
        return Given(number_of(request.title), REMOTE, begun)

    async def _next(self) -> _Request:
        with anyio.move_on_after(PATIENCE_SECONDS):
            while True:
                line = await self.lines.receive_until(b"\n", FRAME_BYTES)
                request = msgspec.json.decode(line, type=_Request)
                if request.type == "extension_ui_request" and request.method == "select":
                    return request
        raise NotMeasured("pi --mode rpc asked nothing")

    async def _write(self, line: bytes) -> None:
        assert self.process.stdin is not None
        await self.process.stdin.send(line)


@dataclass(frozen=True, slots=True)
class Tui:
    """Pi in a terminal, and the phone that follows it."""

    start: Start
    terminal: BenchTerminal
    phone: Phone
    session_id: str

    async def ask(self, count: int, pause_ms: int = 0) -> None:
        """Has it ask so many questions, each so long after the one before."""
        await self.line(f"/b-ask {count} {pause_ms}")

    async def line(self, text: str) -> None:
        """Types a line when Pi rests."""
        await self.rest()
        self.type(text)

    def type(self, text: str) -> None:
        """Types a line, whatever Pi does."""
        self.terminal.send(f"{text}\r".encode())

    async def rest(self) -> None:
        """Returns once Pi has drawn nothing for QUIET_SECONDS."""

        async def rests() -> bool:
            return self.terminal.quiet_for >= QUIET_SECONDS

        await until(rests, "Pi does not stop drawing", START_SECONDS)

    async def answer_remotely(self, thinking: float) -> Given:
        """Waits for the question, thinks for so many seconds, answers through the phone."""
        prompt = await self.phone.prompt(self.session_id)
        await anyio.sleep(thinking)
        begun = self.phone.answer(prompt, REMOTE)
        return Given(number_of(prompt.title), REMOTE, begun, await self.phone.settled(prompt, "remote"))

    async def answer_at_the_terminal(self, thinking: float) -> Given:
        """Waits for the question, thinks for so many seconds, types Enter."""
        prompt = await self.phone.prompt(self.session_id)
        await anyio.sleep(thinking)
        begun = time.monotonic_ns()
        self.terminal.send(b"\r")
        return Given(number_of(prompt.title), TERMINAL, begun, await self.phone.settled(prompt, "terminal"))


def number_of(title: str) -> int:
    """`ask 17` is question 17."""
    word, _, number = title.partition(" ")
    if word != "ask" or not number.isdecimal():
        raise NotMeasured(f"Pi asked {title!r}, which is no question of ours")
    return int(number)


def line_of(message: Mapping[str, object]) -> bytes:
    """The message as RPC reads it."""
    return msgspec.json.encode(message) + b"\n"


async def whole_file(file: Path) -> bytes:
    """Its content once it is there; then it is gone, so that it can be waited for again."""
    path = anyio.Path(file)
    await until(path.exists, f"Pi does not write its {path.name}")
    content = await path.read_bytes()
    await path.unlink()
    return content


async def asked(start: Start) -> Mapping[int, Asked]:
    """What became of all questions, by number, once the last one is answered."""
    lines = (await whole_file(start.asked)).splitlines()
    return {one.number: one for one in (msgspec.json.decode(line, type=Asked) for line in lines)}


@asynccontextmanager
async def rpc_pi(here: World, kind: PiKind) -> AsyncIterator[Rpc]:
    """A Pi without a terminal and without mirrord, for the length of the block."""
    start = here.pi(kind, mode="rpc")
    process = await anyio.open_process(start.argv, stderr=subprocess.DEVNULL, env=start.env, cwd=start.cwd)
    try:
        assert process.stdout is not None
        yield Rpc(start, process, BufferedByteReceiveStream(process.stdout))
    finally:
        with anyio.CancelScope(shield=True):
            await end_process(process)


@asynccontextmanager
async def tui_pi(
    here: World, kind: PiKind, phone: Phone, extensions: Sequence[Path], env: Mapping[str, str] | None = None
) -> AsyncIterator[Tui]:
    """A Pi in a terminal with these extensions, of which one is mirrord's, for the length of the block. `env` is added to its own."""
    start = here.pi(kind, extensions=extensions)
    start = replace(start, env={**start.env, **(env or {})})
    with running(start.argv, start.env, start.cwd) as terminal:
        try:
            yield Tui(start, terminal, phone, await phone.follow(terminal.pid))
        except NotMeasured as error:
            raise NotMeasured(f"{error}; {kind} showed: {terminal.last_output()!r}") from error
