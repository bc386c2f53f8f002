"""The daemon's messages as lines of plain text for a terminal. Every text from outside passes `sanitize` again here.

The lines hold no control character at all: no colour, no cursor movement. What is read later in a scrollback, a pipe
or a screen reader is the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mirrord.attach.card import prefill_lines
from mirrord.client.clean import one_line, several_lines
from mirrord.wire.messages import (
    Error,
    ExtensionUINotification,
    ExtensionUIRequest,
    ExtensionUISettled,
    ResponseResult,
    Session,
    Snapshot,
    State,
)
from mirrord.words.durations import duration

STATE_WORDS: Final[dict[State, str]] = {
    "working": "working",
    "waiting": "waiting for an answer",
    "your_turn": "your turn",
    "idle": "idle",
    "failed": "failed",
    "retrying": "waits before it asks the model again",
    "suspended": "suspended, its Pi is stopped or does not react",
    "detached": "out of touch, its Pi lives and its link is gone",
    "ended": "ended",
}

SHORT_STATES: Final[dict[State, str]] = {
    "working": "working",
    "waiting": "waits for you",
    "your_turn": "your turn",
    "idle": "idle",
    "failed": "failed",
    "retrying": "retries",
    "suspended": "suspended",
    "detached": "out of touch",
    "ended": "ended",
}
"""For tables and lists."""

_AGED: Final[frozenset[State]] = frozenset(("suspended", "detached"))
"""States in which nothing comes of an answer for now: for how long already is what one wants to know."""

LOCAL_CREDENTIAL: Final = "local"
"""The name under which the control socket answers."""

_LEVEL_WORDS: Final = {"info": "notice", "warning": "warning", "error": "error"}


def session_title(session: Session) -> str:
    """What a session is called in a list: its conversation's name, else its folder."""
    return one_line(session.name) if session.name else one_line(session.cwd)


def state_words(session: Session, now: int) -> str:
    """What a session does, and for how long where that matters; `now` in ms since the epoch."""
    status = session.status
    seconds = (now - status.since) / 1000
    aged = f", for {duration(seconds)}" if status.state in _AGED and seconds >= 1 else ""
    if status.menu is not None:
        return f"waiting at its terminal, in a menu of Pi's own ({one_line(status.menu)})"
    return f"{STATE_WORDS[status.state]}{aged}"


def snapshot_lines(snapshot: Snapshot, now: int) -> Iterator[str]:
    """What session this is, without its prompts and what its extensions show."""
    session = snapshot.session
    version = f", Pi {one_line(session.pi_version)}" if session.pi_version else ""
    yield f"Attached to {session_title(session)} ({one_line(session.session_id)}{version}), {state_words(session, now)}."
    for notice in session.notices:
        yield f"  note: {one_line(notice)}"


def settled_lines(settled: ExtensionUISettled, prompt: ExtensionUIRequest | None) -> Iterator[str]:
    """How a prompt ended and who ended it."""
    title = f"{one_line(prompt.title)}: " if prompt is not None else ""
    where = _winner(settled)
    match settled.outcome:
        case "answered":
            yield f"= {title}{one_line(settled.answer) if settled.answer else 'answered'} ({where})"
        case "cancelled":
            yield f"= {title}cancelled ({where})"
        case "timed_out":
            yield f"= {title}nobody answered in time"
        case "withdrawn":
            reason = f" ({one_line(settled.reason)})" if settled.reason else ""
            yield f"= {title}no longer answerable{reason}"


def notification_lines(notification: ExtensionUINotification) -> Iterator[str]:
    """What is shown once, or changes so seldom that a line for each change is right."""
    match notification.method:
        case "notify":
            word = _LEVEL_WORDS[notification.notify_type or "info"]
            first, *rest = several_lines(notification.message or "")
            yield f"- {word}: {first}"
            yield from (f"  {line}" for line in rest)
        case "setHiddenThinkingLabel":
            label = notification.hidden_thinking_label
            yield f"- hidden thinking: {one_line(label) if label else '(cleared)'}"
        case "setToolsExpanded":
            yield f"- tools are {'expanded' if notification.tools_expanded else 'collapsed'}"
        case "set_editor_text":
            yield from _handoff_lines(notification)


def _handoff_lines(handoff: ExtensionUINotification) -> Iterator[str]:
    by = one_line(handoff.source) if handoff.source else "an extension"
    what = "put this at the cursor of Pi's editor" if handoff.paste else "put this into Pi's editor"
    if handoff.text is None:
        yield f"- {by} {what}: (a long text, which is not shown here)"
        return
    yield f"- {by} {what}:"
    yield from prefill_lines(handoff.text)


def result_lines(result: ResponseResult) -> Iterator[str]:
    """What became of an answer of ours."""
    if result.accepted:
        yield "Your answer was taken."
        return
    match result.reason:
        case "settled":
            yield "The prompt had ended already; your answer changed nothing."
        case "invalid":
            yield f"The answer does not fit: {one_line(result.detail) if result.detail else 'it is invalid'}"
        case "terminal_only":
            yield f"{one_line(result.detail) if result.detail else 'This can only be answered at the terminal.'} Nothing was changed."
        case "forbidden":
            yield "This connection may watch but not answer."
        case "detached":
            yield "The link to this Pi is gone for now; your answer was not sent. Try again when it is back."
        case _:
            yield f"Your answer was not taken ({result.reason or 'no reason given'})."


def unconfirmed_line(prompt: ExtensionUIRequest | None, session: Session | None, now: int) -> str:
    """An answer of ours without a verdict, and the state that may be why."""
    title = f" to {one_line(prompt.title)!r}" if prompt is not None else ""
    why = f" ({state_words(session, now)})" if session is not None and session.status.state in _AGED else ""
    return f"Your answer{title} is not confirmed yet{why}; trying again."


UNDECIDED: Final = "The daemon does not know the prompt any more, so nobody can say whether your answer counted."


def error_lines(error: Error) -> Iterator[str]:
    """What the daemon says about a frame of ours that it could not take."""
    yield f"The daemon says: {one_line(error.message)}"


def _winner(settled: ExtensionUISettled) -> str:
    if settled.winner == "terminal":
        return "in the terminal"
    if settled.winner == "none":
        return "by the extension"
    if settled.winner_name == LOCAL_CREDENTIAL:
        return "from this machine"
    return f"by {one_line(settled.winner_name)}" if settled.winner_name else "from another device"
