"""Which addresses a push is sent to: https, at a name, and there to nothing but public addresses.

The address comes from a client, and the daemon connects to it. Without these rules a client could have it knock at the router, at the
metadata service of a cloud or at a database on this machine. The name is judged when a device subscribes; what it stands for is
judged at each send, of the very address that is then connected to.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from mirrord.errors import MirrordError
from mirrord.wire.limits import PUSH_ENDPOINT_CHARS

PORT: Final = 443
"""Of every push service; another port of a public machine is another program."""

_URL: Final = re.compile(r"[!#-;=?-\[\]_a-z~%]+")
"""Printable ASCII that RFC 3986 knows, and nothing that ends a line or a word of a request."""

_NAME: Final = re.compile(r"(?=.{4,253}\Z)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?")
"""At least two labels, of which the last does not begin with a digit: no form of an IPv4 address, nothing from a search list."""

_PRIVATE_NAMES: Final = (".local", ".localhost", ".internal", ".lan", ".home.arpa", ".onion", ".test", ".invalid")
"""Names that stand for nothing public (RFC 6761, 6762, 8375, 9476 and custom)."""

_GLOBAL_UNICAST: Final = ipaddress.IPv6Network("2000::/3")
"""All IPv6 addresses of the public network that were given to anybody; what Python calls global is more than that."""

_NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")
"""IPv4 addresses in another form (RFC 6052)."""


class BadEndpoint(MirrordError):
    """Nothing is sent to such an address."""

    def __init__(self, what: str) -> None:
        super().__init__(f"The address of the push service {what}.")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where to send. Who knows `target` can send to the device, so that it is in no repr and no log."""

    host: str
    target: str = field(repr=False)
    """Path and query."""

    @property
    def origin(self) -> str:
        """Whom a token is for (the `aud` of RFC 8292)."""
        return f"https://{self.host}"


def endpoint(url: str) -> Endpoint:
    """The parts of an address that may be sent to. Raises BadEndpoint."""
    if len(url) > PUSH_ENDPOINT_CHARS:
        raise BadEndpoint(f"has more than {PUSH_ENDPOINT_CHARS} characters")
    if _URL.fullmatch(url) is None:
        raise BadEndpoint("has characters that belong in no address")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise BadEndpoint("is none") from None
    if parts.scheme != "https":
        raise BadEndpoint("has to begin with https://")
    if "@" in parts.netloc or parts.fragment or url.endswith("#"):
        raise BadEndpoint("may hold neither a user nor a fragment")
    if port not in (None, PORT):
        raise BadEndpoint(f"may have no port but {PORT}")
    host = parts.hostname or ""
    if _NAME.fullmatch(host) is None or host.endswith(_PRIVATE_NAMES):
        raise BadEndpoint("needs a public name")
    return Endpoint(host, (parts.path or "/") + (f"?{parts.query}" if parts.query else ""))


def is_public(address: str) -> bool:
    """Whether an IP address, as numbers, is one of the public network. Forms that carry an IPv4 address are judged by that."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.scope_id is not None or parsed.sixtofour is not None or parsed.teredo is not None:
            return False
        if parsed.ipv4_mapped is not None:
            return is_public(str(parsed.ipv4_mapped))
        if parsed in _NAT64:
            return is_public(str(ipaddress.IPv4Address(int(parsed) & 0xFFFF_FFFF)))
        if parsed not in _GLOBAL_UNICAST:
            return False
    return parsed.is_global and not (parsed.is_multicast or parsed.is_reserved or parsed.is_unspecified)
