"""A typed client of the daemon, for the command line, the demo and the tests.

`connect` gives one connection without any policy; `Following` follows a session over as many as it takes. `pair` and
`authenticate` get a token as a browser does.
"""

from mirrord.client.connection import Connection, connect
from mirrord.client.content import Answer, text_answer
from mirrord.client.endpoint import Endpoint, Local, Remote
from mirrord.client.errors import (
    BadCredential,
    CommandRefused,
    ConnectionLost,
    DaemonNotRunning,
    NotADaemon,
    NotGenuine,
    PairingRefused,
    ProtocolMismatch,
    Refused,
)
from mirrord.client.following import Following, Watcher
from mirrord.client.frames import Frame
from mirrord.client.pairing import Identity, authenticate, pair
from mirrord.client.pending import Decided, NotConfirmed, Pending
from mirrord.client.replies import DaemonStatus, DeviceInfo, Devices, OptionsPage, Paired, PairingCode, PairingOutcome, PrefillPiece

__all__ = [
    "Answer",
    "BadCredential",
    "CommandRefused",
    "Connection",
    "ConnectionLost",
    "DaemonNotRunning",
    "DaemonStatus",
    "Decided",
    "DeviceInfo",
    "Devices",
    "Endpoint",
    "Following",
    "Frame",
    "Identity",
    "Local",
    "NotADaemon",
    "NotConfirmed",
    "NotGenuine",
    "OptionsPage",
    "Paired",
    "PairingCode",
    "PairingOutcome",
    "PairingRefused",
    "Pending",
    "PrefillPiece",
    "ProtocolMismatch",
    "Refused",
    "Remote",
    "Watcher",
    "authenticate",
    "connect",
    "pair",
    "text_answer",
]
