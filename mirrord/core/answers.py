"""Is this answer valid for this prompt? An invalid one is refused and settles nothing (design FIXED 2)."""

from __future__ import annotations

import unicodedata
from typing import Final

from bridge.limits import KIB
from mirrord.core.model import Prompt, Reply
from mirrord.wire.messages import ExtensionUIResponse

INPUT_BYTES: Final = 64 * KIB
"""An answer to `input`, which is one line: far above what anybody types, far below a bridge frame."""


class InvalidAnswerError(Exception):
    """The answer does not fit the prompt; the text is one sentence for the person who gave it."""


def check(prompt: Prompt, response: ExtensionUIResponse) -> Reply:
    """The answer in the form that goes to the terminal.

    Raises:
        InvalidAnswerError: what is wrong with it, in one sentence.
    """
    given = [
        name
        for name, present in (
            ("value", response.value is not None),
            ("index", response.index is not None),
            ("confirmed", response.confirmed is not None),
            ("cancelled", response.cancelled is not None),
        )
        if present
    ]
    if len(given) != 1:
        raise InvalidAnswerError("An answer needs exactly one of value, index, confirmed and cancelled.")
    if response.cancelled is not None:
        if not response.cancelled:
            raise InvalidAnswerError("cancelled can only be true.")
        return Reply(cancelled=True)
    if prompt.method == "select":
        return Reply(index=_choice(prompt, response))
    if prompt.method == "confirm":
        if response.confirmed is None:
            raise InvalidAnswerError("A confirmation is answered with confirmed: true or false.")
        return Reply(confirmed=response.confirmed)
    return Reply(text=_line(response))


def _choice(prompt: Prompt, response: ExtensionUIResponse) -> int:
    if response.index is not None:
        if not 0 <= response.index < prompt.option_count:
            raise InvalidAnswerError(f"index must be between 0 and {prompt.option_count - 1}.")
        return response.index
    if response.value is None:
        raise InvalidAnswerError("A selection is answered with index or value.")
    places = [place for place, option in enumerate(prompt.options) if option == response.value]
    if not places:
        raise InvalidAnswerError("value is none of the options.")
    if len(places) > 1:
        raise InvalidAnswerError(f"value names {len(places)} options that look the same; answer by index.")
    return places[0]


def _line(response: ExtensionUIResponse) -> str:
    if response.value is None:
        raise InvalidAnswerError("An input is answered with value.")
    if "\n" in response.value or "\r" in response.value:
        raise InvalidAnswerError("An input takes one line.")
    if any(unicodedata.category(character) == "Cc" for character in response.value):
        # The terminal refuses it too, since no key types it, but cannot say why.
        raise InvalidAnswerError("An input takes no control characters.")
    if any(0xD800 <= ord(character) <= 0xDFFF for character in response.value):
        raise InvalidAnswerError("value holds half of a character.")
    if len(response.value.encode()) > INPUT_BYTES:
        raise InvalidAnswerError(f"An input takes at most {INPUT_BYTES} bytes.")
    return response.value
