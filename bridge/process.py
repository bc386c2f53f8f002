"""Which process is which: by pid and start time, because pids are used again.

Linux answers from `/proc` and from memory. macOS needs `ps`, which takes milliseconds; call these functions from a
thread there when a loop is running (`wait_for_exit` does).
"""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import anyio
import anyio.to_thread

if TYPE_CHECKING:
    from collections.abc import Collection

_POLL_SECONDS: Final = 1.0
"""How often a process is looked at where the system cannot wake us: a person does not notice a second."""

_CHAIN: Final = 256
"""Longest line of ancestors that is followed; a shell in a shell in a shell is ten deep."""

_STAT_BYTES: Final = 4096
"""More than a line of `/proc/PID/stat` has: some fifty numbers and a name of at most 64 bytes."""

_PS_SECONDS: Final = 5.0
"""`ps` answers in milliseconds; past this the process counts as unknown."""

_DEAD_STATES: Final = "ZXx"
"""Zombie and dead: the process has ended and only its number is still taken."""

# macOS, <sys/un.h> and <sys/ucred.h>; Python names none of these.
_SOL_LOCAL: Final = 0
_LOCAL_PEERCRED: Final = 1
_LOCAL_PEERPID: Final = 2
_XUCRED: Final = struct.Struct("=IIhxx16I")
"""version, uid, number of groups, groups"""

_UCRED: Final = struct.Struct("=iII")
"""Linux: pid, uid, gid"""


@dataclass(frozen=True, slots=True)
class ProcessInfo:
    """What the system says of a process. `start` is opaque text; two processes with one pid differ in it."""

    parent: int
    ended: bool
    start: str


@dataclass(frozen=True, slots=True)
class Peer:
    """The process at the other end of a unix socket, as the kernel noted it when the connection was made."""

    pid: int | None
    """None when the kernel does not tell, or the peer is in another pid namespace."""
    uid: int


def look(pid: int) -> ProcessInfo | None:
    """The process with this pid now, a zombie included; None when there is none or it cannot be looked at."""
    if pid <= 0:
        return None
    return _look_with_ps(pid) if sys.platform == "darwin" else _look_in_proc(pid)


def start_time(pid: int) -> str | None:
    """When the process started, as text that only equality is used of (Linux: clock ticks since boot)."""
    info = look(pid)
    return None if info is None else info.start


def is_alive(pid: int, start: str | None) -> bool:
    """Whether the process that had this pid and start time still runs. A zombie is dead. None matches any start."""
    info = look(pid)
    return info is not None and not info.ended and start in (None, info.start)


def descends_from(pid: int, ancestors: Collection[tuple[int, str | None]]) -> bool:
    """Whether `pid` is one of `ancestors` (pid, start time) or a child, grandchild … of one that still has its parents.

    A process whose parent has ended belongs to init and is no longer recognised.
    """
    for _ in range(_CHAIN):
        info = look(pid)
        if info is None:
            return False
        if (pid, info.start) in ancestors or (pid, None) in ancestors:
            return True
        pid = info.parent
    return False


async def wait_for_exit(pid: int, start: str | None) -> None:
    """Return when the process with this pid and start time has ended; at once when it has already."""
    fd = _open_pidfd(pid)
    if fd is None:
        while await anyio.to_thread.run_sync(is_alive, pid, start):  # noqa: ASYNC110 - nothing here can wake us
            await anyio.sleep(_POLL_SECONDS)
        return
    try:
        # Looked at after it was opened: from here on the descriptor means this very process.
        if is_alive(pid, start):
            await anyio.wait_readable(fd)
    finally:
        os.close(fd)


def _open_pidfd(pid: int) -> int | None:
    """A descriptor that becomes readable when the process ends; None where there is none to be had."""
    if sys.platform == "linux":  # pragma: no branch
        # No such process, no descriptor left, or a kernel before 5.3: looking at it works all the same.
        with contextlib.suppress(OSError):
            return os.pidfd_open(pid)
    return None


def peer_of(sock: socket.socket) -> Peer:
    """Who connected to this unix socket. Raises OSError when the socket is no longer connected."""
    if sys.platform == "darwin":  # pragma: no cover - the system under test is Linux; the struct is tested
        uid = _uid_of_xucred(sock.getsockopt(_SOL_LOCAL, _LOCAL_PEERCRED, _XUCRED.size))
        pid = sock.getsockopt(_SOL_LOCAL, _LOCAL_PEERPID)
    else:
        pid, uid, _ = _UCRED.unpack(sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _UCRED.size))
    return Peer(pid or None, uid)


def _uid_of_xucred(raw: bytes) -> int:
    uid: int = _XUCRED.unpack(raw.ljust(_XUCRED.size, b"\0"))[1]
    return uid


def _look_in_proc(pid: int) -> ProcessInfo | None:
    try:
        fd = os.open(f"/proc/{pid}/stat", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return _parse_stat(os.read(fd, _STAT_BYTES))
    except OSError:
        return None  # it ended while it was being read
    finally:
        os.close(fd)


def _parse_stat(line: bytes) -> ProcessInfo:
    """Fields 3, 4 and 22 of proc_pid_stat(5). The name (field 2) may hold spaces and brackets: count from its end."""
    fields = line[line.rindex(b")") + 1 :].split()
    return ProcessInfo(int(fields[1]), fields[0].decode() in _DEAD_STATES, fields[19].decode())


def _look_with_ps(pid: int) -> ProcessInfo | None:
    # Locale and zone are fixed because the start time is compared as text.
    env = {"PATH": "/bin:/usr/bin", "LC_ALL": "C", "TZ": "UTC0"}
    command = ["ps", "-o", "ppid=,stat=,lstart=", "-p", str(pid)]
    try:
        done = subprocess.run(command, env=env, capture_output=True, timeout=_PS_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return _parse_ps(done.stdout.decode("ascii", "replace"))


def _parse_ps(line: str) -> ProcessInfo | None:
    fields = line.split(maxsplit=2)
    if len(fields) != 3:
        return None
    return ProcessInfo(int(fields[0]), fields[1][0] in _DEAD_STATES, fields[2].strip())
