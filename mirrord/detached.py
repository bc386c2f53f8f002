"""Starts a daemon that outlives whoever started it, and waits until it answers."""

from __future__ import annotations

import os
import select
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from bridge.daemon_lock import read_holder
from bridge.private import ensure_private_dir
from mirrord.errors import DaemonNotStarted
from mirrord.settings import Settings

START_SECONDS: Final = 15.0
"""How long a daemon may take to come up: half a second, on a busy machine many times that. One that cannot start says so at once."""

_PAUSE_SECONDS: Final = 0.02
_REPORT_BYTES: Final = 4096
_START_LOG: Final = "start.log"
_MODE: Final = 0o600


@dataclass(frozen=True, slots=True)
class DaemonInfo:
    """A daemon that answers on `socket`."""

    pid: int
    socket: Path


class Report(msgspec.Struct, frozen=True, rename="camel"):
    """What a starting daemon tells through its ready descriptor: it is up, or one sentence why it is not."""

    pid: int
    error: str | None = None
    running: bool = False
    """The error is that another daemon runs, which is as good."""


def spawn_detached(settings: Settings) -> DaemonInfo:
    """The daemon of these settings, started unless one runs; it answers when this returns.

    It belongs to no terminal and is no child of ours, since Pi may take our place. Of many that are started at once
    one lives, and every call returns that one. Blocks; raises DaemonNotStarted with the reason after START_SECONDS.
    """
    deadline = time.monotonic() + START_SECONDS
    ensure_private_dir(settings.paths.state_dir)
    while True:
        report = _start_one(settings, deadline)
        if report is None:
            raise DaemonNotStarted(_last_words(settings) or f"it said nothing within {START_SECONDS:.0f} s")
        if report.error is not None and not report.running:
            raise DaemonNotStarted(report.error)
        info = _wait_for_answer(settings, deadline)
        if info is not None:
            return info
        if time.monotonic() >= deadline:
            raise DaemonNotStarted(f"another one is starting or stopping; its log is in {settings.paths.state_dir}")


def _start_one(settings: Settings, deadline: float) -> Report | None:
    ready, report_fd = os.pipe()
    try:
        try:
            _start(settings, report_fd)
        finally:
            os.close(report_fd)
        return _read_report(ready, deadline)
    finally:
        os.close(ready)


def _start(settings: Settings, report_fd: int) -> None:
    command = [sys.executable, "-m", "mirrord.daemon", "--port", str(settings.port), "--ready-fd", str(report_fd)]
    log = settings.paths.state_dir / _START_LOG
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, _MODE)
    try:
        # It forks once more and its parent ends at once: waiting for that parent leaves no zombie behind.
        starter = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd="/",
            env={name: value for name, value in os.environ.items() if not name.startswith("MIRRORD_")},
            pass_fds=(report_fd,),
            start_new_session=True,
        )
    finally:
        os.close(output)
    starter.wait()


def _read_report(fd: int, deadline: float) -> Report | None:
    """What the daemon says before it closes its end, or None when it ends or stays silent."""
    said = b""
    while select.select([fd], [], [], max(0.0, deadline - time.monotonic()))[0]:
        chunk = os.read(fd, _REPORT_BYTES)
        if not chunk:
            break
        said += chunk
    return msgspec.json.decode(said, type=Report) if said.endswith(b"\n") else None


def _wait_for_answer(settings: Settings, deadline: float) -> DaemonInfo | None:
    """The daemon that runs, once it answers; None when there is none any more, or at the deadline."""
    while (holder := read_holder(settings.paths.lock_file)) is not None and time.monotonic() < deadline:
        if _answers(settings.paths.control_socket):
            return DaemonInfo(holder.pid, settings.paths.control_socket)
        time.sleep(_PAUSE_SECONDS)  # noqa: TID251 - no loop runs here: the caller is the command line
    return None


def _answers(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(START_SECONDS)
        try:
            probe.connect(os.fsencode(path))
        except OSError:
            return False
    return True


def _last_words(settings: Settings) -> str | None:
    """The last line that a daemon wrote before it died."""
    try:
        lines = (settings.paths.state_dir / _START_LOG).read_text("utf-8", "replace").strip().splitlines()
    except OSError:
        return None
    return lines[-1] if lines else None
