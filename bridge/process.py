"""Which process is which: by pid and start time, because pids are used again.

Linux answers from `/proc` and from memory. macOS needs `ps`, which takes milliseconds; call these functions from a
thread there when a loop is running (`wait_for_exit` does).
"""

from __future__ import annotations

import calendar
import contextlib
import errno
import math
import os
import select
import socket
import struct
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import anyio
import anyio.to_thread

if TYPE_CHECKING:
    from collections.abc import Collection

_POLL_SECONDS: Final = 1.0
"""How often a process is looked at where the system cannot wake us: a person does not notice a second."""

_CHAIN: Final = 256
"""Longest line of ancestors that is followed; a shell in a shell in a shell is ten deep. Who comes of a longer one is not known."""

_LOOKS: Final = 3
"""How often a line is followed anew because one of it ended meanwhile."""

KINSHIP: Final = 3
"""Steps between a program and the helpers it starts for one task: a guard, a worker, a follower."""

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

_OUTSIDE: Final = 0
"""How Linux names a session whose first process is outside of this pid namespace: nothing within can begin such a one."""

# macOS, <sys/un.h> and <sys/ucred.h>; Python names none of these.
_SOL_LOCAL: Final = 0
_LOCAL_PEERCRED: Final = 1
_LOCAL_PEERPID: Final = 2
_XUCRED: Final = struct.Struct("=IIhxx16I")
"""version, uid, number of groups, groups"""

_UCRED: Final = struct.Struct("=iII")
"""Linux: pid, uid, gid"""
_SO_PEERPIDFD: Final = 77
"""Linux, <asm-generic/socket.h>"""

_PS_TIME: Final = "%a %b %d %H:%M:%S %Y"
"""A start time as `ps` writes it."""


@dataclass(frozen=True, slots=True)
class ProcessInfo:
    """What the system says of a process. `start` is opaque text; two processes with one pid differ in it."""

    parent: int
    state: str
    """One letter of the system's own: `T` is stopped."""
    start: str
    terminal: str
    """The controlling terminal, opaque; empty for none."""
    session: int | None = None
    """Its session; None where the system does not tell. Linux has 0 for one that was begun outside of this pid namespace."""

    @property
    def ended(self) -> bool:
        """Whether only the number is still taken."""
        return self.state in _DEAD_STATES

    @property
    def stopped(self) -> bool:
        """Whether job control or a debugger holds it (Ctrl+Z)."""
        return self.state in _STOPPED_STATES


Line = list[tuple[int, ProcessInfo]]
"""A process and its ancestors, itself first."""

Doubt = Literal["pi", "unknown", "daemon"]
"""Why a process is not taken for the person at this machine: a Pi or the daemon may have started it, or the system does not tell."""


@dataclass(frozen=True, slots=True)
class Suspect:
    """A process whose family is looked for, as it was when it was noted: its family is told by that when it has ended."""

    pid: int
    start: str | None
    info: ProcessInfo | None = None
    """None when it could not be looked at, or no orphan is to be taken for its own."""
    group: str = ""
    ancestors: frozenset[tuple[int, str]] = frozenset()

    def is_one_of(self, line: Line) -> bool:
        """Whether it is among these."""
        return any(pid == self.pid and self.start in (None, info.start) for pid, info in line)


def note(pid: int, start: str | None = None) -> Suspect:
    """The process with this pid and start time, as it is now."""
    line, _ = _lineage(pid)
    if not line or start not in (None, line[0][1].start):
        return Suspect(pid, start)
    return Suspect(pid, line[0][1].start, line[0][1], control_group(pid), frozenset(_identities(line[1:])))


@dataclass(frozen=True, slots=True)
class Peer:
    """The process at the other end of a unix socket, as the kernel noted it when the connection was made."""

    pid: int | None
    """None when the kernel does not tell, the peer is in another pid namespace, or it has ended and left the connection to another."""
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


def descent(pid: int, suspects: Collection[Suspect]) -> Doubt | None:
    """Why `pid` is not taken for somebody else's: it is one of `suspects`, descends from one, or may have lost its parents below one.

    What cannot be seen to be somebody else's is not taken for it. None: it is, or nobody is suspected.
    """
    if not suspects:
        return None
    for _ in range(_LOOKS):
        line, whole = _lineage(pid)
        if any(suspect.is_one_of(line) for suspect in suspects):
            return "pi"
        if not whole or line[0][1].ended:
            continue
        if any(_may_be_orphan_of(line, suspect) for suspect in suspects):
            return "pi"
        if _identities(_lineage(pid)[0]) == _identities(line):
            return None
    return "unknown"


def left_something(ended: Collection[Suspect]) -> set[Suspect]:
    """Which of these, that have ended, may have left a process behind that runs. Blocks for milliseconds.

    Where the system keeps no control groups everything might be one, so nothing is taken for it.
    """
    guilty: set[Suspect] = set()
    for _ in range(_LOOKS):
        looks = {int(entry): look(int(entry)) for entry in os.listdir("/proc") if entry.isdecimal()} if sys.platform == "linux" else {}
        infos = {pid: info for pid, info in looks.items() if info is not None}
        for pid, info in infos.items():
            if not info.ended:
                line = [(pid, info), *((parent, infos[parent]) for parent in (info.parent,) if parent in infos)]
                guilty.update(one for one in ended if one.group and _is_adopted(line, one) and _may_be_orphan_of(line, one))
        if len(infos) == len(looks):
            return guilty
    return {one for one in ended if one.group}  # each time one ended while it was looked at, and may have left another


def are_kin(first: int, second: int) -> bool:
    """Whether one of them is an ancestor of the other, or they have a parent, grandparent … in common at most KINSHIP steps above both.

    What everybody descends from does not count.
    """
    return bool(_line(first).intersection(_line(second)))


def _line(pid: int) -> set[int]:
    """The process and its nearest ancestors."""
    line: set[int] = set()
    while pid not in _ROOTS and len(line) <= KINSHIP:
        info = look(pid)
        if info is None:
            break
        line.add(pid)
        pid = info.parent
    return line


def _lineage(pid: int) -> tuple[Line, bool]:
    """The process, its parent, its grandparent …, and whether that is all of them."""
    line: Line = []
    while pid > 0 and len(line) < _CHAIN:
        info = look(pid)
        if info is None:
            break
        line.append((pid, info))
        pid = info.parent
    return line, bool(line) and pid in _ROOTS


def _identities(line: Line) -> list[tuple[int, str]]:
    return [(pid, info.start) for pid, info in line]


def _may_be_orphan_of(line: Line, suspect: Suspect) -> bool:
    """Whether the first of `line` belongs to a family that lost its parents, and that `suspect` may have begun.

    A process that forks twice loses its ancestors. Who adopts it is init, or the nearest of the suspect's own ancestors that asked for
    that: systemd's user manager, on a desktop. What it cannot lose is the control group of who started it, and unless it makes one it has
    no other terminal. So the oldest below whoever may have adopted it is taken for the suspect's when it started later than the suspect,
    is in the same group, and is in the suspect's session or has no terminal. Where the system keeps no groups, all are in one.
    """
    at = next((at for at in range(len(line)) if _is_adopted(line[at:], suspect)), None)
    if at is None or suspect.info is None or line[0][0] in _ROOTS or not suspect.ancestors.isdisjoint(_identities(line[: at + 1])):
        return False
    (pid, info), adopter = line[at], line[at + 1][1] if at + 1 < len(line) else None
    session = suspect.info.session
    told = None not in (info.session, session)
    beside = info.session == session if told else info.terminal == suspect.info.terminal
    if _is_older(info.start, suspect.info.start) or not (beside or info.terminal == ""):
        return False
    # Nobody enters a session but by birth, and these two are older than the suspect: its adopter's, and one from outside.
    if told and not beside and (info.session == _OUTSIDE or (adopter is not None and adopter.session == info.session)):
        return False
    if control_group(pid) != suspect.group:
        return False
    if info.parent in _ROOTS or adopter is None:
        return True
    # What shares the suspect's session is a shell, whose children are its jobs. Without sessions there are none but init that adopt.
    return session is not None and (adopter.session != session or control_group(info.parent) != suspect.group)


def _is_adopted(line: Line, suspect: Suspect) -> bool:
    """Whether the parent of the first of `line` is one that adopts what the suspect's family leaves."""
    parent = line[0][1].parent
    return parent in _ROOTS or (len(line) > 1 and (parent, line[1][1].start) in suspect.ancestors)


def _is_older(first: str, second: str) -> bool:
    """Whether one start time comes before another. Not so when one of them is not understood."""
    return _ticks(first) < _ticks(second)


def _ticks(start: str) -> float:
    if start.isdecimal():
        return int(start)
    try:
        return calendar.timegm(time.strptime(start, _PS_TIME))
    except ValueError:
        return math.nan


def control_group(pid: int) -> str:
    """Where systemd put the process: the login, service or terminal window that it belongs to. Empty where there are no groups."""
    return _read(f"/proc/{pid}/cgroup").decode(errors="replace")


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
        if pid and _has_ended(sock):
            pid = 0
    return Peer(pid or None, uid)


def _has_ended(sock: socket.socket) -> bool:
    """Whether the process that connected has ended, whoever has its number now. False where the kernel cannot tell (before 6.5)."""
    try:
        fd = sock.getsockopt(socket.SOL_SOCKET, _SO_PEERPIDFD)
    except OSError as error:
        return error.errno not in (errno.ENOPROTOOPT, errno.EMFILE, errno.ENFILE)
    try:
        poll = select.poll()
        poll.register(fd, select.POLLIN)
        return bool(poll.poll(0))
    finally:
        os.close(fd)


def _uid_of_xucred(raw: bytes) -> int:
    uid: int = _XUCRED.unpack(raw.ljust(_XUCRED.size, b"\0"))[1]
    return uid


def _look_in_proc(pid: int) -> ProcessInfo | None:
    line = _read(f"/proc/{pid}/stat")
    return _parse_stat(line) if line else None


def _read(path: str) -> bytes:
    """A file of `/proc`; nothing when the process is gone, or ends while it is being read."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(fd, _STAT_BYTES)
    except OSError:
        return b""
    finally:
        os.close(fd)


def _parse_stat(line: bytes) -> ProcessInfo:
    """Fields 3, 4, 6, 7 and 22 of proc_pid_stat(5). The name (field 2) may hold spaces and brackets: count from its end."""
    fields = line[line.rindex(b")") + 1 :].split()
    terminal = "" if fields[4] == b"0" else fields[4].decode()
    return ProcessInfo(int(fields[1]), fields[0].decode(), fields[19].decode(), terminal, int(fields[3]))


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
