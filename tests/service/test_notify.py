"""Promise: the manager is told what sd_notify(3) says, at a path or an abstract name, and one that is gone or full stops nobody."""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import anyio
import pytest

from mirrord.service import notify
from mirrord.service.notify import Notifier, notifier
from mirrord.service.supervision import Supervision

PID = 4711


@contextmanager
def manager(address: str | bytes) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        sock.bind(address)
        sock.setblocking(False)
        yield sock


def found(environ: dict[str, str]) -> Notifier:
    made = notifier(environ, PID)
    assert made is not None
    return made


async def test_each_message_is_one_datagram_of_assignments(tmp_path: Path) -> None:
    with manager(str(tmp_path / "notify")) as sock:
        told = found({"NOTIFY_SOCKET": str(tmp_path / "notify")})
        before = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
        await told.ready("two sessions\nand a line")
        await told.alive("x" * 1000)
        await told.reloading()
        await told.stopping()
        assert sock.recv(4096) == b"READY=1\nSTATUS=two sessions and a line"
        assert sock.recv(4096) == b"WATCHDOG=1\nSTATUS=" + b"x" * notify.STATUS_CHARS
        reloading, _, at = sock.recv(4096).partition(b"\nMONOTONIC_USEC=")
        assert reloading == b"RELOADING=1"
        assert before <= int(at) <= time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
        assert sock.recv(4096).startswith(b"STOPPING=1\n")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has an abstract namespace")
async def test_a_name_in_the_abstract_namespace_is_reached() -> None:
    name = f"mirrord-test-{os.getpid()}"
    with manager(b"\0" + name.encode()) as sock:
        await found({"NOTIFY_SOCKET": f"@{name}"}).ready("here")
        assert sock.recv(100) == b"READY=1\nSTATUS=here"


def test_its_variables_are_for_us_and_no_child(tmp_path: Path) -> None:
    environ = {"NOTIFY_SOCKET": "/run/notify", "WATCHDOG_USEC": "30000000", "WATCHDOG_PID": str(PID), "HOME": "/"}
    assert found(environ).watchdog == 30.0
    assert environ == {"HOME": "/"}


@pytest.mark.parametrize(
    "variables",
    [{}, {"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"}, {"WATCHDOG_USEC": "0"}, {"WATCHDOG_USEC": "-5"}, {"WATCHDOG_USEC": "soon"}],
)
def test_where_nobody_watches_us_there_is_no_watchdog(variables: dict[str, str]) -> None:
    assert found({"NOTIFY_SOCKET": "/run/notify"} | variables).watchdog is None


@pytest.mark.parametrize("name", ["", "relative", "vsock:2:5"])
def test_what_is_no_address_of_ours_is_nobody(name: str) -> None:
    assert notifier({"NOTIFY_SOCKET": name}, PID) is None


async def test_a_manager_that_is_gone_costs_nothing(tmp_path: Path) -> None:
    await found({"NOTIFY_SOCKET": str(tmp_path / "gone")}).ready("nobody hears it")


async def test_one_that_does_not_read_is_waited_for_but_not_forever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notify, "TELL_SECONDS", 0.2)
    with manager(str(tmp_path / "notify")) as sock, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as filler:
        filler.setblocking(False)
        sent = 0
        with suppress(BlockingIOError):
            while True:
                filler.sendto(b"full", str(tmp_path / "notify"))
                sent += 1
        told = found({"NOTIFY_SOCKET": str(tmp_path / "notify")})
        with anyio.fail_after(5):
            await told.ready("given up")

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(told.ready, "heard")
            await anyio.wait_all_tasks_blocked()
            heard = [sock.recv(100) for _ in range(sent)]
        assert sock.recv(100) == b"READY=1\nSTATUS=heard"
        assert set(heard) == {b"full"}


async def test_it_is_ready_once_and_then_alive_twice_in_the_managers_time() -> None:
    said: list[str] = []
    pauses: list[float] = []

    class Manager(Notifier):
        async def ready(self, status: str) -> None:
            said.append(f"ready {status}")

        async def alive(self, status: str) -> None:
            said.append(f"alive {status}")

    with pytest.MonkeyPatch.context() as patch:

        async def sleep(seconds: float) -> None:
            pauses.append(seconds)
            if len(pauses) == 4:
                raise anyio.EndOfStream

        patch.setattr("mirrord.service.supervision.anyio.sleep", sleep)
        with pytest.raises(anyio.EndOfStream):
            await Supervision(Manager(b"/", watchdog=30.0), lambda: str(len(said))).run()
    assert said == ["ready 0", "alive 1", "alive 2", "alive 3"]
    assert set(pauses) == {15.0}
