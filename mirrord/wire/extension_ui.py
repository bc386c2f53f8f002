"""What the daemon says of extensions' prompts and of whatever else they show: the part of the client protocol that the contract names."""

from __future__ import annotations

from typing import Literal

from mirrord.wire.parts import Message, Part, Truncation
from mirrord.wire.surfaces import Indicator, NativeSurface, Pill, Placement

Method = Literal["select", "confirm", "input", "editor", "ask", "custom", "other"]
Outcome = Literal["answered", "cancelled", "timed_out", "withdrawn"]
Winner = Literal["terminal", "remote", "none"]
NotifyType = Literal["info", "warning", "error"]
RefusalReason = Literal["settled", "invalid", "unknown", "detached", "forbidden", "busy", "terminal_only"]
NotificationMethod = Literal[
    "notify",
    "setStatus",
    "setTitle",
    "setWidget",
    "setWorkingMessage",
    "setWorkingVisible",
    "setWorkingIndicator",
    "setHiddenThinkingLabel",
    "setToolsExpanded",
    "set_editor_text",
    "setHeader",
    "setFooter",
    "setCustomView",
]


class QuestionOption(Part, frozen=True):
    """One option of a question: `value` goes back as it is and is never shown, `label` and `description` are."""

    value: str
    label: str
    description: str | None = None


class Question(Part, frozen=True):
    """One question of `ask`."""

    id: str
    question: str
    options: tuple[QuestionOption, ...] = ()
    multi_select: bool = False


class ExtensionUIRequest(Message, frozen=True, tag="extension_ui_request"):
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


class ExtensionUINotification(Message, frozen=True, tag="extension_ui_notification"):
    """What an extension shows besides prompts: `notify` and `set_editor_text` once, everything else as state by method and key.

    An absent value clears, as in Pi's own RPC; `workingVisible: true` and `toolsExpanded: false` are Pi's defaults. `requestId` of
    `setCustomView` is the id of the `custom` prompt, whose settlement ends it. A handed-over text of more than `HANDOFF_INLINE_BYTES`
    comes in `textParts` pieces by the command `handoff`; with `paste` it belongs at the cursor, otherwise in place of the whole text.
    """

    session_id: str
    method: NotificationMethod
    message: str | None = None
    notify_type: NotifyType | None = None
    status_key: str | None = None
    status_text: str | None = None
    title: str | None = None
    widget_key: str | None = None
    widget_lines: tuple[str, ...] | None = None
    widget_placement: Placement | None = None
    native_surface: NativeSurface | None = None
    request_id: str | None = None
    overlay: bool | None = None
    typing: bool | None = None
    working_visible: bool | None = None
    working_indicator: Indicator | None = None
    hidden_thinking_label: str | None = None
    tools_expanded: bool | None = None
    handoff_id: str | None = None
    paste: bool | None = None
    text: str | None = None
    text_parts: int | None = None
    source: str | None = None
    truncated: tuple[Truncation, ...] = ()
    cursor: str | None = None

    def __repr__(self) -> str:
        """Without what it shows: a view or a handed-over text may hold what somebody typed (design FIXED 7)."""
        key = self.status_key or self.widget_key or self.request_id or self.handoff_id
        return f"ExtensionUINotification(method={self.method!r}, key={key!r}, cursor={self.cursor!r})"


class ExtensionUIStrips(Message, frozen=True, tag="extension_ui_strips"):
    """The pills above and below the composer, whenever they change."""

    session_id: str
    above: tuple[Pill, ...]
    below: tuple[Pill, ...]
    cursor: str | None = None


class ExtensionUISettled(Message, frozen=True, tag="extension_ui_settled"):
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


class Verdict(Part, frozen=True):
    """How a prompt ended, as far as it may be told."""

    outcome: Outcome
    winner: Winner
    at: int
    winner_name: str | None = None
    answer: str | None = None
    reason: str | None = None


class ResponseResult(Message, frozen=True, tag="response_result"):
    """What became of one answer. `settled` says how the prompt ended, when it has."""

    response_id: str
    id: str
    accepted: bool
    reason: RefusalReason | None = None
    detail: str | None = None
    winner: Winner | None = None
    settled: Verdict | None = None


class StatusEntry(Part, frozen=True):
    """One keyed status of an extension."""

    key: str
    text: str
    source: str | None = None
