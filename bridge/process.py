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

_STOPPED_STATES: Final = "Tt"
"""Stopped by a signal, or by a debugger."""

_ROOTS: Final = (0, 1)
"""Parents of nobody in particular: init, and what lies outside of a container."""

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
    state: str
    """One letter of the system's own: `T` is stopped."""
    start: str
    terminal: str
    """The controlling terminal, opaque; empty for none."""

    @property
    def ended(self) -> bool:
        """Whether only the number is still taken."""
        return self.state in _DEAD_STATES

    @property
    def stopped(self) -> bool:
        """Whether job control or a debugger holds it (Ctrl+Z)."""
        return self.state in _STOPPED_STATES


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

    A process whose parent has ended belongs to init and is not recognised here, but by `may_be_orphan_of`.
    """
    for _ in range(_CHAIN):
        info = look(pid)
        if info is None:
            return False
        if (pid, info.start) in ancestors or (pid, None) in ancestors:
            return True
        pid = info.parent
    return False


def may_be_orphan_of(pid: int, suspects: Collection[tuple[int, str | None]]) -> bool:
    """Whether `pid` belongs to a line that init adopted and that one of `suspects` (pid, start time) may have begun.

    A process that forks twice loses its ancestors. What it cannot lose is the control group of who started it, and unless it makes
    one it has no other terminal. So the oldest of the line is taken for a suspect's when init is its parent, it started later than
    the suspect, is in the same group, and has the suspect's terminal or none. Where the system keeps no groups, all are in one.
    """
    oldest, info = _oldest(pid)
    if info is None or info.parent not in _ROOTS or oldest in _ROOTS:
        return False
    group = control_group(oldest)
    for suspect, start in suspects:
        other = look(suspect)
        if other is None or start not in (None, other.start) or other.ended:
            continue
        began_later = _ticks(info.start) >= _ticks(other.start)
        if began_later and group == control_group(suspect) and info.terminal in ("", other.terminal):
            return True
    return False


def _oldest(pid: int) -> tuple[int, ProcessInfo | None]:
    """The first process of the line: the one that init, or nobody, is the parent of."""
    info = look(pid)
    for _ in range(_CHAIN):
        if info is None or info.parent in _ROOTS:
            break
        parent = look(info.parent)
        if parent is None:
            break
        pid, info = info.parent, parent
    return pid, info


def _ticks(start: str) -> int:
    """Linux's start times are numbers and can be compared; of other systems' it is taken that each came later."""
    return int(start) if start.isdecimal() else 0


def control_group(pid: int) -> str:
    """Where systemd put the process: the login, service or terminal window that it belongs to. Empty where there are no groups."""
    try:
        with open(f"/proc/{pid}/cgroup", "rb", buffering=0) as file:
            return file.read(_STAT_BYTES).decode(errors="replace")
    except OSError:
        return ""


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
    """Fields 3, 4, 7 and 22 of proc_pid_stat(5). The name (field 2) may hold spaces and brackets: count from its end."""
    fields = line[line.rindex(b")") + 1 :].split()
    terminal = "" if fields[4] == b"0" else fields[4].decode()
    return ProcessInfo(int(fields[1]), fields[0].decode(), fields[19].decode(), terminal)


def _look_with_ps(pid: int) -> ProcessInfo | None:
    # Locale and zone are fixed because the start time is compared as text.
    env = {"PATH": "/bin:/usr/bin", "LC_ALL": "C", "TZ": "UTC0"}
    command = ["ps", "-o", "ppid=,stat=,tty=,lstart=", "-p", str(pid)]
    try:
        done = subprocess.run(command, env=env, capture_output=True, timeout=_PS_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return _parse_ps(done.stdout.decode("ascii", "replace"))


def _parse_ps(line: str) -> ProcessInfo | None:
    fields = line.split(maxsplit=3)
    if len(fields) != 4:
        return None
    terminal = "" if fields[2].startswith("?") else fields[2]
    return ProcessInfo(int(fields[0]), fields[1][0], fields[3].strip(), terminal)
