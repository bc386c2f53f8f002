"""Promise: a detached daemon answers when the call returns, outlives whoever started it, is nobody's child, and is one."""

from __future__ import annotations

import os
import re
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from bridge.daemon_lock import DaemonLock
from bridge.private import ensure_private_dir
from bridge.process import is_alive, look
from mirrord import detached
from mirrord.detached import RunningDaemon, daemon_environment, is_running, spawn_detached
from mirrord.errors import DaemonNotStarted
from mirrord.settings import Settings


def wait_until(condition: Callable[[], bool]) -> None:
    """Return when it holds, which another process brings about."""
    deadline = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < deadline
        threading.Event().wait(0.02)


def written_in(log: Path) -> str:
    """The log's text; a thread of the daemon makes the file."""
    return log.read_text() if log.exists() else ""


def answers(path: Path) -> bool:
    """Whether somebody accepts there."""
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(str(path)) == 0


def test_it_answers_when_the_call_returns_and_is_no_child_of_ours(at_home: Settings) -> None:
    info = spawn_detached(at_home)
    assert info.socket == at_home.paths.control_socket
    assert answers(info.socket)
    process = look(info.pid)
    assert process is not None
    assert process.parent != os.getpid()
    assert os.getsid(info.pid) != os.getsid(0)
    with pytest.raises(ChildProcessError):
        os.waitpid(info.pid, os.WNOHANG)


def test_where_one_runs_it_is_that_one(at_home: Settings) -> None:
    first, second = spawn_detached(at_home), spawn_detached(at_home)
    assert first == second
    assert (first.started, second.started) == (True, False)


def test_of_twenty_calls_at_once_all_get_the_same_one(at_home: Settings) -> None:
    with ThreadPoolExecutor(20) as callers:
        infos = set(callers.map(spawn_detached, [at_home] * 20))
    assert len(infos) == 1


def test_one_that_is_just_stopping_is_waited_for_and_replaced(at_home: Settings) -> None:
    with DaemonLock(at_home.paths.lock_file) as stopping, ThreadPoolExecutor(1) as caller:
        ensure_private_dir(at_home.paths.runtime_dir)
        stopping.acquire(at_home.paths.control_socket)
        called = caller.submit(spawn_detached, at_home)
        threading.Event().wait(0.6)
        assert not called.done()
        stopping.release()
        info = called.result()
    assert info.pid != os.getpid()
    assert answers(info.socket)


def test_what_it_gets_of_our_environment_is_on_a_list_and_names_no_secret() -> None:
    passed_on = {"HOME": "/home/ada", "PATH": "/bin", "LANG": "C.UTF-8", "TZ": "UTC", "XDG_STATE_HOME": "/state", "MIRRORD_EXAMPLE": "1"}
    passed_on |= {"USER": "ada", "LOGNAME": "ada", "DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0", "LC_ALL": "C"}
    passed_on |= {"DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/user/1000/bus"}
    secrets = {"ANTHROPIC_API_KEY": "x", "MIRRORD_TOKEN": "x", "XDG_ACTIVATION_TOKEN": "x", "MIRRORD_API_KEY": "x", "GH_PASSWORD": "x"}
    others = {
        "MIRRORD": "0",
        "XAUTHORITY": "/x",
        "PYTHONPATH": "/tmp",
        "LD_PRELOAD": "/tmp/x.so",
        "PI_CODING_AGENT_DIR": "/tmp",
        "home": "/",
    }
    assert daemon_environment(passed_on | secrets | others) == passed_on


def test_it_holds_no_descriptor_and_no_secret_of_ours(at_home: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "hunter2")
    inherited = os.open("/dev/null", os.O_RDONLY)
    os.set_inheritable(inherited, True)
    try:
        info = spawn_detached(at_home)
    finally:
        os.close(inherited)
    proc = Path(f"/proc/{info.pid}")
    if proc.exists():
        targets = [os.readlink(link) for link in (proc / "fd").iterdir()]
        assert not [target for target in targets if target.startswith("pipe:")]
        assert not (proc / "fd" / str(inherited)).exists() or os.readlink(proc / "fd" / str(inherited)) != "/dev/null"
        assert b"hunter2" not in (proc / "environ").read_bytes()
        assert os.readlink(proc / "cwd") == "/"


def test_neither_mask_of_its_starter_is_its_own_nor_is_an_ignored_end_of_children(at_home: Settings) -> None:
    umask, blocked = os.umask(0), signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    children = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        info = spawn_detached(at_home)
    finally:
        os.umask(umask)
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        signal.signal(signal.SIGCHLD, children)
    status = Path(f"/proc/{info.pid}/status")
    if status.exists():
        fields = dict(line.split(":\t", 1) for line in status.read_text().splitlines())
        assert fields["Umask"] == "0077"
        assert int(fields["SigBlk"], 16) == 0
        assert not int(fields["SigIgn"], 16) & 1 << signal.SIGCHLD - 1


def test_why_it_did_not_start_is_told_in_one_sentence(at_home: Settings) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        busy = replace(at_home, port=other.getsockname()[1])
        with pytest.raises(DaemonNotStarted, match=f"port {busy.port} cannot be used") as failed:
            spawn_detached(busy)
    assert "\n" not in str(failed.value)
    assert not answers(at_home.paths.control_socket)


def test_a_port_that_is_taken_gives_way_to_the_next_one_and_that_is_told_once(at_home: Settings) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        yielding = replace(at_home, port=port, spare_ports=9)
        notice = spawn_detached(yielding).notice or ""
        assert re.fullmatch(rf"port {port} is taken by another program, so devices reach this daemon at port \d+", notice)
        assert spawn_detached(yielding).notice is None


def test_one_that_dies_without_a_word_is_told_by_its_last_words(at_home: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(DaemonNotStarted, match="said nothing"):
        spawn_detached(at_home)
    script = at_home.paths.runtime_dir.parent.parent / "python"
    script.write_text("#!/bin/sh\necho oh >&2\necho ImportError: no module >&2\n")
    script.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(script))
    with pytest.raises(DaemonNotStarted, match="ImportError: no module"):
        spawn_detached(at_home)


def test_one_that_never_answers_is_given_up(at_home: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    script = at_home.paths.runtime_dir.parent.parent / "python"
    script.write_text("#!/bin/sh\nsleep 2 &\n")
    script.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(script))
    monkeypatch.setattr(detached, "START_SECONDS", 0.2)
    with pytest.raises(DaemonNotStarted):
        spawn_detached(at_home)


def test_one_that_cannot_even_be_loaded_is_given_up_and_ended(at_home: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = at_home.paths.runtime_dir.parent.parent
    script, pid = folder / "python", folder / "pid"
    script.write_text(f"#!/bin/sh\necho $$ > '{pid}'\nexec sleep 60\n")
    script.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(script))
    monkeypatch.setattr(detached, "START_SECONDS", 1.0)
    with pytest.raises(DaemonNotStarted, match="said nothing within 1 s"):
        spawn_detached(at_home)
    wait_until(lambda: not is_alive(int(pid.read_text()), None))


def test_one_whose_starter_gave_up_serves_all_the_same(at_home: Settings) -> None:
    nobody_listens, report_fd = os.pipe()
    os.close(nobody_listens)
    try:
        command = [sys.executable, "-m", "mirrord.detached_daemon", "--port", "0", "--ready-fd", str(report_fd)]
        subprocess.run(command, pass_fds=[report_fd], check=True, timeout=10)
    finally:
        os.close(report_fd)
    wait_until(lambda: answers(at_home.paths.control_socket))


def test_what_it_says_before_it_has_a_log_is_the_users_alone(at_home: Settings) -> None:
    info = spawn_detached(at_home)
    log = at_home.paths.state_dir / "start.log"
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    assert log.read_bytes() == b""
    wait_until(lambda: f"pid={info.pid}" in written_in(at_home.paths.state_dir / "daemon.log"))
    assert isinstance(info, RunningDaemon)


# ---- the end ---------------------------------------------------------------------------------------------------------


def ended(info: RunningDaemon) -> bool:
    """Whether its process has ended."""
    return not is_alive(info.pid, None)


def test_one_with_nobody_there_ends_by_itself_and_says_why(at_home: Settings) -> None:
    info = spawn_detached(replace(at_home, idle_exit=0.3))
    wait_until(lambda: ended(info))
    assert "nobody is there any more" in written_in(at_home.paths.state_dir / "daemon.log")
    assert not is_running(at_home)


def test_a_knock_keeps_it_until_its_time_is_over_again(at_home: Settings) -> None:
    info = spawn_detached(replace(at_home, idle_exit=1.0))
    pause = threading.Event()
    for _ in range(4):
        pause.wait(0.5)
        assert is_running(at_home)
    assert not ended(info)
    wait_until(lambda: ended(info))


def test_one_that_stands_still_counts_as_running(at_home: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    info = spawn_detached(at_home)
    monkeypatch.setattr(detached, "KNOCK_SECONDS", 0.1)
    os.kill(info.pid, signal.SIGSTOP)
    try:
        assert is_running(at_home)
    finally:
        os.kill(info.pid, signal.SIGCONT)
