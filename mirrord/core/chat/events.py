"""What can happen to conversations. All texts in here are sanitized; offsets count UTF-16 units of sanitized texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from mirrord.core.events import Event, FromLink
from mirrord.core.model import ClientId
from mirrord.wire.chat import ChatAgent, ChatMessage, ChatPart, ChatSlashCommand, QueuedFollowUp

TurnStage = Literal["accepted", "queued", "consumed", "rejected", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatFromLink(FromLink):
    """Base of what the extension tells of its conversation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatReset(ChatFromLink):
    """A boundary: the rows that follow, up to ChatReady, replace what is known."""

    conversation_id: str
    leaf: str | None
    reason: str
    more: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatReady(ChatFromLink):
    """The page is whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowTold(ChatFromLink):
    """A row is new or replaced; `after` names the row before it, None for the first of the conversation."""

    message: ChatMessage
    after: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TextAppended(ChatFromLink):
    """The text of a part is now its first `offset` units, then `text`; `start` is a new part."""

    id: str
    part: int
    offset: int
    text: str
    start: ChatPart | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RowConfirmed(ChatFromLink):
    """The row has its entry."""

    id: str
    entry_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RowRemoved(ChatFromLink):
    """The row is no part of the conversation."""

    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatBroken(ChatFromLink):
    """Something that the extension told does not follow what it told before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageTold(ChatFromLink):
    """Older rows that were asked for, the oldest first; `error` is one sentence when there are none."""

    request: str
    messages: tuple[ChatMessage, ...]
    more: bool
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueTold(ChatFromLink):
    """Pi's queue, whole."""

    items: tuple[QueuedFollowUp, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentTold(ChatFromLink):
    """What Pi is set to and does. `since`: when that changed last, ms since the epoch by Pi's clock."""

    agent: ChatAgent
    idle: bool
    since: int
    trusted: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRuled(ChatFromLink):
    """What became of a turn, as the terminal says."""

    turn: str
    stage: TurnStage
    reason: str | None = None
    row_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionDone(ChatFromLink):
    """What became of an action."""

    request: str
    ok: bool
    message: str | None = None
    data: dict[str, Any] | None = None
    commands: tuple[ChatSlashCommand, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientBehind(Event):
    """So much waits for a client (CHAT_BEHIND_BYTES) that it gets nothing more of conversations, and no further session, for now."""

    client: ClientId


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientCaughtUp(Event):
    """It has taken most of it."""

    client: ClientId
