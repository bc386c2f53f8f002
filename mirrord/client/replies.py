"""What the daemon's commands answer, as far as this client reads it; fields it does not know are left out."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from mirrord.client.errors import ProtocolMismatch
from mirrord.wire.messages import Session

_Data = TypeVar("_Data")


def read_data(name: str, data: object, kind: type[_Data]) -> _Data:
    """The data of the command `name`. Raises `ProtocolMismatch` when it has another form."""
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        raise ProtocolMismatch(f"the answer to `{name}` cannot be read: {error}") from error


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


class PairingCode(_Reply, frozen=True):
    """`pair_code`: a code for one device, good until `expiresAt` (ms). `offer` names it without telling it; `url` holds it."""

    offer: str
    code: str
    role: str
    page: str
    url: str
    expires_at: int

    def __repr__(self) -> str:
        """Without the code."""
        return f"PairingCode(offer={self.offer!r}, role={self.role!r})"


class PairingOutcome(_Reply, frozen=True):
    """`pair_wait`: `used`, `failed`, `old`, `replaced` or `too_many_tries`; `device` is the name of the one that used it."""

    outcome: str
    role: str
    device: str | None = None


class DeviceInfo(_Reply, frozen=True):
    """Somebody who may connect. `kind` is `paired` or `token`; times are ms since the epoch."""

    id: str
    name: str
    role: str
    kind: str
    created_at: int
    connections: int
    last_seen_at: int | None = None


class Devices(_Reply, frozen=True):
    """`devices`: everybody who may connect, the oldest first."""

    devices: tuple[DeviceInfo, ...]


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


class IdleExit(_Reply, frozen=True):
    """A daemon that ends after `seconds` without session and client; `at` (ms) is when, while nobody is there."""

    seconds: float
    at: int | None = None


class Flow(_Reply, frozen=True):
    """Messages that went one way: how many, and when the last one did (ms since the epoch)."""

    count: int = 0
    at: int | None = None


class Moved(_Reply, frozen=True):
    """What moved, seen from the daemon; a terminal is a Pi, a client a device or program."""

    from_terminals: Flow = Flow()
    to_terminals: Flow = Flow()
    from_clients: Flow = Flow()
    to_clients: Flow = Flow()


class Memory(_Reply, frozen=True):
    """Bytes: in RAM, and held for others by kind, with the most of one session, of all sessions together, and of one client."""

    rss: int = 0
    held: dict[str, int] = {}
    most_per_session: int = 0
    most_of_sessions: int = 0
    most_per_client: int = 0


class StoreStatus(_Reply, frozen=True):
    """What is on disk. `set_aside`: stores that could not be used; `took_the_place_of`: the one that was, when this daemon started."""

    bytes: int
    devices: int
    receipts: int
    oldest_receipt_at: int | None = None
    set_aside: tuple[str, ...] = ()
    took_the_place_of: str | None = None


class Kept(_Reply, frozen=True):
    """For how many days, and how many bytes of receipts and of ended sessions each, is kept of what is over."""

    days: int
    bytes: int


class DaemonStatus(_Reply, frozen=True):
    """`status`. `uptime` is in seconds; `managed`: a service manager started it. An older daemon says less."""

    version: str
    pid: int
    url: str
    socket: str
    uptime: float
    sessions: tuple[Session, ...]
    clients: tuple[ConnectedClient, ...]
    links: tuple[ExtensionLink, ...] = ()
    idle_exit: IdleExit | None = None
    managed: bool = False
    moved: Moved = Moved()
    memory: Memory = Memory()
    store: StoreStatus | None = None
    retention: Kept | None = None
    counters: dict[str, int] = {}


class OptionsPage(_Reply, frozen=True):
    """`options`: options of a select from place `offset` on."""

    offset: int
    options: tuple[str, ...]
    option_count: int


class PrefillPiece(_Reply, frozen=True):
    """`prefill`: piece `part` (from 0) of `parts` of an editor's content, which is in no repr."""

    part: int
    parts: int
    text: str

    def __repr__(self) -> str:
        """Without the text."""
        return f"PrefillPiece(part={self.part}, parts={self.parts})"
