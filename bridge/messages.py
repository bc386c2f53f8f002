"""Every message of the bridge wire as a frozen struct; `docs/bridge.md` is the specification.

Decoding is strict about the fields we know and ignores the ones we do not, so that a newer peer may add some.
"""

from __future__ import annotations

from typing import Any, Literal

from bridge.base import By as By
from bridge.base import Message as _Message
from bridge.base import Part as _Part
from bridge.chat import FromDaemonChat, FromExtensionChat

PROTOCOL_MIN = 1
PROTOCOL_MAX = 1
"""The protocol range this build speaks."""

Reason = Literal["startup", "reload", "new", "resume", "fork", "daemon"]
Outcome = Literal["answered", "cancelled", "timed_out", "withdrawn"]
Winner = Literal["terminal", "remote", "none"]
ActivityCause = Literal["agent_start", "agent_end", "agent_settled", "turn_start", "turn_end", "resync"]
ByeReason = Literal["quit", "reload", "new", "resume", "fork", "off"]
RejectReason = Literal["settled", "unknown", "invalid"]
NotifyType = Literal["info", "warning", "error"]
DeviceRole = Literal["observer", "controller"]
Placement = Literal["aboveEditor", "belowEditor"]
RegionName = Literal["header", "footer"]
PairOutcome = Literal["used", "failed", "old", "replaced", "too_many_tries"]


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
    first_message: str | None = None
    """What the person wrote first, cut: a title for a conversation without a name."""


class Truncation(_Part, frozen=True):
    """A text or list that was cut: `shown` of `total`, in bytes or items."""

    field: str
    shown: int
    total: int


class QuestionOption(_Part, frozen=True):
    """One option of a question of `ask`: `value` goes back as it is, `label` and `description` are shown."""

    value: str
    label: str
    description: str | None = None


class Question(_Part, frozen=True):
    """One question of `ask`."""

    id: str
    question: str
    options: tuple[QuestionOption, ...] = ()
    multi_select: bool = False


class Prompt(_Part, frozen=True):
    """An open dialog, its texts as the extension's author wrote them. Times in ms since the epoch, `timeout` in ms.

    `method` is a word of Pi's `ctx.ui`; one that the daemon does not know is shown as text, to be answered at the terminal.
    `prefill` (or `prefill_parts` pieces sent before) and the values in `questions` are content: they go back as they came.
    """

    id: str
    method: str
    title: str
    opened_at: int
    message: str | None = None
    options: tuple[str, ...] | None = None
    option_count: int | None = None
    placeholder: str | None = None
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


class Answer(_Part, frozen=True):
    """What was chosen, for methods whose answer may be shown: `index`+`label`, `confirmed`+`certain`, or `labels` of `ask`.

    `labels` names the options that were chosen, over all questions; what was typed into one is not among them.
    """

    index: int | None = None
    label: str | None = None
    labels: tuple[str, ...] | None = None
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


class PrefillPart(_Message, frozen=True, tag="prefill_part"):
    """A piece of a prefill that is too long for its prompt's message; the pieces come in order, before it. `part` counts from 0."""

    id: str
    part: int
    parts: int
    text: str

    def __repr__(self) -> str:
        """Without the text, which somebody may have typed."""
        return f"PrefillPart(id={self.id!r}, part={self.part}, parts={self.parts})"


class OptionsPart(_Message, frozen=True, tag="options_part"):
    """Options past the ones in the prompt's message, before it; `offset` is the place of the first."""

    id: str
    offset: int
    options: tuple[str, ...]


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
    again: bool = False


class ResponseRejected(_Message, frozen=True, tag="response_rejected"):
    """A response that did not win and changed nothing."""

    response_id: str
    id: str
    reason: RejectReason


class StopResult(_Message, frozen=True, tag="stop_result"):
    """What became of `stop`: `ok`, or why not in one sentence."""

    request_id: str
    ok: bool
    message: str | None = None


class Notification(_Message, frozen=True, tag="notification"):
    """`ctx.ui.notify`: shown once, never replayed."""

    message: str
    notify_type: NotifyType | None = None
    source: str | None = None


class Status(_Message, frozen=True, tag="status"):
    """`ctx.ui.setStatus`: the keyed text, or None when cleared."""

    key: str
    text: str | None
    source: str | None = None


class Title(_Message, frozen=True, tag="title"):
    """`ctx.ui.setTitle`."""

    title: str | None
    source: str | None = None


class Palette(_Message, frozen=True, tag="palette"):
    """The theme's foreground colours: the name of a token → the SGR sequence that starts it."""

    tokens: dict[str, str]


class Widget(_Message, frozen=True, tag="widget"):
    """`ctx.ui.setWidget`: what is shown under a key, None when cleared.

    `lines` are raw: SGR, OSC 8 and caret markers. `width` is the columns they were drawn at, None where they were given, not drawn.
    """

    key: str
    placement: Placement
    lines: tuple[str, ...] | None
    width: int | None
    native: dict[str, Any] | None = None
    """What `renderNative()` gave, unchecked."""
    native_error: str | None = None
    source: str | None = None
    truncated: tuple[Truncation, ...] = ()


class Region(_Message, frozen=True, tag="region"):
    """What an extension put in the place of Pi's header or footer, as drawn; None: it is Pi's own."""

    name: RegionName
    lines: tuple[str, ...] | None
    width: int | None
    source: str | None = None
    truncated: tuple[Truncation, ...] = ()


class View(_Message, frozen=True, tag="view"):
    """What an open `custom` dialog draws; `id` is the prompt's, and its settlement ends it. `typing`: it may show what somebody types."""

    id: str
    lines: tuple[str, ...]
    width: int
    overlay: bool
    typing: bool
    source: str | None = None
    truncated: tuple[Truncation, ...] = ()

    def __repr__(self) -> str:
        """Without the lines, which may hold what somebody types (design FIXED 7)."""
        return f"View(id={self.id!r}, width={self.width}, overlay={self.overlay}, typing={self.typing})"


class WorkingRow(_Message, frozen=True, tag="working_row"):
    """The row that says that Pi works. Without `message` or `frames` it is Pi's own; no frames at all: it has no indicator."""

    message: str | None
    visible: bool
    frames: tuple[str, ...] | None
    interval_ms: int | None


class ThinkingLabel(_Message, frozen=True, tag="thinking_label"):
    """What stands for hidden thinking; None: Pi's own words."""

    label: str | None


class ToolsExpanded(_Message, frozen=True, tag="tools_expanded"):
    """Whether the terminal shows the whole output of tools."""

    expanded: bool


class ScreenShare(_Message, frozen=True, tag="screen_share"):
    """Whether the person at the terminal lets its screen be seen; told once they said so, by a command or when they started Pi."""

    on: bool


class EditorTextPart(_Message, frozen=True, tag="editor_text_part"):
    """A piece of a text that is too long for its `editor_text`; the pieces come in order, before it. `part` counts from 0."""

    id: str
    part: int
    parts: int
    text: str

    def __repr__(self) -> str:
        """Without the text, which somebody may have typed."""
        return f"EditorTextPart(id={self.id!r}, part={self.part}, parts={self.parts})"


class EditorText(_Message, frozen=True, tag="editor_text"):
    """An extension put a text into Pi's editor, or with `paste` at its cursor. Told once. `text`, or so many `parts` before it."""

    id: str
    paste: bool
    text: str | None = None
    parts: int | None = None
    source: str | None = None

    def __repr__(self) -> str:
        """Without the text, which somebody may have typed."""
        return f"EditorText(id={self.id!r}, paste={self.paste})"


class Activity(_Message, frozen=True, tag="activity"):
    """Whether the agent works, and the Pi event that said so."""

    working: bool
    cause: ActivityCause
    at: int


class ConversationChanged(_Message, frozen=True, tag="conversation"):
    """The conversation's name or file changed, or its first message came."""

    conversation: Conversation


class Notice(_Message, frozen=True, tag="notice"):
    """Something the person who looks after mirrord should be able to see."""

    code: str
    detail: str | None = None
    count: int | None = None


class PairCodeRequest(_Message, frozen=True, tag="pair_code_request"):
    """The person at this terminal wants to pair a device; a `pair_code` or a `pair_code_refused` answers."""

    request_id: str
    role: DeviceRole = "controller"


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


class ResponsePart(_Message, frozen=True, tag="response_part"):
    """A piece of an answer that is too long for one message; the pieces come in order, before the response. `part` counts from 0."""

    response_id: str
    part: int
    parts: int
    text: str

    def __repr__(self) -> str:
        """Without the text: what is typed freely never reaches a log (design FIXED 7)."""
        return f"ResponsePart(response_id={self.response_id!r}, part={self.part}, parts={self.parts})"


class Stop(_Message, frozen=True, tag="stop"):
    """Stop what the agent does: the turn's prompts are cancelled, then the turn is aborted."""

    request_id: str
    by: By


class PairCode(_Message, frozen=True, tag="pair_code"):
    """A code for one device, good until `expires_at` (ms): for the eyes of who asked. `qr` is `url` as lines of half blocks."""

    request_id: str
    code: str
    url: str
    page: str
    role: DeviceRole
    expires_at: int
    qr: tuple[str, ...]

    def __repr__(self) -> str:
        """Without the code."""
        return f"PairCode(request_id={self.request_id!r}, role={self.role!r})"


class PairCodeRefused(_Message, frozen=True, tag="pair_code_refused"):
    """There is no code; `message` is one sentence."""

    request_id: str
    message: str


class PairCodeEnded(_Message, frozen=True, tag="pair_code_ended"):
    """The code is good no longer. `device` is the name of the one that used it."""

    request_id: str
    outcome: PairOutcome
    device: str | None = None


class ScreenView(_Message, frozen=True, tag="screen_view"):
    """How it stands with this terminal's screen: whether somebody follows it, whether it may be seen, and how many clients watch it."""

    followed: bool
    shared: bool
    watchers: int


class Response(_Message, frozen=True, tag="response"):
    """A remote's answer; exactly one of the last seven is given. `parts` says how many pieces of text came before."""

    response_id: str
    id: str
    by: By
    index: int | None = None
    confirmed: bool | None = None
    text: str | None = None
    parts: int | None = None
    unchanged: bool | None = None
    answers: dict[str, str | tuple[str, ...]] | None = None
    cancelled: bool | None = None

    def __repr__(self) -> str:
        """Without `text`: what is typed freely never reaches a log (design FIXED 7)."""
        return f"Response(response_id={self.response_id!r}, id={self.id!r})"


FromExtension = (
    Hello
    | ResyncBegin
    | ResyncEnd
    | PrefillPart
    | OptionsPart
    | PromptOpened
    | PromptSettled
    | ResponseRejected
    | StopResult
    | Notification
    | Status
    | Title
    | Palette
    | Widget
    | Region
    | View
    | WorkingRow
    | ThinkingLabel
    | ToolsExpanded
    | ScreenShare
    | EditorTextPart
    | EditorText
    | Activity
    | ConversationChanged
    | Notice
    | PairCodeRequest
    | Bye
    | Ping
    | Pong
    | FromExtensionChat
)
FromDaemon = (
    Welcome
    | Refused
    | Ack
    | Resync
    | ResponsePart
    | Response
    | Stop
    | PairCode
    | PairCodeRefused
    | PairCodeEnded
    | ScreenView
    | Ping
    | Pong
    | FromDaemonChat
)
ToExtension = Resync | ResponsePart | Response | Stop | PairCode | PairCodeRefused | PairCodeEnded | ScreenView | FromDaemonChat
"""What the daemon says by its own wish, once a link stands."""
