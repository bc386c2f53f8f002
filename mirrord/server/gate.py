"""Who gets in: one pure function, asked before anything else is done with a request (design FIXED 5).

The order is path → Host → Origin → rate → credential → capacity, and the first that fails answers. Nothing is exempt:
loopback counts for nothing, neither do cookies, forwarding headers or a secret in the URL. The path says which door is
meant: the clients' WebSocket, which needs a credential; pairing, which is how one gets it; or a file of the web client,
which holds no secret.
"""

from __future__ import annotations

import enum
import hashlib
import hmac
import re
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from mirrord.wire.messages import ENDPOINT
from mirrord.wire.pairing import PAIR_ENDPOINT
from mirrord.wire.roles import Role

TOKEN_CHARS: Final = 256
"""Longest credential that is looked at; ours have 47."""

BEARER_SUBPROTOCOL: Final = "bearer."
"""Browsers cannot set headers on a WebSocket, so their credential travels as a subprotocol with this prefix."""

LOCAL_CREDENTIAL: Final = "local"
"""The name under which answers from the control socket are told to others; no credential can have it."""


METRICS_ENDPOINT: Final = "/metrics"
"""Of the control socket alone: how much a person works is nobody else's business."""


class Door(enum.Enum):
    """What a request is for."""

    CLIENT = "the clients' WebSocket"
    PAIRING = "the WebSocket that pairs and hands out tokens"
    FILE = "a file of the web client"


_WEBSOCKETS: Final = {ENDPOINT: Door.CLIENT, PAIR_ENDPOINT: Door.PAIRING}
_TOKEN: Final = re.compile(r"[A-Za-z0-9._~+/=-]+")
_AUTHORITY: Final = re.compile(r"(?P<host>[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::(?P<port>0|[1-9][0-9]{0,4}))?", re.ASCII)
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_NOBODY: Final = hashlib.sha256(b"").digest()


@dataclass(frozen=True, slots=True)
class Authority:
    """A host as it is compared: lower case, with its port."""

    host: str
    port: int


@dataclass(frozen=True, slots=True)
class Origin:
    """A web origin as it is compared."""

    scheme: str
    authority: Authority


@dataclass(frozen=True, slots=True)
class Credential:
    """A credential as the gate knows it: SHA-256 of the token, never the token, and the id of the device that may use it."""

    name: str
    role: Role
    digest: bytes
    device: str


@dataclass(frozen=True, slots=True)
class GateRequest:
    """A request as it came. `headers` keeps duplicates and order."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...]

    def values(self, name: str) -> tuple[str, ...]:
        """Every value of a header, as many as were sent."""
        return tuple(value.strip(" \t") for given, value in self.headers if given.lower() == name)


@dataclass(frozen=True, slots=True)
class GatePolicy:
    """What the daemon lets in right now. `files` are the paths of the web client, `/` among them.

    `throttled`: the peer's address failed too often. `full`: no place is left for clients; `pairing_full`: none for pairing. `crowded` are
    the ids of devices that hold as many places as one device may.
    """

    hosts: frozenset[Authority]
    origins: frozenset[Origin]
    credentials: tuple[Credential, ...]
    files: frozenset[str] = frozenset()
    throttled: bool = False
    full: bool = False
    pairing_full: bool = False
    crowded: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Admitted:
    """Let in, as this credential. `device` is the id of who was let in, and empty on the control socket."""

    role: Role
    credential: str
    device: str = ""


@dataclass(frozen=True, slots=True)
class PairingAdmitted:
    """May try to pair, or to prove that it is a paired device. `host` is the Host header as it was sent."""

    host: str


@dataclass(frozen=True, slots=True)
class FileAdmitted:
    """May have this file of the web client."""

    path: str


@dataclass(frozen=True, slots=True)
class MetricsAdmitted:
    """May have the daemon's metrics."""


@dataclass(frozen=True, slots=True)
class Refused:
    """Not let in. `reason` is a word for the log; the body of the answer depends on `status` alone."""

    status: HTTPStatus
    reason: str


def policy_for(
    port: int,
    credentials: tuple[Credential, ...],
    *,
    files: frozenset[str] = frozenset(),
    throttled: bool = False,
    full: bool = False,
    pairing_full: bool = False,
    crowded: frozenset[str] = frozenset(),
) -> GatePolicy:
    """The policy of a listener on 127.0.0.1:port: the loopback names that no DNS answer can change, and pages served from them."""
    hosts = frozenset(Authority(host, port) for host in ("127.0.0.1", "localhost", "[::1]"))
    origins = frozenset(Origin("http", host) for host in hosts)
    return GatePolicy(hosts, origins, credentials, files, throttled, full, pairing_full, crowded)


def admit(request: GateRequest, policy: GatePolicy) -> Admitted | PairingAdmitted | FileAdmitted | Refused:
    """Whether a request from the network gets in, where, and as whom."""
    door = _door(request, policy.files)
    refused = door if isinstance(door, Refused) else _check_host(request, policy) or _check_origin(request, policy)
    if refused is not None:
        return refused
    if policy.throttled:
        return Refused(HTTPStatus.TOO_MANY_REQUESTS, "rate")
    match door:
        case Door.FILE:
            return FileAdmitted(request.target)
        case Door.PAIRING:
            full, admitted = policy.pairing_full, PairingAdmitted(request.values("host")[0])
            return Refused(HTTPStatus.SERVICE_UNAVAILABLE, "capacity") if full else admitted
    credential = _find_credential(request, policy.credentials)
    if credential is None:
        return Refused(HTTPStatus.UNAUTHORIZED, "credential")
    if policy.full or credential.device in policy.crowded:
        return Refused(HTTPStatus.SERVICE_UNAVAILABLE, "capacity")
    return Admitted(credential.role, credential.name, credential.device)


def admit_local(request: GateRequest, *, same_user: bool, full: bool, role: Role) -> Admitted | MetricsAdmitted | Refused:
    """Whether a request on the control socket gets in. The file system and the peer's uid are the credential there."""
    if request.target == PAIR_ENDPOINT:
        return Refused(HTTPStatus.NOT_FOUND, "path")  # who is at this machine needs no pairing
    door = _door(request, frozenset((METRICS_ENDPOINT,)))
    if isinstance(door, Refused):
        return door
    if request.values("origin"):
        return Refused(HTTPStatus.FORBIDDEN, "origin")  # no browser can reach this socket by itself: somebody forwards it
    if not same_user:
        return Refused(HTTPStatus.UNAUTHORIZED, "credential")
    if door is Door.FILE:
        return MetricsAdmitted() if role is Role.OWNER else Refused(HTTPStatus.FORBIDDEN, "role")
    return Refused(HTTPStatus.SERVICE_UNAVAILABLE, "capacity") if full else Admitted(role, LOCAL_CREDENTIAL)


def _door(request: GateRequest, files: frozenset[str]) -> Door | Refused:
    """What the path, to the letter and without a query, stands for. The two WebSockets have to be asked for as such."""
    door = Door.FILE if request.target in files else _WEBSOCKETS.get(request.target)
    if door is None or request.method != "GET":
        return Refused(HTTPStatus.NOT_FOUND, "path")
    if door is not Door.FILE and not _asks_for_websocket(request):
        return Refused(HTTPStatus.UPGRADE_REQUIRED, "upgrade")
    return door


def parse_authority(text: str) -> tuple[str, int | None] | None:
    """Host and port of a `Host` header in lower case, or None. No userinfo, no trailing dot, no spaces."""
    found = _AUTHORITY.fullmatch(text.lower()) if text.isascii() else None
    if found is None or found["host"].endswith("."):
        return None
    port = int(found["port"]) if found["port"] is not None else None
    return (found["host"], port) if port is None or port <= 65_535 else None


def parse_origin(text: str) -> Origin | None:
    """The origin that a browser names, or None: `null`, a path, userinfo and anything else unexpected are no origin."""
    scheme, separator, rest = text.partition("://")
    scheme = scheme.lower()
    authority = parse_authority(rest)
    if not separator or scheme not in _DEFAULT_PORTS or authority is None:
        return None
    host, port = authority
    return Origin(scheme, Authority(host, port if port is not None else _DEFAULT_PORTS[scheme]))


def offered_subprotocols(request: GateRequest) -> tuple[str, ...]:
    """Subprotocols in the order they were offered."""
    listed = ",".join(request.values("sec-websocket-protocol"))
    return tuple(name for name in (part.strip() for part in listed.split(",")) if name)


def digest_of(token: str) -> bytes:
    """What is stored and compared instead of a token: 32 bytes, whatever its length."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


def _asks_for_websocket(request: GateRequest) -> bool:
    upgrades = [part.strip().lower() for value in request.values("upgrade") for part in value.split(",")]
    options = [part.strip().lower() for value in request.values("connection") for part in value.split(",")]
    return upgrades == ["websocket"] and "upgrade" in options


def _check_host(request: GateRequest, policy: GatePolicy) -> Refused | None:
    given = request.values("host")
    if len(given) != 1:
        return Refused(HTTPStatus.BAD_REQUEST, "host")
    parsed = parse_authority(given[0])
    if parsed is None or Authority(parsed[0], parsed[1] if parsed[1] is not None else _DEFAULT_PORTS["http"]) not in policy.hosts:
        return Refused(HTTPStatus.FORBIDDEN, "host")
    return None


def _check_origin(request: GateRequest, policy: GatePolicy) -> Refused | None:
    """Programs send none, which is fine because nobody gets in without a credential; browsers always send one."""
    given = request.values("origin")
    if not given:
        return None
    parsed = parse_origin(given[0]) if len(given) == 1 else None
    return None if parsed is not None and parsed in policy.origins else Refused(HTTPStatus.FORBIDDEN, "origin")


def _find_credential(request: GateRequest, credentials: tuple[Credential, ...]) -> Credential | None:
    """The credential whose token was sent. A missing, wrong or revoked one takes the same steps and the same time."""
    token = _token(request)
    digest = digest_of(token) if token is not None else _NOBODY
    found: Credential | None = None
    for credential in credentials:
        if hmac.compare_digest(credential.digest, digest):
            found = credential
    return found if token is not None else None


def _token(request: GateRequest) -> str | None:
    """The one token of a request; two of them are none."""
    tokens = [_bearer(value) for value in request.values("authorization")]
    tokens += [name[len(BEARER_SUBPROTOCOL) :] for name in offered_subprotocols(request) if name.startswith(BEARER_SUBPROTOCOL)]
    token = tokens[0] if len(tokens) == 1 else None
    if token is None or len(token) > TOKEN_CHARS or not _TOKEN.fullmatch(token):
        return None
    return token


def _bearer(value: str) -> str | None:
    scheme, _, token = value.partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None
