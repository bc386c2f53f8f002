"""Terminal input at random: sequences that are well formed, some that are broken, and text of every kind between them.

The same seed gives the same inputs. An input is a string, as lines reach us; `as_bytes` makes what a program would have written.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

TEXTS: Final = (
    *("a", "word ", "Zürich", " ", "   ", "~", "0", "1", "#"),
    *("中", "文字", "한국", "\uff21", "\uff76", "\uff9e", "\u3000", "\u00a0"),
    *("e\u0301", "\u0301", "\u0301" * 9, "\u20dd", "\u0e33", "नि", "क", "\u094d", "\u093e", "\u1100", "\u1161", "\u11a8", "\u0600"),
    *("😀", "👩", "\u200d", "👍", "\U0001f3fd", "🇩", "🇪", "⚠", "\ufe0f", "\ufe0e", "\u20e3", "❤", "🏴"),
    *("🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "\U000e0067", "\U000e007f", "\U000e0001"),
    *("\u200b", "\u200c", "\u2060", "\ufeff", "\xad", "\u034f", "\u3164", "\u180e", "\u115f"),
    *("\u202e", "\u202a", "\u2066", "\u2069", "\u200e", "\u200f", "\u061c", "שלום", "مرحبا", "ء", "\u06dd"),
    *("\u2028", "\u2029", "\ufdd0", "\ufffe", "\U0010ffff", "\ufff9", "\ufffd", "\ud800", "\udfff", "\ue0b0", "\U000f0001", "\u0378"),
    *("│", "─", "┌", "⠇", "→", "https://b.example", "c.example", "example.com/x"),
)
C0: Final = "".join(map(chr, range(0x20))) + "\x7f"
C1: Final = "".join(map(chr, range(0x80, 0xA0)))
MOVES: Final = ("\r", "\n", "\r\n", "\b", "\t", "\x0b", "\x0c", "\x0e", "\x0f", "\x85", "\x84", "\x88", "\x8d")
ESCAPES: Final = (
    "7",
    "8",
    "D",
    "E",
    "H",
    "M",
    "Z",
    "c",
    "=",
    ">",
    "n",
    "o",
    "\\",
    "(0",
    "(B",
    ")0",
    "*A",
    "+0",
    "#8",
    "#3",
    "%G",
    " F",
    "(%5",
)
FINALS: Final = "@ABCDEFGHIJKLMPSTXZ`abcdefghilmnpqrstuvwxyz{|}~"
ENDS: Final = ("\x07", "\x1b\\", "\x9c", "", "\x18", "\x1a", "\x1b[1m", "\n")
URIS: Final = (
    *("https://a.example/", "http://b.example/x?y=1;z=2", "mailto:a@b.example", "oppi://session/s1", "", "javascript:alert(1)"),
    *("https://u@a.example/", "https://\u0430.example/", 'https://a.example/"', "file:///etc/passwd", "https://a.example/\u202e"),
)
STRINGS: Final = (
    *("0;title", "52;c;AAAA", "133;A", "9;4;1;50", "8", "8;", "1337;File=:QUJD", "", "P1", "Gf=100;AAAA", "pi:c", "pi:fc", "pi:/fc"),
    *("$qm", "q#0;2;0;0;0~~", "tmux;\x1b\x1b[31m", "中\u009c文", "a\r\nb", "x" * 200),
)
MODES: Final = (4, 6, 7, 25, 47, 1000, 1047, 1048, 1049, 2004, 2026, 3, 5, 20)
COLOURS: Final = (
    "38;2;1;2;3",
    "38:2::204:102:102",
    "38;5;196",
    "48;5;1",
    "58;2;4;5;7",
    "38",
    "38;5",
    "38;2;999;2;3",
    "38:5:9",
    "48:2::1:2:3",
)


class Grammar:
    """Makes inputs from one random source."""

    def __init__(self, seed: int) -> None:
        self._random: Final = random.Random(seed)
        self._makers: Final[list[Callable[[], str]]] = [
            *[self._text] * 8,
            *[self._sgr] * 4,
            *[self._csi] * 4,
            *[self._move] * 3,
            *[self._link] * 2,
            *[self._string] * 2,
            *[self._escape] * 2,
            self._mode,
            self._control,
            self._marker,
        ]

    def input(self, tokens: int = 20) -> str:
        """Up to so many tokens; one in four inputs is broken somewhere."""
        choice = self._random.choice
        whole = "".join(choice(self._makers)() for _ in range(self._random.randint(1, tokens)))
        return self._broken(whole) if self._random.random() < 0.25 else whole

    def as_bytes(self, raw: str) -> bytes:
        """In UTF-8, in which one in eight has a byte that is wrong there."""
        data = raw.encode(errors="surrogatepass")
        if data and self._random.random() < 0.125:
            at = self._random.randrange(len(data))
            data = data[:at] + bytes([self._random.randrange(0x80, 0x100)]) + data[at + self._random.randint(0, 1) :]
        return data

    def cut(self, data: bytes) -> list[bytes]:
        """The same bytes in pieces of one to nine."""
        pieces, at = [], 0
        while at < len(data):
            size = self._random.randint(1, 9)
            pieces.append(data[at : at + size])
            at += size
        return pieces

    def _broken(self, whole: str) -> str:
        at = self._random.randrange(len(whole) + 1)
        end = min(at + self._random.randint(0, 3), len(whole))
        middle = self._random.choice(
            ("", self._control(), whole[at:end] * 2, self._random.choice(TEXTS), self._random.choice("[];:?<=>!$ m0"))
        )
        return whole[:at] + middle + whole[end:]

    def _text(self) -> str:
        return self._random.choice(TEXTS)

    def _move(self) -> str:
        return self._random.choice(MOVES)

    def _control(self) -> str:
        return self._random.choice(C0 + C1)

    def _escape(self) -> str:
        return "\x1b" + self._random.choice(ESCAPES)

    def _number(self) -> str:
        if self._random.random() < 0.1:
            return self._random.choice(("", "0", "007", "255", "9999", "99999999999", "1:2", "²", "4" * 50))
        return str(self._random.randint(0, 12))

    def _csi(self) -> str:
        random = self._random
        prefix = random.choice("?<=>") if random.random() < 0.15 else ""
        between = random.choice(" !\"#$'*") if random.random() < 0.1 else ""
        parameters = ";".join(self._number() for _ in range(random.choice((0, 1, 1, 1, 2, 2, 3, 40))))
        return random.choice(("\x1b[", "\x1b[", "\x1b[", "\x9b")) + prefix + parameters + between + random.choice(FINALS)

    def _sgr(self) -> str:
        random = self._random
        parts = [random.choice(COLOURS) if random.random() < 0.3 else str(random.randint(0, 110)) for _ in range(random.randint(0, 3))]
        return f"\x1b[{';'.join(parts)}m"

    def _mode(self) -> str:
        mode = self._random.choice(MODES)
        return f"\x1b[{'' if mode == 4 else '?'}{mode}{self._random.choice('hl')}"

    def _link(self) -> str:
        return f"\x1b]8;{self._random.choice(('', 'id=1', 'a=b:c=d'))};{self._random.choice(URIS)}{self._random.choice(ENDS)}"

    def _string(self) -> str:
        introducer = self._random.choice(("\x1b]", "\x1bP", "\x1b_", "\x1b^", "\x1bX", "\x9d", "\x90", "\x9f", "\x9e", "\x98"))
        return introducer + self._random.choice(STRINGS) + self._random.choice(ENDS)

    def _marker(self) -> str:
        return self._random.choice(("\x1b_pi:c\x07", "\x1b_pi:fc\x07", "\x1b_pi:/fc\x07"))
