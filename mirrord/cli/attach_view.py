"""The daemon's messages as lines of plain text for a terminal. Every text from outside passes `sanitize` again here.

The lines hold no control character at all: no colour, no cursor movement. What is read later in a scrollback, a pipe
or a screen reader is the same.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Final

from mirrord.cli.attach_answers import CANCEL
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

STATE_WORDS: Final[dict[State, str]] = {
    "working": "working",
    "waiting": "waiting for an answer",
    "your_turn": "your turn",
    "idle": "idle",
    "failed": "failed",
    "suspended": "suspended",
    "detached": "out of touch (its Pi lives, its link is gone)",
    "ended": "ended",
}

LOCAL_CREDENTIAL: Final = "local"
"""The name under which the control socket answers."""

_LEVEL_WORDS: Final = {"info": "notice", "warning": "warning", "error": "error"}


def session_title(session: Session) -> str:
    """What a session is called in a list: its conversation's name, else its folder."""
    return one_line(session.name) if session.name else one_line(session.cwd)


def snapshot_lines(snapshot: Snapshot) -> Iterator[str]:
    """What is true now, without the prompts."""
    session = snapshot.session
    version = f", Pi {one_line(session.pi_version)}" if session.pi_version else ""
    yield f"Attached to {session_title(session)} ({one_line(session.session_id)}{version}), {STATE_WORDS[session.status.state]}."
    if snapshot.title:
        yield f"  title: {one_line(snapshot.title)}"
    for status in snapshot.statuses:
        yield f"  {one_line(status.key)}: {one_line(status.text)}"
    for notice in session.notices:
        yield f"  note: {one_line(notice)}"


def card_lines(prompt: ExtensionUIRequest, may_answer: bool) -> Iterator[str]:
    """A prompt as it waits, with what can be typed when this client may answer."""
    yield ""
    first, *rest = several_lines(prompt.title)
    yield f"? {first}"
    yield from (f"  {line}" for line in rest)
    if prompt.message:
        yield from (f"  {line}" for line in several_lines(prompt.message))
    options = prompt.options or ()
    width = len(str(len(options)))
    for number, option in enumerate(options, 1):
        yield f"  {number:>{width}}  {one_line(option)}"
    for cut in prompt.truncated:
        yield f"  ({one_line(cut.field)} is shortened: {cut.shown} of {cut.total})"
    if prompt.timeout_at is not None:
        yield f"  (until {_clock(prompt.timeout_at)})"
    if may_answer:
        yield f"  {_how_to_answer(prompt)}"


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
    """`notify`, a status, the title or a widget."""
    match notification.method:
        case "notify":
            word = _LEVEL_WORDS[notification.notify_type or "info"]
            first, *rest = several_lines(notification.message or "")
            yield f"- {word}: {first}"
            yield from (f"  {line}" for line in rest)
        case "setStatus":
            shown = one_line(notification.status_text) if notification.status_text else "(cleared)"
            yield f"- {one_line(notification.status_key or '')}: {shown}"
        case "setTitle":
            yield f"- title: {one_line(notification.title) if notification.title else '(cleared)'}"
        case "setWidget":
            yield f"- {one_line(notification.widget_key or '')}{':' if notification.widget_lines else ' (cleared)'}"
            yield from (f"  {one_line(line)}" for line in notification.widget_lines or ())


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
        case "forbidden":
            yield "This connection may watch but not answer."
        case "detached":
            yield "The link to this Pi is gone for now; your answer was not sent. Try again when it is back."
        case _:
            yield f"Your answer was not taken ({result.reason or 'no reason given'})."


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


def _how_to_answer(prompt: ExtensionUIRequest) -> str:
    match prompt.method:
        case "select":
            return f"Type a number or an option's text; {CANCEL} cancels."
        case "confirm":
            return f"Type y or n; {CANCEL} cancels."
        case "input":
            hint = f" ({one_line(prompt.placeholder)})" if prompt.placeholder else ""
            hidden = " It is not shown while you type." if prompt.masked else ""
            return f"Type a line{hint}; {CANCEL} cancels.{hidden}"


def _clock(milliseconds: int) -> str:
    return time.strftime("%H:%M:%S", time.localtime(milliseconds / 1000))
