"""Bytes of the bridge wire as messages, and back. No I/O; how the bytes were cut into chunks makes no difference."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, get_args

import msgspec

from bridge.limits import FRAME_BYTES
from bridge.messages import FromDaemon, FromExtension, Hello, ProtocolRange

_LF: Final = b"\n"
_PLACE: Final = re.compile(r"at `\$([^`]*)`")


class FrameError(Exception):
    """Bytes that are no frames of the bridge wire, or a message too large for one. `str()` quotes none of their text."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """A message of a type that this build does not know: to be counted and ignored."""

    seq: int


class LineReader:
    """Collects bytes and gives lines without their LF. Holds at most one frame beside the last chunk."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._searched = 0

    @property
    def pending(self) -> int:
        """Bytes of a line that has not ended."""
        return len(self._buffer)

    def receive(self, data: bytes) -> None:
        """Take a chunk; call `next_line` until it returns None before the next one."""
        self._buffer += data

    def next_line(self) -> bytes | None:
        """The next line that is complete, or None.

        Raises:
            FrameError: the line is longer than FRAME_BYTES with its LF. Every later call raises it again.
        """
        end = self._buffer.find(_LF, self._searched)
        length = end + 1 if end >= 0 else len(self._buffer) + 1
        if length > FRAME_BYTES:
            raise FrameError(f"a line is longer than {FRAME_BYTES} bytes")
        if end < 0:
            self._searched = len(self._buffer)
            return None
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        self._searched = 0
        return line


class _Envelope(msgspec.Struct):
    type: str
    seq: int


class _Range(msgspec.Struct):
    protocol: ProtocolRange


def _tags(union: object) -> frozenset[str]:
    return frozenset(kind.__struct_config__.tag for kind in get_args(union))


_ENVELOPE: Final = msgspec.json.Decoder(_Envelope)
_RANGE: Final = msgspec.json.Decoder(_Range)
_HELLO: Final = msgspec.json.Decoder(Hello)
_FROM_EXTENSION: Final[msgspec.json.Decoder[FromExtension]] = msgspec.json.Decoder(FromExtension)
_FROM_DAEMON: Final[msgspec.json.Decoder[FromDaemon]] = msgspec.json.Decoder(FromDaemon)
_EXTENSION_TAGS: Final = _tags(FromExtension)
_DAEMON_TAGS: Final = _tags(FromDaemon)
_ENCODER: Final = msgspec.json.Encoder()


def decode_from_extension(line: bytes) -> FromExtension | Unknown:
    """What the extension says on this line. Raises FrameError when that is no message."""
    try:
        return _FROM_EXTENSION.decode(line)
    except (msgspec.DecodeError, RecursionError) as error:
        return _unknown(line, _EXTENSION_TAGS, error)


def decode_from_daemon(line: bytes) -> FromDaemon | Unknown:
    """What the daemon says on this line. Raises FrameError when that is no message."""
    try:
        return _FROM_DAEMON.decode(line)
    except (msgspec.DecodeError, RecursionError) as error:
        return _unknown(line, _DAEMON_TAGS, error)


def decode_envelope(line: bytes) -> tuple[str, int]:
    """The line's `type` and `seq`, whatever else it holds. Raises FrameError when it has none."""
    try:
        envelope = _ENVELOPE.decode(line)
    except (msgspec.DecodeError, RecursionError) as error:
        raise FrameError(_what_is_wrong(error)) from None
    return envelope.type, envelope.seq


def decode_range(line: bytes) -> ProtocolRange:
    """The `protocol` of a hello, which is read before anything else of it: the rest may have changed since our build."""
    try:
        return _RANGE.decode(line).protocol
    except (msgspec.DecodeError, RecursionError) as error:
        raise FrameError(f"hello: {_what_is_wrong(error)}") from None


def decode_hello(line: bytes) -> Hello:
    """The hello on this line. Raises FrameError when a field is missing or wrong."""
    try:
        return _HELLO.decode(line)
    except (msgspec.DecodeError, RecursionError) as error:
        raise FrameError(f"hello: {_what_is_wrong(error)}") from None


def encode(message: FromExtension | FromDaemon) -> bytes:
    """The message as one frame with its LF. Raises FrameError when it is larger than FRAME_BYTES."""
    frame = _ENCODER.encode(message) + _LF
    if len(frame) > FRAME_BYTES:
        raise FrameError(f"{type(message).__name__} has {len(frame)} bytes, more than {FRAME_BYTES}")
    return frame


def _unknown(line: bytes, known: frozenset[str], error: Exception) -> Unknown:
    kind, seq = decode_envelope(line)
    if kind in known:
        raise FrameError(f"{kind}: {_what_is_wrong(error)}") from None
    return Unknown(seq)


def _what_is_wrong(error: Exception) -> str:
    """In words of ours: the decoder's own may quote the peer's text."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if not isinstance(error, msgspec.ValidationError):
        return "it is not JSON"
    place = _PLACE.search(str(error))
    return f"wrong or missing value at {place[1].lstrip('.')}" if place and place[1] else "a field is missing or wrong"
