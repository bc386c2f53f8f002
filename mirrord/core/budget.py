"""What all sessions hold together is bounded: past the bound, what a terminal or a snapshot can tell again gives way. Pure.

Of the sessions that nothing was told of for longest it gives way first, and in this order: messages of a conversation but the newest, which
the terminal keeps; events for clients that come back, which then take a snapshot; long texts that were handed to composers; and of what
extensions draw all but the headings, until it is drawn again. A prompt, what is needed to answer it, and how it ended never do.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from mirrord.core.held import weight
from mirrord.core.model import TerminalId
from mirrord.core.session import Session
from mirrord.wire.limits import CHAT_LEAST_BYTES, SESSIONS_BYTES


class Share(Enum):
    """What of a session gives way, in this order."""

    MESSAGES = "messages"
    EVENTS = "events"
    TEXTS = "texts"
    DRAWINGS = "drawings"


@dataclass(slots=True)
class Budget:
    """What each session holds, in bytes as JSON, the one that nothing was told of for longest first."""

    given_way: int = 0
    """How often something gave way."""
    _weights: OrderedDict[TerminalId, int] = field(default_factory=OrderedDict)
    _total: int = 0

    @property
    def is_over(self) -> bool:
        """Whether all sessions together hold too much."""
        return self._total > SESSIONS_BYTES

    def told(self, session: Session) -> None:
        """Something of a session was told, by its terminal or to somebody who asked for it."""
        self.weigh(session)
        self._weights.move_to_end(session.terminal.id)

    def weigh(self, session: Session) -> None:
        """A session holds more or less than before."""
        now = weight(session)
        self._total += now - self._weights.get(session.terminal.id, 0)
        self._weights[session.terminal.id] = now

    def forget(self, session: Session) -> None:
        """A session is gone."""
        self._total -= self._weights.pop(session.terminal.id, 0)

    def gives_way(self, sessions: Mapping[TerminalId, Session]) -> Iterator[tuple[Session, Share]]:
        """What gives way, one after the other while it is too much; whoever iterates takes each out before the next."""
        for share, is_there in _THERE.items():
            for terminal in tuple(self._weights):
                if not self.is_over:
                    return
                session = sessions[terminal]
                if not is_there(session):
                    continue
                self.given_way += 1
                yield session, share
                self.weigh(session)


_THERE: Final[dict[Share, Callable[[Session], bool]]] = {
    Share.MESSAGES: lambda session: session.conversation.timeline.bytes > CHAT_LEAST_BYTES and len(session.conversation.timeline.rows) > 1,
    Share.EVENTS: lambda session: session.journal.bytes > 0,
    Share.TEXTS: lambda session: session.display.handoffs.bytes > 0,
    Share.DRAWINGS: lambda session: session.display.surfaces.can_be_abridged,
}
"""Whether there is anything of it to take."""
