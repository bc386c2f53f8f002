"""Is this answer valid for this prompt? An invalid one is refused and settles nothing (design FIXED 2)."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from bridge.limits import CONTENT_BYTES, KIB
from mirrord.core.model import Prompt, Reply
from mirrord.wire.messages import ExtensionUIResponse, Method, Question

INPUT_BYTES: Final = 64 * KIB
"""An answer to `input`, which is one line, or one typed answer of `ask`: far above what anybody types, far below a bridge frame."""

ANSWERS_BYTES: Final = 256 * KIB
"""All answers of one `ask`: with JSON's escapes they fit a bridge frame."""


class InvalidAnswerError(Exception):
    """The answer does not fit the prompt; the text is one sentence for the person who gave it."""


class TerminalOnlyError(InvalidAnswerError):
    """The prompt can only be answered at the terminal."""


def check(prompt: Prompt, response: ExtensionUIResponse, content: str | None = None) -> Reply:
    """The answer in the form that goes to the terminal. `content` is what came in pieces, where `parts` says so.

    Raises:
        TerminalOnlyError: no remote can answer this prompt, or cancel it.
        InvalidAnswerError: what is wrong with it, in one sentence.
    """
    fields = ("value", "index", "confirmed", "answers", "unchanged", "parts", "cancelled")
    given = [name for name in fields if getattr(response, name) is not None]
    if len(given) != 1:
        raise InvalidAnswerError("An answer needs exactly one of value, index, confirmed, answers, unchanged, parts and cancelled.")
    if response.cancelled is not None:
        if not response.cancelled:
            raise InvalidAnswerError("cancelled can only be true.")
        if not prompt.cancellable:
            raise TerminalOnlyError("This can only be closed at the terminal.")
        return Reply(cancelled=True)
    if prompt.terminal_only is not None:
        raise TerminalOnlyError(prompt.terminal_only)
    return _CHECKS[prompt.method](prompt, response, content)


def _select(prompt: Prompt, response: ExtensionUIResponse, _: str | None) -> Reply:
    if response.index is not None:
        if not 0 <= response.index < prompt.option_count:
            raise InvalidAnswerError(f"index must be between 0 and {prompt.option_count - 1}.")
        return Reply(index=response.index)
    if response.value is None:
        raise InvalidAnswerError("A selection is answered with index or value.")
    places = [place for place, option in enumerate(prompt.options) if option == response.value]
    if not places:
        raise InvalidAnswerError("value is none of the options.")
    if len(places) > 1:
        raise InvalidAnswerError(f"value names {len(places)} options that look the same; answer by index.")
    return Reply(index=places[0])


def _confirm(_: Prompt, response: ExtensionUIResponse, __: str | None) -> Reply:
    if response.confirmed is None:
        raise InvalidAnswerError("A confirmation is answered with confirmed: true or false.")
    return Reply(confirmed=response.confirmed)


def _input(_: Prompt, response: ExtensionUIResponse, __: str | None) -> Reply:
    if response.value is None:
        raise InvalidAnswerError("An input is answered with value.")
    return Reply(text=_one_line(response.value))


def _editor(_: Prompt, response: ExtensionUIResponse, content: str | None) -> Reply:
    if response.unchanged is not None:
        if not response.unchanged:
            raise InvalidAnswerError("unchanged can only be true.")
        return Reply(unchanged=True)
    text = response.value if response.parts is None else content
    if response.parts is not None and text is None:
        raise InvalidAnswerError("The pieces of this text have not all arrived; send them again.")
    if text is None:
        raise InvalidAnswerError("An editor is answered with value, parts or unchanged.")
    return Reply(text=_whole(text, CONTENT_BYTES, "A text"))


def _ask(prompt: Prompt, response: ExtensionUIResponse, _: str | None) -> Reply:
    answers: Mapping[str, str | tuple[str, ...]] | None = response.answers
    if response.value is not None:
        try:
            answers = msgspec.json.decode(response.value, type=dict[str, str | tuple[str, ...]])
        except (msgspec.DecodeError, UnicodeEncodeError):
            raise InvalidAnswerError("value must be JSON that maps each question's id to one text or a list of texts.") from None
    if answers is None:
        raise InvalidAnswerError("An ask is answered with answers, or with value holding their JSON.")
    questions = {question.id: question for question in prompt.questions}
    strange = [id_ for id_ in answers if id_ not in questions]
    if strange:
        raise InvalidAnswerError("answers name a question that was not asked.")
    size = sum(len(_check_question(questions[id_], answer, prompt.allow_custom).encode()) for id_, answer in answers.items())
    if size > ANSWERS_BYTES:
        raise InvalidAnswerError(f"All answers together take at most {ANSWERS_BYTES} bytes.")
    return Reply(answers=dict(answers))


def _check_question(question: Question, answer: str | tuple[str, ...], allow_custom: bool) -> str:
    """All texts of the answer, one after another; raises when one does not fit."""
    given = answer if isinstance(answer, tuple) else (answer,)
    if isinstance(answer, tuple) and not question.multi_select:
        raise InvalidAnswerError("A question that takes one answer got a list.")
    if len(set(given)) != len(given):
        raise InvalidAnswerError("An answer names an option twice.")
    options = {option.value for option in question.options}
    for text in given:
        if text not in options:
            if options and not allow_custom:
                raise InvalidAnswerError("An answer is none of the question's options.")
            if not text:
                raise InvalidAnswerError("An answer is empty; leave a question out to skip it.")
            _whole(text, INPUT_BYTES, "An answer")
    return "".join(given)


def _one_line(text: str) -> str:
    if "\n" in text or "\r" in text:
        raise InvalidAnswerError("An input takes one line.")
    if any(unicodedata.category(character) == "Cc" for character in text):
        # The terminal refuses it too, since no key types it, but cannot say why.
        raise InvalidAnswerError("An input takes no control characters.")
    return _whole(text, INPUT_BYTES, "An input")


def _whole(text: str, limit: int, what: str) -> str:
    if any(0xD800 <= ord(character) <= 0xDFFF for character in text):
        raise InvalidAnswerError(f"{what} holds half of a character.")
    if len(text.encode()) > limit:
        raise InvalidAnswerError(f"{what} takes at most {limit} bytes.")
    return text


def _terminal_only(_: Prompt, __: ExtensionUIResponse, ___: str | None) -> Reply:
    raise TerminalOnlyError("This can only be answered at the terminal.")


_CHECKS: Final[dict[Method, Callable[[Prompt, ExtensionUIResponse, str | None], Reply]]] = {
    "select": _select,
    "confirm": _confirm,
    "input": _input,
    "editor": _editor,
    "ask": _ask,
    "custom": _terminal_only,
    "other": _terminal_only,
}
