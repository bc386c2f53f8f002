"""Each bridge message as the core event that it means."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from bridge import messages as said
from bridge.chat import FromExtensionChat
from bridge.limits import OPTIONS_KEPT
from mirrord.core import events
from mirrord.core.model import LinkId, Moment, Prompt, PromptId, ResponseId, Terminal, TerminalId
from mirrord.core.pieces import Pieces
from mirrord.intake import prompts
from mirrord.intake.chat import ChatIntake
from mirrord.intake.pencil import Pencil
from mirrord.intake.shown import Display
from sanitize import label

WORD_CLUSTERS: Final = 80
"""A version, the code of a notice."""
NAME_CLUSTERS: Final = 200
"""A conversation's name, a folder."""
FIRST_MESSAGE_CLUSTERS: Final = 120
"""The person's first words, which stand for a name: two lines of a phone."""


def terminal(hello: said.Hello) -> Terminal:
    """What a hello says about its Pi, clean."""
    return Terminal(
        id=TerminalId(_token(hello.terminal.id)),
        pid=hello.terminal.pid,
        conversation_id=_token(hello.conversation.id),
        cwd=label(hello.conversation.cwd, limit=NAME_CLUSTERS).text,
        name=_label(hello.conversation.name, NAME_CLUSTERS),
        pi_version=_label(hello.terminal.pi_version, WORD_CLUSTERS),
        capabilities=tuple(_token(name) for name in hello.capabilities),
        first_message=_label(hello.conversation.first_message, FIRST_MESSAGE_CLUSTERS),
        extension_version=_label(hello.bridge.version, WORD_CLUSTERS),
    )


@dataclass(slots=True)
class Intake:
    """Takes in what one link says. Pieces of a long prompt wait here for the prompt that they belong to, one prompt at a time."""

    link: LinkId
    _display: Display = field(init=False)
    _prefill: Pieces = field(default_factory=Pieces)
    _options_of: str | None = None
    _options_at: int = 0
    """Place of the first of `_options`."""
    _options: list[str] = field(default_factory=list)
    _chat: ChatIntake = field(init=False)

    def __post_init__(self) -> None:
        """All parts take in the same link, and draw in the same colours."""
        pencil = Pencil()
        self._display = Display(self.link, pencil)
        self._chat = ChatIntake(self.link, pencil)

    def event(self, message: said.FromExtension, at: Moment) -> events.Event | None:
        """The event that a message means, or None for one that means nothing yet or only concerns the link."""
        link = self.link
        if isinstance(message, FromExtensionChat):
            return self._chat.event(message, at)
        match message:
            case said.Hello():
                return events.TerminalLinked(at=at, link=link, terminal=terminal(message))
            case said.ResyncBegin():
                return events.ResyncBegan(at=at, link=link)
            case said.ResyncEnd():
                return events.ResyncEnded(at=at, link=link)
            case said.PromptOpened(prompt=opened):
                return events.PromptOpened(at=at, link=link, prompt=self._prompt(opened))
            case said.PrefillPart(id=id_, part=part, parts=parts, text=piece):
                self._prefill.add(id_, part, parts, piece)
                return None
            case said.OptionsPart():
                self._keep(message)
                return None
            case said.StopResult(request_id=request, ok=ok, message=sentence):
                return events.StopFinished(at=at, link=link, request=request, ok=ok, message=_label(sentence, NAME_CLUSTERS))
            case said.PromptSettled():
                return events.PromptSettled(at=at, link=link, settlement=prompts.settlement(message))
            case said.ResponseRejected(id=id_, response_id=response, reason=reason):
                return events.ResponseRejected(at=at, link=link, prompt=PromptId(id_), response=ResponseId(response), reason=reason)
            case said.Activity(working=working, at=since):
                return events.ActivityChanged(at=at, link=link, working=working, since=since)
            case said.ConversationChanged(conversation=conversation):
                return events.ConversationChanged(
                    at=at,
                    link=link,
                    conversation_id=_token(conversation.id),
                    cwd=label(conversation.cwd, limit=NAME_CLUSTERS).text,
                    name=_label(conversation.name, NAME_CLUSTERS),
                    first_message=_label(conversation.first_message, FIRST_MESSAGE_CLUSTERS),
                )
            case said.Notice():
                return events.NoticeGiven(at=at, link=link, text=_notice(message), about=_counted(message))
            case said.Bye(reason=reason):
                return events.TerminalBye(at=at, link=link, reason=reason)
            case said.ScreenShare(on=on):
                return events.ScreenShareSet(at=at, link=link, on=on)
            case said.Ping() | said.Pong() | said.PairCodeRequest():
                return None  # between the link and the daemon's edges: no part of what a session is
            case _:
                return self._display.event(message, at)

    def _prompt(self, opened: said.Prompt) -> Prompt:
        follow = self._options_of == opened.id and self._options_at == len(opened.options or ())
        more = self._options if follow else []
        prefill = self._prefill.take(opened.id, opened.prefill_parts) if opened.prefill_parts is not None else None
        self._prefill.clear()
        self._options_of, self._options = None, []
        return prompts.prompt(opened, more, prefill)

    def _keep(self, part: said.OptionsPart) -> None:
        """Options that do not follow the ones before them are forgotten: past what came whole, the prompt is answerable by index."""
        if self._options_of != part.id:
            self._options_of, self._options_at, self._options = part.id, part.offset, []
        follows = part.offset == self._options_at + len(self._options)
        if follows and len(self._options) + len(part.options) <= OPTIONS_KEPT:
            self._options += part.options


NOTICE_SENTENCES: Final = {
    "dropped": "Some notifications were lost while the daemon did not read.",
    "too_large": "Something too large for the bridge was left out.",
    "second_copy": "A second copy of the mirrord extension is loaded in this Pi and stays passive.",
    "unknown_member": "This Pi has a way to ask or show something that mirrord does not know; it stays at the terminal.",
    "hook_missing": "This Pi cannot be hooked early: prompts that open while it starts may be missed.",
    "editor_text": "A text that an extension put into the editor is shown only at the terminal.",
    "gave_way": "Older statuses or widgets gave way to newer ones.",
}


def _notice(notice: said.Notice) -> str:
    sentence = NOTICE_SENTENCES.get(notice.code) or label(notice.code, limit=WORD_CLUSTERS).text
    count = f" ({notice.count})" if notice.count is not None else ""
    detail = f" [{label(notice.detail, limit=NAME_CLUSTERS).text}]" if notice.detail else ""
    return f"{sentence}{count}{detail}"


def _counted(notice: said.Notice) -> str | None:
    """What gives way is counted from the start, so that a later count replaces the one before."""
    return f"{notice.code}:{label(notice.detail or '', limit=NAME_CLUSTERS).text}" if notice.code == "gave_way" else None


def _label(raw: str | None, limit: int) -> str | None:
    return label(raw, limit=limit).text if raw is not None else None


def _token(raw: str) -> str:
    """An id as it may be compared and printed: one line, nothing invisible."""
    return label(raw, limit=NAME_CLUSTERS).text
