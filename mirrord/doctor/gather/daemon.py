"""The daemon: who holds its place, whether it answers, and who has its port."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path
from typing import Any, Final

import anyio

from bridge.daemon_lock import read_holder
from bridge.paths import Paths
from bridge.refusal import Refusal
from mirrord.client import CommandRefused, Local, connect
from mirrord.client.clean import one_line
from mirrord.doctor.facts import Answer, DaemonFound, Listener, LockFound, Origin, PortFound
from mirrord.doctor.gather import listening
from mirrord.errors import MirrordError
from mirrord.settings import LOOPBACK

PROBE_SECONDS: Final = 1.0
"""A socket of this machine answers at once, or its program stands still."""

STATUS_SECONDS: Final = 3.0
"""A daemon answers within milliseconds; a machine that swaps needs more."""

_LOCKS: Final = Path("/proc/locks")


def look_at_lock(paths: Paths) -> LockFound:
    """Who holds the lock, and who answers on the sockets beside it.

    To connect is to knock: systemd starts a daemon for whoever connects where none runs, and a daemon that was about to end waits for the
    Pi that it takes a connection to the bridge's socket for.
    """
    held, holder = _is_held(paths.lock_file), read_holder(paths.lock_file)
    (control, by), (bridge, _) = (_answer(path, holder is not None) for path in (paths.control_socket, paths.bridge_socket))
    return LockFound(held, holder, control, bridge, by)


def ask(paths: Paths) -> DaemonFound:
    """The daemon's status, as it tells it to whoever asks from here. Nobody is asked where none runs: that would start one."""
    if read_holder(paths.lock_file) is None and not _is_held(paths.lock_file):
        return DaemonFound(None)
    try:
        return anyio.run(_status, paths.control_socket)
    except (MirrordError, Refusal) as error:
        return DaemonFound(None, one_line(str(error)))
    except TimeoutError:
        return DaemonFound(None, f"it accepts connections and says nothing within {STATUS_SECONDS:.0f} s")


async def _status(control: Path) -> DaemonFound:
    with anyio.fail_after(STATUS_SECONDS):
        async with connect(Local(control), name="mirrord", kind="status") as connection:
            notice = one_line(connection.welcome.notice or "") or None
            try:
                status = await connection.request("status", dict[str, Any])
            except CommandRefused as refused:
                return DaemonFound(None, str(refused), notice=notice)
            return DaemonFound(status, now=round(time.time() * 1000), notice=notice)


def look_at_port(port: int, origin: Origin) -> PortFound:
    """Who listens on the port that a daemon would take."""
    try:
        return PortFound(port, origin, listening.at_port(port))
    except OSError:
        # No /proc, and no systemd either that would start a daemon for us.
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            probe.settimeout(PROBE_SECONDS)
            return PortFound(port, origin, Listener() if probe.connect_ex((LOOPBACK, port)) == 0 else None)


def _is_held(path: Path) -> bool | None:
    """Whether a process holds the lock, as the kernel lists it; to try it would be in the way of a daemon that starts. None: not told."""
    try:
        found = path.lstat()
        listed = _LOCKS.read_text("ascii", "replace")
    except FileNotFoundError:
        return None if path.exists() else False
    except OSError:
        return None
    place = f"{os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}:{found.st_ino}"
    return any(place in line.split() and "FLOCK" in line for line in listed.splitlines())


def _answer(path: Path, holder: bool) -> tuple[Answer, Listener | None]:
    """Whether somebody accepts there, and who. Connects only where a daemon runs or nothing else tells."""
    try:
        listener = listening.at_path(path)
    except OSError:
        return _connected(path), None
    if listener is not None:
        return "answers", listener
    if holder:
        return _connected(path), None
    return ("refused" if path.is_socket() else "absent"), None


def _connected(path: Path) -> Answer:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(PROBE_SECONDS)
        try:
            probe.connect(os.fsencode(path))
        except (FileNotFoundError, NotADirectoryError):
            return "absent"
        except ConnectionRefusedError:
            return "refused"
        except OSError:
            return "silent"
    return "answers"
