"""Promise: what an agent or the daemon started is not the person at this machine, also when its Pi has ended."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator

import anyio
import anyio.to_thread
import msgspec
import pytest

from bridge.process import Suspect, is_alive, start_time
from mirrord.client import Local, connect
from mirrord.daemon.daemon import itself
from mirrord.daemon.processes import ENDED, identify
from mirrord.place import Place
from mirrord.service.activation import Activated
from mirrord.service.managed import Managed
from mirrord.settings import Settings
from mirrord.testing import fake_extension, hello
from tests.daemon.owned import becomes, daemon_with_owner
from tests.places import stand_in_for_pi

SAY_HELLO_AS_INIT = """
import socket, sys
link = socket.socket(socket.AF_UNIX)
link.connect(sys.argv[1])
link.sendall(sys.argv[2].encode() + b"\\n")
while link.recv(1000):
    pass
"""

PI_WITH_A_JOB = """
import os, sys, time
if os.fork() == 0:
    print(os.getpid(), flush=True)
while True:
    time.sleep(1)
"""


@pytest.fixture
def another_pi_pid() -> Iterator[int]:
    with stand_in_for_pi() as pid:
        yield pid


def test_a_process_that_says_who_it_is_is_believed_when_there_is_such_a_process(pi_pid: int) -> None:
    told = hello(pi_pid).terminal
    process = identify(told, os.getpid())
    assert (process.pid, process.start) == (pi_pid, told.start_time)


@pytest.mark.parametrize("name", ["init", "the person's shell", "another tab"])
def test_nobody_names_a_process_that_is_not_its_own_child(name: str, pi_pid: int, another_pi_pid: int) -> None:
    """Everything that descends from it would be taken for Pi's, and the person locked out."""
    named = {"init": 1, "the person's shell": os.getpid(), "another tab": another_pi_pid}[name]
    told = msgspec.structs.replace(hello(pi_pid).terminal, pid=named, start_time=start_time(named))
    assert identify(told, pi_pid).pid == pi_pid
    assert not is_alive(named, identify(told, None).start), "nobody vouches for it"


async def test_a_tool_that_says_it_is_init_locks_nobody_out(own_settings: Settings, own_place: Place) -> None:
    async with daemon_with_owner(own_settings, own_place) as (daemon, owner):
        tool = [sys.executable, "-c", SAY_HELLO_AS_INIT, str(own_settings.paths.bridge_socket), msgspec.json.encode(hello(1)).decode()]
        async with await anyio.open_process(tool) as process:
            await becomes(owner, "idle")
            assert daemon.links.processes.doubt(os.getpid()) is None
            async with connect(Local(own_settings.paths.control_socket), name="again", kind="cli") as again:
                assert again.welcome.role == "owner"
            process.kill()


def test_a_process_that_is_not_what_it_says_is_the_one_that_the_kernel_names(pi_pid: int) -> None:
    lied = msgspec.structs.replace(hello(os.getpid()).terminal, pid=pi_pid)
    assert identify(lied, os.getpid()).pid == os.getpid()
    from_elsewhere = msgspec.structs.replace(hello().terminal, pid=2**22 + 1, start_time="1")
    assert identify(from_elsewhere, pi_pid).pid == pi_pid
    assert identify(from_elsewhere, None).pid == 2**22 + 1


async def test_what_pi_started_descends_from_pi_also_while_its_link_is_down(
    own_settings: Settings, own_place: Place, pi_pid: int, another_pi_pid: int
) -> None:
    async with daemon_with_owner(own_settings, own_place) as (daemon, owner):
        async with fake_extension(own_settings.paths.bridge_socket, hello(pi_pid)):
            assert daemon.links.processes.doubt(pi_pid) == "pi"
            assert daemon.links.processes.doubt(another_pi_pid) is None
            assert daemon.links.processes.doubt(os.getpid()) is None
        await becomes(owner, "detached")
        assert daemon.links.processes.doubt(pi_pid) == "pi"
        os.kill(pi_pid, signal.SIGKILL)
        await becomes(owner, "ended")
        assert len(daemon.links.processes) == 0


async def test_what_a_pi_left_running_is_no_owner_after_its_end(own_settings: Settings, own_place: Place) -> None:
    async with daemon_with_owner(own_settings, own_place) as (daemon, owner):
        pi = await anyio.open_process([sys.executable, "-c", PI_WITH_A_JOB], start_new_session=True)
        assert pi.stdout is not None
        job = int(await pi.stdout.receive())
        async with fake_extension(own_settings.paths.bridge_socket, hello(pi.pid)):
            assert daemon.links.processes.doubt(job) == "pi"
        await becomes(owner, "detached")
        pi.kill()
        await becomes(owner, "ended")
        assert daemon.links.processes.doubt(job) == "pi"
        while daemon.links.processes._looking:
            await anyio.lowlevel.checkpoint()
        assert [ended.pid for ended in daemon.links.processes._ended] == [pi.pid]
        assert await anyio.to_thread.run_sync(daemon.links.processes.doubt, job) == "pi"
        assert daemon.links.processes.doubt(os.getpid()) is None
        os.kill(job, signal.SIGKILL)
        await pi.aclose()


async def test_a_pi_that_left_nothing_is_forgotten_and_of_others_so_many_are_remembered(
    own_settings: Settings, own_place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[set[Suspect]] = []

    def only_the_second(ended: set[Suspect]) -> set[Suspect]:
        asked.append(ended)
        return {one for one in ended if one.pid == second}

    monkeypatch.setattr("mirrord.daemon.processes.left_something", only_the_second)
    async with daemon_with_owner(own_settings, own_place) as (daemon, owner):
        with stand_in_for_pi() as first, stand_in_for_pi() as second:
            for pid in (first, second):
                async with fake_extension(own_settings.paths.bridge_socket, hello(pid)):
                    pass
                await becomes(owner, "detached")
                os.kill(pid, signal.SIGKILL)
                await becomes(owner, "ended")
                while daemon.links.processes._looking:
                    await anyio.lowlevel.checkpoint()
        assert [ended.pid for ended in daemon.links.processes._ended] == [second]
        assert {one.pid for ended in asked for one in ended} == {first, second}
        monkeypatch.setattr("mirrord.daemon.processes.left_something", lambda ended: ended)
        daemon.links.processes._ended = tuple(Suspect(pid, "1") for pid in range(ENDED))
        with stand_in_for_pi() as third:
            async with fake_extension(own_settings.paths.bridge_socket, hello(third)):
                pass
            await becomes(owner, "detached")
            os.kill(third, signal.SIGKILL)
            await becomes(owner, "ended")
        assert len(daemon.links.processes._ended) == ENDED
        assert daemon.links.processes._ended[-1].pid == third


async def test_what_the_daemon_started_is_no_owner(own_settings: Settings, own_place: Place, pi_pid: int) -> None:
    """Here this process is the daemon, and what stands for a Pi is its helper."""
    async with daemon_with_owner(own_settings, own_place) as (daemon, _):
        assert daemon.links.processes.doubt(pi_pid) is None
        daemon.links.processes.daemon = itself(None)
        assert daemon.links.processes.doubt(pi_pid) == "daemon"
        assert daemon.links.processes.doubt(os.getppid()) is None


@pytest.mark.parametrize(
    ("managed", "ours", "parents", "known"),
    [(True, "service", "init", True), (False, "tab", "init", False), (True, "", "", False), (True, "all", "all", False)],
)
def test_what_the_daemon_left_behind_is_told_where_it_has_a_group_of_its_own(
    monkeypatch: pytest.MonkeyPatch, managed: bool, ours: str, parents: str, known: bool
) -> None:
    """Elsewhere a program that the person starts after it would be taken for one of its own."""
    groups = {os.getpid(): ours, os.getppid(): parents}
    monkeypatch.setattr("bridge.process.control_group", groups.get)
    monkeypatch.setattr("mirrord.daemon.daemon.control_group", groups.get)
    noted = itself(Managed(None, Activated()) if managed else None)
    assert noted.pid == os.getpid()
    assert (noted.info is not None) is known
