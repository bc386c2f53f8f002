"""One session's conversation as a client shows it, over as many connections as it takes. Pure: frames in, what to send out.

What it shows is `chat_reducer`'s view. A stream that is of no use any more is begun again, and continues what is shown.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Final, TypeVar

import msgspec

from mirrord.client import chat_reducer
from mirrord.client.chat_reducer import ChatView, Json, Step
from mirrord.client.errors import ProtocolMismatch
from mirrord.client.frames import Frame
from mirrord.wire import chat as wire
from mirrord.wire import messages
from mirrord.wire.capabilities import CHAT, CHAT_APPENDS, PROMPT_NATIVE, TEXT_FALLBACK
from mirrord.wire.limits import CHAT_HISTORY_ROWS

_Kind = TypeVar("_Kind")

CLAIMS: Final = (TEXT_FALLBACK, PROMPT_NATIVE, CHAT, CHAT_APPENDS)
"""What a client claims that shows conversations."""

STREAM_ERRORS: Final = 16
"""Of one connection: a daemon that goes wrong so often goes wrong each time, and would be asked without an end."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What a frame changed, and what is to be sent for it: a new subscription where the stream broke."""

    step: Step
    send: wire.ChatSubscribe | None = None


@dataclass(slots=True)
class Conversation:
    """The conversation of one session. `is_followed`: subscribed to on this connection."""

    session_id: str
    view: ChatView = field(default_factory=ChatView)
    is_followed: bool = False
    _errors: int = 0

    def subscribe(self) -> wire.ChatSubscribe:
        """Follow it from here on; what is shown stays, and the daemon is told how far that goes."""
        self.view = chat_reducer.connect(self.view)
        self.is_followed = True
        newest = next((each["entryId"] for each in reversed(self.view.messages) if isinstance(each.get("entryId"), str)), None)
        return wire.ChatSubscribe(session_id=self.session_id, since=self.view.cursor, entry_id=newest)

    def lost(self) -> None:
        """The connection ended, or somebody else unsubscribed; unfinished pieces are worth nothing."""
        self.view = chat_reducer.connect(self.view)
        self.is_followed = False
        self._errors = 0

    def take(self, frame: Frame) -> Taken | None:
        """A frame of the connection; None when it is none of this conversation. Raises ProtocolMismatch when nothing helps."""
        message = frame.message
        if not isinstance(message, wire.ChatEvent | wire.ChatFrame) or message.session_id != self.session_id or not self.is_followed:
            return None
        step = chat_reducer.reduce(self.view, json.loads(frame.text))
        self.view = step.view
        if step.view.error is None:
            return Taken(step)
        self._errors += 1
        if self._errors > STREAM_ERRORS:
            raise ProtocolMismatch(f"its conversation cannot be read: {step.view.error}")
        return Taken(step, self.subscribe())

    @property
    def fields(self) -> wire.ChatSnapshot:
        """All of the snapshot but the messages; a field that was not told is UNSET."""
        return _read(dict(self.view.fields), wire.ChatSnapshot)

    def history(self, before: str, limit: int, request_id: str) -> messages.Command:
        """Ask for messages older than this one, at most CHAT_HISTORY_ROWS; `page` reads what comes."""
        args = {"sessionId": self.session_id, "before": before, "limit": min(limit, CHAT_HISTORY_ROWS)}
        return messages.Command(request_id=request_id, name="chat_history", args=args)


def page(data: object) -> wire.ChatHistoryPage:
    """The data of `chat_history`. Raises ProtocolMismatch."""
    return _read(data, wire.ChatHistoryPage)


def read_message(message: Json) -> wire.ChatMessage:
    """A message of a view. Raises ProtocolMismatch."""
    return _read(dict(message), wire.ChatMessage)


def _read(value: object, kind: type[_Kind]) -> _Kind:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise ProtocolMismatch(f"what it tells of a conversation cannot be read: {error}") from error
