"""Lines of the log, read again: the counterpart of `logs.py`. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

_LINE: Final = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) ([A-Z]+) (.*)")
_VALUE: Final = re.compile(r' ([A-Za-z_]\w*)=("(?:[^"\\]|\\.)*"|[^\s"]+)')
_VALUES: Final = re.compile(r'(?: [A-Za-z_]\w*=(?:"(?:[^"\\]|\\.)*"|[^\s"]+))*')
_AGO: Final = re.compile(r"(\d{1,5})\s*(s|min|m|h|d)")
_UNITS: Final = {"s": 1, "min": 60, "m": 60, "h": 3_600, "d": 86_400}


@dataclass(frozen=True, slots=True)
class Entry:
    """One event. `text` is its lines as they stand in the file, those of a traceback included."""

    time: str
    level: str
    event: str
    values: dict[str, Any]
    text: str
    trace: tuple[str, ...] = field(default=())

    def as_object(self) -> dict[str, Any]:
        """What `mirrord logs --json` prints."""
        entry: dict[str, Any] = {"time": self.time, "level": self.level.lower(), "event": self.event} | (
            {"values": self.values} if self.values else {}
        )
        return entry | ({"trace": list(self.trace)} if self.trace else {})


def entries(lines: Iterable[str | None]) -> Iterator[Entry]:
    """The events of these lines; None says that no more come for now, which ends the last one.

    Lines before the first event are left out: their beginning was rotated away.
    """
    current: list[str] = []
    for line in (*lines, None) if isinstance(lines, Sequence) else lines:
        if current and (line is None or _LINE.match(line)):
            yield _entry(current)
            current = []
        if line is not None and (current or _LINE.match(line)):
            current.append(line)


def since(text: str, now: datetime) -> str:
    """The oldest time, in the form of the log, that `--since` means: `10min`, `2h`, or a date. Raises ValueError."""
    ago = _AGO.fullmatch(text.strip())
    moment = datetime.fromisoformat(text.strip()) if ago is None else now - timedelta(seconds=int(ago[1]) * _UNITS[ago[2]])
    # A date without a zone is of the zone that the person lives in.
    return moment.astimezone(tz=UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def _entry(lines: list[str]) -> Entry:
    head = _LINE.match(lines[0])
    assert head is not None
    event, values = _split(head[3])
    return Entry(head[1], head[2], event, values, "\n".join(lines), tuple(lines[1:]))


def _split(said: str) -> tuple[str, dict[str, Any]]:
    """The event and its values. The event's own words have no `=`: the values begin at the first that is followed by values alone."""
    for found in re.finditer(r" (?=[A-Za-z_]\w*=)", said):
        rest = said[found.start() :]
        if _VALUES.fullmatch(rest):
            return said[: found.start()], {match[1]: _read(match[2]) for match in _VALUE.finditer(rest)}
    return said, {}


def _read(value: str) -> Any:  # noqa: ANN401 - whatever JSON has
    try:
        return json.loads(value)
    except ValueError:
        return value
