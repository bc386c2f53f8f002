"""Changes of a timeline, and the patches between two states of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mirrord.wire.chat import ChatAppend, ChatMessage, ChatPart, ChatPatch


@dataclass(slots=True)
class Row:
    """One row. `serial` is its identity, which no id is: ids change. `version` grows with each change of its message."""

    serial: int
    version: int
    message: ChatMessage
    units: list[int]
    """Length of each part's text, in UTF-16 units."""
    size: int
    """Bytes as JSON, or a little more."""


@dataclass(frozen=True, slots=True)
class Added:
    """A row is new at this place."""

    index: int
    message: ChatMessage


@dataclass(frozen=True, slots=True)
class Replaced:
    """The row at this place looks different."""

    index: int
    message: ChatMessage


@dataclass(frozen=True, slots=True)
class Removed:
    """The row at this place is gone."""

    index: int


@dataclass(frozen=True, slots=True)
class Appended:
    """The row at this place has new text."""

    index: int
    part: int
    offset: int
    text: str
    start: ChatPart | None


Change = Added | Replaced | Removed | Appended
Seen = tuple[tuple[int, int], ...]
"""Serial and version of each row, as somebody was told them."""


def seen(rows: Sequence[Row]) -> Seen:
    """What somebody knows who was told all of it."""
    return tuple((row.serial, row.version) for row in rows)


def as_patches(changes: Sequence[Change]) -> tuple[tuple[ChatPatch, ...], tuple[ChatAppend, ...]]:
    """Changes as patches and appends, which apply after the patches: in a list of changes they come last."""
    patches: list[ChatPatch] = []
    appends: list[ChatAppend] = []
    for change in changes:
        match change:
            case Added(index=index, message=message):
                patches.append(ChatPatch("add", _path(index), message))
            case Replaced(index=index, message=message):
                patches.append(ChatPatch("replace", _path(index), message))
            case Removed(index=index):
                patches.append(ChatPatch("remove", _path(index)))
            case Appended():
                appends.append(ChatAppend(change.index, change.part, change.offset, change.text, change.start))
    return tuple(patches), tuple(appends)


def patches_between(known: Seen, rows: Sequence[Row]) -> tuple[ChatPatch, ...]:
    """The patches that lead from what somebody knows to `rows`."""
    there = {row.serial for row in rows}
    patches = [ChatPatch("remove", _path(place)) for place, (serial, _) in reversed(tuple(enumerate(known))) if serial not in there]
    left = [(serial, version) for serial, version in known if serial in there]
    place = 0
    for index, row in enumerate(rows):
        if place < len(left) and left[place][0] == row.serial:
            if left[place][1] != row.version:
                patches.append(ChatPatch("replace", _path(index), row.message))
            place += 1
        elif any(serial == row.serial for serial, _ in left[place:]):
            # Rows changed places, which is rare: all of them in one patch, rather than the shortest way.
            return (ChatPatch("replace", "/messages", tuple(each.message for each in rows)),)
        else:
            patches.append(ChatPatch("add", _path(index), row.message))
    return tuple(patches)


def _path(index: int) -> str:
    return f"/messages/{index}"
