"""Inputs that take an emulator longer than they are long, each as a unit that is repeated.

The first eleven are measured on stock pyte and others in what this project was started from; the others attack what is ours.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Family:
    """`head`, then `unit` again and again; a unit with `{n}` is numbered, so that no two are equal."""

    name: str
    unit: str
    head: str = ""

    def __str__(self) -> str:
        return self.name

    def of(self, size: int) -> str:
        """At least so many bytes of UTF-8, and at most one unit more."""
        pieces, length = [self.head], len(self.head.encode())
        for piece in self._units():
            if length >= size:
                break
            pieces.append(piece)
            length += len(piece.encode())
        return "".join(pieces)

    def _units(self) -> Iterator[str]:
        numbered = "{" in self.unit
        number = 0
        while True:
            number += 1
            yield self.unit.format(n=number, r=number >> 16 & 255, g=number >> 8 & 255, b=number & 255) if numbered else self.unit


FAMILIES: Final = (
    Family("marks on one cell", "\u0301", "a"),
    Family("DECSCNM", "\x1b[?5h\x1b[?5l", "x" * 4000),
    Family("DECALN", "\x1b#8"),
    Family("unterminated OSC", "x", "\x1b]0;"),
    Family("DCS", "x", "\x1bPq"),
    Family("CSI digits", "9", "\x1b["),
    Family("CSI parameters", "1;", "\x1b["),
    Family("DECSC", "\x1b7"),
    Family("LF", "\n"),
    Family("REP", "\x1b[9999b" + " " * 1000, "x"),
    Family("24-bit colours", "\x1b[38;2;{r};{g};{b}mx"),
    Family("escapes", "\x1b"),
    Family("unfinished CSI", "\x1b["),
    Family("unfinished OSC", "\x1b]"),
    Family("unfinished OSC, 8-bit", "\x9d"),
    Family("unfinished OSC 8", "\x1b]8;;"),
    Family("links", "\x1b]8;;https://a.example/{n}\x07x"),
    Family("links without end", "\x1b]8;;https://a.example/{n}"),
    Family("links on hosts", "\x1b]8;;https://a.example/\x07a.example {n}.example "),
    Family("SGR parameters", "\x1b[1;3;4;9;31;48;5;7;58;2;1;2;3m"),
    Family("SGR of every trait", "\x1b[{n}mx"),
    Family("letters", "x"),
    Family("wide characters", "中"),
    Family("half of a wide character", "中\bx\b\b"),
    Family("joined emoji", "👩\u200d"),
    Family("flags", "🇩"),
    Family("tags", "🏴\U000e0067"),
    Family("jamo", "\u1100"),
    Family("Indian clusters", "क\u094d\u0301"),
    Family("number signs", "\u0600"),
    Family("selectors", "❤\ufe0f"),
    Family("invisible characters", "\u200b\u202e\xad"),
    Family("tabs", "\t"),
    Family("tabs back and forth", "\x1b[99I\x1b[99Z"),
    Family("CR", "x\r"),
    Family("BS", "x\b"),
    Family("insert", "x\x1b[9999@"),
    Family("insert mode", "中", "\x1b[4h"),
    Family("delete", "x\x1b[9999P"),
    Family("insert lines", "\x1b[H\x1b[9999L"),
    Family("scroll", "\x1b[9999S\x1b[9999T"),
    Family("erase", "\x1b[2J\x1b[2K"),
    Family("moves", "\x1b[9999;9999H\x1b[H"),
    Family("margins", "\x1b[2;3r\x1b[r"),
    Family("screens", "\x1b[?1049h\x1b[?1049l"),
    Family("resets", "\x1bc"),
    Family("soft resets", "\x1b[!p"),
    Family("lines below each other", "x\r\n"),
    Family("cursor markers", "\x1b_pi:c\x07"),
    Family("strings", "\x1b_G\x1b\\"),
    Family("conceal", "\x1b[8mx\x1b[28my"),
    Family("quotes in links", '\x1b]8;;https://a.example/"\x07x'),
    Family("dots", "a.b."),
    Family("slashes", "://"),
)
