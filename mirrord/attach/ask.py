"""What one typed line means as the answers to all questions of an `ask`. Pure: nothing is sent from here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from mirrord.wire.messages import ExtensionUIRequest, Question

IGNORE: Final = "/ignore"
SKIP: Final = "-"
OWN: Final = "="
"""Before a text that would otherwise be read as a number, as `-` or as an option's text."""
SEPARATOR: Final = " ; "

_BETWEEN: Final = re.compile(r"(?:^|(?<=\s));(?=\s|$)")
_NUMBERS: Final = re.compile(r"^[0-9]{1,9}(?:\s*,\s*[0-9]{1,9})*$")

Answers = dict[str, str | tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Explain:
    """The line is no answer; the text says why, and nothing is sent."""

    text: str


def read_ask(prompt: ExtensionUIRequest, line: str) -> Answers | Explain:
    """The answers by question id; a question that is skipped is not among them.

    A part for each question, in order, with ` ; ` between them. A part is the number of an option (`1,3` where several
    may be chosen), the exact text of one, a text of one's own, or `-` to skip. `=` before a text takes it as it is.
    `/ignore` skips all.
    """
    questions = prompt.questions or ()
    if line.strip() == IGNORE:
        return {}
    parts = _BETWEEN.split(line) if len(questions) > 1 else [line]
    if len(parts) != len(questions):
        return Explain(
            f"There are {len(questions)} questions and this line answers {len(parts)}: write a part for each, "
            f"separated by `{SEPARATOR}`, and {SKIP} to skip one. Nothing was sent."
        )
    answers: Answers = {}
    for number, (question, part) in enumerate(zip(questions, parts, strict=True), 1):
        answer = _part(question, part.strip(), prompt.allow_custom is not False)
        if isinstance(answer, Explain):
            where = f"Question {number}: " if len(questions) > 1 else ""
            return Explain(f"{where}{answer.text} Nothing was sent.")
        if answer:
            answers[question.id] = answer if question.multi_select else answer[0]
    return answers


def _part(question: Question, part: str, allow_custom: bool) -> tuple[str, ...] | Explain:
    """The values that answer one question; none when it is skipped."""
    if part in ("", SKIP):
        return ()
    count = len(question.options)
    takes_own = allow_custom or not count
    if part.startswith(OWN) and takes_own:
        own = part.removeprefix(OWN).strip()
        return (own,) if own else Explain(f"there is no text after {OWN}.")
    named = [option.value for option in question.options if option.label == part]
    if len(named) == 1:
        return (named[0],)
    if named:
        return Explain(f"{len(named)} options have this text; write the number.")
    if count and _NUMBERS.match(part):
        return _numbered(question, [int(number) for number in part.split(",")], takes_own)
    if takes_own:
        return (part,)
    return Explain(f"{_choices(question)} or the exact text of an option.")


def _numbered(question: Question, numbers: list[int], takes_own: bool) -> tuple[str, ...] | Explain:
    if any(not 1 <= number <= len(question.options) for number in numbers):
        own = f", or {OWN} before it to send it as a text of your own" if takes_own else ""
        return Explain(f"{_choices(question)}{own}.")
    if len(numbers) > 1 and not question.multi_select:
        return Explain("only one of the options can be chosen.")
    if len(set(numbers)) < len(numbers):
        return Explain("an option is named twice.")
    return tuple(question.options[number - 1].value for number in numbers)


def _choices(question: Question) -> str:
    return f"write a number from 1 to {len(question.options)}"
