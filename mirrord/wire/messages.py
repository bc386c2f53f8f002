"""Every message of the client protocol `mirrord.v1` as a frozen struct; `docs/protocol.md` shows an example of each.

Names and fields of the extension UI contract are kept exactly; what is ours is additive. Times are milliseconds since the epoch.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

SUBPROTOCOL = "mirrord.v1"
ENDPOINT = "/v1/ws"
PROTOCOL_MIN = 1
PROTOCOL_MAX = 1
"""The protocol range this build speaks."""

State = Literal["working", "waiting", "your_turn", "idle", "failed", "suspended", "detached", "ended"]
Method = Literal["select", "confirm", "input", "editor", "ask", "custom", "other"]
Outcome = Literal["answered", "cancelled", "timed_out", "withdrawn"]
Winner = Literal["terminal", "remote", "none"]
RoleName = Literal["observer", "controller", "owner"]
Change = Literal["added", "changed", "removed"]
NotifyType = Literal["info", "warning", "error"]
RefusalReason = Literal["settled", "invalid", "unknown", "detached", "forbidden", "busy", "terminal_only"]


class _Part(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A JSON object inside a message."""


class _Message(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True, tag_field="type", kw_only=True):
    """One WebSocket text frame."""


# ---- client → server -------------------------------------------------------------------------------------------------


class ClientInfo(_Part, frozen=True):
    """How a client calls itself; shown to others, never trusted."""

    name: str
    kind: str


class ProtocolRange(_Part, frozen=True):
    """Lowest and highest protocol number a side speaks."""

    min: int
    max: int


class Hello(_Message, frozen=True, tag="hello"):
    """First frame of a client. `resume` maps a session id to the last cursor seen, and subscribes to it."""

    client: ClientInfo
    protocol: ProtocolRange
    capabilities: tuple[str, ...] = ()
    resume: dict[str, str] = {}


class Subscribe(_Message, frozen=True, tag="subscribe"):
    """Follow a session: a snapshot, or the events after `since`, then live events."""

    session_id: str
    since: str | None = None


class Unsubscribe(_Message, frozen=True, tag="unsubscribe"):
    """Stop following a session."""

    session_id: str


class ExtensionUIResponse(_Message, frozen=True, tag="extension_ui_response"):
    """An answer to the prompt `id`: exactly one of `value`, `index`, `confirmed`, `answers`, `unchanged`, `parts`, `cancelled`.

    `responseId` makes a retry idempotent. Without one (the contract's own form) the server makes one. `unchanged: true` gives an
    editor's prefill back as it was; `parts: n` says that the value came before in n `content_part`s under the same `responseId`.
    """

    id: str
    response_id: str | None = None
    value: str | None = None
    index: int | None = None
    confirmed: bool | None = None
    answers: dict[str, str | tuple[str, ...]] | None = None
    unchanged: bool | None = None
    parts: int | None = None
    cancelled: bool | None = None

    def __repr__(self) -> str:
        """Without the value: what is typed freely never reaches a log (design FIXED 7)."""
        return f"ExtensionUIResponse(id={self.id!r}, response_id={self.response_id!r})"


class ContentPart(_Message, frozen=True, tag="content_part"):
    """A piece of an answer that is too long for one frame; pieces come in order, before the response. `part` counts from 0."""

    response_id: str
    part: int
    parts: int
    text: str

    def __repr__(self) -> str:
        """Without the text: what is typed freely never reaches a log (design FIXED 7)."""
        return f"ContentPart(response_id={self.response_id!r}, part={self.part}, parts={self.parts})"


class Command(_Message, frozen=True, tag="command"):
    """Ask the daemon to do something; `args` depend on `name`."""

    request_id: str
    name: str
    args: dict[str, Any] = {}


ClientMessage = Hello | Subscribe | Unsubscribe | ContentPart | ExtensionUIResponse | Command


# ---- server → client -------------------------------------------------------------------------------------------------


class ServerInfo(_Part, frozen=True):
    """The daemon's name, version, a random id of this run, and the name of the machine it runs on."""

    name: str
    version: str
    instance: str
    host: str | None = None


class Status(_Part, frozen=True):
    """What a session does, who says so (`pi` or `daemon`), and since when it is so."""

    state: State
    source: Literal["pi", "daemon"]
    since: int


class Session(_Part, frozen=True):
    """One Pi in one terminal. `sessionId` is the terminal's; `conversationId` changes under it on /new, /resume, /fork.

    A title is the `name`, else the `firstMessage` that the person wrote, else the folder.
    """

    session_id: str
    conversation_id: str
    cwd: str
    status: Status
    open_prompts: int
    name: str | None = None
    pid: int | None = None
    pi_version: str | None = None
    capabilities: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    first_message: str | None = None


class Truncation(_Part, frozen=True):
    """A text or list that was cut: `shown` of `total`, in bytes, clusters or items as the field has it."""

    field: str
    shown: int
    total: int


class QuestionOption(_Part, frozen=True):
    """One option of a question: `value` goes back as it is and is never shown, `label` and `description` are."""

    value: str
    label: str
    description: str | None = None


class Question(_Part, frozen=True):
    """One question of `ask`."""

    id: str
    question: str
    options: tuple[QuestionOption, ...] = ()
    multi_select: bool = False


class ExtensionUIRequest(_Message, frozen=True, tag="extension_ui_request"):
    """A prompt that waits. Every shown text is sanitized; `options` are what is shown, answered by `index` or by `value`.

    `prefill` is content, whole and never changed: show it with care. One of more than `PREFILL_INLINE_BYTES` comes in
    `prefillParts` pieces by the command `prefill`. `terminalOnly` says, in one sentence, why a remote can only look (and cancel, where
    `cancellable`). `other` is a method that this daemon does not know; `source` names the extension that asks.
    """

    session_id: str
    id: str
    method: Method
    title: str
    opened_at: int
    message: str | None = None
    options: tuple[str, ...] | None = None
    option_count: int | None = None
    placeholder: str | None = None
    masked: bool = False
    timeout: float | None = None
    timeout_at: int | None = None
    truncated: tuple[Truncation, ...] = ()
    source: str | None = None
    prefill: str | None = None
    prefill_parts: int | None = None
    questions: tuple[Question, ...] | None = None
    allow_custom: bool | None = None
    terminal_only: str | None = None
    cancellable: bool = True
    cursor: str | None = None


class ExtensionUINotification(_Message, frozen=True, tag="extension_ui_notification"):
    """`notify`, `setStatus`, `setTitle`, `setWidget`; an absent text or title clears, as in Pi's own RPC."""

    session_id: str
    method: Literal["notify", "setStatus", "setTitle", "setWidget"]
    message: str | None = None
    notify_type: NotifyType | None = None
    status_key: str | None = None
    status_text: str | None = None
    title: str | None = None
    widget_key: str | None = None
    widget_lines: tuple[str, ...] | None = None
    widget_placement: Literal["aboveEditor", "belowEditor"] | None = None
    cursor: str | None = None


class ExtensionUISettled(_Message, frozen=True, tag="extension_ui_settled"):
    """The terminal's verdict: dismiss this prompt everywhere. `answer` is there only for choices."""

    session_id: str
    id: str
    outcome: Outcome
    winner: Winner
    at: int
    winner_name: str | None = None
    answer: str | None = None
    reason: str | None = None
    cursor: str | None = None


class Verdict(_Part, frozen=True):
    """How a prompt ended, as far as it may be told."""

    outcome: Outcome
    winner: Winner
    at: int
    winner_name: str | None = None
    answer: str | None = None
    reason: str | None = None


class ResponseResult(_Message, frozen=True, tag="response_result"):
    """What became of one answer. `settled` says how the prompt ended, when it has."""

    response_id: str
    id: str
    accepted: bool
    reason: RefusalReason | None = None
    detail: str | None = None
    winner: Winner | None = None
    settled: Verdict | None = None


class StatusEntry(_Part, frozen=True):
    """One keyed status of an extension."""

    key: str
    text: str


class Working(_Part, frozen=True):
    """Whether the agent works, and since when."""

    active: bool
    since: int


class Snapshot(_Message, frozen=True, tag="snapshot"):
    """Everything a client needs to show a session; events after `cursor` follow."""

    session_id: str
    cursor: str
    session: Session
    prompts: tuple[ExtensionUIRequest, ...]
    statuses: tuple[StatusEntry, ...]
    title: str | None
    working: Working


class SessionChanged(_Message, frozen=True, tag="session"):
    """A session came, changed or went; sent to every client."""

    change: Change
    session: Session


class Welcome(_Message, frozen=True, tag="welcome"):
    """The connection stands, with this role; `sessions` is the whole list."""

    server: ServerInfo
    server_now: int
    protocol: int
    role: RoleName
    capabilities: tuple[str, ...]
    sessions: tuple[Session, ...]
    notice: str | None = None


class CommandError(_Part, frozen=True):
    """Why a command did not happen; `message` is one sentence for a person."""

    code: str
    message: str


class CommandResult(_Message, frozen=True, tag="command_result"):
    """The outcome of a command."""

    request_id: str
    ok: bool
    data: Any = None
    error: CommandError | None = None


class Gap(_Message, frozen=True, tag="gap"):
    """The cursor could not be served: events were missed, a snapshot follows."""

    session_id: str
    since: str


class Error(_Message, frozen=True, tag="error"):
    """A frame that could not be taken; `message` is one sentence."""

    code: Literal["malformed", "forbidden", "unknown_session", "protocol", "too_many"]
    message: str


ServerMessage = (
    Welcome
    | SessionChanged
    | Snapshot
    | ExtensionUIRequest
    | ExtensionUINotification
    | ExtensionUISettled
    | ResponseResult
    | CommandResult
    | Gap
    | Error
)
