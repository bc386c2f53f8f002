"""A recording as a file of JSON lines: a `header`, what was `said` and when, and how it came to its `end`.

    {"type": "header", "format": 1, "mirrord": "0.1.0", "protocol": 1, "capabilities": […], "startedAt": 1796054400000, "pi": "1.6.0"}
    {"type": "said", "at": 12, "message": {"type": "snapshot", …}}
    {"type": "end", "at": 60012, "why": "stopped"}

Times of lines are milliseconds since `startedAt`, which is one since the epoch, and none is before the one above it. Fields and lines of
other types are passed over.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from mirrord.client.clean import one_line
from mirrord.client.errors import ProtocolMismatch
from mirrord.client.frames import Frame, decode
from mirrord.errors import MirrordError
from mirrord.recording.clean import Cleaner
from mirrord.wire.chat import ChatFrame
from mirrord.wire.messages import PROTOCOL_MAX, PROTOCOL_MIN

FORMAT: Final = 1
"""Of the file. A later one has what this build cannot read."""

RECORDING_BYTES: Final = 32 * 1024 * 1024
"""A busy session of some hours without the conversation's texts, and what a bug tracker still takes once it is compressed."""

READ_BYTES: Final = 2 * RECORDING_BYTES
"""The largest file that is read: what somebody wrote by hand may have blanks, and no more."""

LATEST: Final = 253_402_300_799_999
"""The end of the year 9999, in ms since the epoch: what every program that shows a date can show."""

LONGEST: Final = 366 * 86_400_000
"""In ms: a recording is of one connection, and none holds a year."""

Since = Annotated[int, Meta(ge=0, le=LONGEST)]
"""Milliseconds since the start."""

Why = Literal["stopped", "time", "size", "session", "lost"]
"""Its person stopped it; `--for` was over; it reached RECORDING_BYTES; the session ended; the connection did."""


class Header(msgspec.Struct, frozen=True, rename="camel", tag_field="type", tag="header", omit_defaults=True):
    """What was recorded and by whom. `capabilities` are the daemon's; `pi` is its version, where that is known."""

    format: int
    mirrord: str
    protocol: int
    capabilities: tuple[str, ...]
    started_at: Annotated[int, Meta(ge=0, le=LATEST)]
    conversation: bool = False
    pi: str | None = None


class Said(msgspec.Struct, frozen=True, tag_field="type", tag="said"):
    """A message of the daemon, `at` milliseconds after the start."""

    at: Since
    message: msgspec.Raw


class End(msgspec.Struct, frozen=True, tag_field="type", tag="end", omit_defaults=True):
    """Nothing more was recorded. `unknown`: how many messages were left out because their type is not known to who recorded."""

    at: Since
    why: Why
    unknown: Annotated[int, Meta(ge=0, le=READ_BYTES)] = 0


Line = Header | Said | End

_KNOWN: Final = ("header", "said", "end")


class _Tag(msgspec.Struct):
    type: str


_TAG: Final = msgspec.json.Decoder(_Tag)
_LINE: Final[msgspec.json.Decoder[Line]] = msgspec.json.Decoder(Line)


class NotARecording(MirrordError):
    """The file cannot be read as one."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"{one_line(str(path))} cannot be read as a recording: {why}")


@dataclass(frozen=True, slots=True)
class Told:
    """A message and when it came, in ms after the start. Its `message` is None where this build does not know the type."""

    at: int
    frame: Frame


@dataclass(frozen=True, slots=True)
class Recording:
    """A recording as it was read. `end` is None where the file was cut; `dirty`: how many messages no daemon would have said so."""

    header: Header
    told: tuple[Told, ...]
    end: End | None
    dirty: int = 0


def line(item: Line) -> bytes:
    """One line of the file."""
    return msgspec.json.encode(item) + b"\n"


def read(path: Path) -> Recording:
    """Raises NotARecording, in one sentence. Blocks."""
    try:
        # Not by what its size is said to be: a device has none, and no end.
        with path.open("rb") as file:
            content = file.read(READ_BYTES + 1)
    except OSError as error:
        raise NotARecording(path, error.strerror or "the system does not say why") from error
    if len(content) > READ_BYTES:
        raise NotARecording(path, f"it has more than {READ_BYTES:,} bytes, which a recording has at most")
    try:
        return _read(content)
    except _WrongError as wrong:
        raise NotARecording(path, str(wrong)) from None


class _WrongError(Exception):
    """Why it is none."""


def _read(content: bytes) -> Recording:
    header: Header | None = None
    end: End | None = None
    told: list[Told] = []
    cleaner, dirty, last = Cleaner(), 0, 0
    for number, item in _lines(content):
        if header is None:
            header = _header(item)
            continue
        if isinstance(item, Header):
            raise _WrongError(f"line {number} begins another one")
        if item.at < last:
            raise _WrongError(f"line {number} is of a time before the line above it")
        last = item.at
        if isinstance(item, End):
            end = item
            continue
        said = _message(item, number)
        frame = _clean(said, cleaner, number)
        dirty += frame.message != said.message
        told.append(Told(item.at, frame))
    if header is None:
        raise _WrongError("it is empty")
    return Recording(header, tuple(told), end, dirty)


def _header(item: Line) -> Header:
    if not isinstance(item, Header):
        raise _WrongError("it does not begin with a header; `mirrord record` makes one that does")
    if item.format > FORMAT or item.protocol > PROTOCOL_MAX:
        raise _WrongError("a later mirrord made it; update this one")
    if item.format < FORMAT or item.protocol < PROTOCOL_MIN:
        raise _WrongError("there never was a mirrord that made such a one")
    return item


def _lines(content: bytes) -> Iterator[tuple[int, Line]]:
    lines = content.splitlines()
    for number, text in enumerate(lines, 1):
        try:
            if _TAG.decode(text).type in _KNOWN:
                yield number, _LINE.decode(text)
        except (msgspec.DecodeError, RecursionError):
            if number == len(lines) and not content.endswith(b"\n"):
                raise _WrongError(f"it was cut in the middle of line {number}") from None
            raise _WrongError(f"line {number} is not one of a recording") from None


def _message(said: Said, number: int) -> Frame:
    try:
        return decode(bytes(said.message).decode())
    except (ProtocolMismatch, UnicodeDecodeError, RecursionError):
        raise _WrongError(f"line {number} holds a message that cannot be read") from None


def _clean(said: Frame, cleaner: Cleaner, number: int) -> Frame:
    """The message as it may be shown, and as text nothing but that: what is not known of it could be anything."""
    if said.message is None:
        return said
    if isinstance(said.message, ChatFrame):
        # It could be any part of any text, and is what clients put together.
        raise _WrongError(f"line {number} holds a piece of a message, where a recording has all of it")
    try:
        clean = cleaner.message(said.message)
        return Frame(msgspec.json.encode(clean).decode(), clean)
    except RecursionError:
        raise _WrongError(f"line {number} holds a message that cannot be read") from None
