"""What it costs to show what extensions show: Pi under a flood of calls with us and without, and the daemon beside components that move."""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import anyio
import anyio.to_thread
import msgspec

from bench.report import Goal, Row
from bench.terminal import BenchTerminal, running
from bench.world import EXTENSION, START_SECONDS, NotMeasured, World, until, world
from bridge import messages as bridge
from bridge.limits import UPDATE_MS
from mirrord.client import Connection, Remote, connect
from mirrord.testing import FakeExtension, fake_extension, hello
from mirrord.wire import messages as wire
from mirrord.wire.capabilities import SERVER_CAPABILITIES
from tests.harness.exerciser import ExerciserLog, slash
from tests.harness.pi import EXERCISER, GENERATIONS, PiKind

ROUNDS: Final = 3
QUICK_ROUNDS: Final = 1

STORM: Final = {"notify": 10_000, "status": 1_000, "widget": 500}
"""Calls of `ctx.ui` a second."""

STORM_MS: Final = 10_000
QUICK_STORM_MS: Final = 1_000

FRAME_MS: Final = 33
"""30 frames a second."""

WATCHED_SECONDS: Final = 5.0
QUICK_WATCHED_SECONDS: Final = 1.0

QUIET_SECONDS: Final = 0.5
"""Pi takes keys once it has drawn nothing for so long."""

SESSIONS: Final = 20

LINES: Final = [
    f"{{accent}}job {place}{{/}} {{success}}{'=' * place}>{{/}} {{muted}}{'.' * (20 - place)}{{/}} running" for place in range(10)
]
"""What the component draws, below it a line that changes with each frame."""

PALETTE: Final = {"accent": "\x1b[38;2;138;190;183m", "success": "\x1b[38;2;181;189;104m", "muted": "\x1b[38;2;128;128;128m"}
"""The colours of those that no Pi draws."""

STORM_GOAL: Final = Goal("ratio", 1.1)
"""What an extension's flood takes with us, beside what it takes without."""

ONE_GOAL: Final = Goal("p50", 50)
"""In ms of the daemon's CPU for each second of one component: a twentieth of a core."""

MANY_GOAL: Final = Goal("p50", 300)
"""The same for twenty sessions: less than a third of a core, though each tells twenty frames a second."""

_TICKS: Final = os.sysconf("SC_CLK_TCK")
_KILO: Final = 1000


async def measure(quick: bool, profile: Path | None = None) -> list[Row]:
    """The rows of every generation. Raises NotMeasured."""
    rounds = QUICK_ROUNDS if quick else ROUNDS
    rows: list[Row] = []
    async with world(profile) as here:
        phone = await here.paired("bench")
        for kind in GENERATIONS:
            rows += await _storms(here, kind, rounds, QUICK_STORM_MS if quick else STORM_MS)
        seconds = QUICK_WATCHED_SECONDS if quick else WATCHED_SECONDS
        for kind in GENERATIONS:
            rows += await _one_component(here, phone, kind, rounds, seconds)
        rows += await _many_components(here, phone, rounds, seconds)
    return rows


# ---- a flood -------------------------------------------------------------------------------------------------------------


async def _storms(here: World, kind: PiKind, rounds: int, ms: int) -> list[Row]:
    taken: dict[bool, list[float]] = {False: [], True: []}
    used: dict[bool, list[float]] = {False: [], True: []}
    for _ in range(rounds):
        for ours in (False, True):
            async with _pi(here, kind, ours) as pi:
                before = cpu_ms(pi.terminal.pid)
                made = await pi.run("t-flood", ms=ms, **STORM)
                taken[ours].append(float(made["ms"]))
                used[ours].append((cpu_ms(pi.terminal.pid) - before) / ms * _KILO)
    calls = ", ".join(f"{rate:,} {name}" for name, rate in STORM.items())
    what = f"from the first to the last of {calls} calls a second for {ms // _KILO} s"
    alone = Row(f"Pi {kind.version}, flood without us", what, tuple(taken[False]), "ms")
    cpu_alone = Row(f"Pi {kind.version}, CPU without us", "CPU of Pi for each second of that", tuple(used[False]), "ms")
    return [
        alone,
        Row(f"Pi {kind.version}, flood", what, tuple(taken[True]), "ms", (alone.name, alone.p50), STORM_GOAL),
        cpu_alone,
        Row(f"Pi {kind.version}, CPU", cpu_alone.measured, tuple(used[True]), "ms", (cpu_alone.name, cpu_alone.p50)),
    ]


# ---- components that move ------------------------------------------------------------------------------------------------


async def _one_component(here: World, remote: Remote, kind: PiKind, rounds: int, seconds: float) -> list[Row]:
    cpu: list[float] = []
    received: list[float] = []
    written: list[float] = []
    async with _pi(here, kind, True) as pi, _client(remote, lambda client: client.follow(pi.terminal.pid)) as client:
        await pi.run("t-widget", key="moves", drawn=True, lines=LINES, every=FRAME_MS)
        for _ in range(rounds):
            drawn = pi.terminal.written
            used, came = await _watched(here, client, seconds)
            cpu.append(used)
            received.append(came)
            written.append((pi.terminal.written - drawn) / seconds / _KILO)
    name = f"Pi {kind.version}, 1 component"
    raw = Row(
        f"{name}, terminal",
        "bytes that Pi writes to its terminal in a second, with a component that changes 30 times",
        tuple(written),
        "kB",
    )
    return [
        Row(f"{name}, daemon", "CPU of the daemon for each second of that", tuple(cpu), "ms", goal=ONE_GOAL),
        raw,
        Row(f"{name}, client", "bytes of messages that a client receives in it", tuple(received), "kB", (raw.name, raw.p50)),
    ]


async def _many_components(here: World, remote: Remote, rounds: int, seconds: float) -> list[Row]:
    cpu: list[float] = []
    received: list[float] = []
    async with AsyncExitStack() as stack:
        extensions = [
            await stack.enter_async_context(fake_extension(here.paths.bridge_socket, hello(name=f"moves {place}")))
            for place in range(SESSIONS)
        ]
        client = await stack.enter_async_context(_client(remote, lambda client: client.follow_all(SESSIONS)))
        tasks = await stack.enter_async_context(anyio.create_task_group())
        for extension in extensions:
            tasks.start_soon(_listen, extension)
            tasks.start_soon(_move, extension)
        await anyio.sleep(QUIET_SECONDS)
        for _ in range(rounds):
            used, came = await _watched(here, client, seconds)
            cpu.append(used)
            received.append(came)
        tasks.cancel_scope.cancel()
    name = f"{SESSIONS} components"
    what = f"CPU of the daemon for each second in which {SESSIONS} sessions tell {_KILO // UPDATE_MS} frames each, of as many lines"
    return [
        Row(f"{name}, daemon", what, tuple(cpu), "ms", goal=MANY_GOAL),
        Row(f"{name}, client", "bytes of messages that a client receives in it, which follows all of them", tuple(received), "kB"),
    ]


async def _move(extension: FakeExtension) -> None:
    """Says frames as the extension does, at its pace."""
    await extension.say(bridge.Palette(seq=0, tokens=PALETTE))
    tick = 0
    while True:
        tick += 1
        lines = (*map(coloured, LINES), f"tick {tick}")
        await extension.say(bridge.Widget(seq=0, key="moves", placement="aboveEditor", lines=lines, width=100))
        await anyio.sleep(UPDATE_MS / _KILO)


async def _listen(extension: FakeExtension) -> None:
    while True:
        await extension.hear()


def coloured(line: str) -> str:
    """As the terminal draws it in these colours."""
    for token, colour in PALETTE.items():
        line = line.replace(f"{{{token}}}", colour)
    return line.replace("{/}", "\x1b[39m")


async def _watched(here: World, client: Client, seconds: float) -> tuple[float, float]:
    """CPU of the daemon in ms, and kB that the client received, for each second."""
    cpu, came, begun = cpu_ms(here.daemon.pid), client.bytes, time.monotonic()
    await anyio.sleep(seconds)
    passed = time.monotonic() - begun
    return (cpu_ms(here.daemon.pid) - cpu) / passed, (client.bytes - came) / passed / _KILO


def cpu_ms(pid: int) -> float:
    """What the process has used of a core so far. NotMeasured where the system does not tell."""
    try:
        # Behind the name, which may hold anything, come the state and eleven numbers, then these two.
        user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    except (OSError, ValueError) as error:
        raise NotMeasured(f"the CPU of process {pid} could not be read ({error})") from error
    return (int(user) + int(system)) * _KILO / _TICKS


@dataclass(slots=True)
class Client:
    """A client on the network that counts the bytes of all messages."""

    connection: Connection
    bytes: int = 0

    async def follow(self, pid: int) -> None:
        """Follows the session of that Pi, once there is one."""
        await self._follow(lambda sessions: [session for session in sessions if session.pid == pid], 1)

    async def follow_all(self, count: int) -> None:
        """Follows all sessions of this process, which are so many."""
        await self._follow(lambda sessions: [session for session in sessions if session.pid == os.getpid()], count)

    async def _follow(self, pick: Callable[[tuple[wire.Session, ...]], list[wire.Session]], count: int) -> None:
        found: list[wire.Session] = pick(self.connection.welcome.sessions)
        with anyio.move_on_after(START_SECONDS):
            while len(found) < count:
                message = await self.connection.receive()
                if isinstance(message, wire.SessionChanged) and pick((message.session,)) and message.change == "added":
                    found.append(message.session)
        if len(found) < count:
            raise NotMeasured(f"the daemon knows {len(found)} sessions and not {count}")
        for session in found:
            await self.connection.send(wire.Subscribe(session_id=session.session_id))

    async def count(self) -> None:
        """Runs until it is cancelled."""
        while True:
            frame = await self.connection.receive_frame()
            self.bytes += len(frame.text.encode())


@asynccontextmanager
async def _client(remote: Remote, follow: Callable[[Client], Awaitable[None]]) -> AsyncIterator[Client]:
    async with (
        connect(remote, name="bench", kind="bench", capabilities=SERVER_CAPABILITIES) as connection,
        anyio.create_task_group() as tasks,
    ):
        client = Client(connection)
        await follow(client)
        tasks.start_soon(client.count)
        yield client
        tasks.cancel_scope.cancel()


@dataclass(frozen=True, slots=True)
class ExercisedPi:
    """A Pi in a terminal, with the exerciser."""

    terminal: BenchTerminal
    log: ExerciserLog

    async def run(self, command: str, **arguments: object) -> dict[str, int]:
        """Types a command when Pi rests; gives its value once it is done."""
        await until(self._rests, "Pi does not stop drawing", START_SECONDS)
        self.terminal.send(f"{slash(command, **arguments)}\r".encode())
        record = await anyio.to_thread.run_sync(lambda: self.log.result(command, timeout=2 * START_SECONDS))
        return msgspec.convert(record.value or {}, dict[str, int])

    async def _rests(self) -> bool:
        return self.terminal.quiet_for >= QUIET_SECONDS and self.terminal.written > 0


@asynccontextmanager
async def _pi(here: World, kind: PiKind, ours: bool) -> AsyncIterator[ExercisedPi]:
    start = here.pi(kind, extensions=[*([EXTENSION] if ours else []), EXERCISER])
    log = ExerciserLog(start.asked.with_name("exerciser"))
    log.file.unlink(missing_ok=True)
    with running(start.argv, {**start.env, **log.environment()}, start.cwd) as terminal:
        yield ExercisedPi(terminal, log)
