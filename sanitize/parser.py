"""A parser of terminal output after DEC's VT500, on decoded text.

It knows the shapes of sequences and none of their meanings. What a handler is told does not depend on how the text was cut into pieces,
but for runs of text, which come in as many pieces as they please. Time is in proportion to the text, memory is bounded.

    ESC final · ESC intermediates final        an escape
    ESC [ prefix parameters intermediates final    a control sequence (CSI)
    ESC ] … BEL or ST                          a string (OSC); it is kept up to a limit
    ESC P … ST · ESC X … ST · ESC ^ … ST       strings (DCS, SOS, PM) that are read over
    ESC _ … BEL or ST                          one more (APC): Pi ends those that mark its cursor with BEL

Each 8-bit control is the same as ESC and the letter 64 below it. CAN, SUB and ESC end whatever is unfinished; other controls within an
escape or a control sequence are obeyed as if they came before it, DEL is nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, Protocol

from sanitize.counters import Counters
from sanitize.limits import OSC_CHARACTERS, SGR_CHARACTERS

_ESC: Final = "\x1b"
_BEL: Final = "\x07"
_DEL: Final = "\x7f"
_ABORTS: Final = frozenset("\x18\x1a")

_STRINGS: Final = frozenset("]PX^_")
_OSC: Final = "]"
_ENDED_BY_BEL: Final = frozenset("]_")

_split: Final = re.compile(rf"\x1b\[([0-9;:]{{0,{SGR_CHARACTERS}}})([@-~])").split
"""The control sequences that make up most of what programs write. They mean the same in every state, as ESC ends what is unfinished."""

_eight_bit: Final = re.compile(r"[\x80-\x9f]")
_text: Final = re.compile(r"[^\x00-\x1f\x7f]+")
_intermediates: Final = re.compile(r"[ -/]+")
_csi_body: Final = re.compile(r"[ -?]+")
_csi_shape: Final = re.compile(r"([<-?]?)([0-9;:]*)([ -/]*)")
_string_end: Final = re.compile(r"[\x18\x1a\x1b]")
_string_or_bel_end: Final = re.compile(r"[\x07\x18\x1a\x1b]")


class Handler(Protocol):
    """Decides what is obeyed, and counts what it does not obey."""

    def text(self, run: str) -> None:
        """Characters without any control, at least one."""

    def control(self, character: str) -> None:
        """A C0 control."""

    def escape(self, intermediates: str, final: str) -> None:
        """An escape. ST comes as one whose final is a backslash, unless it ended a string."""

    def csi(self, prefix: str, parameters: str, intermediates: str, final: str) -> None:
        """A control sequence. Prefix: empty or one of `<=>?`; parameters: ASCII digits, `;` and `:`."""

    def osc(self, text: str) -> None:
        """A string (OSC) that was ended; controls in it are still there."""


class Parser:
    """Calls the handler while it is fed. What it drops itself is counted in `counters.sequences`."""

    def __init__(self, handler: Handler, counters: Counters) -> None:
        self._handler: Final = handler
        self._counters: Final = counters
        self._state: _State = _ground
        self._kept = ""
        """Of an escape: its intermediates; of a control sequence: all but its final; of an OSC: its text. Cut off behind its limit."""
        self._kind = ""
        """Which string it is in."""

    def feed(self, data: str) -> None:
        """Parse what came next."""
        text, csi = self._handler.text, self._handler.csi
        pieces = _split(data)
        for piece, parameters, final in zip(pieces[::3], pieces[1::3], pieces[2::3], strict=False):
            if piece:
                if self._state is _ground and piece.isprintable():
                    text(piece)
                else:
                    self._advance(piece)
            if self._state is not _ground:
                self._advance("\x1b[")  # ends what is unfinished
                self.reset()
            csi("", parameters, "", final)
        piece = pieces[-1]
        if piece:
            self._advance(piece)

    def reset(self) -> None:
        """Forget what is unfinished."""
        self._state = _ground
        self._kept = ""

    def _advance(self, data: str) -> None:
        if not data.isascii():
            data = _eight_bit.sub(_seven_bit, data)
        at, end = 0, len(data)
        while at < end:
            at = self._state(self, data, at)

    def _drop(self) -> None:
        self._counters.sequences += 1
        self.reset()

    def _keep(self, more: str, limit: int) -> None:
        """One more than the limit shows that there was more."""
        room = limit + 1 - len(self._kept)
        if room > 0:
            self._kept += more[:room]

    def _control(self, character: str) -> None:
        """A control within an escape or a control sequence."""
        if character in _ABORTS:
            self._drop()
        elif character == _ESC:
            self._drop()
            self._state = _escape
        elif character != _DEL:
            self._handler.control(character)


_State = Callable[[Parser, str, int], int]
"""Takes the text from an index on, at least one character, and gives the index behind what it took."""


def _ground(parser: Parser, data: str, at: int) -> int:
    run = _text.match(data, at)
    if run is not None:
        parser._handler.text(run[0])
        return run.end()
    character = data[at]
    if character == _ESC:
        parser._state = _escape
    elif character != _DEL:
        parser._handler.control(character)
    return at + 1


def _escape(parser: Parser, data: str, at: int) -> int:
    run = _intermediates.match(data, at)
    if run is not None:
        parser._keep(run[0], SGR_CHARACTERS)
        return run.end()
    character = data[at]
    intermediates = parser._kept
    if character < " " or character == _DEL:
        parser._control(character)
    elif character > _DEL:
        parser._drop()
    elif intermediates:
        parser.reset()
        parser._handler.escape(intermediates, character)
    elif character == "[":
        parser._state = _csi
    elif character in _STRINGS:
        parser._kind = character
        parser._state = _string
    else:
        parser.reset()
        parser._handler.escape("", character)
    return at + 1


def _csi(parser: Parser, data: str, at: int) -> int:
    run = _csi_body.match(data, at)
    if run is not None:
        parser._keep(run[0], SGR_CHARACTERS)
        return run.end()
    character = data[at]
    if character < " " or character == _DEL:
        parser._control(character)
        return at + 1
    shape = _csi_shape.fullmatch(parser._kept)
    if character > _DEL and shape is None:
        pass  # what is malformed already goes on until its final
    elif character > _DEL or shape is None or len(parser._kept) > SGR_CHARACTERS:
        parser._drop()
    else:
        parser.reset()
        parser._handler.csi(shape[1], shape[2], shape[3], character)
    return at + 1


def _string(parser: Parser, data: str, at: int) -> int:
    end = (_string_or_bel_end if parser._kind in _ENDED_BY_BEL else _string_end).search(data, at)
    stop = len(data) if end is None else end.start()
    if parser._kind == _OSC:
        parser._keep(data[at : min(stop, at + OSC_CHARACTERS + 1)], OSC_CHARACTERS)
    if end is None:
        return stop
    if end[0] == _BEL:
        _finish_string(parser)
    elif end[0] == _ESC:
        parser._state = _string_escape
    else:
        parser._drop()
    return stop + 1


def _string_escape(parser: Parser, data: str, at: int) -> int:
    if data[at] == "\\":
        _finish_string(parser)
        return at + 1
    parser._drop()
    parser._state = _escape
    return at


def _finish_string(parser: Parser) -> None:
    text = parser._kept
    if parser._kind == _OSC and len(text) <= OSC_CHARACTERS:
        parser.reset()
        parser._handler.osc(text)
    else:
        parser._drop()


def _seven_bit(control: re.Match[str]) -> str:
    return _ESC + chr(ord(control[0]) - 0x40)
