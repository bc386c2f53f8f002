"""One daemon makes room for another: the port that the new one should have, and the end of the old one."""

from __future__ import annotations

import os
import signal
import socket
from contextlib import suppress
from typing import Final
from urllib.parse import urlsplit

import anyio

from bridge.daemon_lock import Holder, read_holder
from bridge.paths import Paths
from bridge.process import is_alive, wait_for_exit
from bridge.refusal import Refusal
from mirrord.cli.owner import ask_daemon
from mirrord.client import ConnectionLost, DaemonNotRunning, DaemonStatus, NotADaemon, ProtocolMismatch
from mirrord.errors import MirrordError, PortNotUsable
from mirrord.settings import Settings

END_SECONDS: Final = 10.0
"""An orderly end takes two at most; past this the daemon stands still."""

_NO_ANSWER: Final = (NotADaemon, ProtocolMismatch, ConnectionLost)


class DaemonStays(MirrordError):
    """A daemon was to end and did not."""

    def __init__(self, pid: int) -> None:
        super().__init__(f"the daemon that runs (pid {pid}) does not end; end it with `kill -9 {pid}` and try again")


def daemon_here() -> DaemonStatus | None:
    """What the daemon that runs says of itself; None where none runs. Raises the daemon's refusal for who may not end it."""
    try:
        return ask_daemon("status", DaemonStatus, kind="status")
    except DaemonNotRunning:
        return None


def answering_daemon(paths: Paths) -> DaemonStatus | None:
    """As `daemon_here`, for who is about to replace the daemon anyway: one that does not answer is ended first, with its port free then."""
    with suppress(*_NO_ANSWER):
        if (running := daemon_here()) is not None:
            return running
    stop_daemon(paths)
    # A service manager that keeps the sockets has started another one.
    return daemon_here()


def port_of(running: DaemonStatus | None, holder: Holder | None = None) -> int | None:
    """Where devices reach the daemon: as it says itself, else as it noted when it took its place, as `holder`; None: neither is told."""
    if running is not None:
        return urlsplit(running.url).port
    return None if holder is None else holder.port


def port_here(paths: Paths) -> int | None:
    """Where devices reach the daemon that runs here. It is asked only where an older version noted no port; None: it does not say."""
    holder = read_holder(paths.lock_file)
    if holder is not None and holder.port is not None:
        return holder.port
    with suppress(MirrordError, Refusal):
        return port_of(daemon_here())
    return None


def stop_daemon(paths: Paths, but: int | None = None) -> None:
    """End the daemon that runs here, unless its pid is `but`. Returns once it has ended, or there is none. Raises DaemonStays.

    SIGTERM is its order to end, after which it tells its clients, and is understood whatever became of its sockets and whichever version it
    has. Whoever may not give it learns that from `daemon_here`.
    """
    holder = read_holder(paths.lock_file)
    if holder is None or holder.pid == but:
        return
    # Without a start time its number may be another process's by now.
    for number in (signal.SIGTERM, signal.SIGKILL) if holder.start_time is not None else ():
        if anyio.run(_ends, holder, number):
            return
    raise DaemonStays(holder.pid)


async def _ends(holder: Holder, number: signal.Signals) -> bool:
    """Whether it ends after this signal."""
    with anyio.move_on_after(END_SECONDS):
        if is_alive(holder.pid, holder.start_time):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(holder.pid, number)
                os.kill(holder.pid, signal.SIGCONT)  # One that is stopped learns of no other signal.
        await wait_for_exit(holder.pid, holder.start_time)
        return True
    return False


def next_port(settings: Settings, theirs: int | None) -> int:
    """The port of the next daemon: the configured one, else `theirs`, the one of the daemon before it, where devices look for it.

    A default that another program has gives way to the next one, as for a daemon that `mirrord pi` starts. Raises PortNotUsable.
    """
    any_will_do = settings.spare_ports > 0 or (settings.port == 0 and "port" not in settings.given)
    if theirs is not None and (any_will_do or settings.port == theirs):
        return theirs
    return first_free(settings)


def first_free(settings: Settings) -> int:
    """The first of the settings' ports that can be listened on. Raises PortNotUsable of the first one when none can."""
    for port in range(settings.port, settings.port + settings.spare_ports + 1):
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            # What an earlier daemon's connections still linger on is free to the next one.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((settings.host, port))
            except OSError as error:
                refused = PortNotUsable(settings.port, error.strerror or str(error))
            else:
                return port
    raise refused
