"""Listening sockets that a service manager made and passed on (sd_listen_fds(3)). Each must be one that we would have made ourselves."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Iterator, MutableMapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from bridge.paths import Paths
from mirrord.service.errors import BadActivation

FIRST: Final = 3
"""The descriptors come right after the standard streams."""

MOST: Final = 16
"""We have four; whoever passes many more means somebody else."""

_OTHERS: Final = stat.S_IWGRP | stat.S_IWOTH
"""Who may write may connect; the directory is closed to others besides."""


@dataclass(slots=True)
class Activated:
    """What was passed: sockets that listen already. None where there was none, which the daemon then makes."""

    network: socket.socket | None = None
    unix: dict[Path, socket.socket] = field(default_factory=dict)
    """By their path, which is one of ours; who made it removes it."""

    def close(self) -> None:
        """The manager keeps its own descriptors of them."""
        for sock in (self.network, *self.unix.values()):
            if sock is not None:
                sock.close()


def activated(environ: MutableMapping[str, str], pid: int, paths: Paths, host: str, port: int) -> Activated:
    """The sockets that were passed to the process `pid`, which are then this process's alone; variables are taken out of `environ`.

    Raises BadActivation for a socket that is not ours: a service that was written for other places or another port.
    """
    passed = Activated()
    with ExitStack() as stack:
        stack.callback(passed.close)
        for number, name in _passed(environ, pid):
            _take(passed, number, name, paths, (host, port))
        stack.pop_all()
    return passed


def _passed(environ: MutableMapping[str, str], pid: int) -> Iterator[tuple[int, str]]:
    """Number and name of each."""
    owner, count, names = (environ.pop(f"LISTEN_{name}", "") for name in ("PID", "FDS", "FDNAMES"))
    if owner != str(pid) or not count.isdecimal():
        return  # They were for a parent of ours.
    given = names.split(":") if names else []
    for index in range(min(int(count), MOST)):
        yield FIRST + index, given[index] if index < len(given) else "unnamed"


def _take(passed: Activated, number: int, name: str, paths: Paths, address: tuple[str, int]) -> None:
    def refuse(reason: str) -> BadActivation:
        return BadActivation(number, name, reason)

    try:
        if not stat.S_ISSOCK(os.fstat(number).st_mode):
            raise refuse("it is no socket")
        os.set_inheritable(number, False)
        sock = socket.socket(fileno=number)
    except OSError as error:
        raise refuse(error.strerror or str(error)) from error
    with ExitStack() as stack:
        stack.enter_context(sock)
        sock.setblocking(False)
        if sock.type != socket.SOCK_STREAM or not sock.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
            raise refuse("it does not listen for streams")
        if sock.family == socket.AF_UNIX:
            path = _our_path(sock.getsockname(), paths)
            if path is None or path in passed.unix:
                raise refuse(f"it listens at {_shown(sock.getsockname())}, where this daemon has no socket to take")
            if (problem := _problem_of(path)) is not None:
                raise refuse(problem)
            passed.unix[path] = sock
        elif sock.family == socket.AF_INET:
            bound, wanted = sock.getsockname(), address
            if bound[0] != wanted[0] or wanted[1] not in (0, bound[1]) or passed.network is not None:
                raise refuse(f"it listens on {bound[0]} port {bound[1]}, and the settings say {wanted[0]} port {wanted[1]}")
            passed.network = sock
        else:
            raise refuse("it is neither a unix socket nor IPv4")
        stack.pop_all()


def _our_path(name: str | bytes, paths: Paths) -> Path | None:
    ours = (paths.control_socket, paths.bridge_socket, paths.screen_socket)
    return next((path for path in ours if os.fsencode(path) == os.fsencode(name)), None)


def _shown(name: str | bytes) -> str:
    return repr(os.fsdecode(name))


def _problem_of(path: Path) -> str | None:
    """What is wrong with the file at the socket's path."""
    try:
        found = path.lstat()
    except OSError as error:
        return f"its path {path} is gone ({error.strerror})"
    if not stat.S_ISSOCK(found.st_mode) or found.st_uid != os.getuid():
        return f"its path {path} is something else by now"
    return f"{path} is open to other users (mode {stat.S_IMODE(found.st_mode):04o})" if found.st_mode & _OTHERS else None
