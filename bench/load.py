"""Many clients: how they come, what they cost, how late they hear, and what is left of them; beside a relay that does nothing."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import anyio
import msgspec

from bench.crowd import stamp
from bench.crowds import Gathered, crowd
from bench.memory import resident_megabytes
from bench.report import Goal, Row
from bench.world import NotMeasured, World, until, world
from bridge import messages as bridge
from mirrord.client import Connection, Local, Remote, connect
from mirrord.demo.stage import end_process
from mirrord.server.socket import DEVICE_PLACES
from mirrord.testing import FakeExtension, fake_extension, hello
from tests.harness.pi import ROOT
from tests.places import stand_in_for_pi

RELAY: Final = ROOT / "bench" / "relay.py"

FOLLOWERS: Final = 50
EVENT_BYTES: Final = 4_000
MANY: Final = 200
BROADCAST_BYTES: Final = 1_000
PACE_SECONDS: Final = 0.1
"""Ten a second is what a client is sent at most. A sleep is never shorter, so of what waits after a stall a little is made up each time."""
SECONDS: Final = 20.0
QUICK_SECONDS: Final = 2.0
WARM_UP_SECONDS: Final = 1.0

SETTLE_SECONDS: Final = 1.0
"""Between a change of who is there and the reading of memory."""

COME_MS: Final = 15.0
"""For each client: a thousand are there after 15 s."""
CLIENT_KB: Final = 60 * 1.024
"""60 KiB: four times what a bare connection of the library takes."""
LEFT_MB: Final = 5.0
EVENT_MS: Final = 25.0
BROADCAST_MS: Final = 250.0
MICRO: Final = 1000


async def measure(quick: bool, profile: Path | None = None) -> list[Row]:
    """Fan-out to a few, then many. Raises NotMeasured."""
    seconds = QUICK_SECONDS if quick else SECONDS
    async with stage(profile, MANY) as here:
        return [*await fan_out(here, seconds), *await many(here, MANY, seconds)]


# ---- a daemon with one session ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Stage:
    """A daemon, devices that are paired with it, and one session, for whose extension the measurement speaks."""

    world: World
    remotes: tuple[Remote, ...]
    session: str
    extension: FakeExtension
    owner: Connection
    """Somebody at this machine, who may ask how the daemon is."""
    _speaking: anyio.Lock = field(default_factory=anyio.Lock)

    @property
    def remote(self) -> Remote:
        """One of the devices."""
        return self.remotes[0]

    async def say(self, *messages: bridge.FromExtension) -> None:
        """Whoever speaks for the extension, one after another."""
        async with self._speaking:
            await self.extension.say(*messages)

    async def dropped(self) -> int:
        """Notifications that the daemon gave up so far, for clients that were too far behind."""
        counters = (await self.owner.request("status", dict[str, Any]))["counters"]
        return int(counters["notificationsDropped"])

    async def notify(self, size: int) -> None:
        """A notification of so many characters, with the moment in it."""
        await self.say(bridge.Notification(seq=0, message=stamp().ljust(size, ".")))


@asynccontextmanager
async def stage(profile: Path | None = None, clients: int = FOLLOWERS) -> AsyncIterator[Stage]:
    """Everything real but Pi, and in processes of its own but the extension, with devices for so many connections at once.

    Raises NotMeasured.
    """
    async with world(profile) as here:
        remotes = [await here.paired(f"bench {number}") for number in range(math.ceil(clients / DEVICE_PLACES))]
        # Not this process: what a Pi started is not the person at this machine.
        with stand_in_for_pi() as pid:
            first = hello(pid)
            async with (
                connect(Local(here.paths.control_socket), name="owner", kind="bench") as owner,
                fake_extension(here.paths.bridge_socket, first) as extension,
                anyio.create_task_group() as tasks,
            ):
                there = Stage(here, tuple(remotes), first.terminal.id, extension, owner)
                tasks.start_soon(attend, extension, there.say)
                yield there
                tasks.cancel_scope.cancel()


async def attend(extension: FakeExtension, say: Callable[[bridge.Pong], Awaitable[None]]) -> None:
    """Takes what the daemon says and answers its pings, until it is cancelled. NotMeasured when the daemon closes the link."""
    try:
        while True:
            heard = await extension.hear()
            if isinstance(heard, bridge.Ping):
                await say(bridge.Pong(seq=0, n=heard.n))
    except (anyio.EndOfStream, anyio.BrokenResourceError) as closed:
        raise NotMeasured("the daemon closed the extension's link") from closed


# ---- fan-out ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Relay:
    remote: Remote
    path: Path


@asynccontextmanager
async def relay(path: Path) -> AsyncIterator[_Relay]:
    """A relay that takes lines at `path`."""
    process = await anyio.open_process([sys.executable, str(RELAY), str(path)], stderr=subprocess.DEVNULL)
    try:
        assert process.stdout is not None
        port = int(await process.stdout.receive())
        yield _Relay(Remote(f"ws://127.0.0.1:{port}/", "nothing"), path)
    finally:
        with anyio.CancelScope(shield=True):
            await end_process(process)


async def fan_out(here: Stage, seconds: float) -> list[Row]:
    """What an extension says is at many clients, by turns through the daemon and through the relay."""
    async with (
        relay(here.world.home.root / "relay.sock") as other,
        await anyio.connect_unix(other.path) as line,
        crowd([other.remote], FOLLOWERS) as theirs,
        crowd(here.remotes, FOLLOWERS, here.session) as ours,
    ):

        async def to_relay() -> None:
            await line.send(msgspec.json.encode({"message": stamp().ljust(EVENT_BYTES, ".")}) + b"\n")

        async def to_daemon() -> None:
            await here.notify(EVENT_BYTES)

        bare, daemon = await _heard(seconds, {to_relay: theirs, to_daemon: ours}, _nothing)
    what = f"an extension's event of {EVENT_BYTES // 1000} kB, ten a second → each of {FOLLOWERS} clients has read it"
    peer = Row(f"relay, {FOLLOWERS} clients", f"{what}, through a relay that does nothing", bare, "µs")
    name, beside = f"daemon, {FOLLOWERS} clients", (peer.name, peer.p50)
    return [
        peer,
        Row(name, what, daemon, "µs", beside, Goal("p50", 5 * MICRO)),
        Row(name, what, daemon, "µs", beside, Goal("p99", EVENT_MS * MICRO)),
    ]


async def _nothing() -> int:
    """What may be dropped where everything has to be heard."""
    return 0


async def _heard(
    seconds: float, tellers: dict[Callable[[], Awaitable[None]], Gathered], dropped: Callable[[], Awaitable[int]]
) -> list[tuple[float, ...]]:
    """The delays of each, in µs: each tells ten times a second, and they take turns.

    NotMeasured when something is neither heard nor among what was dropped.
    """
    for told_for in (WARM_UP_SECONDS, seconds):
        times, before = round(told_for / PACE_SECONDS), await dropped()
        for _ in range(times):
            for tell in tellers:
                await tell()
                await anyio.sleep(PACE_SECONDS / len(tellers))
        delays = [await _all_of(gathered, times, dropped, before) for gathered in tellers.values()]
    return delays


async def _all_of(gathered: Gathered, told: int, dropped: Callable[[], Awaitable[int]], before: int) -> tuple[float, ...]:
    """The delays of what was told so many times, once every client has heard all of it but what was dropped since `before`."""
    delays: list[float] = []

    async def complete() -> bool:
        report = await gathered.report()
        if report.left:
            raise NotMeasured("clients were sent away")
        delays.extend(report.delays)
        return len(delays) + await dropped() - before == told * gathered.clients

    await until(complete, f"not all of {gathered.clients} clients heard what was told {told} times")
    return tuple(delays)


# ---- many ------------------------------------------------------------------------------------------------------------


async def many(here: Stage, clients: int, seconds: float) -> list[Row]:
    """So many come, listen, and leave; then as many come and leave again, for which there is room from the first time."""
    pid, name = here.world.daemon.pid, f"{clients} clients"
    # Some come before, so that what the first ones cost is not counted, as caches and code.
    async with crowd(here.remotes, FOLLOWERS, here.session):
        await here.notify(BROADCAST_BYTES)
    before = await _settled(pid)
    async with crowd(here.remotes, clients, here.session) as gathered:
        with_them = await _settled(pid)
        lost = await here.dropped()
        (delays,) = await _heard(seconds, {lambda: here.notify(BROADCAST_BYTES): gathered}, here.dropped)
        lost = await here.dropped() - lost
    after = await _settled(pid)
    async with crowd(here.remotes, clients, here.session) as again:
        pass
    later = await _settled(pid)
    come = "from the first connection until the last has its snapshot"
    told = f"a notification of {BROADCAST_BYTES // 1000} kB, ten a second → each has read it"
    kept = "memory of the daemon that it has more, once they are gone, than before"
    return [
        Row(f"{name}, come", come, (gathered.took, again.took), "ms", goal=Goal("p99", clients * COME_MS)),
        Row(f"{name}, each", "memory of the daemon for each", ((with_them - before) * 1000 / clients,), "kB", goal=Goal("p50", CLIENT_KB)),
        Row(f"{name}, broadcast", told, delays, "µs", goal=Goal("p99", BROADCAST_MS * MICRO)),
        Row(
            f"{name}, dropped",
            "of these, what the daemon gave up for clients that were two seconds behind",
            (lost,),
            "messages",
            goal=Goal("p50", 0),
        ),
        Row(f"{name}, gone", kept, (max(after - before, 0.0),), "MB", goal=Goal("p50", LEFT_MB)),
        Row(f"{name}, gone again", f"{kept}, the second time", (max(later - after, 0.0),), "MB", goal=Goal("p50", LEFT_MB)),
    ]


async def _settled(pid: int) -> float:
    """The process's memory in MB, when nobody has come or gone for a moment."""
    await anyio.sleep(SETTLE_SECONDS)
    return await resident_megabytes(pid)
