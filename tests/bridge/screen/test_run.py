"""Promise: a follower runs beside the copy loop, finds its daemon, ends with its pipe, and nothing that befalls it is felt."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bridge.limits import FRAME_BYTES
from bridge.paths import paths_here
from bridge.process import look
from bridge.screen.feed import Feed
from bridge.screen.limits import FEED_BYTES
from bridge.screen.messages import Screen, ScreenHello, ScreenState
from bridge.screen.place import is_ours
from bridge.screen.start import Followed, start
from tests.bridge.screen.listening import PATIENCE, Listening
from tests.bridge.screen.recorded import FIXTURES, sidecar
from tests.bridge.screen.scenes import SECRET

RECORDING = FIXTURES / "screen" / "menus-pi1.6.0-fullscreen-60x20.bin"


@pytest.fixture
def socket_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Where a follower that is started here looks for its daemon."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    return paths_here().screen_socket


@pytest.fixture
def feed(socket_path: Path) -> Iterator[Feed]:
    """The feed of a follower of pid 4242 at 60 by 20, which is gone at the end."""
    feed = start(4242, shared=True, columns=60, rows=20, version="0.1.0")
    pid = follower_of(feed)
    yield feed
    feed.close()
    wait_gone(pid)


def follower_of(feed: Feed) -> int:
    assert isinstance(feed, Followed)
    return feed.pid


def wait_gone(pid: int) -> None:
    """Returns once the process has ended; it is waited for."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            if os.waitpid(pid, os.WNOHANG) != (0, 0):
                return
        except ChildProcessError:
            return
        assert time.monotonic() < until, "it lives on"


def menus(daemon: Listening) -> list[str | None]:
    return [message.menu for message in daemon.said if isinstance(message, ScreenState)]


def offer(feed: Feed, label: str) -> None:
    """All that Pi wrote until a mark."""
    offset = next(mark.offset for mark in sidecar(RECORDING).marks if mark.label == label)
    feed.offer(RECORDING.read_bytes()[:offset])


def test_a_menu_on_the_screen_reaches_the_daemon(feed: Feed, socket_path: Path) -> None:
    with Listening(socket_path) as daemon:
        daemon.accept()
        offer(feed, "settings:typed")
        daemon.wait(lambda: "settings" in menus(daemon), feed.flush)
        assert isinstance(daemon.said[0], ScreenHello)
        assert (daemon.said[0].pid, daemon.said[0].shared, daemon.said[0].columns, daemon.said[0].rows) == (4242, True, 60, 20)
        daemon.peer.want(True)
        daemon.wait(lambda: any(isinstance(message, Screen) for message in daemon.said))
        assert SECRET not in repr(daemon.said)


def test_a_daemon_that_comes_later_or_again_is_found(feed: Feed, socket_path: Path) -> None:
    offer(feed, "trust:open")
    feed.flush()
    with Listening(socket_path) as daemon:
        daemon.accept()
        daemon.wait(lambda: menus(daemon)[-1:] == ["trust"], feed.flush)
        daemon.cut()
        daemon.accept()
        daemon.wait(lambda: menus(daemon)[-1:] == ["trust"], feed.flush)


def test_a_daemon_that_only_asks_is_left_before_its_answers_take_memory(feed: Feed, socket_path: Path) -> None:
    with Listening(socket_path) as daemon:
        daemon.accept()
        daemon.wait(lambda: len(daemon.said) > 1, feed.flush)
        sock = daemon.hold()
        ping = b'{"type":"ping","n":1000000000000}\n' * 2000
        with pytest.raises(ConnectionError):  # noqa: PT012 - which of them meets the end is not known
            for _ in range(32 * FRAME_BYTES // len(ping)):
                sock.sendall(ping)


def test_the_follower_has_a_session_of_its_own_and_nothing_but_its_pipe(feed: Feed, socket_path: Path) -> None:
    pid = follower_of(feed)
    with Listening(socket_path) as daemon:
        daemon.accept()
        assert os.getsid(pid) == pid
        info = look(pid)
        assert info is not None
        assert info.terminal == ""
        if Path("/proc/self/fd").exists():
            opened = {os.readlink(f"/proc/{pid}/fd/{fd}").partition(":")[0] for fd in os.listdir(f"/proc/{pid}/fd")}
            assert opened <= {"pipe", "/dev/null", "socket", "anon_inode"}
            assert os.readlink(f"/proc/{pid}/cwd") == "/"


def test_a_follower_that_is_killed_is_not_felt(feed: Feed) -> None:
    os.kill(follower_of(feed), signal.SIGKILL)
    wait_gone(follower_of(feed))
    feed.offer(b"x" * FEED_BYTES)
    feed.flush()
    assert not feed.wanting


def test_a_follower_that_is_stopped_is_not_felt(feed: Feed) -> None:
    os.kill(follower_of(feed), signal.SIGSTOP)
    start = time.monotonic()
    for _ in range(200):
        feed.offer(b"x" * 65536)
        feed.flush()
    assert time.monotonic() - start < PATIENCE
    os.kill(follower_of(feed), signal.SIGCONT)


@pytest.mark.parametrize("spoil", ["nothing", "a file", "open", "open directory", "a link"])
def test_a_socket_that_others_could_have_put_there_is_not_spoken_to(tmp_path: Path, spoil: str) -> None:
    path = tmp_path / "run" / "screen.sock"
    with Listening(path):
        assert is_ours(path)
        match spoil:
            case "open":
                path.chmod(0o666)
            case "open directory":
                path.parent.chmod(0o755)
            case "a link":
                (tmp_path / "link").symlink_to(path.parent)
                path = tmp_path / "link" / "screen.sock"
            case "nothing":
                path = path.with_name("other.sock")
            case "a file":
                path = path.with_name("file.sock")
                path.touch(0o600)
        assert not is_ours(path)


def test_a_folder_in_one_that_others_can_write_must_itself_be_closed_to_them(tmp_path: Path) -> None:
    """The short folder below /tmp, for one: who can exchange it can exchange what is in it."""
    tmp_path.chmod(0o1777)
    folder = tmp_path / "mirrord-1000"
    folder.mkdir(0o700)
    path = folder / "run" / "screen.sock"
    with Listening(path):
        assert is_ours(path)
        folder.chmod(0o755)
        assert not is_ours(path)
