"""Promise: peers that come and go leave nothing behind, and a daemon without descriptors neither spins nor dies, and recovers."""

from __future__ import annotations

import asyncio
import os
import re
import resource
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import anyio.lowlevel
import pytest
from psutil import Process

from bridge import messages as bridge
from mirrord.client import Connection, Local, Remote, connect
from mirrord.clock import SystemClock
from mirrord.place import Place
from mirrord.settings import Settings
from mirrord.testing import fake_extension, hello, running_daemon
from mirrord.wire.capabilities import SERVER_CAPABILITIES
from mirrord.wire.roles import Role

DESCRIPTORS = 64
SPARE = 16
"""An idle daemon leaves twice as many."""

PATIENCE = 5.0

BUSY = 0.05
"""Of a core: what a daemon that can let nobody in may take at most."""


PROMPT = bridge.Prompt(id="p1", method="confirm", title="Go on?", opened_at=1)


class Held(NamedTuple):
    """What a process may leak."""

    descriptors: int
    tasks: int
    threads: int
    children: int


def held() -> Held:
    """By this process, now."""
    process = Process()
    return Held(process.num_fds(), len(asyncio.all_tasks()), process.num_threads(), len(process.children()))


async def test_fifty_times_who_comes_and_goes_leaves_no_descriptor_task_thread_or_zombie(
    own_settings: Settings, own_place: Place, pi_pid: int
) -> None:
    async with running_daemon(own_place, own_settings, SystemClock()) as daemon:
        remote = Remote(daemon.runner.url, (await own_place.store.mint("phone", Role.CONTROLLER)).token)

        async def once() -> None:
            async with (
                fake_extension(own_settings.paths.bridge_socket, hello(pi_pid), PROMPT),
                connect(remote, name="a", kind="phone", capabilities=SERVER_CAPABILITIES) as phone,
                connect(Local(own_settings.paths.control_socket), name="b", kind="attach") as local,
                await anyio.connect_tcp("127.0.0.1", daemon.runner.port),
                await anyio.connect_unix(str(own_settings.paths.control_socket)),
            ):
                await phone.subscribe(phone.welcome.sessions[0].session_id)
                await settled_status(local)
            await daemon.clients.wait_until_gone()
            while daemon.links.infos():
                await anyio.lowlevel.checkpoint()

        for _ in range(5):
            await once()
        before = held()
        for _ in range(50):
            await once()
        # Who connected and said nothing is noticed a turn of the loop later.
        with anyio.move_on_after(PATIENCE):
            while held().tasks > before.tasks:  # noqa: ASYNC110
                await anyio.sleep(0.01)
        after = held()
    assert after.descriptors <= before.descriptors + 2
    assert (after.tasks, after.children) == (before.tasks, before.children)
    assert after.threads <= before.threads + 1, "a thread of the pool may not have been needed before"


async def settled_status(client: Connection) -> None:
    """One round trip."""
    await client.request("status", dict)


class Cramped(NamedTuple):
    """A daemon with few descriptors, and where the network reaches it."""

    process: subprocess.Popen[str]
    port: int


@contextmanager
def cramped_daemon(settings: Settings) -> Iterator[Cramped]:
    """A daemon that may hold DESCRIPTORS descriptors and not one more."""
    base = settings.paths.runtime_dir.parent.parent
    env = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "MIRRORD"))}
    env |= {f"XDG_{name}": str(base / name.lower()) for name in ("RUNTIME_DIR", "STATE_HOME", "DATA_HOME", "CONFIG_HOME")}
    with subprocess.Popen(
        [sys.executable, "-c", CRAMPED, str(DESCRIPTORS)], env=env, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    ) as process:
        try:
            assert process.stderr is not None
            ready = next(line for line in process.stderr if "daemon: ready" in line)
            drain = threading.Thread(target=process.stderr.read)
            drain.start()
            yield Cramped(process, int(re.findall(r"127\.0\.0\.1:(\d+)", ready)[0]))
        finally:
            process.terminate()
            process.wait(5)
            drain.join()


CRAMPED = """
import resource, sys
limit = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
from mirrord.cli import run
sys.exit(run(["serve", "--port", "0"]))
"""


def flood(stack: ExitStack, path: Path, count: int) -> list[socket.socket]:
    """So many connections to a unix socket, of which some wait in the kernel."""
    made = []
    for _ in range(count):
        sock = stack.enter_context(socket.socket(socket.AF_UNIX))
        sock.setblocking(False)
        if sock.connect_ex(str(path)) == 0:
            made.append(sock)
    return made


def cpu_seconds(process: subprocess.Popen[str]) -> float:
    return sum(Process(process.pid).cpu_times()[:2])


@pytest.mark.parametrize("listener", ["bridge", "screen", "control", "network"])
@pytest.mark.skipif(resource.getrlimit(resource.RLIMIT_NOFILE)[0] < 512, reason="this process needs descriptors of its own")
def test_without_descriptors_it_neither_spins_nor_dies_and_recovers_within_two_seconds(own_settings: Settings, listener: str) -> None:
    paths = own_settings.paths
    sockets = {"bridge": paths.bridge_socket, "screen": paths.screen_socket, "control": paths.control_socket}
    with cramped_daemon(own_settings) as daemon:
        with ExitStack() as stack:
            if listener == "network":
                for _ in range(2 * DESCRIPTORS):
                    stack.enter_context(socket.create_connection(("127.0.0.1", daemon.port)))
            else:
                flood(stack, sockets[listener], 2 * DESCRIPTORS)
            threading.Event().wait(0.5)
            # The screen's socket lets nobody stay who cannot be looked at, which takes a descriptor too.
            assert Process(daemon.process.pid).num_fds() > DESCRIPTORS - SPARE
            before = cpu_seconds(daemon.process)
            threading.Event().wait(2.0)
            assert cpu_seconds(daemon.process) - before <= 2.0 * BUSY
        begun = time.monotonic()
        for path in (paths.control_socket, paths.bridge_socket):
            with socket.socket(socket.AF_UNIX) as probe:
                probe.settimeout(10)
                probe.connect(str(path))
                probe.sendall(b"GET / HTTP/1.1\r\n\r\n")
                assert probe.recv(100).startswith(b"HTTP/1.1 404") or path == paths.bridge_socket
        with socket.create_connection(("127.0.0.1", daemon.port), timeout=10) as probe:
            probe.sendall(b"GET /nowhere HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            assert probe.recv(100).startswith(b"HTTP/1.1 ")
        assert time.monotonic() - begun <= 2.0
        assert daemon.process.poll() is None
