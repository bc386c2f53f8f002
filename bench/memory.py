"""What the daemon keeps in RAM: idle, and when many Pis have told it their state, beside a bare Python server with the same libraries."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Final

import anyio
from anyio.abc import Process

from bench.report import Goal, Row
from bench.world import NotMeasured, World, world
from bridge import messages as bridge
from mirrord.demo.stage import end_process
from mirrord.testing import fake_extension, hello

ROUNDS: Final = 5
QUICK_ROUNDS: Final = 2

LINKS: Final = 50
PROMPTS: Final = 3
STATUSES: Final = 5

SETTLE_SECONDS: Final = 1.0
"""From the start to the reading: imports are done and the first garbage is collected."""

GOAL: Final = Goal("p50", 45)
"""In MB. A bare server with the same libraries has 29; half as much again is ours."""

PEER: Final = """
import asyncio, anyio, click, msgspec, pyte, sqlite3, wcwidth, websockets.asyncio.server as server
async def main():
    async with server.serve(lambda connection: connection.wait_closed(), "127.0.0.1", 0):
        print(flush=True)
        await asyncio.Future()
asyncio.run(main())
"""
"""A server that does nothing, with what the daemon imports from elsewhere."""

_KIB: Final = 1024


async def measure(quick: bool, profile: Path | None = None) -> list[Row]:
    """One sample a round, each of processes that were just started. Raises NotMeasured."""
    idle: list[float] = []
    linked: list[float] = []
    bare: list[float] = []
    for _ in range(QUICK_ROUNDS if quick else ROUNDS):
        async with _peer() as peer, world(profile) as here:
            await anyio.sleep(SETTLE_SECONDS)
            bare.append(await resident_megabytes(peer.pid))
            idle.append(await resident_megabytes(here.daemon.pid))
            linked.append(await _with_links(here))
    return rows(bare, idle, linked)


def rows(bare: list[float], idle: list[float], linked: list[float]) -> list[Row]:
    """The samples as rows; each stands beside the one before."""
    peer = Row("bare server, RSS", "a Python WebSocket server that does nothing, with the daemon's libraries imported", tuple(bare), "MB")
    rest = Row(
        "daemon idle, RSS", f"`mirrord serve`, {SETTLE_SECONDS:g} s after it answered", tuple(idle), "MB", ("bare server", peer.p50), GOAL
    )
    state = f"{LINKS} extensions have told it {PROMPTS} open prompts and {STATUSES} statuses each, over the bridge socket"
    each = tuple((many - few) * 1000 / LINKS for few, many in zip(idle, linked, strict=True))
    return [
        peer,
        rest,
        Row(f"daemon with {LINKS} links, RSS", state, tuple(linked), "MB", ("daemon idle", rest.p50)),
        Row("each session, RSS", "what each of these links takes of it", each, "kB"),
    ]


async def _with_links(here: World) -> float:
    async with AsyncExitStack() as stack:
        for number in range(LINKS):
            name = f"terminal-{number}"
            link = fake_extension(here.paths.bridge_socket, hello(name=name), *(prompt(name, place) for place in range(PROMPTS)))
            extension = await stack.enter_async_context(link)
            await extension.say(*(bridge.Status(seq=0, key=f"key {place}", text=f"{name} is at step {place}") for place in range(STATUSES)))
            await extension.settled()
        await anyio.sleep(SETTLE_SECONDS)
        return await resident_megabytes(here.daemon.pid)


def prompt(name: str, place: int) -> bridge.Prompt:
    """A question as extensions ask it."""
    options = ("Allow once", "Allow for this session", "Deny")
    title = f"Run the command `make test` in {name}?"
    return bridge.Prompt(f"{name}-{place}", "select", title, opened_at=0, options=options, option_count=len(options))


async def resident_megabytes(pid: int) -> float:
    """Memory of a process that is in RAM, in units of 10^6 bytes. NotMeasured when the system does not tell."""
    rollup = anyio.Path(f"/proc/{pid}/smaps_rollup")
    try:
        # Linux counts exactly here; what `ps` shows there may be some hundred KiB off.
        if await rollup.exists():
            return rollup_kib(await rollup.read_text()) * _KIB / 1e6
        told = await anyio.run_process(["ps", "-o", "rss=", "-p", str(pid)])
        return int(told.stdout) * _KIB / 1e6
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        raise NotMeasured(f"the memory of process {pid} could not be read ({error})") from error


def rollup_kib(text: str) -> int:
    """The resident memory that a smaps_rollup names. ValueError when it names none."""
    for line in text.splitlines():
        name, *numbers = line.split()
        if name == "Rss:":
            return int(numbers[0])
    raise ValueError("smaps_rollup has no Rss")


@asynccontextmanager
async def _peer() -> AsyncIterator[Process]:
    process = await anyio.open_process([sys.executable, "-c", PEER], stderr=subprocess.DEVNULL)
    try:
        assert process.stdout is not None
        await process.stdout.receive()
        yield process
    finally:
        with anyio.CancelScope(shield=True):
            await end_process(process)
