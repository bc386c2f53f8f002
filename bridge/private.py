"""Directories and sockets that nobody else on this machine can reach, or a refusal that says what is wrong.

The order follows from what an attacker of another uid could do in between: the directory is made and checked before
anything is put into it, the lock is held before a stale socket is removed, and a socket has its mode when it appears.
"""

from __future__ import annotations

import contextlib
import os
import socket
import stat
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bridge.paths import socket_path_limit
from bridge.refusal import Refusal

if TYPE_CHECKING:
    from pathlib import Path

    from bridge.daemon_lock import DaemonLock

_DIRECTORY_MODE: Final = 0o700
_SOCKET_UMASK: Final = 0o177
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO

_BACKLOG: Final = 64
"""Connections the kernel keeps while the daemon is busy: all terminals reconnect at once after a restart."""

_PROBE_SECONDS: Final = 1.0
"""How long a socket found in our place may take to accept: a unix socket answers at once or its queue is full."""


class NotADirectory(Refusal):
    """A file or a symbolic link stands where the directory must be."""

    def __init__(self, path: Path, kind: str) -> None:
        super().__init__(f"{path} is {kind}, not a directory; move it away and start again")


class ForeignDirectory(Refusal):
    """The directory belongs to another user."""

    def __init__(self, path: Path, owner: int) -> None:
        super().__init__(f"{path} belongs to user {owner}, not to you; remove it, or choose another place with the XDG variables")


class OpenDirectory(Refusal):
    """Other users can enter the directory."""

    def __init__(self, path: Path, mode: int) -> None:
        super().__init__(f"{path} is open to other users (mode {mode:04o}); run: chmod 700 '{path}'")


class DirectoryNotMade(Refusal):
    """The directory does not exist and the system does not let us make it."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path} cannot be made ({reason}); make it with mode 700, or choose another place with the XDG variables")


class SocketPathTooLong(Refusal):
    """The system could not name the socket."""

    def __init__(self, path: Path, length: int, limit: int) -> None:
        super().__init__(f"the socket path {path} has {length} bytes, {limit} are allowed; set XDG_RUNTIME_DIR to a shorter path")


class NotASocket(Refusal):
    """A file, directory or symbolic link stands where the socket must be."""

    def __init__(self, path: Path, kind: str) -> None:
        super().__init__(f"{path} is {kind}, not a socket; move it away and start again")


class ForeignSocket(Refusal):
    """The socket in our place belongs to another user."""

    def __init__(self, path: Path, owner: int) -> None:
        super().__init__(f"the socket {path} belongs to user {owner}, not to you; remove it and start again")


class SocketInUse(Refusal):
    """A process that does not hold the lock accepts connections in our place."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"another program answers on {path}; stop it and start again")


class SocketNotBound(Refusal):
    """The system does not let us make the socket."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"the socket {path} cannot be made ({reason}); set XDG_RUNTIME_DIR to a directory that allows sockets")


def ensure_private_dir(path: Path) -> None:
    """After this `path` is a directory of this user that no other user can enter, and no symbolic link.

    Missing parents are made with mode 0700. A parent that lies directly in a directory others may write to (`/tmp`)
    is held to the same rule, because whoever owns it could exchange what is inside. Existing modes are not changed:
    what is open may have been used by others already.
    """
    if _others_may_write(path.parent.parent):
        ensure_private_dir(path.parent)
    try:
        _make(path)
        found = path.lstat()
    except OSError as error:
        raise DirectoryNotMade(path, error.strerror or str(error)) from error
    if not stat.S_ISDIR(found.st_mode):
        raise NotADirectory(path, _kind(found.st_mode))
    if found.st_uid != os.getuid():
        raise ForeignDirectory(path, found.st_uid)
    if found.st_mode & _OTHERS:
        raise OpenDirectory(path, stat.S_IMODE(found.st_mode))


@dataclass(frozen=True, slots=True)
class PrivateSocket:
    """A listening, non-blocking unix socket of mode 0600 and the inode it had when it was made.

    Without an inode somebody else made it, who removes it as well.
    """

    sock: socket.socket
    path: Path
    inode: tuple[int, int] | None

    def close(self) -> None:
        """Close the socket, and remove its path unless something else stands there by now. May be called twice."""
        self.sock.close()
        with contextlib.suppress(FileNotFoundError):
            if self.inode is not None and _inode(self.path.lstat()) == self.inode:
                self.path.unlink()


def bind_private_socket(path: Path, lock: DaemonLock) -> PrivateSocket:
    """A socket at `path`, in a directory that `ensure_private_dir` checked, while `lock` is held.

    A stale socket of ours is replaced; anything else there is refused and left alone. The mode is 0600 from the first
    instant: the umask is narrowed around `bind` and nothing is changed afterwards. The umask belongs to the whole
    process, so call this before other threads make files.
    """
    if not lock.held:
        raise AssertionError("a socket is bound only while the daemon lock is held")
    length, limit = len(os.fsencode(path)), socket_path_limit(sys.platform)
    if length > limit:
        raise SocketPathTooLong(path, length, limit)
    _remove_stale(path)
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        sock.setblocking(False)
        before = os.umask(_SOCKET_UMASK)
        try:
            sock.bind(os.fsencode(path))
        finally:
            os.umask(before)
        bound = PrivateSocket(sock, path, _inode(path.lstat()))
        sock.listen(_BACKLOG)
    except OSError as error:
        sock.close()
        raise SocketNotBound(path, error.strerror or str(error)) from error
    return bound


def _remove_stale(path: Path) -> None:
    try:
        found = path.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(found.st_mode):
        raise NotASocket(path, _kind(found.st_mode))
    if found.st_uid != os.getuid():
        raise ForeignSocket(path, found.st_uid)
    if _is_answered(path):
        raise SocketInUse(path)
    path.unlink(missing_ok=True)


def _is_answered(path: Path) -> bool:
    """Whether somebody listens there. Only a refused or vanished connection counts as no."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(_PROBE_SECONDS)
        try:
            probe.connect(os.fsencode(path))
        except (ConnectionRefusedError, FileNotFoundError):
            return False
        except OSError:
            return True
    return True


def _make(path: Path) -> None:
    if not path.parent.exists():
        _make(path.parent)
    with contextlib.suppress(FileExistsError):
        path.mkdir(_DIRECTORY_MODE)


def _others_may_write(path: Path) -> bool:
    try:
        return bool(path.stat().st_mode & stat.S_IWOTH)
    except OSError:
        return False


def _inode(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino


def _kind(mode: int) -> str:
    if stat.S_ISLNK(mode):
        return "a symbolic link"
    if stat.S_ISDIR(mode):
        return "a directory"
    if stat.S_ISREG(mode):
        return "a file"
    return "something else"
