"""The connected clients: who they are, what they follow, and the addressing of every message that goes to them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import msgspec

from mirrord.core.commands import Command, Send
from mirrord.core.effects import Publish
from mirrord.core.levels import project
from mirrord.core.model import Client, ClientId, TerminalId
from mirrord.core.pace import Held, Pace
from mirrord.core.pieces import Pieces
from mirrord.core.session import Session
from mirrord.wire import messages as wire
from mirrord.wire.roles import Role

WAKE_SECONDS: Final = 0.005
"""The core is not woken sooner than that: many clients' turns come together."""


@dataclass(slots=True)
class Connection:
    """A client's connection; `client` is None before its hello."""

    role: Role
    credential: str
    notice: str | None
    device: str = ""
    client: Client | None = None
    follows: set[TerminalId] = field(default_factory=set)
    content: Pieces = field(default_factory=Pieces)
    """A long answer that is coming in."""
    pace: Pace = field(default_factory=Pace)
    answers: int = 0
    """How many answers it gave: makes the key of one without a response id unique."""


@dataclass(slots=True)
class Clients:
    """Every connection that passed the gate."""

    now: float = 0.0
    """The moment of the event that is handled, in seconds."""
    _connections: dict[ClientId, Connection] = field(default_factory=dict)
    _holding: dict[ClientId, Connection] = field(default_factory=dict)
    """Those for whom a change waits."""
    wake_at: float | None = None
    """When one of them may go, by the clock of the events."""
    _dropped: int = 0
    """Of clients that are gone."""

    @property
    def dropped(self) -> int:
        """Notifications that came faster than a client is sent them, all clients together."""
        return self._dropped + sum(connection.pace.dropped for connection in self._connections.values())

    def connect(self, client: ClientId, connection: Connection) -> None:
        """A connection passed the gate; it gets nothing before its hello."""
        self._connections[client] = connection

    def leave(self, client: ClientId) -> None:
        """The connection ended."""
        gone = self._connections.pop(client, None)
        self._holding.pop(client, None)
        self._dropped += gone.pace.dropped if gone is not None else 0

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
        message, journal = publish.message, session.journal
        durable = publish.durable and publish.importance != "may"
        if durable:
            message = msgspec.structs.replace(message, cursor=journal.advance())
            journal.record(message, publish.key)
        change = Held(publish.key or "", message, session.terminal.id, journal, journal.seq if durable else None, publish.importance)
        commands: list[Command] = []
        for connection, client in self._greeted():
            if session.terminal.id not in connection.follows or not _hears(client, publish):
                continue
            if publish.after is not None and (last := connection.pace.take(publish.after)) is not None:
                commands += self._go(connection, client, last)
            if publish.importance == "must" or self._may_go(connection, client, change):
                commands += self._go(connection, client, change)
        return commands

    def announce(self, change: wire.Change, session: Session) -> list[Command]:
        """To every client: the list of sessions changed."""
        message = wire.SessionChanged(change=change, session=session.view())
        held = Held(f"{session.terminal.id}/session", message, None, session.journal)
        commands: list[Command] = []
        for connection, client in self._greeted():
            if change != "changed":
                connection.pace.take(held.key)
                commands.append(Send(client.id, message, "must", held.key))
            elif self._may_go(connection, client, held):
                commands.append(Send(client.id, message, "latest", held.key))
        return commands

    def catch_up(self, client: Client, session: Session, since: str | None) -> list[Send]:
        """To one client: the events after its cursor, and what is in no journal but still true; everything, where that cannot be."""
        told: list[wire.ServerMessage] = []
        missed = session.journal.after(since) if since is not None else None
        if missed is not None:
            views = session.display.surfaces.typed_views()
            told += [*missed, *(publish.message for publish in views if _hears(client, publish))]
        else:
            told += [wire.Gap(session_id=session.terminal.id, since=since)] if since is not None else []
            told.append(session.snapshot())
        return [Send(client.id, projected) for message in told for projected in project(message, client)]

    def release(self) -> list[Command]:
        """Time has passed: what waited for it goes."""
        commands: list[Command] = []
        for client_id, connection in list(self._holding.items()):
            for held in connection.pace.release(self.now):
                if connection.client is not None:
                    commands += self._go(connection, connection.client, held)
            if not connection.pace.holding:
                del self._holding[client_id]
        due = min((connection.pace.due(self.now) for connection in self._holding.values()), default=None)
        self.wake_at = max(due, self.now + WAKE_SECONDS) if due is not None else None
        return commands

    def _may_go(self, connection: Connection, client: Client, change: Held) -> bool:
        if connection.pace.note(change, self.now) if change.importance == "may" else connection.pace.state(change, self.now):
            return True
        self._holding[client.id] = connection
        due = max(connection.pace.due(self.now), self.now + WAKE_SECONDS)
        self.wake_at = due if self.wake_at is None else min(self.wake_at, due)
        return False

    def _go(self, connection: Connection, client: Client, change: Held) -> list[Command]:
        """The change as this client gets it, with the cursor up to which it then has everything."""
        message = change.message
        if change.seq is not None:
            safe = connection.pace.safe(change.journal)
            cursor = change.journal.at(safe if safe is not None else change.journal.seq)
            if cursor != getattr(message, "cursor", None):
                message = msgspec.structs.replace(message, cursor=cursor)
        key = change.key or None
        return [Send(client.id, projected, change.importance, key) for projected in project(message, client)]

    def _greeted(self) -> Iterator[tuple[Connection, Client]]:
        return ((connection, connection.client) for connection in self._connections.values() if connection.client is not None)


def _hears(client: Client, publish: Publish) -> bool:
    """Whether the client is of the audience."""
    return publish.audience == "all" or (publish.audience == "controllers") == (client.role >= Role.CONTROLLER)
