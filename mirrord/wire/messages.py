"""Every message of the client protocol `mirrord.v1` as a frozen struct; `docs/protocol.md` shows an example of each.

Names and fields of the extension UI contract are kept exactly; what is ours is additive. Times are milliseconds since the epoch.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import field

from mirrord.wire.attention import Attention, Looking
from mirrord.wire.chat import ChatClientMessage, ChatServerMessage
from mirrord.wire.extension_ui import (
    ExtensionUINotification,
    ExtensionUIRequest,
    ExtensionUISettled,
    ExtensionUIStrips,
    Method,
    NotificationMethod,
    NotifyType,
    Outcome,
    Question,
    QuestionOption,
    RefusalReason,
    ResponseResult,
    StatusEntry,
    Verdict,
    Winner,
)
from mirrord.wire.parts import Message, Part, Truncation
from mirrord.wire.surfaces import Caret, CustomView, Strips, Surface, TextSpan, WorkingRow

__all__ = [
    "Attention",
    "ExtensionUINotification",
    "ExtensionUIRequest",
    "ExtensionUISettled",
    "ExtensionUIStrips",
    "Looking",
    "Method",
    "NotificationMethod",
    "NotifyType",
    "Outcome",
    "Question",
    "QuestionOption",
    "RefusalReason",
    "ResponseResult",
    "StatusEntry",
    "Truncation",
    "Verdict",
    "Winner",
]
"""What stands in other files and is taken from here, where all of the protocol is."""

SUBPROTOCOL = "mirrord.v1"
ENDPOINT = "/v1/ws"
PROTOCOL_MIN = 1
PROTOCOL_MAX = 1
"""The protocol range this build speaks."""

State = Literal["working", "waiting", "your_turn", "idle", "failed", "retrying", "suspended", "detached", "ended"]
Source = Literal["pi", "daemon", "screen"]
RoleName = Literal["observer", "controller", "owner"]
Change = Literal["added", "changed", "removed"]
ScreenHidden = Literal["login", "incomplete", "unknown", "large", "off", "lost"]
"""Secrets are typed there; bytes were missed; it cannot be told where text is typed; it fits in no frame; it is shared no longer; the
program that shows it is gone."""


# ---- client → server -------------------------------------------------------------------------------------------------


class ClientInfo(Part, frozen=True):
    """How a client calls itself; shown to others, never trusted."""

    name: str
    kind: str


class ProtocolRange(Part, frozen=True):
    """Lowest and highest protocol number a side speaks."""

    min: int
    max: int


class Hello(Message, frozen=True, tag="hello"):
    """First frame of a client. `resume` maps a session id to the last cursor seen, and subscribes to it."""

    client: ClientInfo
    protocol: ProtocolRange
    capabilities: tuple[str, ...] = ()
    resume: dict[str, str] = field(default_factory=dict)


class Subscribe(Message, frozen=True, tag="subscribe"):
    """Follow a session: a snapshot, or the events after `since`, then live events."""

    session_id: str
    since: str | None = None


class Unsubscribe(Message, frozen=True, tag="unsubscribe"):
    """Stop following a session."""

    session_id: str


class ExtensionUIResponse(Message, frozen=True, tag="extension_ui_response"):
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


class ContentPart(Message, frozen=True, tag="content_part"):
    """A piece of an answer that is too long for one frame; pieces come in order, before the response. `part` counts from 0."""

    response_id: str
    part: int
    parts: int
    text: str

    def __repr__(self) -> str:
        """Without the text: what is typed freely never reaches a log (design FIXED 7)."""
        return f"ContentPart(response_id={self.response_id!r}, part={self.part}, parts={self.parts})"


class Command(Message, frozen=True, tag="command"):
    """Ask the daemon to do something; `args` depend on `name`."""

    request_id: str
    name: str
    args: dict[str, Any] = field(default_factory=dict)


ClientMessage = Hello | Subscribe | Unsubscribe | ContentPart | ExtensionUIResponse | Command | Looking | ChatClientMessage


# ---- server → client -------------------------------------------------------------------------------------------------


class ServerInfo(Part, frozen=True):
    """The daemon's name, version, a random id of this run, and the name of the machine it runs on."""

    name: str
    version: str
    instance: str
    host: str | None = None


class Status(Part, frozen=True):
    """What a session does, who says so (`pi`, the `daemon`, or the `screen`), and since when it is so.

    `menu` names the menu of Pi's own that is on the screen and waits: only the terminal can answer it. `detail` is one line: the end of
    the answer, Pi's error, why Pi cannot run, or the menu that is open.
    """

    state: State
    source: Source
    since: int
    menu: str | None = None
    detail: str | None = None


class Session(Part, frozen=True):
    """One Pi in one terminal. `sessionId` is the terminal's; `conversationId` changes under it on /new, /resume, /fork.

    A title is the `name`, else the `firstMessage` that the person wrote, else the folder. `screenShared`: `screen_watch` shows its screen.
    """

    session_id: str
    conversation_id: str
    cwd: str
    status: Status
    open_prompts: int
    name: str | None = None
    pid: int | None = None
    pi_version: str | None = None
    extension_version: str | None = None
    capabilities: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    first_message: str | None = None
    screen_shared: bool = False


class Working(Part, frozen=True):
    """Whether the agent works, and since when."""

    active: bool
    since: int


class Snapshot(Message, frozen=True, tag="snapshot"):
    """Everything a client needs to show a session; events after `cursor` follow."""

    session_id: str
    cursor: str
    session: Session
    prompts: tuple[ExtensionUIRequest, ...]
    statuses: tuple[StatusEntry, ...]
    title: str | None
    working: Working
    surfaces: tuple[Surface, ...] = ()
    header: Surface | None = None
    footer: Surface | None = None
    views: tuple[CustomView, ...] = ()
    strips: Strips | None = None
    working_row: WorkingRow | None = None
    hidden_thinking_label: str | None = None
    tools_expanded: bool | None = None


class SessionChanged(Message, frozen=True, tag="session"):
    """A session came, changed or went; sent to every client."""

    change: Change
    session: Session


class Welcome(Message, frozen=True, tag="welcome"):
    """The connection stands, with this role; `sessions` is the whole list."""

    server: ServerInfo
    server_now: int
    protocol: int
    role: RoleName
    capabilities: tuple[str, ...]
    sessions: tuple[Session, ...]
    notice: str | None = None


class CommandError(Part, frozen=True):
    """Why a command did not happen; `message` is one sentence for a person."""

    code: str
    message: str


class CommandResult(Message, frozen=True, tag="command_result"):
    """The outcome of a command."""

    request_id: str
    ok: bool
    data: Any = None
    error: CommandError | None = None


class Screen(Message, frozen=True, tag="screen"):
    """The terminal's screen, without what is typed there; for who watches it, the newest only, and kept nowhere.

    `lines` from the top, without empty ones at the end. `hidden` says why there are none: see `ScreenHidden`.
    """

    session_id: str
    columns: int
    rows: int
    lines: tuple[tuple[TextSpan, ...], ...] = ()
    caret: Caret | None = None
    hidden: ScreenHidden | None = None

    def __repr__(self) -> str:
        """Without the lines: nothing that a terminal shows reaches a log."""
        return f"Screen(session_id={self.session_id!r}, columns={self.columns}, rows={self.rows}, hidden={self.hidden!r})"


class Gap(Message, frozen=True, tag="gap"):
    """The cursor could not be served: events were missed, a snapshot follows."""

    session_id: str
    since: str


class Error(Message, frozen=True, tag="error"):
    """A frame that could not be taken; `message` is one sentence."""

    code: Literal["malformed", "forbidden", "unknown_session", "protocol", "too_many"]
    message: str


ServerMessage = (
    Welcome
    | SessionChanged
    | Snapshot
    | ExtensionUIRequest
    | ExtensionUINotification
    | ExtensionUIStrips
    | ExtensionUISettled
    | ResponseResult
    | CommandResult
    | Screen
    | Attention
    | Gap
    | Error
    | ChatServerMessage
)
