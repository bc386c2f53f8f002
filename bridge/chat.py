"""The conversation on the bridge wire: its rows, Pi's queue and state, and what a remote wants done. Section "The conversation" of
`docs/bridge.md` is the specification.

Words that a later extension may add (`kind` of a row, `type` of a part, `reason` of a reset) are plain strings here.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from bridge.base import By, Message, Part

RowState = Literal["streaming", "done", "error", "aborted"]
QueueKind = Literal["steer", "follow_up", "compaction"]
TurnKind = Literal["prompt", "steer", "follow_up", "command", "bash"]
TurnStage = Literal["accepted", "queued", "consumed", "rejected", "unknown"]
TurnOutcome = Literal["done", "error", "aborted"]
DeliveryMode = Literal["all", "one-at-a-time"]


# ---- rows ------------------------------------------------------------------------------------------------------------


class ChatPart(Part, frozen=True):
    """A piece of a row: `text`, `thinking`, `tool_call` or `image`. An image's bytes stay in Pi: `bytes` is how many there are.

    The text that deltas follow is `args` of a tool call and `text` of any other part.
    """

    type: str
    text: str | None = None
    tool_call_id: str | None = None
    name: str | None = None
    args: str | None = None
    mime_type: str | None = None
    bytes: int | None = None


class ChatDrawn(Part, frozen=True):
    """What the terminal draws for a row: raw lines with SGR and OSC 8, and the columns they were drawn at."""

    lines: tuple[str, ...]
    width: int


class ChatCut(Part, frozen=True):
    """A text that was cut: `shown` of `total` UTF-8 bytes. `field` is the name of a field, or `parts.<index>`."""

    field: str
    shown: int
    total: int


class ChatRow(Part, frozen=True):
    """One row of the conversation, whole. Times in ms since the epoch.

    `id` is the id of Pi's entry, or `live:<n>` until Pi has appended it; `live_id` is the temporary id that an entry had, while the
    extension remembers it. `kind` is `user`, `assistant`, `tool`, `bash`, `custom`, `compaction` or `branch_summary`.
    """

    id: str
    kind: str
    at: int
    state: RowState
    parts: tuple[ChatPart, ...] = ()
    entry_id: str | None = None
    live_id: str | None = None
    error: str | None = None
    provider: str | None = None
    model: str | None = None
    stop_reason: str | None = None
    started_at: int | None = None
    duration_ms: int | None = None
    is_error: bool = False
    tool_call_id: str | None = None
    tool_name: str | None = None
    args: str | None = None
    command: str | None = None
    excluded: bool = False
    exit_code: int | None = None
    cancelled: bool = False
    custom_type: str | None = None
    display: bool = True
    tokens_before: int | None = None
    drawn: ChatDrawn | None = None
    truncated: tuple[ChatCut, ...] = ()
    client_turn_id: str | None = None


class ChatReset(Message, frozen=True, tag="chat_reset"):
    """A boundary: the rows that follow, up to `chat_ready`, take the place of everything that was told of the conversation.

    `leaf` is the newest entry of Pi's branch; `more`: there are older rows than the ones that follow.
    """

    conversation_id: str
    leaf: str | None
    reason: str
    more: bool = False


class ChatReady(Message, frozen=True, tag="chat_ready"):
    """The page is whole."""


class ChatRowTold(Message, frozen=True, tag="chat_row"):
    """A row is new or replaced, whole; it comes after the row `after`, None for the first of the conversation."""

    row: ChatRow
    after: str | None


class ChatDelta(Message, frozen=True, tag="chat_delta"):
    """The text of a part is now its first `offset` UTF-16 units, then `text`. `start` begins a part that did not exist, at offset 0."""

    id: str
    part: int
    offset: int
    text: str
    start: ChatPart | None = None


class ChatConfirm(Message, frozen=True, tag="chat_confirm"):
    """Pi has appended the row: it is `entry_id` from now on, in its place."""

    id: str
    entry_id: str


class ChatRemove(Message, frozen=True, tag="chat_remove"):
    """The row is no part of the conversation."""

    id: str


class ChatPage(Message, frozen=True, tag="chat_page"):
    """Older rows, the oldest first: as many as were asked for and fit. `more`: there are older ones still. `error`: why there are none."""

    request_id: str
    rows: tuple[ChatRow, ...] = ()
    more: bool = False
    error: str | None = None


# ---- queue and state -------------------------------------------------------------------------------------------------


class ChatQueueItem(Part, frozen=True):
    """One message that waits in Pi."""

    kind: QueueKind
    text: str
    client_turn_id: str | None = None


class ChatQueue(Message, frozen=True, tag="chat_queue"):
    """Pi's own queue, whole, in the order in which it is delivered."""

    items: tuple[ChatQueueItem, ...]


class ChatModel(Part, frozen=True):
    """A model that Pi can use."""

    provider: str
    id: str
    name: str


class ChatRetrying(Part, frozen=True):
    """Pi waits before it asks the model again."""

    attempt: int
    max_attempts: int
    delay_ms: int
    error: str


class ChatContext(Part, frozen=True):
    """How full the model's context is. `tokens` and `percent` are None where Pi does not know."""

    tokens: int | None
    window: int
    percent: float | None


class ChatTurnEnd(Part, frozen=True):
    """How the last turn of this process ended, and when."""

    at: int
    outcome: TurnOutcome
    error: str | None = None


class ChatState(Message, frozen=True, tag="chat_state"):
    """What Pi is set to and does, whole. `since`: when `idle`, `compacting`, `bash` or `retrying` last changed.

    `cannot_run` is Pi's own sentence for why it cannot work. `refuses`: what cannot be done from afar here → the reason.
    """

    idle: bool
    since: int
    compacting: bool = False
    bash: bool = False
    retrying: ChatRetrying | None = None
    last_turn: ChatTurnEnd | None = None
    cannot_run: str | None = None
    model: ChatModel | None = None
    models: tuple[ChatModel, ...] = ()
    thinking_level: str | None = None
    levels: tuple[str, ...] = ()
    session_name: str | None = None
    steering_mode: DeliveryMode | None = None
    follow_up_mode: DeliveryMode | None = None
    auto_compaction: bool | None = None
    auto_retry: bool | None = None
    context: ChatContext | None = None
    trusted: bool | None = None
    refuses: dict[str, str] = msgspec.field(default_factory=dict)


class TurnResult(Message, frozen=True, tag="turn_result"):
    """What became of a turn; told again with each step, and for every turn that is remembered while a resync runs."""

    client_turn_id: str
    stage: TurnStage
    reason: str | None = None
    row_id: str | None = None


class ChatCommand(Part, frozen=True):
    """A slash command that a remote can send. `source` is `extension`, `prompt`, `skill` or `built-in`."""

    name: str
    description: str | None = None
    source: str | None = None


class ActionResult(Message, frozen=True, tag="action_result"):
    """What became of an action: `ok`, or `message` says why not in one sentence. `commands` answers `chat_commands`."""

    request_id: str
    ok: bool
    message: str | None = None
    data: dict[str, Any] | None = None
    commands: tuple[ChatCommand, ...] | None = None


FromExtensionChat = (
    ChatReset
    | ChatReady
    | ChatRowTold
    | ChatDelta
    | ChatConfirm
    | ChatRemove
    | ChatPage
    | ChatQueue
    | ChatState
    | TurnResult
    | ActionResult
)


# ---- daemon → extension ----------------------------------------------------------------------------------------------


class ChatHistory(Message, frozen=True, tag="chat_history"):
    """Tell at most `limit` rows before the entry `before`; a `chat_page` answers."""

    request_id: str
    before: str
    limit: int


class ChatResync(Message, frozen=True, tag="chat_resync"):
    """Something did not follow: tell the conversation again, from `chat_reset` on."""


class TurnPart(Message, frozen=True, tag="turn_part"):
    """A piece of a turn's text that is too long for one message; the pieces come in order, before the turn. `part` counts from 0."""

    client_turn_id: str
    part: int
    parts: int
    text: str

    def __repr__(self) -> str:
        """Without the text: what is typed freely never reaches a log (design FIXED 7)."""
        return f"TurnPart(client_turn_id={self.client_turn_id!r}, part={self.part}, parts={self.parts})"


class Turn(Message, frozen=True, tag="turn"):
    """A remote sends something. `text`, or so many `parts` came before. `literal`: it goes to the model even if it looks like a command."""

    client_turn_id: str
    kind: TurnKind
    by: By
    text: str | None = None
    parts: int | None = None
    literal: bool = False
    excluded: bool = False

    def __repr__(self) -> str:
        """Without the text: what is typed freely never reaches a log (design FIXED 7)."""
        return f"Turn(client_turn_id={self.client_turn_id!r}, kind={self.kind!r})"


class Action(Message, frozen=True, tag="action"):
    """A remote wants something done; an `action_result` answers."""

    request_id: str
    name: str
    by: By
    args: dict[str, Any] = msgspec.field(default_factory=dict)


FromDaemonChat = ChatHistory | ChatResync | TurnPart | Turn | Action
