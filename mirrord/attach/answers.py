"""What a typed line means as an answer to a prompt. Pure: nothing is sent from here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from mirrord.attach.ask import Explain, read_ask
from mirrord.client.clean import one_line
from mirrord.wire.messages import ExtensionUIRequest, ExtensionUIResponse

CANCEL: Final = "/cancel"
KEEP: Final = "/keep"
FILE: Final = "/file"
AT_THE_TERMINAL: Final = "This can only be answered at the terminal."

_NUMBER: Final = re.compile(r"^#?(\d{1,9})$", re.ASCII)
_YES: Final = frozenset({"y", "yes"})
_NO: Final = frozenset({"n", "no"})


@dataclass(frozen=True, slots=True)
class SendFile:
    """The answer is what this file holds, whole."""

    prompt_id: str
    response_id: str
    path: str


Decision = ExtensionUIResponse | SendFile | Explain


def read_answer(prompt: ExtensionUIRequest, line: str, response_id: str) -> Decision:
    """The answer that `line` gives to `prompt`.

    `/cancel` cancels. A select takes a number (`2` or `#2`) or the exact text of an option, a confirm y, n, yes or no,
    an input the line as it is, an editor `/keep` or `/file PATH`, an ask what `read_ask` says. An empty line is never an
    answer, because Enter alone is too easily pressed.
    """
    trimmed = line.strip()
    if trimmed == CANCEL:
        if not prompt.cancellable:
            return Explain("This can only be closed at the terminal. Nothing was sent.")
        return ExtensionUIResponse(id=prompt.id, response_id=response_id, cancelled=True)
    if not trimmed:
        return Explain("An empty line is not sent.")
    if prompt.terminal_only is not None:
        return Explain(f"{one_line(prompt.terminal_only)} Nothing was sent.")
    match prompt.method:
        case "select":
            index = _choice(prompt, trimmed)
            if isinstance(index, Explain):
                return index
            return ExtensionUIResponse(id=prompt.id, response_id=response_id, index=index)
        case "confirm":
            if trimmed.lower() not in _YES | _NO:
                return Explain(f"Type y or n, or {CANCEL}; nothing was sent.")
            return ExtensionUIResponse(id=prompt.id, response_id=response_id, confirmed=trimmed.lower() in _YES)
        case "input":
            if "\n" in line or "\r" in line:
                return Explain("This takes one line; what you pasted has several. Nothing was sent.")
            return ExtensionUIResponse(id=prompt.id, response_id=response_id, value=line)
        case "editor":
            return _edited(prompt, trimmed, response_id)
        case "ask":
            answers = read_ask(prompt, line)
            if isinstance(answers, Explain):
                return answers
            return ExtensionUIResponse(id=prompt.id, response_id=response_id, answers=answers)
        case "custom" | "other":
            return Explain(f"{AT_THE_TERMINAL} Nothing was sent.")


def _edited(prompt: ExtensionUIRequest, text: str, response_id: str) -> Decision:
    if text == KEEP:
        return ExtensionUIResponse(id=prompt.id, response_id=response_id, unchanged=True)
    command, _, path = text.partition(" ")
    if command == FILE and path.strip():
        return SendFile(prompt.id, response_id, path.strip())
    return Explain(
        f"This asks for a text of several lines, so a typed line is not sent. {KEEP} keeps the text as it is, "
        f"{FILE} PATH sends what a file holds, {CANCEL} cancels."
    )


def _choice(prompt: ExtensionUIRequest, text: str) -> int | Explain:
    options = prompt.options or ()
    count = prompt.option_count if prompt.option_count is not None else len(options)
    named = [place for place, option in enumerate(options) if option == text]
    number = _NUMBER.match(text)
    counted = int(number[1]) - 1 if number else -1
    if 0 <= counted < count:
        if not text.startswith("#") and named not in ([], [counted]):
            return Explain(
                f"{text} is the number of one option and the text of another; type #{text} for number {text}, "
                f"#{named[0] + 1} for the other. Nothing was sent."
            )
        return counted
    if len(named) == 1:
        return named[0]
    if named:
        return Explain(f"{len(named)} options have this text; type the number. Nothing was sent.")
    return Explain(f"Type a number from 1 to {count} or the exact text of an option, or {CANCEL}; nothing was sent.")
