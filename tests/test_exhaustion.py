"""Promise: peers that come and go leave nothing behind, and a daemon without descriptors neither spins nor dies, and recovers."""

from __future__ import annotations

import asyncio
import os
import resource
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import anyio.lowlevel
import pytest
from psutil import Process

from mirrord.client import Connection, Local, Remote, connect
from mirrord.clock import SystemClock
from mirrord.place import Place
from mirrord.settings import Settings
from mirrord.testing import fake_extension, hello, running_daemon
from mirrord.wire.roles import Role

DESCRIPTORS = 64


async def test_fifty_clients_and_links_leave_no_descriptor_and_no_task(own_settings: Settings, own_place: Place, pi_pid: int) -> None:
    async with running_daemon(own_place, own_settings, SystemClock()) as daemon:
        remote = Remote(daemon.runner.url, (await own_place.store.mint("phone", Role.CONTROLLER)).token)

        async def once() -> None:
            async with (
                fake_extension(own_settings.paths.bridge_socket, hello(pi_pid)),
                connect(remote, name="a", kind="phone"),
                connect(Local(own_settings.paths.control_socket), name="b", kind="cli") as local,
            ):
                await settled_status(local)
            await daemon.clients.wait_until_gone()

        await once()
        before = Process().num_fds(), len(asyncio.all_tasks())
        for _ in range(50):
            await once()
        while daemon.links.infos():
            await anyio.lowlevel.checkpoint()
        descriptors, tasks = Process().num_fds(), len(asyncio.all_tasks())
    assert descriptors <= before[0] + 2
    assert tasks <= before[1] + 2


async def settled_status(client: Connection) -> None:
    """One round trip."""
    await client.request("status", dict)


@contextmanager
def cramped_daemon(settings: Settings) -> Iterator[subprocess.Popen[str]]:
    """A daemon that may hold DESCRIPTORS descriptors and not one more."""
    base = settings.paths.runtime_dir.parent.parent
    env = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "MIRRORD"))}
    env |= {f"XDG_{name}": str(base / name.lower()) for name in ("RUNTIME_DIR", "STATE_HOME", "DATA_HOME", "CONFIG_HOME")}
    with subprocess.Popen(
        [sys.executable, "-c", CRAMPED, str(DESCRIPTORS)], env=env, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    ) as process:
        try:
            assert process.stderr is not None
            assert any("daemon: ready" in line for line in process.stderr)
            drain = threading.Thread(target=process.stderr.read)
            drain.start()
            yield process
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


@pytest.mark.skipif(resource.getrlimit(resource.RLIMIT_NOFILE)[0] < 512, reason="this process needs descriptors of its own")
def test_without_descriptors_it_neither_spins_nor_dies_and_recovers_within_two_seconds(own_settings: Settings) -> None:
    with cramped_daemon(own_settings) as process:
        with ExitStack() as stack:
            flood(stack, own_settings.paths.bridge_socket, 2 * DESCRIPTORS)
            threading.Event().wait(0.5)
            assert Process(process.pid).num_fds() == DESCRIPTORS
            before = sum(Process(process.pid).cpu_times()[:2])
            threading.Event().wait(2.0)
            assert sum(Process(process.pid).cpu_times()[:2]) - before <= 0.2
        begun = time.monotonic()
        with socket.socket(socket.AF_UNIX) as probe:
            probe.settimeout(10)
            probe.connect(str(own_settings.paths.control_socket))
            probe.sendall(b"GET / HTTP/1.1\r\n\r\n")
            assert probe.recv(100).startswith(b"HTTP/1.1 404")
        assert time.monotonic() - begun <= 2.0
        assert process.poll() is None
