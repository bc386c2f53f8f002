"""Bridge messages become core events here, and every text is sanitized on the way in (design FIXED 3).

Past this file no text from a terminal is dirty. What is typed freely does not pass at all: an input's settlement carries no answer.
"""

from __future__ import annotations

from typing import Final, assert_never

from bridge import messages as said
from bridge.limits import OPTIONS_SENT, PROMPT_BYTES, TEXT_BYTES
from mirrord.core import events
from mirrord.core.model import LinkId, Moment, Prompt, PromptId, ResponseId, Settlement, Terminal, TerminalId
from mirrord.wire.messages import Truncation
from sanitize import is_secret_prompt, label, text

OPTION_CLUSTERS: Final = 1_000
"""One option: a line of the list, at most a few lines on a phone."""
STATUS_CLUSTERS: Final = 160
"""A status text (the contract: hosts cap status sizes)."""
KEY_CLUSTERS: Final = 80
"""A status key, which is a label where the text is missing."""
NAME_CLUSTERS: Final = 200
"""A conversation's name, a folder."""


def terminal(hello: said.Hello) -> Terminal:
    """What a hello says about its Pi, clean."""
    return Terminal(
        id=TerminalId(_token(hello.terminal.id)),
        pid=hello.terminal.pid,
        conversation_id=_token(hello.conversation.id),
        cwd=label(hello.conversation.cwd, limit=NAME_CLUSTERS).text,
        name=_label(hello.conversation.name, NAME_CLUSTERS),
        pi_version=_label(hello.terminal.pi_version, KEY_CLUSTERS),
        generation=hello.bridge.generation,
        capabilities=tuple(_token(name) for name in hello.capabilities),
    )


def event(message: said.FromExtension, link: LinkId, at: Moment) -> events.Event | None:
    """The event that a message means, or None for one that only concerns the link."""
    match message:
        case said.Hello():
            return events.TerminalLinked(at=at, link=link, terminal=terminal(message))
        case said.ResyncBegin():
            return events.ResyncBegan(at=at, link=link)
        case said.ResyncEnd():
            return events.ResyncEnded(at=at, link=link)
        case said.PromptOpened(prompt=opened):
            return events.PromptOpened(at=at, link=link, prompt=prompt(opened))
        case said.PromptSettled():
            return events.PromptSettled(at=at, link=link, settlement=_settlement(message))
        case said.ResponseRejected(id=id_, response_id=response, reason=reason):
            return events.ResponseRejected(at=at, link=link, prompt=PromptId(id_), response=ResponseId(response), reason=reason)
        case said.Notification(message=body, notify_type=level):
            return events.Notified(at=at, link=link, message=text(body, limit_bytes=TEXT_BYTES).text, level=level)
        case said.Status(key=key, text=status):
            clean = _label(status, STATUS_CLUSTERS)
            return events.StatusSet(at=at, link=link, key=label(key, limit=KEY_CLUSTERS).text, text=clean or None)
        case said.Title(title=title):
            return events.TitleSet(at=at, link=link, title=_label(title, NAME_CLUSTERS) or None)
        case said.Activity(working=working, cause=cause, at=since):
            return events.ActivityChanged(at=at, link=link, working=working, cause=cause, since=since)
        case said.ConversationChanged(conversation=conversation):
            return events.ConversationChanged(
                at=at,
                link=link,
                conversation_id=_token(conversation.id),
                cwd=label(conversation.cwd, limit=NAME_CLUSTERS).text,
                name=_label(conversation.name, NAME_CLUSTERS),
            )
        case said.Notice():
            return events.NoticeGiven(at=at, link=link, text=_notice(message))
        case said.Bye(reason=reason):
            return events.TerminalBye(at=at, link=link, reason=reason)
        case said.Ping() | said.Pong():
            return None
        case _:
            assert_never(message)


def prompt(opened: said.Prompt) -> Prompt:
    """A prompt as it may be shown: every text clean, all of them together within PROMPT_BYTES, every cut listed."""
    cuts = {cut.field: Truncation(cut.field, cut.shown, cut.total) for cut in opened.truncated}

    def cut(field: str, shown: int, total: int) -> None:
        cuts.setdefault(field, Truncation(field, shown, total))

    # A title keeps its lines: extensions put whole questions into it ("Dangerous command:\n\n  rm -rf build\n\nAllow?").
    title = text(opened.title, limit_bytes=TEXT_BYTES)
    message = text(opened.message, limit_bytes=TEXT_BYTES) if opened.message is not None else None
    for field, part in (("title", title), ("message", message)):
        if part is not None and part.truncated:
            cut(field, len(part.text.encode()), part.total)
    placeholder = label(opened.placeholder, limit=OPTION_CLUSTERS) if opened.placeholder is not None else None
    room = PROMPT_BYTES - sum(len(part.text.encode()) for part in (title, message, placeholder) if part)
    options = _options(opened.options or (), room)
    count = max(opened.option_count or 0, len(opened.options or ()))
    if len(options) < count:
        cuts["options"] = Truncation("options", len(options), count)
    return Prompt(
        id=PromptId(opened.id),
        method=opened.method,
        title=title.text,
        opened_at=opened.opened_at,
        message=message.text if message else None,
        options=options,
        option_count=count,
        placeholder=placeholder.text if placeholder else None,
        masked=opened.method == "input" and is_secret_prompt(opened.title, opened.placeholder),
        timeout=opened.timeout,
        timeout_at=opened.timeout_at,
        truncated=tuple(cuts.values()),
    )


def _options(raw: tuple[str, ...], room: int) -> tuple[str, ...]:
    """As many clean options as fit: they keep their places, so cutting is only ever at the end."""
    kept: list[str] = []
    for option in raw[:OPTIONS_SENT]:
        clean = label(option, limit=OPTION_CLUSTERS).text
        room -= len(clean.encode())
        if room < 0:
            break
        kept.append(clean)
    return tuple(kept)


def _settlement(message: said.PromptSettled) -> Settlement:
    return Settlement(
        id=PromptId(message.id),
        outcome=message.outcome,
        winner=message.winner,
        at=message.at,
        answer=_display(message.answer) if message.outcome == "answered" else None,
        reason=_label(message.reason, KEY_CLUSTERS),
        response_id=ResponseId(message.response_id) if message.response_id is not None else None,
    )


def _display(answer: said.Answer | None) -> str | None:
    """The display form of a choice; an answer that is not a choice has none (design FIXED 7)."""
    if answer is None:
        return None
    if answer.confirmed is not None:
        if answer.confirmed:
            return "Yes"
        return "No" if answer.certain else "No (or Esc)"
    return _label(answer.label, OPTION_CLUSTERS)


NOTICE_SENTENCES: Final = {
    "dropped": "Some notifications were lost while the daemon did not read.",
    "too_large": "Something too large for the bridge was left out.",
    "second_copy": "A second copy of the mirrord extension is loaded in this Pi and stays passive.",
    "hook_missing": "This Pi cannot be hooked early: prompts that open while it starts may be missed.",
}


def _notice(notice: said.Notice) -> str:
    sentence = NOTICE_SENTENCES.get(notice.code) or label(notice.code, limit=KEY_CLUSTERS).text
    count = f" ({notice.count})" if notice.count is not None else ""
    detail = f" [{label(notice.detail, limit=NAME_CLUSTERS).text}]" if notice.detail else ""
    return f"{sentence}{count}{detail}"


def _label(raw: str | None, limit: int) -> str | None:
    return label(raw, limit=limit).text if raw is not None else None


def _token(raw: str) -> str:
    """An id as it may be compared and printed: one line, nothing invisible."""
    return label(raw, limit=NAME_CLUSTERS).text
