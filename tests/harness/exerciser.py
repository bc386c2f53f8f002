"""The Python side of exerciser.ts: its commands to type, and its log to wait on."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

# The log is a file that Pi appends to; looking costs less than a millisecond.
LOOK_EVERY = 0.01


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the log; the fields that do not belong to its event are None."""

    event: str
    at: int
    pid: int
    name: str | None = None
    id: str | None = None
    outcome: str | None = None
    value: object = None
    error: str | None = None
    reason: str | None = None
    hasUI: bool | None = None

    def begins(self, name: str) -> bool:
        return self.event == "begin" and self.name == name

    def is_result(self, name: str, id: str | None = None) -> bool:
        return self.event == "result" and self.name == name and id in (None, self.id)


def slash(command: str, **arguments: object) -> str:
    """The line to type for a command of the exerciser: `slash("t-select", title="Which?", timeout=2000)`. It is ASCII."""
    return f"/{command} {json.dumps(arguments)}" if arguments else f"/{command}"


class ExerciserLog:
    """The log in a file that Pi is told by `environment`."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._never = threading.Event()

    def environment(self) -> dict[str, str]:
        return {"EXERCISER_LOG": str(self.file)}

    def records(self) -> tuple[Record, ...]:
        """All complete lines so far."""
        whole = self.file.read_bytes().rpartition(b"\n")[0] if self.file.exists() else b""
        return tuple(msgspec.json.decode(line, type=Record) for line in whole.splitlines())

    def wait(self, wanted: Callable[[Record], bool], timeout: float = 10.0, count: int = 1) -> Record:
        """The `count`-th record that is wanted; TimeoutError, with the log, when it does not come."""
        deadline = time.monotonic() + timeout
        while True:
            records = self.records()
            found = [record for record in records if wanted(record)]
            if len(found) >= count:
                return found[count - 1]
            if time.monotonic() > deadline:
                lines = "\n".join(map(str, records)) or "(empty)"
                raise TimeoutError(f"not in the exerciser's log within {timeout} s; it holds\n{lines}")
            self._never.wait(LOOK_EVERY)

    def result(self, name: str, id: str | None = None, timeout: float = 10.0, count: int = 1) -> Record:
        """The result of that command, tool or shortcut."""
        return self.wait(lambda record: record.is_result(name, id), timeout, count)
