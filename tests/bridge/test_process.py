"""Promise: a process is known by pid and start time, and the dead are never taken for the living."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
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
from bridge.process import (
    Peer,
    ProcessInfo,
    Suspect,
    are_kin,
    descent,
    is_alive,
    left_something,
    look,
    note,
    peer_of,
    start_time,
    wait_for_exit,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[2]
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
        assert descent(pid, {note(os.getpid())}) == "pi"
        assert descent(pid, [Suspect(1, "no"), Suspect(child.pid, start_time(child.pid))]) == "pi"
        assert descent(pid, [Suspect(pid, None)]) == "pi"
        assert descent(pid, [Suspect(os.getpid(), "another")]) is None
        assert descent(pid, []) is None
        assert descent(os.getpid(), [note(child.pid)]) is None
        child.communicate(b"\n")


@pytest.mark.parametrize(
    ("first", "second", "kin"),
    [
        (12, 10, True),
        (10, 12, True),
        (12, 21, True),
        (13, 21, True),
        (12, 30, False),
        (12, 1, False),
        (99, 99, False),
    ],
)
def test_kin_have_a_near_ancestor_in_common(monkeypatch: pytest.MonkeyPatch, first: int, second: int, kin: bool) -> None:
    """10 is the guard: 11 and 12 come below it in one line, 20 and 21 in another. 30 is somebody else below init."""
    parents = {10: 1, 11: 10, 12: 11, 13: 12, 20: 10, 21: 20, 30: 1, 1: 0}
    monkeypatch.setattr(process, "look", lambda pid: ProcessInfo(parents[pid], "S", "1", "") if pid in parents else None)
    assert are_kin(first, second) is kin


def test_a_line_of_ancestors_without_end_is_not_followed_for_ever_and_is_nobodys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "look", lambda pid: ProcessInfo(parent=pid + 1, state="S", start="s", terminal=""))
    assert descent(1, [Suspect(process._CHAIN, "s")]) == "pi"
    assert descent(1, [Suspect(process._CHAIN + 1, "s")]) == "unknown"


NESTED = """
import os, sys
os.setsid()
deep = 0
while deep < 300 and (pid := os.fork()) == 0:
    deep += 1
if deep == 300:
    print(os.getpid(), flush=True)
    sys.stdin.read()
else:
    os.waitpid(pid, 0)
os._exit(0)
"""


def test_three_hundred_processes_between_do_not_hide_where_one_comes_from() -> None:
    with subprocess.Popen([sys.executable, "-IS", "-c", NESTED], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as pi:
        assert pi.stdout is not None
        deepest = int(pi.stdout.readline())
        assert descent(deepest, [note(pi.pid)]) == "unknown"
        pi.communicate()


def test_a_process_that_is_gone_or_a_zombie_or_has_an_ancestor_that_is_not_seen_is_not_taken_for_anybodys(
    child: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    suspects = [Suspect(NO_SUCH_PID, "7")]
    assert descent(child.pid, suspects) is None
    hidden = os.getppid()
    with monkeypatch.context() as patched:
        patched.setattr(process, "look", lambda pid: None if pid == hidden else look(pid))
        if hidden not in (0, 1):
            assert descent(child.pid, suspects) == "unknown"
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert descent(child.pid, suspects) == "unknown"
    child.wait()
    assert descent(child.pid, suspects) == "unknown"


def test_a_line_that_changes_while_it_is_judged_is_judged_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """70 is Pi's tool until its parent 71 ends; then it has the parent that adopted it."""
    seen: list[int] = []

    def while_71_ends(pid: int) -> ProcessInfo | None:
        seen.append(pid)
        if pid == 70:
            return ProcessInfo(71 if len(seen) == 1 else 1, "S", "20", "")
        return {1: ProcessInfo(0, "S", "1", ""), 80: ProcessInfo(9, "S", "10", "")}.get(pid)

    suspect = Suspect(80, "10", ProcessInfo(9, "S", "10", ""), "g")
    monkeypatch.setattr(process, "look", while_71_ends)
    monkeypatch.setattr(process, "control_group", lambda _: "g")
    assert descent(70, [suspect]) == "pi"


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

    def test_who_connected_and_ended_is_not_known_whoever_has_the_connection_now(self) -> None:
        """Its number may be another's by now, and would say that the connection is that one's."""
        with tempfile.TemporaryDirectory(dir="/tmp", prefix="mt-") as made, socket.socket(socket.AF_UNIX) as listener:
            listener.bind(f"{made}/s")
            listener.listen()
            with subprocess.Popen([sys.executable, "-c", CONNECT_AND_EXIT, f"{made}/s"], stdin=subprocess.PIPE) as holder:
                connection, _ = listener.accept()
                with connection:
                    assert connection.recv(1) == b"x", "the connector has ended, and another speaks"
                    if not _kernel_tells_of_the_end(connection):
                        pytest.skip("a kernel before 6.5")
                    assert peer_of(connection) == Peer(None, os.getuid())
                holder.communicate()

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


CONNECT_AND_EXIT = """
import os, socket, sys
s = socket.socket(socket.AF_UNIX)
if os.fork() == 0:
    s.connect(sys.argv[1])
    os._exit(0)
os.wait()
s.sendall(b"x")
sys.stdin.read()
"""


def _kernel_tells_of_the_end(connection: socket.socket) -> bool:
    try:
        os.close(connection.getsockopt(socket.SOL_SOCKET, process._SO_PEERPIDFD))
    except OSError as error:
        return error.errno != errno.ENOPROTOOPT
    return True


DESKTOP = """
import ctypes, os, pty, sys, time

def play(*what):
    pid = os.fork()
    if pid == 0:
        for step in what:
            step()
        sys.stdin.read()
        os._exit(0)
    return pid

def say(name):
    os.write(1, f"{name} {os.getpid()}\\n".encode())

def double_fork(leave):
    def orphan():
        if os.fork() == 0:
            if leave:
                os.setsid()
            between = os.getpid()
            if os.fork() == 0:
                while os.getppid() == between:
                    time.sleep(0.001)
                say("orphan")
                sys.stdin.read()
            os._exit(0)
        os.wait()
    return orphan

def tab():
    os.dup2(out, 1)
    os.dup2(into, 0)

assert ctypes.CDLL(None).prctl(36, 1, 0, 0, 0) == 0, "PR_SET_CHILD_SUBREAPER"
into, out = os.dup(0), os.dup(1)
say("desktop")
play(lambda: say("early"))
pi = play(os.setsid, lambda: say("pi"), double_fork("leave" in sys.argv))
play(lambda: say("job"))
if pty.fork()[0] == 0:
    tab()
    say("shell")
    if os.fork() == 0:
        say("attach")
    sys.stdin.read()
    os._exit(0)
while True:
    pid, _ = os.wait()
    if pid == pi:
        say("ended")
"""
"""A user manager, or an outer program that adopts: below it a Pi in a session of its own that lost a tool, a tab, and a job of its own."""


@contextlib.contextmanager
def desktop(*arguments: str) -> Iterator[tuple[dict[str, int], Callable[[str], int]]]:
    """The pids of who said its name so far, and a function that waits for another."""
    names: dict[str, int] = {}
    with subprocess.Popen([sys.executable, "-c", DESKTOP, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        output = running.stdout

        def until(name: str) -> int:
            while name not in names:
                said, pid = output.readline().split()
                names[said.decode()] = int(pid)
            return names[name]

        for name in ("desktop", "early", "pi", "orphan", "job", "shell", "attach"):
            until(name)
        try:
            yield names, until
        finally:
            for pid in names.values():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


adopting = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere none but init adopts")


@adopting
@pytest.mark.parametrize("arguments", [[], ["leave"]], ids=["in pi's session", "in one of its own"])
def test_a_tool_that_forked_twice_is_pis_also_where_another_than_init_adopts_it(arguments: list[str]) -> None:
    with desktop(*arguments) as (pids, _):
        pi, info = note(pids["pi"]), look(pids["orphan"])
        assert info is not None
        assert info.parent == pids["desktop"]
        assert descent(pids["orphan"], [pi]) == "pi"
        assert descent(pids["orphan"], [Suspect(pi.pid, "another")]) is None
        assert descent(pids["orphan"], [Suspect(NO_SUCH_PID, "7"), pi]) == "pi"


@adopting
def test_the_persons_other_tab_and_what_the_outer_program_starts_are_not_pis() -> None:
    with desktop() as (pids, _):
        pi = note(pids["pi"])
        for name in ("desktop", "early", "job", "shell", "attach"):
            assert descent(pids[name], [pi]) is None, name


@adopting
def test_what_pi_left_behind_is_its_own_still_when_it_has_ended() -> None:
    with desktop() as (pids, until):
        pi = note(pids["pi"])
        os.kill(pi.pid, signal.SIGKILL)
        until("ended")
        assert descent(pids["orphan"], [pi]) == "pi"
        assert left_something([pi]) == {pi}
        for name in ("job", "shell", "attach"):
            assert descent(pids[name], [pi]) is None, name


@adopting
def test_all_that_is_so_too_where_the_session_was_begun_outside_of_the_container() -> None:
    """There everybody's session is 0, which is a session all the same: `unshare --pid`, and some builders."""
    contained = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child", "--mount-proc"]
    if shutil.which("unshare") is None or subprocess.run([*contained, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("no namespaces here")
    inside = [sys.executable, "-m", "pytest", "-q", __file__, "-k", "forked_twice or other_tab or left_behind"]
    done = subprocess.run([*contained, *inside], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "4 passed" in done.stdout


@adopting
def test_a_pi_that_left_nothing_is_not_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    pi = Suspect(80, "10", ProcessInfo(9, "S", "10", "", 80), "g", frozenset({(9, "5")}))
    others = {1: ProcessInfo(0, "S", "1", ""), 9: ProcessInfo(1, "S", "5", "", 9), 20: ProcessInfo(9, "S", "30", "", 9)}
    monkeypatch.setattr(process, "control_group", lambda _: "g")
    monkeypatch.setattr(os, "listdir", lambda _: ["1", "9", "20", "self", "stat"])
    monkeypatch.setattr(process, "look", others.get)
    assert left_something([pi]) == set()
    monkeypatch.setattr(process, "look", {**others, 20: ProcessInfo(9, "S", "30", "", 20)}.get)
    assert left_something([pi, Suspect(81, "10")]) == {pi}
    monkeypatch.setattr(process, "look", {**others, 20: None}.get)
    assert left_something([pi]) == {pi}, "one that ends each time it is looked at may leave another"


@pytest.mark.parametrize(
    ("orphan", "suspect", "groups", "verdict"),
    [
        (ProcessInfo(1, "S", "20", ""), ProcessInfo(9, "S", "10", "tty"), ("g", "g"), "pi"),
        (ProcessInfo(1, "S", "20", "tty"), ProcessInfo(9, "S", "10", "tty"), ("g", "g"), "pi"),
        (ProcessInfo(0, "S", "20", ""), ProcessInfo(9, "T", "10", ""), ("", ""), "pi"),
        (ProcessInfo(1, "S", "20", "other"), ProcessInfo(9, "S", "10", "tty"), ("g", "g"), None),
        (ProcessInfo(1, "S", "5", ""), ProcessInfo(9, "S", "10", "tty"), ("g", "g"), None),
        (ProcessInfo(1, "S", "20", ""), ProcessInfo(9, "S", "10", "tty"), ("mine", "theirs"), None),
        (ProcessInfo(1, "S", "20", ""), None, ("g", "g"), None),
        (ProcessInfo(1, "S", "20", "tty", 6), ProcessInfo(9, "S", "10", "tty", 9), ("g", "g"), None),
        (ProcessInfo(1, "S", "20", "", 9), ProcessInfo(9, "S", "10", "tty", 9), ("g", "g"), "pi"),
        (ProcessInfo(1, "S", "20", "", 0), ProcessInfo(9, "S", "10", "tty", 9), ("g", "g"), None),
        (ProcessInfo(0, "S", "20", "", 0), ProcessInfo(9, "S", "10", "tty", 9), ("g", "g"), None),
        (ProcessInfo(1, "S", "20", "", 0), ProcessInfo(9, "S", "10", "", 0), ("g", "g"), "pi"),
        (ProcessInfo(1, "S", "Mon Nov 30 12:00:01 2026", ""), ProcessInfo(9, "S", "Mon Nov 30 12:00:00 2026", ""), ("", ""), "pi"),
        (ProcessInfo(1, "S", "Sun Nov 29 12:00:01 2026", ""), ProcessInfo(9, "S", "Mon Nov 30 12:00:00 2026", ""), ("", ""), None),
        (ProcessInfo(1, "S", "when?", ""), ProcessInfo(9, "S", "Mon Nov 30 12:00:00 2026", ""), ("", ""), "pi"),
        (None, ProcessInfo(9, "S", "10", "tty"), ("g", "g"), "unknown"),
    ],
)
def test_group_session_and_age_decide_whose_orphan_it_may_be(
    monkeypatch: pytest.MonkeyPatch, orphan: ProcessInfo | None, suspect: ProcessInfo | None, groups: tuple[str, str], verdict: str | None
) -> None:
    monkeypatch.setattr(process, "look", {70: orphan, 80: suspect}.get)
    monkeypatch.setattr(process, "control_group", dict(zip((70, 80), groups, strict=True)).get)
    assert descent(70, [note(80)]) == verdict


def test_a_job_of_the_shell_from_which_pi_was_started_is_the_persons_also_while_pi_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pi and the job have one shell, session and terminal; in a container that shell may be the first process, which adopts as well."""
    shell, pi, job = ProcessInfo(1, "S", "5", "tty", 9), ProcessInfo(9, "T", "10", "tty", 9), ProcessInfo(9, "S", "20", "tty", 9)
    monkeypatch.setattr(process, "control_group", lambda _: "g")
    monkeypatch.setattr(process, "look", {1: ProcessInfo(0, "S", "1", ""), 9: shell, 80: pi, 70: job}.get)
    assert descent(70, [note(80)]) is None
    first, wrapped, job = ProcessInfo(0, "S", "5", "tty", 1), ProcessInfo(1, "T", "10", "inner", 80), ProcessInfo(1, "S", "20", "tty", 1)
    monkeypatch.setattr(process, "look", {1: first, 80: wrapped, 70: job}.get)
    assert descent(70, [note(80)]) is None


def test_the_line_of_an_orphan_is_judged_by_its_oldest(monkeypatch: pytest.MonkeyPatch) -> None:
    line = {72: ProcessInfo(71, "S", "22", "new"), 71: ProcessInfo(70, "S", "21", "new"), 70: ProcessInfo(1, "S", "20", "")}
    monkeypatch.setattr(process, "look", {**line, 80: ProcessInfo(9, "S", "10", "tty")}.get)
    monkeypatch.setattr(process, "control_group", lambda _: "g")
    assert descent(72, [note(80)]) == "pi"


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
        assert process._parse_stat(b"12 (a) b) S " + fields) == ProcessInfo(4, "S", "22", "7", 6)
        assert process._parse_stat(b"12 ((x) Z " + fields) == ProcessInfo(4, "Z", "22", "7", 6)

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
