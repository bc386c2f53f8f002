"""Content that goes back to Pi: how it travels, whole and unchanged, and how it looks where a person reads it."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from typing import Final

import msgspec

from bridge.limits import PIECE_BYTES
from mirrord.wire.messages import ContentPart, ExtensionUIResponse
from mirrord.wire.units import pieces
from sanitize import text

_CONTROL_PICTURES: Final = 0x2400
_DELETE: Final = 0x7F
_UNSHOWN: Final = ("Cc", "Cs", "Zl", "Zp")


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer: the response and the pieces that go before it. All have one response id."""

    response_id: str
    response: ExtensionUIResponse
    pieces: tuple[ContentPart, ...] = field(default=(), repr=False)

    @property
    def prompt_id(self) -> str:
        """The prompt that it is for."""
        return self.response.id

    @property
    def frames(self) -> tuple[ContentPart | ExtensionUIResponse, ...]:
        """What is sent, in order."""
        return *self.pieces, self.response


def text_answer(prompt_id: str, response_id: str, content: str) -> Answer:
    """The answer that is this text: in one frame, or in pieces where it is longer than PIECE_BYTES as JSON."""
    if len(msgspec.json.encode(content)) <= PIECE_BYTES:
        return Answer(response_id, ExtensionUIResponse(id=prompt_id, response_id=response_id, value=content))
    texts = pieces(content)
    parts = tuple(ContentPart(response_id=response_id, part=part, parts=len(texts), text=piece) for part, piece in enumerate(texts))
    return Answer(response_id, ExtensionUIResponse(id=prompt_id, response_id=response_id, parts=len(texts)), parts)


def visible(line: str) -> str:
    """One line of content for a terminal: what cannot be shown there is a mark (␛ ␍ ⇥ <U+202E>), nothing is left out.

    A line feed is a mark too; whoever shows several lines splits at it.
    """
    marked = "".join(_mark(character) if unicodedata.category(character) in _UNSHOWN else character for character in line)
    clean = text(marked, limit_bytes=max(3, len(marked.encode()))).text
    if clean == marked:
        return marked
    shown: list[str] = []
    kept = 0
    for character in marked:
        if clean[kept : kept + 1] == character:
            kept += 1
            shown.append(character)
        else:
            shown.append(_mark(character))
    return text("".join(shown)).text


def _mark(character: str) -> str:
    code = ord(character)
    if character == "\t":
        return "⇥"
    if code < ord(" "):
        return chr(_CONTROL_PICTURES + code)
    return "␡" if code == _DELETE else f"<U+{code:04X}>"
