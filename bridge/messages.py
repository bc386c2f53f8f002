"""Every message of the bridge wire as a frozen struct; `docs/bridge.md` is the specification.

Decoding is strict about the fields we know and ignores the ones we do not, so that a newer peer may add some.
"""

from __future__ import annotations

from typing import Literal

import msgspec

PROTOCOL_MIN = 1
PROTOCOL_MAX = 1
"""The protocol range this build speaks."""

Reason = Literal["startup", "reload", "new", "resume", "fork", "daemon"]
Method = Literal["select", "confirm", "input"]
Outcome = Literal["answered", "cancelled", "timed_out", "withdrawn"]
Winner = Literal["terminal", "remote", "none"]
ActivityCause = Literal["agent_start", "agent_end", "agent_settled", "turn_start", "turn_end", "resync"]
ByeReason = Literal["quit", "reload", "new", "resume", "fork", "off"]
RejectReason = Literal["settled", "unknown", "invalid"]
NotifyType = Literal["info", "warning", "error"]


class _Part(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A JSON object inside a message."""


class _Message(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True, tag_field="type", kw_only=True):
    """A JSON object on a line of its own. `seq` counts from 1 in each direction of a link."""

    seq: int


class ProtocolRange(_Part, frozen=True):
    """Lowest and highest protocol number a side speaks."""

    min: int
    max: int


class BridgeInfo(_Part, frozen=True):
    """Which copy of the extension speaks, and how often it was loaded in this process."""

    version: str
    path: str
    generation: int


class TerminalInfo(_Part, frozen=True):
    """The Pi process. `start_time` is opaque; equality is its only use."""

    id: str
    pid: int
    start_time: str | None
    mode: str
    pi_version: str | None
    node: str


class Conversation(_Part, frozen=True):
    """Pi's session under the terminal; changes with /new, /resume and /fork."""

    id: str
    cwd: str
    name: str | None = None
    file: str | None = None


class Truncation(_Part, frozen=True):
    """A text or list that was cut: `shown` of `total`, in bytes or items."""

    field: str
    shown: int
    total: int


class Prompt(_Part, frozen=True):
    """An open dialog, its texts as the extension's author wrote them. Times in ms since the epoch, `timeout` in ms."""

    id: str
    method: Method
    title: str
    opened_at: int
    message: str | None = None
    options: tuple[str, ...] | None = None
    option_count: int | None = None
    placeholder: str | None = None
    timeout: float | None = None
    timeout_at: int | None = None
    truncated: tuple[Truncation, ...] = ()


class Answer(_Part, frozen=True):
    """What was chosen, for methods whose answer may be shown: `index`+`label`, or `confirmed`+`certain`."""

    index: int | None = None
    label: str | None = None
    confirmed: bool | None = None
    certain: bool | None = None


class Hello(_Message, frozen=True, tag="hello"):
    """First message of a link."""

    protocol: ProtocolRange
    bridge: BridgeInfo
    terminal: TerminalInfo
    conversation: Conversation
    reason: Reason
    capabilities: tuple[str, ...]


class ResyncBegin(_Message, frozen=True, tag="resync_begin"):
    """The extension starts to tell everything that is true now."""


class ResyncEnd(_Message, frozen=True, tag="resync_end"):
    """What was not told since `resync_begin` is gone."""


class PromptOpened(_Message, frozen=True, tag="prompt_opened"):
    """A dialog is open in the terminal and may be answered from afar."""

    prompt: Prompt


class PromptSettled(_Message, frozen=True, tag="prompt_settled"):
    """The terminal's verdict about a dialog; there is exactly one per prompt id."""

    id: str
    outcome: Outcome
    winner: Winner
    at: int
    response_id: str | None = None
    answer: Answer | None = None
    reason: str | None = None


class ResponseRejected(_Message, frozen=True, tag="response_rejected"):
    """A response that did not win and changed nothing."""

    response_id: str
    id: str
    reason: RejectReason


class Notification(_Message, frozen=True, tag="notification"):
    """`ctx.ui.notify`: shown once, never replayed."""

    message: str
    notify_type: NotifyType | None = None


class Status(_Message, frozen=True, tag="status"):
    """`ctx.ui.setStatus`: the keyed text, or None when cleared."""

    key: str
    text: str | None


class Title(_Message, frozen=True, tag="title"):
    """`ctx.ui.setTitle`."""

    title: str | None


class Activity(_Message, frozen=True, tag="activity"):
    """Whether the agent works, and the Pi event that said so."""

    working: bool
    cause: ActivityCause
    at: int
    turn_index: int | None = None


class ConversationChanged(_Message, frozen=True, tag="conversation"):
    """The conversation's name or file changed."""

    conversation: Conversation


class Notice(_Message, frozen=True, tag="notice"):
    """Something the person who looks after mirrord should be able to see."""

    code: str
    detail: str | None = None
    count: int | None = None


class Bye(_Message, frozen=True, tag="bye"):
    """The extension is about to close the link on purpose."""

    reason: ByeReason


class Ping(_Message, frozen=True, tag="ping"):
    """Are you there?"""

    n: int


class Pong(_Message, frozen=True, tag="pong"):
    """Yes."""

    n: int


class DaemonInfo(_Part, frozen=True):
    """The daemon's version, a random id of this run, and its pid."""

    version: str
    instance: str
    pid: int


class Welcome(_Message, frozen=True, tag="welcome"):
    """The link stands; `protocol` is what both will speak. `now` in ms since the epoch."""

    protocol: int
    daemon: DaemonInfo
    now: int


class Refused(_Message, frozen=True, tag="refused"):
    """The link does not stand; `message` is one sentence for a person."""

    code: Literal["protocol_too_old", "protocol_too_new", "peer", "busy"]
    message: str


class Ack(_Message, frozen=True, tag="ack"):
    """Every extension message up to `up_to` has taken effect."""

    up_to: int


class Resync(_Message, frozen=True, tag="resync"):
    """Tell me everything again."""


class By(_Part, frozen=True):
    """Who answers: the credential's name and the client's kind, both for display."""

    name: str
    kind: str


class Response(_Message, frozen=True, tag="response"):
    """A remote's answer; exactly one of the last four is given."""

    response_id: str
    id: str
    by: By
    index: int | None = None
    confirmed: bool | None = None
    text: str | None = None
    cancelled: bool | None = None

    def __repr__(self) -> str:
        """Without `text`: what is typed freely never reaches a log (design FIXED 7)."""
        return f"Response(response_id={self.response_id!r}, id={self.id!r})"


FromExtension = (
    Hello
    | ResyncBegin
    | ResyncEnd
    | PromptOpened
    | PromptSettled
    | ResponseRejected
    | Notification
    | Status
    | Title
    | Activity
    | ConversationChanged
    | Notice
    | Bye
    | Ping
    | Pong
)
FromDaemon = Welcome | Refused | Ack | Resync | Response | Ping | Pong
