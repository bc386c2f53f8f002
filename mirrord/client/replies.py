"""What the daemon's commands answer, as far as this client reads it; fields it does not know are left out."""

from __future__ import annotations

import msgspec

from mirrord.wire.messages import Session


class _Reply(msgspec.Struct, frozen=True, rename="camel"):
    """The data of a command_result."""


class Paired(_Reply, frozen=True):
    """`pair`: a new credential. The token is in no repr, and the daemon does not know it any more."""

    token: str
    name: str
    role: str
    url: str

    def __repr__(self) -> str:
        """Without the token."""
        return f"Paired(name={self.name!r}, role={self.role!r})"


class ConnectedClient(_Reply, frozen=True):
    """Somebody who is connected."""

    name: str
    kind: str
    role: str
    credential: str


class ExtensionLink(_Reply, frozen=True):
    """A Pi's extension; `refused` is the sentence it was sent away with."""

    pid: int | None = None
    bridge_version: str | None = None
    refused: str | None = None


class DaemonStatus(_Reply, frozen=True):
    """`status`. `uptime` is in seconds."""

    version: str
    pid: int
    url: str
    socket: str
    uptime: float
    sessions: tuple[Session, ...]
    clients: tuple[ConnectedClient, ...]
    links: tuple[ExtensionLink, ...] = ()
