"""The connected clients: who they are, what they follow, and the addressing of every message that goes to them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import msgspec

from mirrord.core.commands import Command, Send
from mirrord.core.effects import Publish
from mirrord.core.levels import project
from mirrord.core.model import Client, ClientId, Importance, TerminalId
from mirrord.core.pieces import Pieces
from mirrord.core.session import Session
from mirrord.wire import messages as wire
from mirrord.wire.roles import Role


@dataclass(slots=True)
class Connection:
    """A client's connection; `client` is None before its hello."""

    role: Role
    credential: str
    notice: str | None
    client: Client | None = None
    follows: set[TerminalId] = field(default_factory=set)
    content: Pieces = field(default_factory=Pieces)
    """A long answer that is coming in."""
    answers: int = 0
    """How many answers it gave: makes the key of one without a response id unique."""


@dataclass(slots=True)
class Clients:
    """Every connection that passed the gate."""

    _connections: dict[ClientId, Connection] = field(default_factory=dict)

    def connect(self, client: ClientId, connection: Connection) -> None:
        """A connection passed the gate; it gets nothing before its hello."""
        self._connections[client] = connection

    def leave(self, client: ClientId) -> None:
        """The connection ended."""
        self._connections.pop(client, None)

    def get(self, client: ClientId) -> Connection | None:
        """The connection, while it lasts."""
        return self._connections.get(client)

    def known(self) -> tuple[Client, ...]:
        """Every client that said hello."""
        return tuple(client for _, client in self._greeted())

    def send(self, client: ClientId, message: wire.ServerMessage) -> list[Command]:
        """To one client, in the form its capabilities allow; to nobody before its hello or after its end."""
        connection = self._connections.get(client)
        if connection is None or connection.client is None:
            return []
        return [Send(client, projected) for projected in project(message, connection.client)]

    def publish(self, session: Session, publish: Publish) -> list[Command]:
        """To every follower; durable events get the next cursor and go into the journal, notifications do not (never replayed)."""
        message = publish.message
        if publish.importance != "may":
            message = msgspec.structs.replace(message, cursor=session.journal.advance())
            session.journal.record(message)
        return [
            Send(client.id, projected, publish.importance, publish.key)
            for connection, client in self._greeted()
            if session.terminal.id in connection.follows
            for projected in project(message, client)
        ]

    def announce(self, change: wire.Change, session: Session) -> list[Command]:
        """To every client: the list of sessions changed."""
        message = wire.SessionChanged(change=change, session=session.view())
        importance: Importance = "latest" if change == "changed" else "must"
        key = f"{session.terminal.id}/session"
        return [Send(client.id, message, importance, key) for _, client in self._greeted()]

    def _greeted(self) -> Iterator[tuple[Connection, Client]]:
        return ((connection, connection.client) for connection in self._connections.values() if connection.client is not None)
