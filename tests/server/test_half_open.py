"""Promise: a client that is not there any more is gone when its time is out, however it went and whether something waits for it or not.

The times are printed.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, nullcontext
from typing import Any, Final

import anyio
import pytest
from anyio.abc import SocketAttribute, SocketStream

from mirrord.server.client import LOOK_SECONDS as DAEMONS_LOOK_SECONDS
from mirrord.server.socket import PING_SECONDS
from mirrord.settings import Settings
from mirrord.wire.limits import OUTBOX_SECONDS
from tests.server.test_slow_clients import Scene, clients, scene, scene_at

LOOK_SECONDS: Final = 0.1

FOLLOWER: Final = """
import os, sys
from tests.server.test_slow_clients import Raw
client = Raw.connect(*sys.argv[1:4], through=int(sys.argv[4]))
client.sock.settimeout(None)
os.write(1, b"there\\n")
while True:
    client.sock.recv(65536)
"""
"""Reads all the time. It answers no ping, and is gone to the daemon before the first one that it would have to answer."""

IN_A_NETWORK_OF_ITS_OWN: Final = ("unshare", "--map-root-user", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh")

pytestmark = [pytest.mark.soak, pytest.mark.timeout(180)]


def obstacle() -> str | None:
    """Why no network can be made here that goes away under a connection."""
    missing = [name for name in ("unshare", "nsenter", "ip") if shutil.which(name) is None]
    if missing:
        return f"there is no {missing[0]}"
    made = subprocess.run([*IN_A_NETWORK_OF_ITS_OWN, "true"], capture_output=True, text=True, check=False)
    return None if made.returncode == 0 else made.stderr.strip()


WHY_NOT = obstacle()
needs_a_network = pytest.mark.skipif(WHY_NOT is not None, reason=f"NOT PROVEN HERE, a network that goes away: {WHY_NOT}")


@asynccontextmanager
async def follower(stage: Scene, *, through: int = 0, prefix: Sequence[str] = ()) -> AsyncIterator[int]:
    """The pid of a client. `through`: the port of a relay."""
    command = [*prefix, sys.executable, "-c", FOLLOWER, stage.url, stage.token, stage.session, str(through)]
    process = await anyio.open_process(command, stderr=None)
    assert process.stdout is not None
    try:
        assert await process.stdout.receive() == b"there\n"
        yield process.pid
    finally:
        process.kill()
        with anyio.CancelScope(shield=True):
            await process.aclose()


async def seconds_until_gone(stage: Scene) -> float:
    """From now."""
    begun = time.monotonic()
    while "slow" in await clients(stage.owner):  # noqa: ASYNC110 - the daemon is another process
        await anyio.sleep(LOOK_SECONDS)
    return time.monotonic() - begun


async def seconds_of_waiting(stage: Scene) -> tuple[float, float]:
    """From when something waits for it in the daemon: the kernel takes some of the flood before.

    And how much longer the daemon's looks at it took together than they were to, if it was woken as late as this process.
    """
    begun, late = time.monotonic(), list[float]()
    while True:
        now, status = time.monotonic(), await stage.owner.request("status", dict[str, Any])
        if not any(client["name"] == "slow" for client in status["clients"]):
            return now - begun, OUTBOX_SECONDS / DAEMONS_LOOK_SECONDS * sum(late) / len(late)
        if not status["memory"]["held"]["outboxes"]:
            begun, late = now, []
        asleep = time.monotonic()
        await anyio.sleep(LOOK_SECONDS)
        late.append(time.monotonic() - asleep - LOOK_SECONDS)


@asynccontextmanager
async def flooded(stage: Scene) -> AsyncIterator[None]:
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(stage.flood)
        tasks.start_soon(stage.listen)
        yield
        tasks.cancel_scope.cancel()


# ---- a client that stands still --------------------------------------------------------------------------------------


async def test_one_for_which_nothing_waits_is_gone_after_two_pings(
    at_home: Settings, pi_pid: int, capsys: pytest.CaptureFixture[str]
) -> None:
    async with scene(at_home, pi_pid) as stage, follower(stage) as pid:
        os.kill(pid, signal.SIGSTOP)
        took = await seconds_until_gone(stage)
    with capsys.disabled():
        print(f"\nstands still, nothing waits: gone after {took:.1f} s")
    assert took <= 2 * PING_SECONDS + 2


async def test_one_for_which_something_waits_is_gone_when_the_write_deadline_is_over(
    at_home: Settings, pi_pid: int, capsys: pytest.CaptureFixture[str]
) -> None:
    async with scene(at_home, pi_pid) as stage, follower(stage) as pid, flooded(stage):
        os.kill(pid, signal.SIGSTOP)
        took, late = await seconds_of_waiting(stage)
    with capsys.disabled():
        print(f"\nstands still, something waits: gone after {took:.1f} s of that; looks came late by {late:.1f} s together")
    assert OUTBOX_SECONDS - 1 <= took <= OUTBOX_SECONDS + 1 + late


# ---- a relay that swallows everything --------------------------------------------------------------------------------


class Hole:
    """Stands before the daemon. From `swallows` on it takes all that either side says, passes nothing on, and closes nothing."""

    def __init__(self, port: int) -> None:
        self.swallows = False
        self._port = port

    async def serve(self, near: SocketStream) -> None:
        async with near, await anyio.connect_tcp("127.0.0.1", self._port) as far, anyio.create_task_group() as tasks:
            tasks.start_soon(self._carry, near, far)
            tasks.start_soon(self._carry, far, near)

    async def _carry(self, source: SocketStream, target: SocketStream) -> None:
        async for chunk in source:
            if not self.swallows:
                await target.send(chunk)


@asynccontextmanager
async def relayed(stage: Scene) -> AsyncIterator[tuple[Hole, int]]:
    """A relay to the daemon, and its port."""
    hole = Hole(int(stage.url.removeprefix("ws://").split("/")[0].split(":")[1]))
    async with await anyio.create_tcp_listener(local_host="127.0.0.1") as listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, hole.serve)
        yield hole, listener.extra(SocketAttribute.local_port)
        tasks.cancel_scope.cancel()


@pytest.mark.parametrize("much", [False, True], ids=["nothing is told", "much is told"])
async def test_one_whose_relay_takes_everything_and_passes_on_nothing_is_gone_after_two_pings(
    at_home: Settings, pi_pid: int, capsys: pytest.CaptureFixture[str], much: bool
) -> None:
    async with scene(at_home, pi_pid) as stage, relayed(stage) as (hole, port), follower(stage, through=port):
        hole.swallows = True
        async with flooded(stage) if much else nullcontext():
            took = await seconds_until_gone(stage)
    with capsys.disabled():
        print(f"\na relay that swallows all, {'much' if much else 'nothing'} is told: gone after {took:.1f} s")
    assert took <= 2 * PING_SECONDS + 2


# ---- a network that goes away ----------------------------------------------------------------------------------------


@contextmanager
def daemon_in_a_network_of_its_own() -> Iterator[int]:
    """The pid of one whose loopback nobody else uses."""
    serve = [*IN_A_NETWORK_OF_ITS_OWN, sys.executable, "-m", "mirrord", "serve", "--port", "0"]
    with subprocess.Popen(serve, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            assert any("daemon: ready" in line for line in process.stderr)
            drain = threading.Thread(target=process.stderr.read)
            drain.start()
            yield process.pid
        finally:
            process.terminate()
            process.wait(10)
    drain.join()


def inside(daemon: int) -> list[str]:
    """What runs a program in that network."""
    return ["nsenter", f"--target={daemon}", "--user", "--net", "--preserve-credentials", "--"]


def take_away_the_network(daemon: int) -> None:
    """From now on no packet goes either way, and nobody is told."""
    subprocess.run([*inside(daemon), "ip", "link", "set", "lo", "down"], check=True)


@needs_a_network
async def test_one_whose_network_went_away_is_gone_after_two_pings(
    at_home: Settings, pi_pid: int, capsys: pytest.CaptureFixture[str]
) -> None:
    with daemon_in_a_network_of_its_own() as daemon:
        async with scene_at(daemon, at_home, pi_pid) as stage, follower(stage, prefix=inside(daemon)):
            take_away_the_network(daemon)
            took = await seconds_until_gone(stage)
    with capsys.disabled():
        print(f"\nno network, nothing waits: gone after {took:.1f} s")
    assert took <= 2 * PING_SECONDS + 2


@needs_a_network
async def test_one_whose_network_went_away_while_much_is_told_is_gone_when_the_write_deadline_is_over(
    at_home: Settings, pi_pid: int, capsys: pytest.CaptureFixture[str]
) -> None:
    with daemon_in_a_network_of_its_own() as daemon:
        async with scene_at(daemon, at_home, pi_pid) as stage, follower(stage, prefix=inside(daemon)), flooded(stage):
            take_away_the_network(daemon)
            took, late = await seconds_of_waiting(stage)
    with capsys.disabled():
        print(f"\nno network, something waits: gone after {took:.1f} s of that; looks came late by {late:.1f} s together")
    assert OUTBOX_SECONDS - 1 <= took <= OUTBOX_SECONDS + 1 + late
