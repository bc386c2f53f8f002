"""A typed client of the daemon, for the command line, the demo and the tests. It has no policy of its own."""

from mirrord.client.connection import Connection, connect
from mirrord.client.endpoint import Endpoint, Local, Remote
from mirrord.client.errors import (
    BadCredential,
    CommandRefused,
    ConnectionLost,
    DaemonNotRunning,
    NotADaemon,
    ProtocolMismatch,
    Refused,
)
from mirrord.client.frames import Frame
from mirrord.client.replies import DaemonStatus, Paired

__all__ = [
    "BadCredential",
    "CommandRefused",
    "Connection",
    "ConnectionLost",
    "DaemonNotRunning",
    "DaemonStatus",
    "Endpoint",
    "Frame",
    "Local",
    "NotADaemon",
    "Paired",
    "ProtocolMismatch",
    "Refused",
    "Remote",
    "connect",
]
