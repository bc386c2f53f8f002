"""The frames of a connection, the newest of them, for a pane that shows, filters and copies them. Pure: time is passed in."""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, Final, Literal

LOG_FRAMES: Final = 1_000
"""A minute of the busiest session, and as much as one looks through."""

LOG_CHARACTERS: Final = 8 * 1024 * 1024
"""Two of the largest snapshots, and what came around them."""

DETAIL_CHARACTERS: Final = 64 * 1024
"""Of one frame laid out: some thousand lines."""

HIDDEN: Final = "(typed here)"
"""In the place of what a person typed: it may be a secret, and what is copied from here goes into reports."""

_TYPED: Final = frozenset(("value", "answers", "text", "instructions"))

Direction = Literal["in", "out"]


@dataclass(frozen=True, slots=True)
class Logged:
    """One frame. `text` is pure ASCII on one line; `at` in ms since the epoch."""

    number: int
    at: int
    direction: Direction
    kind: str
    what: str
    """The id or the name by which it is told from others of its kind."""
    text: str

    def matches(self, wanted: str) -> bool:
        """Whether the frame holds this, in any case; everything holds an empty text."""
        return not wanted or wanted.casefold() in f"{self.direction} {self.kind} {self.text}".casefold()

    def laid_out(self) -> str:
        """The frame over several lines, cut where it is long."""
        text = json.dumps(json.loads(self.text), indent=2, ensure_ascii=True)
        rest = len(text) - DETAIL_CHARACTERS
        return text if rest <= 0 else f"{text[:DETAIL_CHARACTERS]}\n... {rest:,} characters more; y copies all of it"


@dataclass(slots=True)
class ProtocolLog:
    """While `paused` nothing is added to what is shown; it is kept all the same."""

    paused: bool = False
    wanted: str = ""
    """What a frame has to hold to be shown."""
    total: int = 0
    """Frames that ever passed."""
    _frames: deque[Logged] = field(default_factory=deque)
    _characters: int = 0
    _shown_until: int = 0

    def put(self, direction: Direction, text: str, at: int) -> None:
        """A frame passed."""
        self.total += 1
        said = _read(text)
        if direction == "out":
            said = _without_typed(said)
        logged = Logged(self.total, at, direction, _word(said.get("type")), _what(said), json.dumps(said, ensure_ascii=True))
        self._frames.append(logged)
        self._characters += len(logged.text)
        while len(self._frames) > LOG_FRAMES or (self._characters > LOG_CHARACTERS and len(self._frames) > 1):
            self._characters -= len(self._frames.popleft().text)

    def pause(self, on: bool) -> None:
        """Hold what is shown as it is, or let it go on."""
        self.paused = on
        self._shown_until = self.total

    def shown(self, after: int = 0) -> list[Logged]:
        """Frames that are to be seen now, the oldest first; only those that are newer than the frame of this number."""
        newer = takewhile(lambda each: each.number > after, reversed(self._frames))
        until = self._shown_until if self.paused else self.total
        return [each for each in newer if each.number <= until and each.matches(self.wanted)][::-1]


def _read(text: str) -> dict[str, Any]:
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        said = None
    return said if isinstance(said, dict) else {"type": "(no message)"}


def _without_typed(said: dict[str, Any]) -> dict[str, Any]:
    hidden = {name: HIDDEN if name in _TYPED else value for name, value in said.items()}
    args = said.get("args")
    return {**hidden, "args": _without_typed(args)} if isinstance(args, dict) else hidden


def _what(said: dict[str, Any]) -> str:
    """In a few words."""
    found = next(
        (said[name] for name in ("method", "name", "change", "requestId", "responseId", "id", "clientTurnId") if name in said), None
    )
    outcome = said.get("outcome") or said.get("stage")
    return " ".join(_word(each) for each in (found, outcome) if each is not None)


def _word(value: object) -> str:
    return json.dumps(value, ensure_ascii=True)[1:-1] if isinstance(value, str) else ""
