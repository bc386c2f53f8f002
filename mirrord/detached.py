"""Starts a daemon that outlives whoever started it, and waits until it answers."""

from __future__ import annotations

import contextlib
import os
import re
import select
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import msgspec

from bridge.daemon_lock import read_holder
from bridge.paths import home_here
from bridge.private import ensure_private_dir
from mirrord import service_manager
from mirrord.errors import DaemonNotStarted
from mirrord.settings import Settings

START_SECONDS: Final = 15.0
"""How long a daemon may take to come up: half a second, on a busy machine many times that. One that cannot start says so at once."""

SERVICE_SECONDS: Final = 5.0
"""How long the service manager's daemon may take to answer before one is started directly; somebody waits for Pi."""

KNOCK_SECONDS: Final = 0.5
"""How long a daemon may take to notice a knock, which it does in a turn of its loop; one that is stopped never does."""

OF_THE_DESKTOP: Final = frozenset(("DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "LOGNAME", "USER", "WAYLAND_DISPLAY"))
"""Where and whose the person's desktop is: the daemon has no use for it, but a program that it tells what calls them has (`hooks.py`)."""

_PASSED_ON: Final = OF_THE_DESKTOP | {"HOME", "PATH", "LANG", "TZ"}
_PASSED_ON_PREFIXES: Final = ("LC_", "XDG_", "MIRRORD_")
_NAMES_A_SECRET: Final = re.compile(r"TOKEN|KEY|SECRET|PASS|CREDENTIAL", re.IGNORECASE)

_PAUSE_SECONDS: Final = 0.02
_REPORT_BYTES: Final = 4096

START_LOG: Final = "start.log"
"""In the state directory: what a daemon says before it has a log of its own."""

_MODE: Final = 0o600


@dataclass(frozen=True, slots=True)
class RunningDaemon:
    """A daemon that answers on `socket`."""

    pid: int
    socket: Path
    notice: str | None = None
    """One sentence when it was started just now, and not as it was to be."""
    started: bool = field(default=True, compare=False)
    """Whether it was started just now; False: it ran already, with settings of its own."""


class Report(msgspec.Struct, frozen=True, rename="camel"):
    """What a starting daemon tells through its ready descriptor: it is up, or one sentence why it is not."""

    pid: int
    error: str | None = None
    running: bool = False
    """The error is that another daemon runs, which is as good."""
    notice: str | None = None


def daemon_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """What a daemon gets of its starter's environment: where files and desktop are, language, settings of ours; no secret of anybody's.

    The daemon lives on after the shell that happened to start it, and everybody with the user's rights can read its environment. `MIRRORD`
    itself, the switch of one Pi, is none of the `MIRRORD_*`: it says nothing about a daemon that serves all of them.
    """
    return {
        name: value
        for name, value in environ.items()
        if name in _PASSED_ON or (name.startswith(_PASSED_ON_PREFIXES) and not _NAMES_A_SECRET.search(name))
    }


def is_running(settings: Settings) -> bool:
    """Whether a daemon runs that will be there for a while: one that was about to end for lack of company begins its wait anew."""
    if read_holder(settings.paths.lock_file) is None:
        return False
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as knock:
        knock.settimeout(KNOCK_SECONDS)
        try:
            knock.connect(os.fsencode(settings.paths.bridge_socket))
            knock.shutdown(socket.SHUT_WR)
            knock.recv(1)
        except TimeoutError:
            return True  # It stands still, and ends no sooner than it goes on.
        except OSError:
            return False  # Nobody will accept any more: it is stopping.
    return True


def spawn_detached(settings: Settings) -> RunningDaemon:
    """The daemon of these settings, started unless one runs; it answers when this returns.

    It belongs to no terminal and is no child of ours, since Pi may take our place. Where the system's service manager has a unit for it,
    that starts it. Of many that are started at once one lives, and every call returns that one. Blocks; raises DaemonNotStarted with the
    reason after START_SECONDS.
    """
    ensure_private_dir(settings.paths.state_dir)
    before = read_holder(settings.paths.lock_file)
    managed = _ask_service_manager(settings)
    if managed is not None:
        return replace(managed, started=before is None or before.pid != managed.pid)
    deadline = time.monotonic() + START_SECONDS
    while True:
        report = _start_one(settings, deadline)
        if report is None:
            raise DaemonNotStarted(_last_words(settings) or f"it said nothing within {START_SECONDS:.0f} s")
        if report.error is not None and not report.running:
            raise DaemonNotStarted(report.error)
        info = _wait_for_answer(settings, deadline)
        if info is not None:
            return replace(info, notice=report.notice, started=report.error is None)
        if time.monotonic() >= deadline:
            raise DaemonNotStarted(f"another one is starting or stopping; its log is in {settings.paths.state_dir}")


def _ask_service_manager(settings: Settings) -> RunningDaemon | None:
    """The daemon that the service manager runs, or None: there is no unit, or what it started does not answer where we look."""
    if "port" in settings.given:
        return None  # The unit has a port of its own; one that is merely configured is its as well.
    if not service_manager.request_start(daemon_environment(os.environ), os.getuid(), home_here()):
        return None
    deadline = time.monotonic() + SERVICE_SECONDS
    while time.monotonic() < deadline:
        info = _wait_for_answer(settings, deadline)
        if info is not None:
            return info
        time.sleep(_PAUSE_SECONDS)  # noqa: TID251 - no loop runs here: the caller is the command line
    return None


def _start_one(settings: Settings, deadline: float) -> Report | None:
    ready, report_fd = os.pipe()
    try:
        try:
            _start(settings, report_fd, deadline)
        finally:
            os.close(report_fd)
        return _read_report(ready, deadline)
    finally:
        os.close(ready)


def _start(settings: Settings, report_fd: int, deadline: float) -> None:
    # -P: the folder it starts in, the root of all files, is no place to import from.
    command = [sys.executable, "-P", "-m", "mirrord.detached_daemon", "--port", str(settings.port), "--ready-fd", str(report_fd)]
    if settings.spare_ports:
        command += ["--spare-ports", str(settings.spare_ports)]
    if settings.idle_exit is not None:
        command += ["--idle-exit", str(settings.idle_exit)]
    if "log_level" in settings.given:
        command += ["--log-level", settings.log_level]
    log = settings.paths.state_dir / START_LOG
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, _MODE)
    try:
        # It forks once more and its parent ends at once: waiting for that parent leaves no zombie behind.
        starter = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd="/",
            env=daemon_environment(os.environ),
            pass_fds=(report_fd,),
            start_new_session=True,
        )
    finally:
        os.close(output)
    try:
        starter.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        # The disk is slow or hangs. Whoever waits for Pi gets it without a daemon, also while the kernel does not let go of this one.
        starter.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            starter.wait(KNOCK_SECONDS)


def _read_report(fd: int, deadline: float) -> Report | None:
    """What the daemon says before it closes its end, or None when it ends or stays silent."""
    said = b""
    while select.select([fd], [], [], max(0.0, deadline - time.monotonic()))[0]:
        chunk = os.read(fd, _REPORT_BYTES)
        if not chunk:
            break
        said += chunk
    return msgspec.json.decode(said, type=Report) if said.endswith(b"\n") else None


def _wait_for_answer(settings: Settings, deadline: float) -> RunningDaemon | None:
    """The daemon that runs, once it answers; None when there is none any more, or at the deadline."""
    while (holder := read_holder(settings.paths.lock_file)) is not None and time.monotonic() < deadline:
        if _answers(settings.paths.control_socket):
            return RunningDaemon(holder.pid, settings.paths.control_socket)
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
        lines = (settings.paths.state_dir / START_LOG).read_text("utf-8", "replace").strip().splitlines()
    except OSError:
        return None
    return lines[-1] if lines else None
