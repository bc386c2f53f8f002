"""Where a daemon is: the control socket of this machine, or an address with a credential."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from bridge.private import ForeignDirectory, ForeignSocket, NotASocket
from mirrord.client.errors import DaemonNotRunning
from mirrord.wire.messages import ENDPOINT


@dataclass(frozen=True, slots=True)
class Local:
    """The daemon of this user, over `control.sock`; the file system is the credential."""

    socket: Path

    def __str__(self) -> str:
        return str(self.socket)


@dataclass(frozen=True, slots=True)
class Remote:
    """A daemon at `url` (`ws://host:port`, the path may be left out). The token is in no repr."""

    url: str
    token: str = field(repr=False)

    def __str__(self) -> str:
        return self.url

    @property
    def address(self) -> str:
        """The URL with the protocol's path."""
        parts = urlsplit(self.url)
        return urlunsplit(parts._replace(path=parts.path.rstrip("/") or ENDPOINT))


Endpoint = Local | Remote


def check_socket(path: Path) -> None:
    """After this `path` was a socket of this user in a directory of this user, so what we type reaches nobody else.

    Raises:
        DaemonNotRunning: nothing is there.
        Refusal: something else is there, or it belongs to another user.
    """
    try:
        directory, found = path.parent.lstat(), path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        raise DaemonNotRunning(f"there is no {path}") from None
    if directory.st_uid != os.getuid():
        raise ForeignDirectory(path.parent, directory.st_uid)
    if not stat.S_ISSOCK(found.st_mode):
        raise NotASocket(path, "a symbolic link" if stat.S_ISLNK(found.st_mode) else "something else")
    if found.st_uid != os.getuid():
        raise ForeignSocket(path, found.st_uid)
