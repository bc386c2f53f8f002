"""The daemon's text frames as typed messages. Frames of a type we do not know are kept as text and have no message."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, get_args

import msgspec

from mirrord.client.errors import ProtocolMismatch
from mirrord.wire.messages import ClientMessage, ServerMessage


@dataclass(frozen=True, slots=True)
class Frame:
    """One text frame as it came, and what it says; `message` is None for a type this build does not know."""

    text: str
    message: ServerMessage | None


class _Tag(msgspec.Struct):
    type: str


_KNOWN: Final = frozenset(kind.__struct_config__.tag for kind in get_args(ServerMessage))
_TAG: Final = msgspec.json.Decoder(_Tag)
_MESSAGE: Final[msgspec.json.Decoder[ServerMessage]] = msgspec.json.Decoder(ServerMessage)


def decode(text: str) -> Frame:
    """The frame, or `ProtocolMismatch` when it is no message at all or a known one with a field of the wrong type."""
    try:
        known = _TAG.decode(text).type in _KNOWN
        return Frame(text, _MESSAGE.decode(text) if known else None)
    except msgspec.DecodeError as error:
        raise ProtocolMismatch(f"a message that cannot be read: {error}") from error


def encode(message: ClientMessage) -> str:
    """The text frame that says this."""
    return msgspec.json.encode(message).decode()
