"""The conversation in the client protocol: snapshots, events, fragments, and what a client sends.

Names are the native chat contract's (`messages`, `queuedFollowUps`, `revision`, `/messages/<index>`, …); the shapes that it only names
are defined here, and `docs/protocol.md` lists what is ours. Every text is sanitized. Times are milliseconds since the epoch.
"""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from mirrord.wire.parts import Message, Part, Truncation
from sanitize.spans import Line

MessageState = Literal["streaming", "done", "error", "aborted"]
QueueKind = Literal["steer", "follow_up", "compaction"]
SubmitKind = Literal["prompt", "steer", "follow_up", "command", "bash"]
Stage = Literal["accepted", "queued", "consumed", "rejected", "unknown"]
ReceiptCode = Literal[
    "refused",
    "invalid",
    "detached",
    "ended",
    "unknown_session",
    "forbidden",
    "busy",
    "store",
    "unsupported",
    "other_session",
    "discarded",
    "forgotten",
]
NoticeLevel = Literal["info", "warning", "error"]


# ---- the snapshot ----------------------------------------------------------------------------------------------------


class ChatPart(Part, frozen=True):
    """A piece of a message. `type` is `text`, `thinking`, `tool_call`, `image`, or a word of a later Pi."""

    type: str
    text: str | None = None
    tool_call_id: str | None = None
    name: str | None = None
    args: str | None = None
    mime_type: str | None = None
    bytes: int | None = None


class ChatDrawn(Part, frozen=True):
    """What the terminal draws for a message, as spans, and the columns that it was drawn at."""

    lines: tuple[Line, ...]
    width: int


class ChatMessage(Part, frozen=True):
    """One message of the canonical timeline.

    `id` is the id of Pi's entry, or a temporary one until Pi has appended it; `liveId` is the temporary id that it had before.
    `truncated` counts UTF-8 bytes of a field or of `parts.<index>`, and items of `parts`.
    """

    id: str
    kind: str
    at: int
    state: MessageState
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
    truncated: tuple[Truncation, ...] = ()
    client_turn_id: str | None = None


class QueuedFollowUp(Part, frozen=True):
    """One message that waits in Pi; `position` counts from 0 over all kinds."""

    kind: QueueKind
    position: int
    text: str
    client_turn_id: str | None = None
    sender: str | None = msgspec.field(default=None, name="from")
    """As the device was called when it sent it; None for what was typed at the terminal."""


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
    """How full the model's context is; null where Pi does not know."""

    tokens: int | None
    window: int
    percent: float | None


class ChatTurnEnd(Part, frozen=True):
    """How the last turn ended."""

    at: int
    outcome: Literal["done", "error", "aborted"]
    error: str | None = None


class ChatAgent(Part, frozen=True):
    """What Pi is set to and does. `cannotRun` is Pi's own sentence; `refuses` tells why an action cannot be done from afar."""

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
    steering_mode: Literal["all", "one-at-a-time"] | None = None
    follow_up_mode: Literal["all", "one-at-a-time"] | None = None
    auto_compaction: bool | None = None
    auto_retry: bool | None = None
    context: ChatContext | None = None
    refuses: dict[str, str] = msgspec.field(default_factory=dict)


class ChatHistory(Part, frozen=True):
    """Whether there are messages older than the first of `messages`; `before` is what the command `chat_history` takes to get them."""

    more: bool
    before: str | None


class ChatFork(Part, frozen=True):
    """Why no message can be forked from here."""

    disabled_reason: str | None


class ChatStopping(Part, frozen=True):
    """Somebody stopped the turn and Pi has not come to rest; `overdue` after 5 s."""

    since: int
    by: str
    overdue: bool = False


class ChatWorkspace(Part, frozen=True):
    """The folder Pi works in; `additions` and `deletions` only where Git may be asked."""

    folder: str
    branch: str | None = None
    additions: int | None = None
    deletions: int | None = None
    status: Literal["ready", "unavailable"] = "ready"


class ChatSnapshot(Part, frozen=True):
    """The conversation, or the fields of it that changed: an absent field says nothing, null and an empty list clear."""

    messages: tuple[ChatMessage, ...] | UnsetType = UNSET
    history: ChatHistory | UnsetType = UNSET
    conversation_id: str | UnsetType = UNSET
    leaf: str | UnsetType | None = UNSET
    queued_follow_ups: tuple[QueuedFollowUp, ...] | UnsetType = UNSET
    queue_read_only: bool | UnsetType = UNSET
    queue_read_only_reason: str | UnsetType | None = UNSET
    queue_steering_unavailable_reason: str | UnsetType | None = UNSET
    streaming: bool | UnsetType = UNSET
    stopping: ChatStopping | UnsetType | None = UNSET
    read_only: bool | UnsetType = UNSET
    read_only_reason: str | UnsetType | None = UNSET
    agent: ChatAgent | UnsetType | None = UNSET
    fork: ChatFork | UnsetType | None = UNSET
    workspace: ChatWorkspace | UnsetType | None = UNSET


# ---- server → client -------------------------------------------------------------------------------------------------


class ChatPatch(Part, frozen=True):
    """`add`, `replace` or `remove` the message at `/messages/<index>`, or `replace` the list at `/messages`; one after another."""

    op: Literal["add", "replace", "remove"]
    path: str
    value: ChatMessage | tuple[ChatMessage, ...] | UnsetType = UNSET


class ChatAppend(Part, frozen=True):
    """The text of a part is now its first `offset` UTF-16 units, then `text`; `start` is a new part without its text."""

    message: int
    part: int
    offset: int
    text: str
    start: ChatPart | None = None


class ChatNotice(Part, frozen=True):
    """Something to show once."""

    level: NoticeLevel
    text: str


class ChatGap(Part, frozen=True):
    """Which cursors of `chat_subscribe` could not be served: what the client showed is not continued by this snapshot."""

    since: str | None = None
    entry_id: str | None = None


class ChatEvent(Message, frozen=True, tag="chat_event"):
    """One change of the conversation: first `snapshot`, then `patches`, then `appends`. `boundary`: why all messages are new."""

    session_id: str
    cursor: str
    revision: int
    snapshot: ChatSnapshot | None = None
    patches: tuple[ChatPatch, ...] = ()
    appends: tuple[ChatAppend, ...] = ()
    notice: ChatNotice | None = None
    gap: ChatGap | None = None
    boundary: str | None = None


class ChatFrame(Message, frozen=True, tag="chat_frame"):
    """Piece `index` of the `count` pieces of the JSON of the event whose revision is `event`; the pieces follow one another."""

    session_id: str
    event: int
    index: int
    count: int
    data: str


class Receipt(Message, frozen=True, tag="receipt"):
    """What became of a message. `rejected` never acts; `unknown` may have acted. `reason` is one sentence."""

    session_id: str
    client_turn_id: str
    stage: Stage
    at: int
    code: ReceiptCode | None = None
    reason: str | None = None
    row_id: str | None = None


ChatServerMessage = ChatEvent | ChatFrame | Receipt


# ---- client → server -------------------------------------------------------------------------------------------------


class ChatSubscribe(Message, frozen=True, tag="chat_subscribe"):
    """Follow a conversation: all its messages, then changes. `since` and `entryId` are the cursors of what the client shows."""

    session_id: str
    since: str | None = None
    entry_id: str | None = None


class ChatUnsubscribe(Message, frozen=True, tag="chat_unsubscribe"):
    """Stop following a conversation. What runs goes on."""

    session_id: str


class ChatAction(Message, frozen=True, tag="chat_action"):
    """`submit` a message, or `discard` one whose receipt is `unknown`. The same `clientTurnId` never acts twice.

    `text`, or `parts`: it came before in so many `content_part`s whose `responseId` is the `clientTurnId`.
    """

    session_id: str
    client_turn_id: str
    action: Literal["submit", "discard"]
    kind: SubmitKind = "prompt"
    text: str | None = None
    parts: int | None = None
    literal: bool = False
    excluded: bool = False

    def __repr__(self) -> str:
        """Without the text: what is typed freely never reaches a log (design FIXED 7)."""
        return f"ChatAction(session_id={self.session_id!r}, client_turn_id={self.client_turn_id!r}, action={self.action!r})"


ChatClientMessage = ChatSubscribe | ChatUnsubscribe | ChatAction


# ---- data of commands ------------------------------------------------------------------------------------------------


class ChatHistoryPage(Part, frozen=True):
    """Data of `chat_history`: messages before the one asked for, the oldest first; `before` asks for the ones before them."""

    messages: tuple[ChatMessage, ...]
    more: bool
    before: str | None


class ChatSlashCommand(Part, frozen=True):
    """A slash command that can be sent. `source` is `extension`, `prompt`, `skill`, `built-in`, or a word of a later Pi."""

    name: str
    description: str | None = None
    source: str | None = None


class ChatCommandList(Part, frozen=True):
    """Data of `chat_commands`: what Pi has beside what only its terminal can do."""

    commands: tuple[ChatSlashCommand, ...]
