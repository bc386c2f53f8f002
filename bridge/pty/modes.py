"""What a program has switched on in the terminal, read from what it writes, and the bytes that switch it off and on again. Pure.

A mode's normal state is what a terminal has while a shell shows its prompt. Followed are those that are known to be off normally, and
autowrap. Frames (synchronized updates) and the cursor's visibility change too often to be followed: they are made normal whenever anything
is. What a program sets otherwise (the palette, tab stops, the title) is not undone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_ALTERNATE: Final = (1049, 1047, 47)
_AUTOWRAP: Final = 7
_PRIVATE: Final = (
    *(9, 1000, 1001, 1002, 1003),  # mouse: which events are told
    *(1005, 1006, 1015, 1016),  # mouse: how they are written
    1004,  # focus
    2004,  # bracketed paste
    2031,  # change of the colour scheme
    2048,  # change of size
    1,  # cursor keys of applications
    *_ALTERNATE,
    _AUTOWRAP,
)
_BIT: Final = {number: 1 << place for place, number in enumerate(_PRIVATE)}
_BIT_OF_TEXT: Final = {b"%d" % number: bit for number, bit in _BIT.items()}
_SWITCHED: Final = {
    b"\x1b[?%d%s" % (number, final): (bit, (final == b"h") != (number == _AUTOWRAP))
    for number, bit in _BIT.items()
    for final in (b"h", b"l")
}
"""The sequences that set one mode: its bit, and whether it is not normal then."""
_OTHER_KEYS: Final = 1 << len(_PRIVATE)
"""xterm's modifyOtherKeys."""
_ALTERNATE_BITS: Final = _BIT[1049] | _BIT[1047] | _BIT[47]

# The keyboard protocol of kitty has a stack of flags for each of the two screens: above the bits, its depth and its newest flags.
_KEYBOARDS: Final = 32
_DEPTH_BITS, _FLAGS_BITS = 4, 5
_DEEPEST: Final = (1 << _DEPTH_BITS) - 1
_ALL_FLAGS: Final = (1 << _FLAGS_BITS) - 1
_KEYBOARD_BITS: Final = _DEPTH_BITS + _FLAGS_BITS

# Each of Pi's frames has four sequences that are passed over.
_SEQUENCE: Final = re.compile(rb"\x1b\[(?:\?(?!2026|25[hl])[0-9;]*[hl]|[<>][0-9;]*[mu])")
# The copy loop pays for looking whether there are any. A search for one byte is three times as fast as one for two.
_PRIVATE_THERE: Final = re.compile(rb"\?(?<=\x1b\[\?)(?!2026|25[hl])[0-9;]*[hl]").search
_PUSH_THERE: Final = re.compile(rb">(?<=\x1b\[>)[0-9;]*[mu]").search
_POP_THERE: Final = re.compile(rb"<(?<=\x1b\[<)[0-9;]*u").search
_UNFINISHED: Final = re.compile(rb"\x1b(?:\[(?:[?<>][0-9;]*)?)?")
_LONGEST: Final = 64
"""A sequence that sets modes is shorter, with all of them in one; what is cut at the end of a read is kept so far."""

_ABORT: Final = b"\x18\x1b\\"
"""CAN and ST end whatever sequence was cut off in the middle; after a whole one they do nothing."""
_PLAIN: Final = b"\x1b[?2026l\x1b[?25h\x1b[0m\x1b]8;;\x1b\\"
"""No frame is open, the cursor is seen; no colours, no link."""
_SAVE_CURSOR: Final = b"\x1b7"
"""Leaving the alternate screen restores a saved cursor. Saved first, it stays where it is, should that screen not be shown any more."""
_VISIT_ALTERNATE: Final = (_SAVE_CURSOR + b"\x1b[?47h", b"\x1b[?47l\x1b8")
"""To the alternate screen, which this mode leaves as it is, and back to where the cursor was."""


def everything_off() -> bytes:
    """Bytes after which all modes are normal in a terminal of which nothing is known."""
    modes = Modes(_OTHER_KEYS * 2 - 1)
    modes._set_stack(0, _DEEPEST, 0)
    return modes.undo(cut_off=True)


def either(one: int, other: int) -> int:
    """The word for a terminal that is in one of two states, or between them: undone is what is set in any of them."""
    keyboards = 0
    for screen in (0, 1):
        shift = _KEYBOARDS + screen * _KEYBOARD_BITS
        mask = (1 << _KEYBOARD_BITS) - 1
        keyboards |= max(one >> shift & mask, other >> shift & mask, key=lambda stack: stack & _DEEPEST) << shift
    return (one | other) & ((1 << _KEYBOARDS) - 1) | keyboards


class Modes:
    """Which modes are not in their normal state. All of it is one number below 2**63, `word`, 0 for none."""

    def __init__(self, word: int = 0) -> None:
        self.word = word
        self._cut = b""

    def read(self, data: bytes) -> int:
        """The program wrote this; sequences may be cut anywhere between two calls.

        Returns the word for a terminal of which nobody knows how much of it has arrived: what was on before, or at any place in it.
        """
        passed = self.word
        if self._cut:
            data = self._cut + data
            self._cut = b""
        elif b"\x1b" not in data:
            return passed
        if _PRIVATE_THERE(data) or (b">" in data and _PUSH_THERE(data)) or (b"<" in data and _POP_THERE(data)):
            for sequence in _SEQUENCE.findall(data):
                switched = _SWITCHED.get(sequence)
                if switched is None:
                    self._obey(sequence[2:3], sequence[3:-1], sequence[-1:])
                    passed = either(passed, self.word)
                else:
                    bit, abnormal = switched
                    self.word = self.word | bit if abnormal else self.word & ~bit
                    passed |= self.word & bit
        last = data.rfind(b"\x1b", max(0, len(data) - _LONGEST))
        if last >= 0 and _UNFINISHED.fullmatch(data, last):
            self._cut = data[last:]
        return passed

    def undo(self, *, cut_off: bool = False) -> bytes:
        """Bytes after which all is normal; none when all is known to be, which it is not when the program was cut off."""
        if not self.word and not cut_off:
            return b""
        alternate = self._alternate
        off = [number for number in _PRIVATE if self.word & _BIT[number] and number not in (*_ALTERNATE, _AUTOWRAP)]
        parts = [_ABORT, *(b"\x1b[?%dl" % number for number in off)]
        if alternate:
            parts += [*self._pops(1), _SAVE_CURSOR, *(b"\x1b[?%dl" % number for number in _ALTERNATE if self.word & _BIT[number])]
        else:
            parts += _visiting(self._pops(1))
        parts += self._pops(0)
        if self.word & _OTHER_KEYS:
            parts.append(b"\x1b[>4;0m")
        if self.word & _BIT[_AUTOWRAP]:
            parts.append(b"\x1b[?7h")
        return b"".join([*parts, _PLAIN])

    def redo(self) -> bytes:
        """Bytes that bring a terminal with normal modes back into this state; picture and cursor are the program's to draw."""
        parts = list(self._pushes(0))
        if self._alternate:
            parts += [b"\x1b[?%dh" % number for number in _ALTERNATE if self.word & _BIT[number]]
            parts += self._pushes(1)
        else:
            parts += _visiting(self._pushes(1))
        for number in _PRIVATE:
            if self.word & _BIT[number] and number not in _ALTERNATE:
                parts.append(b"\x1b[?%d%s" % (number, b"l" if number == _AUTOWRAP else b"h"))
        if self.word & _OTHER_KEYS:
            parts.append(b"\x1b[>4;2m")
        return b"".join(parts)

    @property
    def _alternate(self) -> bool:
        return bool(self.word & _ALTERNATE_BITS)

    def _obey(self, kind: bytes, parameters: bytes, final: bytes) -> None:
        if kind == b"?":
            for text in parameters.split(b";"):
                self._set(text, final == b"h")
        elif final == b"u":
            self._keyboard(kind, parameters)
        elif kind == b">":
            resource, _, value = parameters.partition(b";")
            if resource == b"4":
                self._switch(_OTHER_KEYS, value not in (b"", b"0"))

    def _set(self, text: bytes, on: bool) -> None:
        bit = _BIT_OF_TEXT.get(text)
        if bit is not None:
            self._switch(bit, on != (bit == _BIT[_AUTOWRAP]))

    def _switch(self, bit: int, abnormal: bool) -> None:
        self.word = self.word | bit if abnormal else self.word & ~bit

    def _keyboard(self, kind: bytes, parameters: bytes) -> None:
        screen = int(self._alternate)
        depth, flags = self._stack(screen)
        number = int(parameters) if parameters.isdigit() and len(parameters) < 4 else None
        if kind == b">":
            depth, flags = min(depth + 1, _DEEPEST), (number or 0) & _ALL_FLAGS
        else:
            depth = max(0, depth - (1 if number is None else number))
        self._set_stack(screen, depth, flags if depth else 0)

    def _stack(self, screen: int) -> tuple[int, int]:
        """Depth and newest flags; screen 1 is the alternate one."""
        packed = self.word >> (_KEYBOARDS + screen * _KEYBOARD_BITS)
        return packed & _DEEPEST, packed >> _DEPTH_BITS & _ALL_FLAGS

    def _set_stack(self, screen: int, depth: int, flags: int) -> None:
        shift = _KEYBOARDS + screen * _KEYBOARD_BITS
        mask = ((1 << _KEYBOARD_BITS) - 1) << shift
        self.word = self.word & ~mask | (depth | flags << _DEPTH_BITS) << shift

    def _pops(self, screen: int) -> Iterator[bytes]:
        depth, _ = self._stack(screen)
        if depth:
            yield b"\x1b[<%du" % depth

    def _pushes(self, screen: int) -> Iterator[bytes]:
        depth, flags = self._stack(screen)
        for _ in range(depth):
            yield b"\x1b[>%du" % flags


def _visiting(alternate: Iterator[bytes]) -> Iterator[bytes]:
    """These bytes for the alternate screen, which is not the one that is shown; nothing for none."""
    there, back = _VISIT_ALTERNATE
    if what := b"".join(alternate):
        yield there + what + back
