"""Text that grows, cleaned as it grows: what a delta adds to what is shown, in time proportional to the line that it is in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from bridge.limits import CHAT_TEXT_BYTES
from mirrord.wire.units import head, units
from sanitize import text as clean_text

TAIL_CHARACTERS: Final = 4 * 1024
"""Of the last line, which is cleaned anew with each delta; what is before that in a longer one is taken as it stands."""

PLAIN_CHARACTERS: Final = 256
"""Of a last line of plain ASCII, of which all but the last character can mean nothing else any more."""


RAW_UNITS: Final = 2 * CHAT_TEXT_BYTES
"""Of the raw text that is kept: an extension sends CHAT_TEXT_BYTES of one text."""


@dataclass(frozen=True, slots=True)
class Grown:
    """What is shown is now its first `offset` UTF-16 units, then `text`."""

    offset: int
    text: str


class GrowingText:
    """The text of one part. What is shown is always a clean text; how it was cut into deltas shows only where an escape sequence is cut."""

    def __init__(self, raw: str = "") -> None:
        self._clear()
        self._feed(raw)

    @property
    def shown(self) -> str:
        """All of it, clean."""
        return self._settled + self._tail

    def take(self, offset: int, text: str) -> Grown | None:
        """The raw text is now its first `offset` units, then `text`; None when it has fewer, or the last is half a character."""
        if offset == self._units:
            return self._feed(text)
        kept = head(self._raw, offset)
        if kept is None:
            return None
        before = self.shown
        self._clear()
        self._feed(kept + text)
        return _grown(before, self.shown, 0)

    def _clear(self) -> None:
        self._raw = ""
        self._units = 0
        self._settled, self._settled_units, self._settled_bytes = "", 0, 0
        self._tail_raw, self._tail = "", ""

    def _feed(self, text: str) -> Grown:
        self._units += units(text)
        if self._units > RAW_UNITS:
            return Grown(self._settled_units + units(self._tail), "")
        self._raw += text
        before = self._tail
        room = CHAT_TEXT_BYTES - self._settled_bytes
        self._tail_raw += text
        # The mark of a cut takes three bytes; when there is no room for it the text ends here.
        self._tail = clean_text(self._tail_raw, limit_bytes=room).text if room >= 3 else ""
        grown = _grown(before, self._tail, self._settled_units)
        self._settle()
        return grown

    def _settle(self) -> None:
        """What ends with a line end is not looked at again, if what follows comes out the same without it."""
        raw = self._tail_raw
        end = raw.rfind("\n") + 1
        if end == 0 and len(raw) > PLAIN_CHARACTERS and raw.isascii() and raw.isprintable():
            end = len(raw) - 1
        elif end == 0 and len(raw) > TAIL_CHARACTERS:
            end = len(raw)
        if end == 0:
            return
        first, rest = clean_text(raw[:end], CHAT_TEXT_BYTES).text, clean_text(raw[end:], CHAT_TEXT_BYTES).text
        if first + rest != self._tail:
            return
        self._settled += first
        self._settled_units += units(first)
        self._settled_bytes += len(first.encode())
        self._tail_raw, self._tail = raw[end:], rest


def _grown(before: str, after: str, base: int) -> Grown:
    """From the first place where they differ; `base` units are before both."""
    common = len(before)
    if not after.startswith(before):
        pairs = zip(before, after, strict=False)
        common = next((place for place, (old, new) in enumerate(pairs) if old != new), min(len(before), len(after)))
    return Grown(base + units(after[:common]), after[common:])
