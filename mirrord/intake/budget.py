"""How much of a surface may be shown, counted down while it is read, so that the time it takes is in proportion to what arrives."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, Literal

import msgspec

from mirrord.wire import surface_limits as limits
from mirrord.wire.parts import Part, Truncation
from mirrord.wire.surfaces import TextSpan
from sanitize import text
from sanitize.spans import Span

Field = Literal["blocks", "depth", "text", "spans", "lines", "rows"]
"""What is counted; a truncation names it `nativeSurface.FIELD`."""

_ELLIPSIS_BYTES: Final = len("…".encode())
_WHOLE: Final = sys.maxsize
_SHELL_BYTES: Final = 256
"""Room that is left for the fields of a block or a span around its text."""
LONGEST_ESCAPE: Final = 2
"""Bytes of JSON that a byte of clean text takes at most: quotes, backslashes, line ends and tabs are escaped."""


@dataclass(slots=True)
class Budget:
    """What is left of the bounds of one native surface. `room` is bytes of JSON."""

    room: int
    blocks: int = limits.BLOCKS
    text: int = limits.SURFACE_TEXT_BYTES
    spans: int = limits.SPANS
    lines: int = limits.TERMINAL_LINES
    rows: int = limits.ROWS
    full: bool = False
    """Something did not fit: what comes after it is left out too, so that what is shown is a beginning."""
    _counts: dict[Field, list[int]] = field(default_factory=dict)
    _spent: int = 0
    _refused: int = 0

    def count(self, name: Field, shown: int, total: int) -> None:
        """Note that `shown` of `total` are shown."""
        counts = self._counts.setdefault(name, [0, 0])
        counts[0] += shown
        counts[1] += total

    def spend(self, part: Part) -> bool:
        """Take the bytes of a part, or refuse it and everything after it."""
        size = len(msgspec.json.encode(part)) + 1
        if self.full or size > self.room:
            self.full = True
            self._refused += size
            return False
        self.room -= size
        self._spent += size
        return True

    def words(self, *texts: str | None) -> bool:
        """Count the texts of a block or a row, which are shown whole or not at all."""
        size = sum(len(shown.encode()) for shown in texts if shown is not None)
        fits = size <= self.text
        self.text -= size if fits else 0
        self.count("text", size if fits else 0, size)
        return fits

    def take_text(self, raw: str) -> str:
        """A text on its lines, clean, as much of it as fits."""
        return self._cut(text(raw, _WHOLE).text)

    def take_spans(self, spans: list[Span], allowed: int) -> tuple[TextSpan, ...]:
        """Clean spans, at most `allowed` of them: the last then has the text of all others, without their looks."""
        allowed = min(allowed, self.spans)
        self.count("spans", min(allowed, len(spans)), len(spans))
        if len(spans) > allowed:
            rest = "".join(span.text for span in spans[max(allowed - 1, 0) :])
            spans = [*spans[: max(allowed - 1, 0)], Span(rest, "primary")]
        taken: list[TextSpan] = []
        for span in spans:
            shown = self._cut(span.text) if allowed else ""
            part = TextSpan(shown, None if span.role == "primary" else span.role, span.traits, span.link)
            if not shown or not self.spend(part):
                break
            self.spans -= 1
            taken.append(part)
        return tuple(taken)

    def _cut(self, clean: str) -> str:
        """As much of a clean text as fits both in text and, escaped, in bytes."""
        size = len(clean.encode())
        room = self.room - _SHELL_BYTES
        limit = min(self.text, size if len(msgspec.json.encode(clean)) <= room else room // LONGEST_ESCAPE)
        shown = clean if size <= limit else text(clean, limit).text if limit >= _ELLIPSIS_BYTES else ""
        length = len(shown.encode())
        self.text -= length
        self.count("text", length, size)
        return shown

    def cuts(self) -> Iterable[Truncation]:
        """Whatever is not shown whole."""
        if self.full:
            yield Truncation("nativeSurface", self._spent, self._spent + self._refused)
        for name, (shown, total) in self._counts.items():
            if shown < total:
                yield Truncation(f"nativeSurface.{name}", shown, total)
