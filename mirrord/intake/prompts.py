"""A prompt and its settlement as they may be shown: every shown text clean, all within the bounds, every cut listed, content whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, get_args

from bridge import messages as said
from bridge.limits import (
    CONTENT_BYTES,
    KIB,
    OPTIONS_BYTES,
    OPTIONS_KEPT,
    OPTIONS_SENT,
    PROMPT_BYTES,
    QUESTIONS,
    TEXT_BYTES,
)
from mirrord.core.model import Prompt, PromptId, ResponseId, Settlement
from mirrord.wire.messages import Method, Question, QuestionOption, Truncation
from sanitize import CleanText, is_secret_prompt, label, text

OPTION_CLUSTERS: Final = 1_000
"""One option: a line of the list, at most a few lines on a phone."""
SOURCE_CLUSTERS: Final = 80
"""The name of the extension that asks."""
VALUE_BYTES: Final = KIB
"""A value of an ask's option or the id of a question: a word, not a document."""
LABELS_SHOWN: Final = 20
"""Chosen labels that a settlement lists; more are counted."""

TERMINAL_ONLY: Final = {
    "custom": "This dialog can only be used at the terminal.",
    "too_large": "This is too large to be answered from here: answer at the terminal.",
    "half_characters": "This holds characters that cannot be carried whole: answer at the terminal.",
}
UNKNOWN: Final = "This can only be answered at the terminal."


@dataclass(slots=True)
class _Budget:
    """What is left of PROMPT_BYTES, and the cuts so far. A cut that the extension listed keeps its numbers."""

    cuts: dict[str, Truncation]
    left: int = PROMPT_BYTES

    def take(self, name: str, clean: CleanText, shown: int) -> str:
        """Count a text, and note its cut."""
        self.left -= len(clean.text.encode())
        if clean.truncated:
            self.cuts.setdefault(name, Truncation(name, shown, clean.total))
        return clean.text

    def text(self, name: str, raw: str) -> str:
        """A text on its lines."""
        clean = text(raw, limit_bytes=TEXT_BYTES)
        return self.take(name, clean, len(clean.text.encode()))

    def label(self, name: str, raw: str) -> str:
        """A text on one line."""
        return self.take(name, label(raw, limit=OPTION_CLUSTERS), OPTION_CLUSTERS)


def prompt(opened: said.Prompt, more_options: Sequence[str] = (), prefill: str | None = None) -> Prompt:
    """A prompt as it may be shown. `more_options` follow the ones in the message; `prefill` came in pieces before it."""
    budget = _Budget({cut.field: Truncation(cut.field, cut.shown, cut.total) for cut in opened.truncated})
    method: Method = next((known for known in get_args(Method) if known == opened.method), "other")
    # A title keeps its lines: extensions put whole questions into it ("Dangerous command:\n\n  rm -rf build\n\nAllow?").
    title = budget.text("title", opened.title)
    message = budget.text("message", opened.message) if opened.message is not None else None
    placeholder = budget.label("placeholder", opened.placeholder) if opened.placeholder is not None else None
    questions, why = _questions(opened, budget)
    options = _options((*(opened.options or ()), *more_options), budget.left)
    count = max(opened.option_count or 0, len(opened.options or ()) + len(more_options))
    if min(len(options), OPTIONS_SENT) < count:
        budget.cuts["options"] = Truncation("options", min(len(options), OPTIONS_SENT), count)
    content = (opened.prefill or "") if opened.prefill_parts is None else prefill
    if method == "editor" and (content is None or len(content.encode()) > CONTENT_BYTES):
        why = "too_large"
    return Prompt(
        id=PromptId(opened.id),
        method=method,
        title=title,
        opened_at=opened.opened_at,
        message=message,
        options=options,
        option_count=count,
        placeholder=placeholder,
        masked=method == "input" and is_secret_prompt(opened.title, opened.placeholder),
        timeout=opened.timeout,
        timeout_at=opened.timeout_at,
        truncated=tuple(budget.cuts.values()),
        source=label(opened.source, limit=SOURCE_CLUSTERS).text or None if opened.source is not None else None,
        prefill=content if method == "editor" and (opened.terminal_only or why) is None else None,
        questions=questions,
        allow_custom=opened.allow_custom is not False,
        terminal_only=_terminal_only(method, opened.terminal_only or why),
        cancellable=opened.cancellable and method not in ("custom", "other"),
    )


def _terminal_only(method: Method, code: str | None) -> str | None:
    if method in ("custom", "other"):
        return TERMINAL_ONLY["custom"] if method == "custom" else UNKNOWN
    return TERMINAL_ONLY.get(code, UNKNOWN) if code is not None else None


def _options(raw: Sequence[str], room: int) -> tuple[str, ...]:
    """As many clean options as fit, in their places, so that cutting is only ever at the end: the first OPTIONS_SENT into the room that the
    prompt's request has left, the others into what is kept for paging."""
    kept: list[str] = []
    more = OPTIONS_BYTES
    for place, option in enumerate(raw[:OPTIONS_KEPT]):
        clean = label(option, limit=OPTION_CLUSTERS).text
        size = len(clean.encode())
        room, more = (room - size, more) if place < OPTIONS_SENT else (room, more - size)
        if min(room, more) < 0:
            break
        kept.append(clean)
    return tuple(kept)


def _questions(opened: said.Prompt, budget: _Budget) -> tuple[tuple[Question, ...], str | None]:
    """The questions of an ask, and why it cannot be answered from afar."""
    asked = opened.questions or ()
    values = [value for question in asked for value in (question.id, *(option.value for option in question.options))]
    if len(asked) > QUESTIONS or any(len(question.options) > OPTIONS_SENT for question in asked):
        return (), "too_large"
    if any(len(value.encode()) > VALUE_BYTES for value in values) or len({question.id for question in asked}) < len(asked):
        return (), "too_large"
    questions = tuple(
        Question(
            id=question.id,
            question=budget.text(f"questions.{place}", question.question),
            options=tuple(
                QuestionOption(
                    value=option.value,
                    label=budget.label(f"questions.{place}.{number}", option.label),
                    description=budget.text(f"questions.{place}.{number}.description", option.description)
                    if option.description is not None
                    else None,
                )
                for number, option in enumerate(question.options)
            ),
            multi_select=question.multi_select,
        )
        for place, question in enumerate(asked)
    )
    return ((), "too_large") if budget.left < 0 else (questions, None)


def settlement(message: said.PromptSettled) -> Settlement:
    """The terminal's ruling; an answer that is not a choice has no display form (design FIXED 7)."""
    return Settlement(
        id=PromptId(message.id),
        outcome=message.outcome,
        winner=message.winner,
        at=message.at,
        answer=_display(message.answer) if message.outcome == "answered" else None,
        reason=label(message.reason, limit=SOURCE_CLUSTERS).text if message.reason is not None else None,
        response_id=ResponseId(message.response_id) if message.response_id is not None else None,
        again=message.again,
    )


def _display(answer: said.Answer | None) -> str | None:
    if answer is None:
        return None
    if answer.confirmed is not None:
        if answer.confirmed:
            return "Yes"
        return "No" if answer.certain else "No (or Esc)"
    if answer.labels is not None:
        shown = ", ".join(label(each, limit=OPTION_CLUSTERS).text for each in answer.labels[:LABELS_SHOWN])
        hidden = len(answer.labels) - LABELS_SHOWN
        return (f"{shown} and {hidden} more" if hidden > 0 else shown) or None
    return label(answer.label, limit=OPTION_CLUSTERS).text if answer.label is not None else None
