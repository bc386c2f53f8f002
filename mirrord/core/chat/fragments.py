"""An event that is too long for a frame goes out in pieces of its JSON, which a client puts together before it looks at it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from mirrord.wire.chat import ChatEvent, ChatFrame
from mirrord.wire.limits import CHAT_FRAME_BYTES

ENVELOPE_BYTES: Final = 512
"""A `chat_frame` without its data: a session's id has at most 200 characters, and the numbers are short."""

_ROOM: Final = CHAT_FRAME_BYTES - ENVELOPE_BYTES
_SURE_CHARACTERS: Final = _ROOM // 6
"""So many characters of new text always fit: JSON makes at most six of one."""

_ENCODER: Final = msgspec.json.Encoder()


def frames(event: ChatEvent) -> tuple[ChatEvent | ChatFrame, ...]:
    """The event itself, or its pieces; each is at most CHAT_FRAME_BYTES as JSON."""
    if _is_small(event):
        return (event,)
    whole = _ENCODER.encode(event)
    if len(whole) <= CHAT_FRAME_BYTES:
        return (event,)
    pieces = tuple(_pieces(whole.decode()))
    return tuple(
        ChatFrame(session_id=event.session_id, event=event.revision, index=index, count=len(pieces), data=data)
        for index, data in enumerate(pieces)
    )


def weight(pieces: tuple[ChatEvent | ChatFrame, ...]) -> int:
    """Bytes that an event's frames take as JSON, or somewhat more: an estimate of `frames` without encoding long ones again."""
    if len(pieces) == 1:
        return len(_ENCODER.encode(pieces[0]))
    return len(pieces) * CHAT_FRAME_BYTES


def _is_small(event: ChatEvent) -> bool:
    """Without encoding it, which would cost as much as sending it: events of new text alone are nearly all there are."""
    if event.snapshot is not None or event.patches:
        return False
    return sum(len(append.text) for append in event.appends) < _SURE_CHARACTERS - 1024


def _pieces(whole: str) -> Iterator[str]:
    start, size = 0, _ROOM
    while start < len(whole):
        piece = whole[start : start + size]
        # A piece is JSON inside JSON: quotes and backslashes take two characters. One size fits nearly all pieces of an event.
        if len(_ENCODER.encode(piece)) > _ROOM:
            size = size * 3 // 4
            continue
        yield piece
        start += len(piece)
