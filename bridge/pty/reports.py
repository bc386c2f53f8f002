"""What the leader tells of Pi, through a pipe."""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass
from enum import Enum
from typing import Final

_FORMAT: Final = struct.Struct("=ci")


class Kind(Enum):
    """What happened, and what the report's value is."""

    STARTED = b"P"
    """It is about to become the program; its pid."""
    STOPPED = b"S"
    """Job control stopped it (Ctrl+Z); the signal's number."""
    ENDED = b"E"
    """Its wait status."""


@dataclass(frozen=True, slots=True)
class Report:
    """One thing that happened to Pi."""

    kind: Kind
    value: int


def write_report(fd: int, report: Report) -> None:
    """One write that the pipe takes whole; OSError when nobody reads any more."""
    os.write(fd, _FORMAT.pack(report.kind.value, report.value))


def read_report(fd: int) -> Report | None:
    """The next report; blocks. None when the leader is gone."""
    data = os.read(fd, _FORMAT.size)
    if len(data) < _FORMAT.size:
        return None
    kind, value = _FORMAT.unpack(data)
    return Report(Kind(kind), value)
