"""Sessions that clients asked to follow and were not told yet, for want of room; each client's in the order it asked."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final

from mirrord.core.model import ClientId, TerminalId
from mirrord.core.rooms import Rooms

AT_ONCE: Final = 0.0
"""A moment that is over by any clock of the events."""


@dataclass(slots=True)
class Awaited:
    """Who waits for which sessions."""

    rooms: Rooms
    _asked: dict[ClientId, dict[TerminalId, str | None]] = field(default_factory=dict)
    """Client → session → the cursor that it comes back with. No client is here that waits for nothing."""

    def of(self, client: ClientId) -> Collection[TerminalId]:
        """The sessions that a client waits for."""
        return self._asked.get(client, {})

    def ask(self, client: ClientId, session: TerminalId, since: str | None) -> None:
        """A client asks for a session, behind those it waits for; `since` is the cursor that it comes back with."""
        self._asked.setdefault(client, {})[session] = since

    def withdraw(self, client: ClientId, session: TerminalId) -> None:
        """A client wants this session no more."""
        asked = self._asked.get(client, {})
        asked.pop(session, None)
        if not asked:
            self._asked.pop(client, None)

    def gone(self, client: ClientId) -> None:
        """A client is gone."""
        self._asked.pop(client, None)

    def take(self, client: ClientId) -> tuple[TerminalId, str | None] | None:
        """The next session for a client, and its cursor; None when it waits for none, or has no room."""
        asked = self._asked.get(client)
        if not asked or not self.rooms.has(client):
            return None
        session = next(iter(asked))
        since = asked[session]
        self.withdraw(client, session)
        return session, since

    def ready(self) -> tuple[ClientId, ...]:
        """Clients that can be told more now: each took what it was given without falling behind."""
        return tuple(client for client in self._asked if not self.rooms.is_behind(client))

    @property
    def wake_at(self) -> float | None:
        """When there is something to tell: with the next event, as nobody says that an outbox never filled; None: nobody waits for that."""
        return AT_ONCE if self.ready() else None
