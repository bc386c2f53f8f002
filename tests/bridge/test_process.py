"""Promise: a process is known by pid and start time, and the dead are never taken for the living."""

from __future__ import annotations

import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import pytest

from bridge import process
from bridge.process import Peer, ProcessInfo, descends_from, is_alive, look, may_be_orphan_of, peer_of, start_time, wait_for_exit

if TYPE_CHECKING:
    from collections.abc import Iterator

NOBODY = 65534
NO_SUCH_PID = 4_194_304
"""One more than the largest pid a Linux kernel gives."""

GRANDCHILD = """
import subprocess, sys
subprocess.run([sys.executable, "-c", "import os; print(os.getpid(), flush=True); input()"])
"""


@pytest.fixture
def child() -> Iterator[subprocess.Popen[bytes]]:
    """A process that lives until it is killed, started and waiting for input."""
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield process
        process.kill()


def test_the_start_time_is_that_of_this_process_and_stays() -> None:
    assert start_time(os.getpid()) == start_time(os.getpid()) is not None


def test_a_later_process_has_another_start_time(child: subprocess.Popen[bytes]) -> None:
    assert start_time(child.pid) != start_time(os.getpid())


@pytest.mark.parametrize("pid", [0, -1, NO_SUCH_PID])
def test_a_process_that_is_not_there_has_none(pid: int) -> None:
    assert look(pid) is None
    assert start_time(pid) is None
    assert not is_alive(pid, None)


def test_alive_needs_the_same_start_time(child: subprocess.Popen[bytes]) -> None:
    start = start_time(child.pid)
    assert is_alive(child.pid, start)
    assert is_alive(child.pid, None)
    assert not is_alive(child.pid, f"{start}0")


def test_a_zombie_is_dead(child: subprocess.Popen[bytes]) -> None:
    start = start_time(child.pid)
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert start_time(child.pid) == start
    assert not is_alive(child.pid, start)


def test_a_process_descends_from_itself_its_parent_and_its_grandparent() -> None:
    with subprocess.Popen([sys.executable, "-c", GRANDCHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        pid = int(child.stdout.readline())
        mine = (os.getpid(), start_time(os.getpid()))
        assert descends_from(pid, {mine})
        assert descends_from(pid, [(1, "no"), (child.pid, start_time(child.pid))])
        assert descends_from(pid, [(pid, None)])
        assert not descends_from(pid, [(os.getpid(), "another")])
        assert not descends_from(pid, [])
        assert not descends_from(os.getpid(), [(child.pid, start_time(child.pid))])
        child.communicate(b"\n")


def test_a_line_of_ancestors_without_end_is_not_followed_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "look", lambda pid: ProcessInfo(parent=pid + 1, state="S", start="s", terminal=""))
    assert descends_from(1, [(process._CHAIN, "s")])
    assert not descends_from(1, [(process._CHAIN + 1, "s")])


@pytest.mark.anyio
class TestWaiting:
    async def test_it_ends_when_the_process_does(self, child: subprocess.Popen[bytes]) -> None:
        ended = anyio.Event()

        async def wait() -> None:
            await wait_for_exit(child.pid, start_time(child.pid))
            ended.set()

        with anyio.fail_after(10):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(wait)
                await anyio.wait_all_tasks_blocked()
                assert not ended.is_set()
                child.kill()
        assert ended.is_set()

    @pytest.mark.parametrize("pid", [NO_SUCH_PID, os.getpid()], ids=["nobody", "another"])
    async def test_it_ends_at_once_for_one_that_is_gone_or_another(self, pid: int) -> None:
        with anyio.fail_after(10):
            await wait_for_exit(pid, "another")

    async def test_without_a_descriptor_it_looks_again_and_again(
        self, child: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(_: int) -> int:
            raise OSError

        looks: list[tuple[int, str | None]] = []

        def die_at_third(pid: int, start: str | None) -> bool:
            looks.append((pid, start))
            return len(looks) < 3

        monkeypatch.setattr(os, "pidfd_open", refuse, raising=False)
        monkeypatch.setattr(process, "is_alive", die_at_third)
        monkeypatch.setattr(process, "_POLL_SECONDS", 0)
        with anyio.fail_after(10):
            await wait_for_exit(child.pid, "7")
        assert looks == [(child.pid, "7")] * 3

    async def test_a_cancelled_wait_leaves_no_descriptor(self, child: subprocess.Popen[bytes]) -> None:
        before = len(os.listdir("/dev/fd"))
        with anyio.move_on_after(0):
            await wait_for_exit(child.pid, start_time(child.pid))
        assert len(os.listdir("/dev/fd")) == before


class TestPeer:
    def test_it_is_this_process_at_both_ends_of_a_pair(self) -> None:
        here, there = socket.socketpair(socket.AF_UNIX)
        with here, there:
            assert peer_of(here) == peer_of(there) == Peer(os.getpid(), os.getuid())

    @pytest.mark.skipif(os.getuid() != 0, reason="only root can act as another user")
    def test_another_user_is_recognised(self) -> None:
        with tempfile.TemporaryDirectory(dir="/tmp", prefix="mt-") as made, socket.socket(socket.AF_UNIX) as listener:
            path = Path(made, "s")
            listener.bind(str(path))
            listener.listen()
            Path(made).chmod(0o755)
            path.chmod(0o666)
            connect = f"s = socket.socket(socket.AF_UNIX); s.connect({str(path)!r}); s.recv(1)"
            command = [sys.executable, "-c", f"import os, socket; os.setuid({NOBODY}); {connect}"]
            with subprocess.Popen(command) as client:
                listener.settimeout(10)
                connection, _ = listener.accept()
                with connection:
                    assert peer_of(connection) == Peer(client.pid, NOBODY)


DOUBLE_FORK = """
import os, sys, time
if os.fork() == 0:
    if len(sys.argv) > 1:
        os.setsid()
    between = os.getpid()
    if os.fork() == 0:
        while os.getppid() == between:
            time.sleep(0.001)
        print(os.getpid(), flush=True)
        sys.stdin.read()
    os._exit(0)
os.wait()
sys.stdin.read()
"""


@pytest.mark.parametrize("arguments", [[], ["setsid"]])
def test_a_process_that_lost_its_parents_may_be_the_orphan_of_an_older_one_in_its_group(arguments: list[str]) -> None:
    with subprocess.Popen([sys.executable, "-c", DOUBLE_FORK, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as suspect:
        assert suspect.stdout is not None
        orphan = int(suspect.stdout.readline())
        mine = [(suspect.pid, start_time(suspect.pid))]
        assert not descends_from(orphan, mine)
        adopted = process._oldest(orphan)[0] == orphan
        assert may_be_orphan_of(orphan, mine) is adopted, "where init adopts it (and not some supervisor), it is recognised"
        assert not may_be_orphan_of(orphan, [(suspect.pid, "another")])
        assert not may_be_orphan_of(orphan, [])
        suspect.stdin.close()  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("orphan", "suspect", "groups", "verdict"),
    [
        (ProcessInfo(1, "S", "20", ""), ProcessInfo(9, "S", "10", "tty"), ("g", "g"), True),
        (ProcessInfo(1, "S", "20", "tty"), ProcessInfo(9, "S", "10", "tty"), ("g", "g"), True),
        (ProcessInfo(0, "S", "20", ""), ProcessInfo(9, "T", "10", ""), ("", ""), True),
        (ProcessInfo(1, "S", "20", "other"), ProcessInfo(9, "S", "10", "tty"), ("g", "g"), False),
        (ProcessInfo(1, "S", "5", ""), ProcessInfo(9, "S", "10", "tty"), ("g", "g"), False),
        (ProcessInfo(1, "S", "20", ""), ProcessInfo(9, "S", "10", "tty"), ("mine", "theirs"), False),
        (ProcessInfo(1, "S", "20", ""), ProcessInfo(9, "Z", "10", "tty"), ("g", "g"), False),
        (ProcessInfo(1, "S", "20", ""), None, ("g", "g"), False),
        (None, ProcessInfo(9, "S", "10", "tty"), ("g", "g"), False),
    ],
)
def test_group_terminal_and_age_decide_whose_orphan_it_may_be(
    monkeypatch: pytest.MonkeyPatch, orphan: ProcessInfo | None, suspect: ProcessInfo | None, groups: tuple[str, str], verdict: bool
) -> None:
    monkeypatch.setattr(process, "look", {70: orphan, 80: suspect}.get)
    monkeypatch.setattr(process, "control_group", dict(zip((70, 80), groups, strict=True)).get)
    assert may_be_orphan_of(70, [(80, None)]) is verdict


def test_the_line_of_an_orphan_is_judged_by_its_oldest(monkeypatch: pytest.MonkeyPatch) -> None:
    line = {72: ProcessInfo(71, "S", "22", "new"), 71: ProcessInfo(70, "S", "21", "new"), 70: ProcessInfo(1, "S", "20", "")}
    monkeypatch.setattr(process, "look", {**line, 80: ProcessInfo(9, "S", "10", "tty")}.get)
    monkeypatch.setattr(process, "control_group", lambda _: "g")
    assert may_be_orphan_of(72, [(80, "10")])
    monkeypatch.setattr(process, "look", {72: line[72], 80: ProcessInfo(9, "S", "10", "tty")}.get)
    assert not may_be_orphan_of(72, [(80, "10")]), "a line whose next is not to be seen does not reach init"


def test_a_stopped_process_is_seen_as_stopped(child: subprocess.Popen[bytes]) -> None:
    os.kill(child.pid, signal.SIGSTOP)
    os.waitid(os.P_PID, child.pid, os.WSTOPPED | os.WNOWAIT)
    info = look(child.pid)
    assert info is not None
    assert info.stopped
    assert not info.ended


class TestTextOfTheSystem:
    """What cannot be run everywhere is at least read right."""

    def test_a_name_with_brackets_and_spaces_does_not_shift_the_fields(self) -> None:
        fields = b" ".join(str(n).encode() for n in range(4, 53))
        assert process._parse_stat(b"12 (a) b) S " + fields) == ProcessInfo(4, "S", "22", "7")
        assert process._parse_stat(b"12 ((x) Z " + fields) == ProcessInfo(4, "Z", "22", "7")

    def test_a_line_of_ps_gives_parent_state_and_start(self) -> None:
        assert process._parse_ps("  501 Ss+ ttys001  Mon Nov 30 12:00:00 2026    \n") == ProcessInfo(
            501, "S", "Mon Nov 30 12:00:00 2026", "ttys001"
        )
        assert process._parse_ps("1 Z ?? Mon Nov 30 12:00:00 2026") == ProcessInfo(1, "Z", "Mon Nov 30 12:00:00 2026", "")
        assert process._parse_ps("\n") is None

    def test_ps_of_this_system_is_understood_and_agrees(self) -> None:
        info, seen = process._look_with_ps(os.getpid()), look(os.getpid())
        if info is None:
            pytest.skip("no ps here")
        assert seen is not None
        assert (info.parent, info.ended) == (seen.parent, seen.ended) == (os.getppid(), False)

    @pytest.mark.parametrize("failure", [FileNotFoundError(), subprocess.TimeoutExpired("ps", 1)])
    def test_no_ps_no_answer(self, monkeypatch: pytest.MonkeyPatch, failure: Exception) -> None:
        def fail(*_: object, **__: object) -> None:
            raise failure

        monkeypatch.setattr(subprocess, "run", fail)
        assert process._look_with_ps(os.getpid()) is None

    def test_the_credentials_of_macos_are_read_by_their_offsets(self) -> None:
        raw = struct.pack("=IIhxx16I", 0, 501, 2, 20, 12, *[0] * 14)
        assert len(raw) == 76
        assert process._uid_of_xucred(raw) == 501
        assert process._uid_of_xucred(raw[:20]) == 501

    def test_a_process_that_ends_while_it_is_read_is_gone(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def gone(*_: object) -> bytes:
            raise ProcessLookupError

        monkeypatch.setattr(os, "read", gone)
        assert process._look_in_proc(os.getpid()) is None
