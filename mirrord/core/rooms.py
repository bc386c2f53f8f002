"""Which clients have room for what can wait: the conversations and the sessions that they asked for.

Nothing looks at a client's outbox before an event is over, so what one event gives it is counted here, where it is given.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from mirrord.core.model import ClientId
from mirrord.wire.limits import CHAT_BEHIND_BYTES


@dataclass(slots=True)
class Rooms:
    """What the daemon said of outboxes, and what clients were given since, in the event that is handled."""

    _behind: set[ClientId] = field(default_factory=set)
    _given: dict[ClientId, int] = field(default_factory=dict)
    """Bytes of what can wait."""

    def begin(self) -> None:
        """An event begins: whoever got too much with those before was said to be behind."""
        self._given.clear()

    def has(self, client: ClientId) -> bool:
        """Whether it may be given something now, however large: an outbox takes the largest snapshot behind all that this lets wait."""
        return client not in self._behind and self._given.get(client, 0) <= CHAT_BEHIND_BYTES

    def is_behind(self, client: ClientId) -> bool:
        """Whether it has to take what waits before it is given more; otherwise there is room again with the next event."""
        return client in self._behind

    def give(self, client: ClientId, size: int) -> None:
        """It is given so many bytes of what can wait."""
        self._given[client] = self._given.get(client, 0) + size

    def behind(self, client: ClientId) -> None:
        """More than CHAT_BEHIND_BYTES wait for it."""
        self._behind.add(client)

    def caught_up(self, client: ClientId) -> None:
        """It has taken most of it, or is gone."""
        self._behind.discard(client)
