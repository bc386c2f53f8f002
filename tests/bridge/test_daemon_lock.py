"""Promise: of any number of daemons one holds the lock, the others learn whose it is, and the dead never hold it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from bridge import daemon_lock
from bridge.daemon_lock import DaemonLock, DaemonRunning, Holder, LockNotUsable, read_holder
from bridge.process import start_time

ROOT = Path(__file__).parents[2]
SOCKET = Path("/run/of/a/test/control.sock")

CHILD = """
import sys
from pathlib import Path
from bridge.daemon_lock import DaemonLock, DaemonRunning
lock = DaemonLock(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
try:
    lock.acquire(Path("/its/socket"))
except DaemonRunning as error:
    sys.exit(str(error))
print("held", flush=True)
sys.stdin.readline()
"""


def never(_: float) -> None:
    raise AssertionError("nothing to wait for")


def start(path: Path) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", CHILD, str(path)]
    return subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def say(child: subprocess.Popen[str]) -> None:
    assert child.stdin is not None
    child.stdin.write("\n")
    child.stdin.flush()


def hear(child: subprocess.Popen[str]) -> str:
    assert child.stdout is not None
    return child.stdout.readline().strip()


def end(child: subprocess.Popen[str]) -> None:
    child.kill()
    child.communicate()


def test_it_notes_who_holds_it_and_clears_the_note(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with DaemonLock(path) as lock:
        lock.acquire(SOCKET, never)
        assert read_holder(path) == Holder(os.getpid(), start_time(os.getpid()), str(SOCKET))
        assert path.stat().st_mode & 0o777 == 0o600
    assert not lock.held
    assert path.read_bytes() == b""
    assert read_holder(path) is None
    lock.release()


def test_the_port_is_noted_when_it_is_known_and_the_note_grows_not(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with DaemonLock(path) as lock:
        with pytest.raises(AssertionError, match="only while the lock is held"):
            lock.note_port(17_673)
        lock.acquire(SOCKET, never)
        length = path.stat().st_size
        for port in (65_535, 1, 17_673):
            lock.note_port(port)
            assert read_holder(path) == Holder(os.getpid(), start_time(os.getpid()), str(SOCKET), port)
            assert path.stat().st_size == length
    assert path.read_bytes() == b""


def test_notes_of_older_versions_are_read_and_they_read_ours(tmp_path: Path) -> None:
    class Older(msgspec.Struct, rename="camel"):
        pid: int
        start_time: str | None
        socket: str

    older = Older(os.getpid(), start_time(os.getpid()), str(SOCKET))
    (tmp_path / "older").write_bytes(msgspec.json.encode(older))
    assert read_holder(tmp_path / "older") == Holder(older.pid, older.start_time, older.socket, None)
    with DaemonLock(tmp_path / "ours") as lock:
        lock.acquire(SOCKET, never)
        assert msgspec.json.decode((tmp_path / "ours").read_bytes(), type=Older) == older
        lock.note_port(17_673)
        assert msgspec.json.decode((tmp_path / "ours").read_bytes(), type=Older) == older


def test_the_second_one_is_told_whose_it_is_at_once(tmp_path: Path) -> None:
    with DaemonLock(tmp_path / "lock") as first:
        first.acquire(SOCKET)
        with pytest.raises(DaemonRunning) as refused:
            DaemonLock(tmp_path / "lock").acquire(Path("/other"), never)
    assert refused.value.holder is not None
    assert refused.value.holder.pid == os.getpid()
    assert re.fullmatch(rf".* already running \(pid {os.getpid()}, socket {SOCKET}\); stop it .*", str(refused.value))


def test_a_released_lock_can_be_taken_again(tmp_path: Path) -> None:
    lock = DaemonLock(tmp_path / "lock")
    for _ in range(2):
        lock.acquire(SOCKET, never)
        lock.release()


def test_taking_it_twice_is_a_mistake_of_ours(tmp_path: Path) -> None:
    with DaemonLock(tmp_path / "lock") as lock:
        lock.acquire(SOCKET)
        with pytest.raises(AssertionError, match="held already"):
            lock.acquire(SOCKET)


@pytest.mark.parametrize(
    "note",
    [b"", b"{", b"\xff", b'{"pid":1}', b'{"pid":4194304,"startTime":"1","socket":"/s"}' + b" " * 5000, b"x" * 9000],
)
def test_an_empty_broken_or_outdated_note_is_no_obstacle(tmp_path: Path, note: bytes) -> None:
    (tmp_path / "lock").write_bytes(note)
    assert read_holder(tmp_path / "lock") is None
    with DaemonLock(tmp_path / "lock") as lock:
        lock.acquire(SOCKET, never)
        assert read_holder(tmp_path / "lock") is not None


def test_the_loser_waits_for_the_winners_note_and_not_for_ever(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with DaemonLock(path) as lock:
        lock.acquire(SOCKET)
        note = path.read_bytes()
        path.write_bytes(b"")
        waits: list[float] = []

        def pause(seconds: float) -> None:
            waits.append(seconds)
            if len(waits) == 3:
                path.write_bytes(note)

        with pytest.raises(DaemonRunning, match=f"pid {os.getpid()}"):
            DaemonLock(path).acquire(SOCKET, pause)
        assert len(waits) == 3

        path.write_bytes(b"")
        waits = [0.0] * 3
        with pytest.raises(DaemonRunning, match=f"another mirrord holds {path}; stop it"):
            DaemonLock(path).acquire(SOCKET, pause)
        assert sum(waits) == pytest.approx(daemon_lock._NOTE_WAIT_SECONDS)


def test_the_note_of_a_process_that_is_gone_names_nobody(tmp_path: Path) -> None:
    (tmp_path / "lock").write_bytes(b'{"pid":%d,"startTime":"another","socket":"/s"}' % os.getpid())
    assert read_holder(tmp_path / "lock") is None


def test_no_file_no_holder(tmp_path: Path) -> None:
    assert read_holder(tmp_path / "lock") is None


def test_a_symbolic_link_is_refused_and_its_target_untouched(tmp_path: Path) -> None:
    (tmp_path / "target").write_text("precious")
    (tmp_path / "lock").symlink_to("target")
    with pytest.raises(LockNotUsable, match=r"cannot be used \(Too many levels of symbolic links\); remove it"):
        DaemonLock(tmp_path / "lock").acquire(SOCKET)
    assert (tmp_path / "target").read_text() == "precious"
    assert read_holder(tmp_path / "lock") is None


def test_a_fifo_is_refused_without_waiting_for_its_other_end(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "lock")
    with pytest.raises(LockNotUsable, match="it is no plain file"):
        DaemonLock(tmp_path / "lock").acquire(SOCKET)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can make a file of another user")
def test_a_file_of_another_user_is_refused(tmp_path: Path) -> None:
    (tmp_path / "lock").touch()
    os.chown(tmp_path / "lock", 65534, -1)
    with pytest.raises(LockNotUsable, match="it belongs to user 65534"):
        DaemonLock(tmp_path / "lock").acquire(SOCKET)


def test_a_file_replaced_while_it_is_locked_is_locked_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "lock"
    opened = DaemonLock._open
    times = 0

    def replace(lock: DaemonLock) -> int:
        nonlocal times
        times += 1
        fd = opened(lock)
        if times == 1:
            path.unlink()
        if times == 2:
            path.rename(tmp_path / "aside")
            path.touch()
        return fd

    monkeypatch.setattr(DaemonLock, "_open", replace)
    with DaemonLock(path) as lock:
        lock.acquire(SOCKET)
        assert times == 3
        with pytest.raises(DaemonRunning):
            DaemonLock(path).acquire(SOCKET)


def test_a_file_that_is_always_replaced_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = DaemonLock._open

    def replace(lock: DaemonLock) -> int:
        fd = opened(lock)
        (tmp_path / "lock").unlink()
        return fd

    monkeypatch.setattr(DaemonLock, "_open", replace)
    with pytest.raises(LockNotUsable, match="replaced again and again"):
        DaemonLock(tmp_path / "lock").acquire(SOCKET)


def test_of_eight_that_start_at_once_one_holds_it_and_the_others_name_it(tmp_path: Path) -> None:
    children = [start(tmp_path / "lock") for _ in range(8)]
    try:
        assert [hear(child) for child in children] == ["ready"] * 8
        for child in children:
            say(child)
        answers = [hear(child) for child in children]
        assert sorted(answers) == [""] * 7 + ["held"]
        winner = children[answers.index("held")]
        for loser in children:
            if loser is not winner:
                _, told = loser.communicate()
                assert loser.returncode == 1
                assert f"pid {winner.pid}, socket /its/socket" in told
    finally:
        for child in children:
            end(child)


def test_a_killed_holder_holds_it_no_longer(tmp_path: Path) -> None:
    child = start(tmp_path / "lock")
    try:
        say(child)
        assert [hear(child), hear(child)] == ["ready", "held"]
        holder = read_holder(tmp_path / "lock")
        assert holder is not None
        assert holder.pid == child.pid
    finally:
        end(child)
    assert read_holder(tmp_path / "lock") is None
    with DaemonLock(tmp_path / "lock") as lock:
        lock.acquire(SOCKET, never)
