"""Events of a conversation that came in pieces, put together: a piece alone is half a text that nobody can look through. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec

from mirrord.client.chat_reducer import EVENT_CHARACTERS
from mirrord.wire.chat import ChatEvent, ChatFrame
from mirrord.wire.messages import ServerMessage


@dataclass(slots=True)
class Pieces:
    """The event that is coming in."""

    _event: int | None = None
    _data: list[str] = field(default_factory=list)
    _characters: int = 0

    def take(self, message: ServerMessage) -> ServerMessage | None:
        """The message, or the event that this piece completes; None while others are missing, and for pieces that fit nothing."""
        if not isinstance(message, ChatFrame):
            return message
        if message.index == 0:
            self._event, self._data, self._characters = message.event, [], 0
        self._characters += len(message.data)
        if message.event != self._event or message.index != len(self._data) or self._characters > EVENT_CHARACTERS:
            self._event = None
            return None
        self._data.append(message.data)
        if len(self._data) < message.count:
            return None
        self._event = None
        try:
            return msgspec.json.decode("".join(self._data), type=ChatEvent)
        except (msgspec.DecodeError, RecursionError):
            return None
