"""A prompt as lines of plain text: what is asked, by whom, and what can be typed. Every text passes `sanitize` again here."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Final

from mirrord.attach.answers import AT_THE_TERMINAL, CANCEL, FILE, KEEP
from mirrord.attach.ask import IGNORE, SEPARATOR, SKIP
from mirrord.client.clean import one_line, several_lines
from mirrord.client.content import visible
from mirrord.wire.messages import ExtensionUIRequest, Question

MORE: Final = "/more"

PREFILL_LINES: Final = 40
"""Lines of a text to edit that are shown: two screens; the rest is counted."""

PREFILL_CHARACTERS: Final = 300
"""Characters of one of its lines that are shown: three rows of a wide terminal."""


def card_lines(prompt: ExtensionUIRequest, may_answer: bool) -> Iterator[str]:
    """A prompt as it waits, with what can be typed when this client may answer."""
    yield ""
    first, *rest = several_lines(prompt.title)
    yield f"? {one_line(prompt.source)} asks: {first}" if prompt.source else f"? {first}"
    yield from (f"  {line}" for line in rest)
    if prompt.message:
        yield from (f"  {line}" for line in several_lines(prompt.message))
    yield from option_lines(prompt.options or (), 0)
    yield from _question_lines(prompt)
    if prompt.prefill_parts is not None:
        yield "  (its text is on the way)"
    elif prompt.prefill is not None:
        yield from prefill_lines(prompt.prefill)
    yield from _cut_lines(prompt)
    if prompt.timeout_at is not None:
        yield f"  (until {clock(prompt.timeout_at)})"
    yield from _answering(prompt, may_answer)


def option_lines(options: tuple[str, ...], offset: int) -> Iterator[str]:
    """Options of a select with their numbers, from the one at place `offset` on."""
    width = len(str(offset + len(options)))
    for number, option in enumerate(options, offset + 1):
        yield f"  {number:>{width}}  {one_line(option)}"


def more_line(prompt: ExtensionUIRequest, shown: int) -> str:
    """How many options are on screen, and how to see the others."""
    count = prompt.option_count or shown
    return f"  ({shown} of {count} options; {MORE} shows the next, and the number of each can be typed)"


def prefill_lines(content: str) -> Iterator[str]:
    """The text that an editor holds, each line behind a bar; what cannot be shown is a mark, what is not shown is counted."""
    if not content:
        yield "  (the text is empty)"
        return
    lines = content.split("\n")
    for line in lines[:PREFILL_LINES]:
        hidden = len(line) - PREFILL_CHARACTERS
        rest = f" … ({_count(hidden, 'more character')})" if hidden > 0 else ""
        yield f"  │ {visible(line[:PREFILL_CHARACTERS])}{rest}"
    if len(lines) > PREFILL_LINES:
        rows = lines[PREFILL_LINES:]
        hidden = sum(map(len, rows)) + len(rows)
        yield f"  ({_count(len(rows), 'more line')} with {_count(hidden, 'character')}, not shown here)"


def how_to_answer(prompt: ExtensionUIRequest) -> str:
    """What can be typed, in one sentence; None of it is sent for a prompt that only the terminal answers."""
    match prompt.method:
        case "select":
            return f"Type a number or an option's text; {CANCEL} cancels."
        case "confirm":
            return f"Type y or n; {CANCEL} cancels."
        case "input":
            hint = f" ({one_line(prompt.placeholder)})" if prompt.placeholder else ""
            hidden = " It is not shown while you type." if prompt.masked else ""
            return f"Type a line{hint}; {CANCEL} cancels.{hidden}"
        case "editor":
            return f"{KEEP} keeps the text as it is, {FILE} PATH sends what a file holds, {CANCEL} cancels."
        case "ask":
            return _how_to_ask(prompt)
        case "custom" | "other":
            return AT_THE_TERMINAL


def clock(milliseconds: int) -> str:
    """The time of day here."""
    return time.strftime("%H:%M:%S", time.localtime(milliseconds / 1000))


def _how_to_ask(prompt: ExtensionUIRequest) -> str:
    questions = prompt.questions or ()
    own = ", or a text of your own" if prompt.allow_custom is not False else ""
    ends = f"{IGNORE} answers none, {CANCEL} cancels."
    if len(questions) == 1:
        several = " (several: 1,3)" if questions[0].multi_select else ""
        what = f"a number{several}{own}" if questions[0].options else "a text"
        return f"Type {what}; {ends}"
    return f"Type a number (several: 1,3){own} for each question, `{SEPARATOR}` between them, {SKIP} to skip one; {ends}"


def _answering(prompt: ExtensionUIRequest, may_answer: bool) -> Iterator[str]:
    if prompt.terminal_only is not None or prompt.method in ("custom", "other"):
        cancels = f" {CANCEL} cancels it." if may_answer and prompt.cancellable else ""
        yield f"  {one_line(prompt.terminal_only or AT_THE_TERMINAL)}{cancels}"
    elif may_answer:
        yield f"  {how_to_answer(prompt)}"


def _question_lines(prompt: ExtensionUIRequest) -> Iterator[str]:
    questions = prompt.questions or ()
    for number, question in enumerate(questions, 1):
        yield from _question(question, number, alone=len(questions) == 1 and question.question == prompt.title)


def _question(question: Question, number: int, alone: bool) -> Iterator[str]:
    kind = " (several may be chosen)" if question.multi_select else ""
    if not alone:
        first, *rest = several_lines(question.question)
        yield f"  {number}. {first}{kind}"
        yield from (f"     {line}" for line in rest)
    elif kind:
        yield f" {kind}"
    indent = "  " if alone else "     "
    width = len(str(len(question.options)))
    for place, option in enumerate(question.options, 1):
        yield f"{indent}{place:>{width}}  {one_line(option.label)}"
        if option.description:
            yield from (f"{indent}{' ' * width}  {line}" for line in several_lines(option.description))


def _cut_lines(prompt: ExtensionUIRequest) -> Iterator[str]:
    shown = len(prompt.options or ())
    for cut in prompt.truncated:
        if cut.field != "options":
            yield f"  ({one_line(cut.field)} is shortened: {cut.shown} of {cut.total})"
    if prompt.option_count is not None and prompt.option_count > shown:
        yield more_line(prompt, shown)


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
