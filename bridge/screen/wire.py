"""Bytes of the screen wire as messages, and back. Lines are read by the bridge's `LineReader`. No I/O."""

from __future__ import annotations

from typing import Final, get_args

import msgspec

from bridge.framing import FrameError
from bridge.limits import FRAME_BYTES
from bridge.messages import ProtocolRange
from bridge.screen.messages import FromDaemon, FromFollower


class Unknown(msgspec.Struct, frozen=True):
    """A message of a type that this build does not know: to be counted and ignored."""


class _Envelope(msgspec.Struct):
    type: str


class _Range(msgspec.Struct):
    protocol: ProtocolRange


def _tags(union: object) -> frozenset[str]:
    return frozenset(kind.__struct_config__.tag for kind in get_args(union))


_ENVELOPE: Final = msgspec.json.Decoder(_Envelope)
_RANGE: Final = msgspec.json.Decoder(_Range)
_FROM_FOLLOWER: Final[msgspec.json.Decoder[FromFollower]] = msgspec.json.Decoder(FromFollower)
_FROM_DAEMON: Final[msgspec.json.Decoder[FromDaemon]] = msgspec.json.Decoder(FromDaemon)
_FOLLOWER_TAGS: Final = _tags(FromFollower)
_DAEMON_TAGS: Final = _tags(FromDaemon)
_ENCODER: Final = msgspec.json.Encoder()


def decode_from_follower(line: bytes) -> FromFollower | Unknown:
    """What the follower says on this line. Raises FrameError when that is no message."""
    try:
        return _FROM_FOLLOWER.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return _unknown(line, _FOLLOWER_TAGS)


def decode_from_daemon(line: bytes) -> FromDaemon | Unknown:
    """What the daemon says on this line. Raises FrameError when that is no message."""
    try:
        return _FROM_DAEMON.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return _unknown(line, _DAEMON_TAGS)


def decode_type(line: bytes) -> str:
    """The line's `type`, whatever else it holds. Raises FrameError when it has none."""
    try:
        return _ENVELOPE.decode(line).type
    except (msgspec.DecodeError, RecursionError):
        raise FrameError("a line is no message") from None


def decode_range(line: bytes) -> ProtocolRange:
    """The `protocol` of a hello, which is read before anything else of it: the rest may have changed since our build."""
    try:
        return _RANGE.decode(line).protocol
    except (msgspec.DecodeError, RecursionError):
        raise FrameError("screen_hello: its protocol range is missing or wrong") from None


def encode(message: FromFollower | FromDaemon) -> bytes:
    """The message as one frame with its LF. Raises FrameError when it is larger than FRAME_BYTES."""
    frame = _ENCODER.encode(message) + b"\n"
    if len(frame) > FRAME_BYTES:
        raise FrameError(f"{type(message).__name__} has {len(frame)} bytes, more than {FRAME_BYTES}")
    return frame


def _unknown(line: bytes, known: frozenset[str]) -> Unknown:
    kind = decode_type(line)
    if kind in known:
        raise FrameError(f"{kind}: a field is missing or wrong")
    return Unknown()
