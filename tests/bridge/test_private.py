"""Promise: no other user can reach the socket, nothing that is not ours is touched, and a refusal says what to do."""

from __future__ import annotations

import contextlib
import os
import socket
import stat
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bridge import private
from bridge.daemon_lock import DaemonLock
from bridge.paths import socket_path_limit
from bridge.private import (
    DirectoryNotMade,
    ForeignDirectory,
    ForeignSocket,
    NotADirectory,
    NotASocket,
    OpenDirectory,
    SocketInUse,
    SocketNotBound,
    SocketPathTooLong,
    bind_private_socket,
    ensure_private_dir,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

NOBODY = 65534
as_root = pytest.mark.skipif(os.getuid() != 0, reason="only root can act as another user")


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


@contextlib.contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


@pytest.fixture
def short() -> Iterator[Path]:
    """A private directory with a path short enough for a socket in it, whatever pytest's own is called."""
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="mt-") as made:
        yield Path(made)


@pytest.fixture
def lock(short: Path) -> Iterator[DaemonLock]:
    with DaemonLock(short / "daemon.lock") as held:
        held.acquire(short / "s")
        yield held


class TestDirectory:
    @pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
    def test_it_and_its_missing_parents_are_private_whatever_the_umask_is(self, tmp_path: Path, mask: int) -> None:
        path = tmp_path / "a" / "b" / "c"
        with umask(mask):
            ensure_private_dir(path)
            ensure_private_dir(path)
        assert [mode_of(made) for made in (path, path.parent, path.parent.parent)] == [0o700] * 3

    def test_a_symbolic_link_is_refused_even_to_a_private_directory_of_ours(self, tmp_path: Path) -> None:
        (tmp_path / "real").mkdir(0o700)
        (tmp_path / "link").symlink_to("real")
        with pytest.raises(NotADirectory, match="a symbolic link, not a directory; move it away"):
            ensure_private_dir(tmp_path / "link")

    def test_a_dangling_link_is_refused_and_its_target_is_not_made(self, tmp_path: Path) -> None:
        (tmp_path / "link").symlink_to("nowhere")
        with pytest.raises(NotADirectory, match="a symbolic link"):
            ensure_private_dir(tmp_path / "link")
        assert not (tmp_path / "nowhere").exists()

    def test_a_file_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        with pytest.raises(NotADirectory, match="a file, not a directory"):
            ensure_private_dir(tmp_path / "file")

    def test_a_fifo_is_refused(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "fifo")
        with pytest.raises(NotADirectory, match="something else"):
            ensure_private_dir(tmp_path / "fifo")

    @pytest.mark.parametrize("mode", [0o777, 0o750, 0o701])
    def test_one_that_others_can_enter_is_refused_and_left_as_it_is(self, tmp_path: Path, mode: int) -> None:
        (tmp_path / "open").mkdir()
        (tmp_path / "open").chmod(mode)
        with pytest.raises(OpenDirectory, match=rf"mode {mode:04o}\); run: chmod 700"):
            ensure_private_dir(tmp_path / "open")
        assert mode_of(tmp_path / "open") == mode

    @as_root
    def test_one_of_another_user_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "theirs").mkdir(0o700)
        os.chown(tmp_path / "theirs", NOBODY, -1)
        with pytest.raises(ForeignDirectory, match="belongs to user 65534, not to you"):
            ensure_private_dir(tmp_path / "theirs")

    def test_the_parent_in_a_directory_that_others_may_write_to_is_held_to_the_same_rule(self, tmp_path: Path) -> None:
        tmp_path.chmod(0o1777)
        ensure_private_dir(tmp_path / "made" / "x")
        assert mode_of(tmp_path / "made") == 0o700
        (tmp_path / "open").mkdir()
        (tmp_path / "open").chmod(0o755)
        with pytest.raises(OpenDirectory, match="open is open to other users"):
            ensure_private_dir(tmp_path / "open" / "x")
        assert not (tmp_path / "open" / "x").exists()

    def test_what_the_system_refuses_is_told(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        with pytest.raises(DirectoryNotMade, match=r"cannot be made \(Not a directory\); make it with mode 700"):
            ensure_private_dir(tmp_path / "file" / "x")


class TestSocket:
    @pytest.mark.parametrize("mask", [0o000, 0o022])
    def test_it_is_private_from_the_first_instant(self, short: Path, lock: DaemonLock, mask: int, monkeypatch: pytest.MonkeyPatch) -> None:
        def never(*_: object) -> None:
            raise AssertionError("a mode was changed afterwards")

        monkeypatch.setattr(os, "chmod", never)
        monkeypatch.setattr(os, "fchmod", never)
        with umask(mask):
            bound = bind_private_socket(short / "s", lock)
            assert os.umask(mask) == mask
        assert mode_of(short / "s") == 0o600
        bound.close()

    def test_it_listens_and_does_not_block(self, short: Path, lock: DaemonLock) -> None:
        bound = bind_private_socket(short / "s", lock)
        with pytest.raises(BlockingIOError):
            bound.sock.accept()
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(short / "s"))
            bound.sock.accept()[0].close()
        bound.close()

    def test_closing_removes_the_path_and_may_be_repeated(self, short: Path, lock: DaemonLock) -> None:
        bound = bind_private_socket(short / "s", lock)
        bound.close()
        bound.close()
        assert not (short / "s").exists()

    def test_closing_leaves_what_somebody_else_put_there(self, short: Path, lock: DaemonLock) -> None:
        bound = bind_private_socket(short / "s", lock)
        (short / "s").rename(short / "away")
        (short / "s").touch()
        bound.close()
        assert (short / "s").exists()

    def test_a_stale_socket_is_replaced(self, short: Path, lock: DaemonLock) -> None:
        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(str(short / "s"))
        bound = bind_private_socket(short / "s", lock)
        assert bound.inode == ((short / "s").stat().st_dev, (short / "s").stat().st_ino)
        bound.close()

    def test_a_socket_that_answers_is_refused_and_goes_on_answering(self, short: Path, lock: DaemonLock) -> None:
        with socket.socket(socket.AF_UNIX) as other:
            other.bind(str(short / "s"))
            other.listen()
            with pytest.raises(SocketInUse, match=r"another program answers on .*; stop it"):
                bind_private_socket(short / "s", lock)
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(str(short / "s"))

    def test_a_socket_too_busy_to_answer_counts_as_alive(self, short: Path, lock: DaemonLock, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(private, "_PROBE_SECONDS", 0.01)
        with contextlib.ExitStack() as stack:
            other = stack.enter_context(socket.socket(socket.AF_UNIX))
            other.bind(str(short / "s"))
            other.listen(0)
            with contextlib.suppress(BlockingIOError):
                while True:
                    client = stack.enter_context(socket.socket(socket.AF_UNIX))
                    client.setblocking(False)
                    client.connect(str(short / "s"))
            with pytest.raises(SocketInUse):
                bind_private_socket(short / "s", lock)

    def test_a_socket_that_vanishes_while_it_is_probed_is_no_obstacle(
        self, short: Path, lock: DaemonLock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(str(short / "s"))
        probe = private._is_answered

        def vanish(path: Path) -> bool:
            path.unlink()
            return probe(path)

        monkeypatch.setattr(private, "_is_answered", vanish)
        bind_private_socket(short / "s", lock).close()

    @pytest.mark.parametrize(("make", "kind"), [(Path.touch, "a file"), (Path.mkdir, "a directory")])
    def test_a_file_or_directory_in_its_place_is_refused_and_kept(self, short: Path, lock: DaemonLock, make: object, kind: str) -> None:
        assert callable(make)
        make(short / "s")
        with pytest.raises(NotASocket, match=f"is {kind}, not a socket; move it away"):
            bind_private_socket(short / "s", lock)
        assert (short / "s").exists()

    def test_a_symbolic_link_in_its_place_is_refused_and_its_target_kept(self, short: Path, lock: DaemonLock) -> None:
        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(str(short / "target"))
        (short / "s").symlink_to("target")
        with pytest.raises(NotASocket, match="a symbolic link"):
            bind_private_socket(short / "s", lock)
        assert (short / "target").exists()

    @as_root
    def test_a_socket_of_another_user_is_refused_and_kept(self, short: Path, lock: DaemonLock) -> None:
        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(str(short / "s"))
        os.chown(short / "s", NOBODY, -1)
        with pytest.raises(ForeignSocket, match="belongs to user 65534, not to you"):
            bind_private_socket(short / "s", lock)
        assert (short / "s").exists()

    @as_root
    def test_another_user_cannot_connect_even_where_the_directory_lets_it_in(self, short: Path, lock: DaemonLock) -> None:
        short.chmod(0o755)
        bound = bind_private_socket(short / "s", lock)
        connect = f"import os, socket; os.setuid({NOBODY}); socket.socket(socket.AF_UNIX).connect({str(short / 's')!r})"
        tried = subprocess.run([sys.executable, "-c", connect], capture_output=True, text=True, check=False)
        assert "PermissionError" in tried.stderr
        bound.close()

    def test_the_longest_path_is_bound_and_one_byte_more_is_refused(self, short: Path, lock: DaemonLock) -> None:
        limit = socket_path_limit(sys.platform)
        fits = short / ("s" * (limit - len(os.fsencode(short)) - 1))
        bind_private_socket(fits, lock).close()
        with pytest.raises(SocketPathTooLong, match=f"has {limit + 1} bytes, {limit} are allowed; set XDG_RUNTIME_DIR"):
            bind_private_socket(fits.with_name(fits.name + "s"), lock)

    def test_what_the_system_refuses_is_told(self, short: Path, lock: DaemonLock) -> None:
        with pytest.raises(SocketNotBound, match=r"cannot be made \(No such file or directory\)"):
            bind_private_socket(short / "missing" / "s", lock)

    def test_without_the_lock_nothing_is_looked_at_or_removed(self, short: Path) -> None:
        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(str(short / "s"))
        with pytest.raises(AssertionError, match="while the daemon lock is held"):
            bind_private_socket(short / "s", DaemonLock(short / "daemon.lock"))
        assert (short / "s").exists()
