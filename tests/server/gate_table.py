"""Requests and what the gate says to them: one table, read by the test of the pure function and by the one over real sockets.

`PORT` in a value stands for the listener's port. `{controller}` and the other names stand for tokens, and the same names for their
devices. The web client is `SCRIPT` and its page.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from mirrord.wire.roles import Role


class Door(enum.Enum):
    """What somebody without a credential may get."""

    PAIRING = "a connection on which one pairs"
    FILE = "a file of the web client"


PAIRING: Final = Door.PAIRING
FILE: Final = Door.FILE
PORT: Final = "PORT"
SCRIPT: Final = "/assets/app-1a2b.js"

NOT_FOUND: Final = HTTPStatus.NOT_FOUND
UPGRADE: Final = HTTPStatus.UPGRADE_REQUIRED
BAD: Final = HTTPStatus.BAD_REQUEST
FORBIDDEN: Final = HTTPStatus.FORBIDDEN
UNAUTHORIZED: Final = HTTPStatus.UNAUTHORIZED
FULL: Final = HTTPStatus.SERVICE_UNAVAILABLE

Expected = Role | Door | HTTPStatus
Headers = tuple[tuple[str, str], ...]

HOST: Final[Headers] = (("Host", "127.0.0.1:PORT"),)
UPGRADING: Final[Headers] = (
    ("Upgrade", "websocket"),
    ("Connection", "Upgrade"),
    ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ("Sec-WebSocket-Version", "13"),
)
OURS: Final[Headers] = (("Origin", "http://127.0.0.1:PORT"),)
FOREIGN: Final[Headers] = (("Origin", "https://evil.test"),)
PAIRING_OFFERED: Final[Headers] = (("Sec-WebSocket-Protocol", "mirrord.pair.v1"),)
AUTHORIZED: Final[Headers] = (("Authorization", "Bearer {controller}"),)


@dataclass(frozen=True, slots=True)
class Row:
    """One request. `expected` is a role or a door for one that gets in, a status for one that does not."""

    name: str
    expected: Expected
    method: str = "GET"
    target: str = "/v1/ws"
    host: Headers = HOST
    upgrade: Headers = UPGRADING
    origin: Headers = ()
    credential: Headers = AUTHORIZED
    other: Headers = ()
    crowded: tuple[str, ...] = ()
    """Devices that hold as many connections as one may."""

    @property
    def headers(self) -> Headers:
        """All of them, in the order a client sends them."""
        return self.host + self.upgrade + self.origin + self.credential + self.other


def _path(name: str, target: str, method: str = "GET", status: HTTPStatus = NOT_FOUND) -> Row:
    return Row(f"path: {name}", status, method=method, target=target)


def _upgrade(name: str, upgrade: Headers) -> Row:
    return Row(f"upgrade: {name}", UPGRADE, upgrade=upgrade)


def _host(name: str, value: str, expected: Expected = FORBIDDEN) -> Row:
    return Row(f"host: {name}", expected, host=(("Host", value),))


def _origin(name: str, value: str, expected: Expected = FORBIDDEN) -> Row:
    return Row(f"origin: {name}", expected, origin=(("Origin", value),))


def _credential(name: str, *headers: tuple[str, str], expected: Expected = UNAUTHORIZED) -> Row:
    return Row(f"credential: {name}", expected, credential=headers)


def _bearer(name: str, value: str, expected: Expected = UNAUTHORIZED) -> Row:
    return _credential(name, ("Authorization", value), expected=expected)


def _offered(name: str, value: str, expected: Expected = UNAUTHORIZED) -> Row:
    return _credential(name, ("Sec-WebSocket-Protocol", value), expected=expected)


def _file(
    name: str, expected: Expected = FILE, target: str = "/", *, method: str = "GET", crowded: tuple[str, ...] = (), **headers: Headers
) -> Row:
    """As a browser asks for a file: no upgrade, no credential."""
    given: dict[str, Headers] = {"upgrade": (), "credential": (), **headers}
    return Row(f"file: {name}", expected, method=method, target=target, crowded=crowded, **given)


def _pair(
    name: str,
    expected: Expected = PAIRING,
    target: str = "/v1/pair",
    *,
    method: str = "GET",
    crowded: tuple[str, ...] = (),
    **headers: Headers,
) -> Row:
    """As a browser that holds no credential."""
    given: dict[str, Headers] = {"origin": OURS, "credential": PAIRING_OFFERED, **headers}
    return Row(f"pair: {name}", expected, method=method, target=target, crowded=crowded, **given)


PATHS: Final = (
    Row("path: exactly ours", Role.CONTROLLER),
    _path("nothing of ours", "/v1"),
    _path("trailing slash", "/v1/ws/"),
    _path("double slash", "//v1/ws"),
    _path("other case", "/V1/WS"),
    _path("dots", "/v1/../v1/ws"),
    _path("escaped", "/v1/%77s"),
    _path("query", "/v1/ws?"),
    _path("token in the query", "/v1/ws?token={controller}"),
    _path("fragment", "/v1/ws#x"),
    _path("absolute form", "http://127.0.0.1:PORT/v1/ws"),
    _path("another version", "/v2/ws"),
    _path("POST", "/v1/ws", "POST"),
    _path("HEAD", "/v1/ws", "HEAD"),
    _path("OPTIONS", "/v1/ws", "OPTIONS"),
    _path("lower-case method", "/v1/ws", "get"),
    _upgrade("a plain GET", ()),
    _upgrade("another protocol", (("Upgrade", "h2c"), ("Connection", "Upgrade"))),
    _upgrade("not confirmed by Connection", (("Upgrade", "websocket"), ("Connection", "keep-alive"))),
    _upgrade("two at once", (("Upgrade", "websocket, h2c"), ("Connection", "Upgrade"))),
)

HOSTS: Final = (
    _host("127.0.0.1", "127.0.0.1:PORT", Role.CONTROLLER),
    _host("localhost", "localhost:PORT", Role.CONTROLLER),
    _host("localhost in capitals", "LOCALHOST:PORT", Role.CONTROLLER),
    _host("IPv6 loopback", "[::1]:PORT", Role.CONTROLLER),
    Row("host: none", BAD, host=()),
    Row("host: two equal ones", BAD, host=HOST + HOST),
    Row("host: two different ones", BAD, host=(*HOST, ("Host", "evil.test"))),
    _host("empty", ""),
    _host("without a port", "127.0.0.1"),
    _host("another port", "127.0.0.1:1"),
    _host("port with a leading zero", "127.0.0.1:0PORT"),
    _host("port 99999", "127.0.0.1:99999"),
    _host("rebound name", "evil.test:PORT"),
    _host("our name as a prefix", "127.0.0.1.evil.test:PORT"),
    _host("our name as a suffix", "evil-localhost:PORT"),
    _host("subdomain of localhost", "evil.localhost:PORT"),
    _host("trailing dot", "localhost.:PORT"),
    _host("userinfo", "localhost:PORT@evil.test:PORT"),
    _host("userinfo before us", "evil.test@localhost:PORT"),
    _host("every address", "0.0.0.0:PORT"),
    _host("short loopback", "127.1:PORT"),
    _host("decimal loopback", "2130706433:PORT"),
    _host("another loopback", "127.0.0.2:PORT"),
    _host("mapped loopback", "[::ffff:127.0.0.1]:PORT"),
    _host("list", "127.0.0.1:PORT, evil.test"),
    _host("with a scheme", "http://127.0.0.1:PORT"),
    Row("host: ours only in X-Forwarded-Host", FORBIDDEN, host=(("Host", "evil.test"), ("X-Forwarded-Host", "127.0.0.1:PORT"))),
)

ORIGINS: Final = (
    _origin("ours", "http://127.0.0.1:PORT", Role.CONTROLLER),
    _origin("localhost", "http://localhost:PORT", Role.CONTROLLER),
    _origin("IPv6 loopback", "http://[::1]:PORT", Role.CONTROLLER),
    _origin("in capitals", "HTTP://LOCALHOST:PORT", Role.CONTROLLER),
    _origin("null", "null"),
    _origin("empty", ""),
    _origin("foreign", "https://evil.test"),
    _origin("our address, another port", "http://127.0.0.1:1"),
    _origin("our address, default port", "http://127.0.0.1"),
    _origin("https", "https://127.0.0.1:PORT"),
    _origin("ws", "ws://127.0.0.1:PORT"),
    _origin("file", "file://"),
    _origin("extension", "chrome-extension://abcdefghijklmnop"),
    _origin("prefix look-alike", "http://127.0.0.1.evil.test:PORT"),
    _origin("suffix look-alike", "http://evil-127.0.0.1:PORT"),
    _origin("subdomain", "http://x.localhost:PORT"),
    _origin("trailing dot", "http://localhost.:PORT"),
    _origin("userinfo", "http://localhost:PORT@evil.test"),
    _origin("userinfo before us", "http://evil.test@localhost:PORT"),
    _origin("path", "http://127.0.0.1:PORT/"),
    _origin("query", "http://127.0.0.1:PORT?x"),
    _origin("two in one header", "http://127.0.0.1:PORT http://evil.test"),
    _origin("backslash", "http://127.0.0.1:PORT\\@evil.test"),
    _origin("without a scheme", "127.0.0.1:PORT"),
    Row("origin: two headers", FORBIDDEN, origin=(("Origin", "http://127.0.0.1:PORT"), ("Origin", "http://127.0.0.1:PORT"))),
    Row("origin: ours without a credential", UNAUTHORIZED, origin=(("Origin", "http://127.0.0.1:PORT"),), credential=()),
    Row("origin: foreign without a credential", FORBIDDEN, origin=(("Origin", "http://evil.test"),), credential=()),
)

CREDENTIALS: Final = (
    _bearer("a controller's", "Bearer {controller}", Role.CONTROLLER),
    _bearer("an observer's", "Bearer {observer}", Role.OBSERVER),
    _bearer("scheme in another case", "bEaReR {controller}", Role.CONTROLLER),
    _offered("as a subprotocol", "mirrord.v1, bearer.{observer}", Role.OBSERVER),
    _offered("as the only subprotocol", "bearer.{controller}", Role.CONTROLLER),
    _credential("none"),
    _bearer("wrong", "Bearer mrd_wrong"),
    _bearer("revoked", "Bearer {revoked}"),
    _bearer("empty", "Bearer "),
    _bearer("no scheme", "{controller}"),
    _bearer("Basic", "Basic {controller}"),
    _bearer("in other case", "Bearer {controller_upper}"),
    _bearer("a prefix of it", "Bearer {controller_prefix}"),
    _bearer("more than it", "Bearer {controller}x"),
    _bearer("two in one header", "Bearer {controller}, Bearer {controller}"),
    _bearer("its digest", "Bearer {controller_digest}"),
    _bearer("far too long", "Bearer " + "x" * 4000),
    _bearer("not ASCII", "Bearer mrd_é"),
    _credential("two headers", ("Authorization", "Bearer {controller}"), ("Authorization", "Bearer {controller}")),
    _credential("header and subprotocol", ("Authorization", "Bearer {controller}"), ("Sec-WebSocket-Protocol", "bearer.{controller}")),
    _offered("two subprotocols", "bearer.{controller}, bearer.{controller}"),
    _offered("wrong subprotocol", "mirrord.v1, bearer.mrd_wrong"),
    _offered("revoked subprotocol", "mirrord.v1, bearer.{revoked}"),
    _offered("prefix in another case", "mirrord.v1, Bearer.{controller}"),
    _offered("subprotocol without a credential", "mirrord.v1"),
    _credential("cookie", ("Cookie", "token={controller}; Authorization=Bearer {controller}")),
    _credential("forwarded identity", ("X-Forwarded-User", "ada"), ("X-Forwarded-For", "127.0.0.1"), ("X-Real-IP", "127.0.0.1")),
    _credential("proxy header", ("Proxy-Authorization", "Bearer {controller}")),
)

FILES: Final = (
    _file("the page"),
    _file("the page at localhost", host=(("Host", "localhost:PORT"),)),
    _file("the page from our own page", origin=OURS),
    _file("a script", target=SCRIPT),
    _file("a WebSocket is not what it is", upgrade=UPGRADING),
    _file("a credential changes nothing", credential=AUTHORIZED),
    _file("a wrong credential changes nothing", credential=(("Authorization", "Bearer mrd_wrong"),)),
    _file("one that is not in the list", NOT_FOUND, "/assets/other.js"),
    _file("the folder of one", NOT_FOUND, "/assets/"),
    _file("by the name it has on disk", NOT_FOUND, "/index.html"),
    _file("query", NOT_FOUND, "/?x"),
    _file("code in the query", NOT_FOUND, "/?pair=K7QF2M9XTB"),
    _file("dots", NOT_FOUND, "/assets/../assets/app-1a2b.js"),
    _file("climbing", NOT_FOUND, "/../../etc/passwd"),
    _file("escaped climbing", NOT_FOUND, "/%2e%2e/%2e%2e/etc/passwd"),
    _file("escaped", NOT_FOUND, "/assets/app%2D1a2b.js"),
    _file("double slash", NOT_FOUND, "//"),
    _file("backslash", NOT_FOUND, "/assets\\app-1a2b.js"),
    _file("NUL", NOT_FOUND, "/\0"),
    _file("other case", NOT_FOUND, "/Assets/app-1a2b.js"),
    _file("absolute form", NOT_FOUND, "http://127.0.0.1:PORT/"),
    _file("HEAD", NOT_FOUND, method="HEAD"),
    _file("POST", NOT_FOUND, method="POST"),
    _file("rebound name", FORBIDDEN, host=(("Host", "evil.test:PORT"),)),
    _file("no host", BAD, host=()),
    _file("asked for by a foreign page", FORBIDDEN, origin=FOREIGN),
    _file("asked for by a page without an origin", FORBIDDEN, origin=(("Origin", "null"),)),
)

PAIRS: Final = (
    _pair("a page of ours"),
    _pair("a program", origin=()),
    _pair("no subprotocol", credential=()),
    _pair("a credential changes nothing", credential=AUTHORIZED),
    _pair("at localhost", host=(("Host", "localhost:PORT"),), origin=(("Origin", "http://localhost:PORT"),)),
    _pair("trailing slash", NOT_FOUND, "/v1/pair/"),
    _pair("code in the query", NOT_FOUND, "/v1/pair?code=K7QF2M9XTB"),
    _pair("other case", NOT_FOUND, "/v1/Pair"),
    _pair("POST", NOT_FOUND, method="POST"),
    _pair("a plain GET", UPGRADE, upgrade=()),
    _pair("rebound name", FORBIDDEN, host=(("Host", "evil.test:PORT"),)),
    _pair("no host", BAD, host=()),
    _pair("two hosts", BAD, host=HOST + HOST),
    _pair("a foreign page", FORBIDDEN, origin=FOREIGN),
    _pair("a page without an origin", FORBIDDEN, origin=(("Origin", "null"),)),
    _pair("our address, another port", FORBIDDEN, origin=(("Origin", "http://127.0.0.1:1"),)),
)

ORDER: Final = (
    Row("order: path before everything", NOT_FOUND, target="/v0", host=(), origin=(("Origin", "null"),), credential=()),
    Row("order: host before origin", BAD, host=(), origin=(("Origin", "null"),), credential=()),
    Row("order: origin before credential", FORBIDDEN, origin=(("Origin", "null"),), credential=()),
)

CAPACITY: Final = (
    Row("capacity: of a device that holds all it may", FULL, crowded=("controller",)),
    Row(
        "capacity: of that device, from a browser",
        FULL,
        origin=OURS,
        credential=(("Sec-WebSocket-Protocol", "mirrord.v1, bearer.{controller}"),),
        crowded=("controller",),
    ),
    Row("capacity: beside a device that holds all it may", Role.CONTROLLER, crowded=("observer",)),
    Row("capacity: of nobody, beside such a device", UNAUTHORIZED, credential=(), crowded=("controller", "observer")),
    _file("such a device's browser", credential=AUTHORIZED, crowded=("controller",)),
    _pair("such a device", credential=AUTHORIZED, crowded=("controller",)),
)

TABLE: Final = PATHS + HOSTS + ORIGINS + CREDENTIALS + FILES + PAIRS + ORDER + CAPACITY
