"""What is said on the pipe from the copy loop to the follower: records of a head and its bytes."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final

from bridge.screen.limits import RECORD_BYTES

_HEAD: Final = struct.Struct("=cI")
"""Kind, and the length of what follows."""
_SIZE: Final = struct.Struct("=HH")
"""Columns, rows."""

_DATA: Final = b"d"
_RESIZE: Final = b"r"
_GAP: Final = b"g"

HEAD_BYTES: Final = _HEAD.size


@dataclass(frozen=True, slots=True)
class Output:
    """Bytes that Pi wrote, cut anywhere."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Resized:
    """The terminal has this size from here on."""

    columns: int
    rows: int


@dataclass(frozen=True, slots=True)
class Gap:
    """Bytes are missing here; the terminal has this size by now, where it changed among them."""

    columns: int = 0
    rows: int = 0
    """Both 0 where it did not."""


Record = Output | Resized | Gap


class RecordError(Exception):
    """Bytes that are no records: a bug of ours."""


def pack(record: Record) -> bytes:
    """The record as bytes. An `Output` has at most RECORD_BYTES."""
    match record:
        case Output(data=data):
            return _HEAD.pack(_DATA, len(data)) + data
        case Resized(columns=columns, rows=rows):
            return _HEAD.pack(_RESIZE, _SIZE.size) + _size(columns, rows)
        case Gap(columns=columns, rows=rows):
            return _HEAD.pack(_GAP, _SIZE.size) + _size(columns, rows)


def _size(columns: int, rows: int) -> bytes:
    return _SIZE.pack(min(max(columns, 0), 0xFFFF), min(max(rows, 0), 0xFFFF))


class RecordReader:
    """Collects bytes, cut anywhere, and gives records. Holds nothing of an `Output`: it comes in as many pieces as its bytes did."""

    def __init__(self) -> None:
        self._rest = b""
        """Less than a record that is no `Output`."""
        self._left = 0
        """Bytes of an `Output` that has begun which are still to come."""

    def receive(self, data: bytes) -> list[Record]:
        """All that these bytes say. Raises RecordError for bytes that are none."""
        data = self._rest + data
        records: list[Record] = []
        at = 0
        while True:
            if self._left and at < len(data):
                piece = data[at : at + self._left]
                records.append(Output(piece))
                self._left -= len(piece)
                at += len(piece)
            if self._left or len(data) - at < HEAD_BYTES:
                break
            kind, length = _HEAD.unpack_from(data, at)
            if length > RECORD_BYTES:
                raise RecordError(f"a record of {length} bytes")
            if kind == _DATA:
                self._left = length
                at += HEAD_BYTES
                continue
            start, end = at + HEAD_BYTES, at + HEAD_BYTES + length
            if end > len(data):
                break
            records.append(_record(kind, data[start:end]))
            at = end
        self._rest = data[at:]
        return records


def _record(kind: bytes, body: bytes) -> Record:
    if kind in (_RESIZE, _GAP) and len(body) == _SIZE.size:
        columns, rows = _SIZE.unpack(body)
        return Resized(columns, rows) if kind == _RESIZE else Gap(columns, rows)
    raise RecordError("a record of no known kind")
