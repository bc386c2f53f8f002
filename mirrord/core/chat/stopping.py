"""Turns that somebody stopped: when Pi goes on for too long after that, it is said."""

from __future__ import annotations

from typing import Final

import msgspec

from mirrord.core.chat.conversation import Conversation, Told
from mirrord.core.model import Moment
from mirrord.wire.chat import ChatNotice, ChatStopping
from mirrord.wire.limits import STOP_SECONDS

OVERDUE: Final = f"Pi is still busy {STOP_SECONDS:.0f} s after it was told to stop."


class Stops:
    """The conversations whose turn was stopped, until Pi rests."""

    def __init__(self) -> None:
        self._due: dict[str, tuple[Conversation, float]] = {}

    def asked(self, conversation: Conversation, by: str, at: Moment) -> Told:
        """Somebody stops the turn; who stopped it first is named."""
        if conversation.stopping is None:
            conversation.stopping = ChatStopping(at.wall, by)
            self._due[conversation.session_id] = conversation, at.boot + STOP_SECONDS
        return Told(fields=conversation.changed_fields())

    def rests(self, conversation: Conversation) -> Told | None:
        """Pi rests, or could not be stopped, or is out of reach: nothing is being stopped any more."""
        if conversation.stopping is None:
            return None
        self._due.pop(conversation.session_id, None)
        conversation.stopping = None
        return Told(fields=conversation.changed_fields())

    def due(self, now: float) -> list[tuple[Conversation, Told]]:
        """Those that Pi did not stop in time; each is said once."""
        late = [conversation for conversation, at in self._due.values() if now >= at]
        said: list[tuple[Conversation, Told]] = []
        for conversation in late:
            del self._due[conversation.session_id]
            if conversation.stopping is not None:
                conversation.stopping = msgspec.structs.replace(conversation.stopping, overdue=True)
                said.append((conversation, Told(fields=conversation.changed_fields(), notice=ChatNotice("warning", OVERDUE))))
        return said

    @property
    def next_at(self) -> float | None:
        """When one is due next."""
        return min((at for _, at in self._due.values()), default=None)
