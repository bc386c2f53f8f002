"""The hello of a client: which protocol both speak, who it is, and what it is told first."""

from __future__ import annotations

import msgspec

from mirrord.core.clients import Connection
from mirrord.core.commands import CloseClient, Command, Send
from mirrord.core.model import Client, ClientId
from mirrord.wire import messages as wire
from mirrord.wire.capabilities import SERVER_CAPABILITIES, TEXT_FALLBACK
from mirrord.wire.limits import CAPABILITIES

PROTOCOL_CLOSE = 1002
"""Close code for a client that speaks no protocol of ours."""


def protocol_of(hello: wire.Hello) -> int | None:
    """The highest protocol that both speak; None when there is none."""
    protocol = min(hello.protocol.max, wire.PROTOCOL_MAX)
    return protocol if protocol >= max(hello.protocol.min, wire.PROTOCOL_MIN) else None


def turned_away(client: ClientId, hello: wire.Hello) -> list[Command]:
    """What a client gets with whom there is no protocol in common: which side is old, and the end."""
    older = hello.protocol.max < wire.PROTOCOL_MIN
    what = (
        "This client is too old for the daemon: update it."
        if older
        else "The daemon is too old for this client: update mirrord and restart it."
    )
    return [Send(client, wire.Error(code="protocol", message=what)), CloseClient(client, PROTOCOL_CLOSE, "protocol")]


def introduced(client: ClientId, connection: Connection, hello: wire.Hello) -> Client:
    """The client as it said it is; one that claims nothing shows text."""
    capabilities = frozenset(hello.capabilities[:CAPABILITIES]) or frozenset((TEXT_FALLBACK,))
    return Client(client, hello.client.name, hello.client.kind, connection.role, connection.credential, capabilities, connection.device)


def welcome(connection: Connection, protocol: int, server: wire.ServerInfo, sessions: tuple[wire.Session, ...], now: int) -> wire.Welcome:
    """The first message. `now` in ms since the epoch."""
    return wire.Welcome(
        server=server,
        server_now=now,
        protocol=protocol,
        role=msgspec.convert(connection.role.name.lower(), wire.RoleName),
        capabilities=SERVER_CAPABILITIES,
        sessions=sessions,
        notice=connection.notice,
    )
