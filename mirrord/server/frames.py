"""What a client sent, as a message; and messages as the bytes of a text frame."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal, get_args

import msgspec

from mirrord.wire import messages as wire
from mirrord.wire.limits import CAPABILITY_CHARS, NAME_CLUSTERS
from sanitize import label

KIND_CLUSTERS: Final = 16
"""A client's kind is one short word, such as `phone` or `attach`."""

_PLACE: Final = re.compile(r"at `\$([^`]*)`")
_KNOWN: Final = frozenset(kind.__struct_config__.tag for kind in get_args(wire.ClientMessage))


@dataclass(frozen=True, slots=True)
class Mistake:
    """A frame that is no message of ours. `sentence` quotes nothing of it; `close_code` is what it costs before the hello."""

    sentence: str
    close_code: Literal[1003, 1007, 1008]


class _Tag(msgspec.Struct):
    type: str


_TAG: Final = msgspec.json.Decoder(_Tag)
_MESSAGE: Final[msgspec.json.Decoder[wire.ClientMessage]] = msgspec.json.Decoder(wire.ClientMessage)
_ENCODER: Final = msgspec.json.Encoder()


def decode(frame: str | bytes) -> wire.ClientMessage | Mistake:
    """What a client's frame says, its name and kind clean. `bytes` stands for a binary frame."""
    if isinstance(frame, bytes):
        return Mistake("Frames are text, not binary.", 1003)
    try:
        message = _MESSAGE.decode(frame)
    except RecursionError:
        return Mistake("The frame is nested too deeply.", 1007)
    except msgspec.ValidationError as error:
        return _wrong(frame, error)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return Mistake("The frame is not JSON.", 1007)
    return _clean(message) if isinstance(message, wire.Hello) else message


def encode(message: wire.ServerMessage) -> bytes:
    """The message as UTF-8 for a text frame."""
    return _ENCODER.encode(message)


def _clean(hello: wire.Hello) -> wire.Hello:
    """Name and kind are shown to others, so they are cleaned where they enter (design FIXED 3)."""
    client = wire.ClientInfo(
        name=label(hello.client.name, limit=NAME_CLUSTERS).text or "unnamed",
        kind=label(hello.client.kind, limit=KIND_CLUSTERS).text or "unknown",
    )
    capabilities = tuple(name for name in hello.capabilities if len(name) <= CAPABILITY_CHARS)
    return msgspec.structs.replace(hello, client=client, capabilities=capabilities)


def _wrong(frame: str, error: msgspec.ValidationError) -> Mistake:
    try:
        kind = _TAG.decode(frame).type
    except (msgspec.DecodeError, RecursionError):
        return Mistake("The frame is not an object with a type.", 1007)
    if kind not in _KNOWN:
        return Mistake("There is no message of this type.", 1008)
    place = _PLACE.search(str(error))
    where = f"wrong or missing value at {place[1].lstrip('.')}" if place and place[1] else "a field is missing or wrong"
    return Mistake(f"{kind}: {where}.", 1007)
