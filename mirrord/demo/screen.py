"""What a terminal of a given size would show, from the bytes a program wrote to it.

For driving Pi in the demo and in tests. A sequence reaches pyte only through the tables below, and a character only
one at a time: pyte prints or misreads several sequences that Pi sends, and loses the rest of a line after a
zero-width character.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pyte
from pyte.screens import Char
from wcwidth import wcwidth

# More than one test session prints; a demo that runs for days must not grow.
SCROLLBACK_LINES = 5000
# An unfinished sequence longer than this is garbage: Pi's longest are images, which this screen cannot show.
LONGEST_SEQUENCE = 4 * 1024 * 1024

# One sequence: CSI, a string (ended by BEL or ST, broken off by any other escape), or a short escape.
_SEQUENCE = re.compile(
    r"\x1b(?:"
    r"\[(?P<private>[<-?]?)(?P<parameters>[0-9:;<-?]*)(?P<between>[ -/]*)(?P<final>[@-~])"
    r"|(?P<kind>[\]P_^X])(?P<string>[^\x07\x1b]*)(?:\x07|\x1b\\|(?=\x1b))"
    r"|(?P<middle>[ -/]*)(?P<escape>[0-OQ-WYZ`-~])"
    r")"
)
# A prefix of one of the above, at the end of what arrived so far.
_UNFINISHED = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|[\]P_^X][^\x07\x1b]*\x1b?|[ -/]*)?\Z")
_PRINTABLE = re.compile(r"[^\x00-\x1f\x7f-\x9f]+")

_CONTROLS: Mapping[str, str] = {
    "\b": "backspace",
    "\t": "tab",
    "\n": "linefeed",
    "\v": "linefeed",
    "\f": "linefeed",
    "\r": "carriage_return",
}
_ESCAPES: Mapping[str, str] = {
    "7": "save_cursor",
    "8": "restore_cursor",
    "D": "index",
    "H": "set_tab_stop",
    "M": "reverse_index",
    "c": "reset",
}
_CSI: Mapping[str, str] = {
    "@": "insert_characters",
    "A": "cursor_up",
    "B": "cursor_down",
    "C": "cursor_forward",
    "D": "cursor_back",
    "E": "cursor_down1",
    "F": "cursor_up1",
    "G": "cursor_to_column",
    "H": "cursor_position",
    "J": "erase_in_display",
    "K": "erase_in_line",
    "L": "insert_lines",
    "M": "delete_lines",
    "P": "delete_characters",
    "X": "erase_characters",
    "a": "cursor_forward",
    "d": "cursor_to_line",
    "e": "cursor_down",
    "f": "cursor_position",
    "g": "clear_tab_stop",
    "r": "set_margins",
    "s": "save_cursor",
    "u": "restore_cursor",
    "`": "cursor_to_column",
}
# How many parameters each of them takes at most; one where it is not said.
_MOST_PARAMETERS: Mapping[str, int] = {"H": 2, "f": 2, "r": 2, "s": 0, "u": 0}
# Autowrap and cursor visibility. Pi sets no other mode that changes what is drawn; pyte fails in origin mode.
_DRAWING_MODES = frozenset({7, 25})
_ALTERNATE_MODES = frozenset({47, 1047, 1049})
_SYNCHRONIZED = 2026


@dataclass(frozen=True, slots=True)
class Run:
    """Neighbouring cells of one style. Colours are pyte's: a name, six hex digits, or "default"."""

    text: str
    foreground: str
    background: str
    marks: frozenset[str]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All that a person would see at one moment; two are equal when no difference could be seen."""

    lines: tuple[tuple[Run, ...], ...]
    cursor: tuple[int, int] | None
    title: str
    alternate: bool


class _Buffer(pyte.Screen):
    """A pyte screen that remembers the lines which leave it at the top."""

    def __init__(self, columns: int, rows: int, scrollback: deque[str] | None = None) -> None:
        self.scrollback = scrollback
        super().__init__(columns, rows)

    def index(self) -> None:
        at_bottom = self.cursor.y == (self.margins.bottom if self.margins else self.lines - 1)
        if self.scrollback is not None and at_bottom and (self.margins is None or self.margins.top == 0):
            self.scrollback.append(self.line_text(0))
        super().index()

    def line_text(self, row: int) -> str:
        line = self.buffer[row]
        # Cells that nothing was written to are not in it: most of a large terminal.
        end = min(max(line, default=-1) + 1, self.columns)
        return "".join(line[column].data for column in range(end)).rstrip()


def _marks(cell: Char) -> frozenset[str]:
    names = ("bold", "italics", "underscore", "strikethrough", "reverse", "blink")
    return frozenset(name for name in names if getattr(cell, name))


def _rendition(parameters: str) -> list[int]:
    """SGR parameters that pyte understands: sub-parameters and underline colours are left out."""
    numbers: list[int] = []
    rest = iter(parameters.split(";"))
    for part in rest:
        head, colon, tail = part.partition(":")
        if colon:
            numbers += [24 if tail == "0" else 4] if head == "4" else []
        elif head == "58":
            for _ in range({"2": 3, "5": 1}.get(next(rest, ""), 0)):
                next(rest, "")
        else:
            numbers.append(int(head or 0))
    return numbers


class Screen:
    """Feed it bytes in any pieces; the result depends only on their order. Never raises for what a program writes."""

    def __init__(self, columns: int, rows: int) -> None:
        self.scrollback: deque[str] = deque(maxlen=SCROLLBACK_LINES)
        self.title = ""
        self.in_frame = False
        """A synchronized update is open: what is shown now is half a picture."""
        self._normal = _Buffer(columns, rows, self.scrollback)
        self._shown = self._normal
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = ""

    @property
    def alternate(self) -> bool:
        return self._shown is not self._normal

    def text(self) -> str:
        """The rows, without trailing spaces."""
        return "\n".join(self._shown.line_text(row) for row in range(self._shown.lines))

    @property
    def cursor(self) -> tuple[int, int] | None:
        """Column and row, from 0; None when it is hidden."""
        cursor = self._shown.cursor
        return None if cursor.hidden else (cursor.x, cursor.y)

    def snapshot(self) -> Snapshot:
        return Snapshot(
            lines=tuple(tuple(self._runs(row)) for row in range(self._shown.lines)),
            cursor=self.cursor,
            title=self.title,
            alternate=self.alternate,
        )

    def resize(self, columns: int, rows: int) -> None:
        self._normal.resize(rows, columns)
        if self.alternate:
            self._shown.resize(rows, columns)

    def feed(self, data: bytes) -> None:
        text = self._held + self._decoder.decode(data)
        unfinished = _UNFINISHED.search(text)
        end = unfinished.start() if unfinished else len(text)
        self._held = text[end:] if len(text) - end <= LONGEST_SEQUENCE else ""
        position = 0
        while position < end:
            position = self._step(text, position, end)

    def _step(self, text: str, position: int, end: int) -> int:
        """Acts on what stands at `position`; gives the position after it."""
        if plain := _PRINTABLE.match(text, position, end):
            for character in plain[0]:
                self._draw(character)
            return plain.end()
        if sequence := _SEQUENCE.match(text, position):
            self._act(sequence)
            return sequence.end()
        if method := _CONTROLS.get(text[position]):
            getattr(self._shown, method)()
        return position + 1

    def _draw(self, character: str) -> None:
        # Joiners and variation selectors take no cell; pyte would drop what follows them.
        if wcwidth(character) > 0 or unicodedata.combining(character):
            self._shown.draw(character)

    def _act(self, sequence: re.Match[str]) -> None:
        if sequence["kind"]:
            code, _, value = sequence["string"].partition(";")
            if sequence["kind"] == "]" and code in ("0", "2"):
                self.title = value
        elif final := sequence["final"]:
            if not sequence["between"]:
                self._control(sequence["private"], sequence["parameters"], final)
        elif not sequence["middle"] and (method := _ESCAPES.get(sequence["escape"])):
            getattr(self._shown, method)()

    def _control(self, private: str, parameters: str, final: str) -> None:
        if private:
            if private == "?" and final in "hl":
                for mode in re.findall(r"[0-9]{1,5}", parameters):
                    self._set_mode(int(mode), final == "h")
        elif final == "m":
            if re.fullmatch(r"[:;]*(?:[0-9]{1,5}[:;]*)*", parameters):
                self._shown.select_graphic_rendition(*_rendition(parameters))
        elif re.fullmatch(r"(?:[0-9]{0,5};)*[0-9]{0,5}", parameters) and (method := _CSI.get(final)):
            numbers = [int(part) if part else None for part in parameters.split(";")]
            self._call(method, final, numbers[: _MOST_PARAMETERS.get(final, 1)])

    def _call(self, method: str, final: str, numbers: list[int | None]) -> None:
        if final == "J" and numbers == [3]:
            self.scrollback.clear()
        elif final in "JKg":
            if (how := numbers[0] or 0) in {"J": (0, 1, 2), "K": (0, 1, 2), "g": (0, 3)}[final]:
                getattr(self._shown, method)(how)
        else:
            getattr(self._shown, method)(*numbers)

    def _set_mode(self, mode: int, on: bool) -> None:
        if mode == _SYNCHRONIZED:
            self.in_frame = on
        elif mode in _ALTERNATE_MODES:
            if on != self.alternate:
                was = self._shown
                self._shown = _Buffer(was.columns, was.lines) if on else self._normal
                self._shown.mode = set(was.mode)
                self._shown.cursor.hidden = was.cursor.hidden
        elif mode in _DRAWING_MODES:
            change = self._shown.set_mode if on else self._shown.reset_mode
            change(mode, private=True)

    def _runs(self, row: int) -> Iterator[Run]:
        """The row in runs, up to its last cell that is not an empty one of the default style."""
        run: Run | None = None
        line = self._shown.buffer[row]
        empty = self._shown.default_char
        last = max((x for x, cell in line.items() if x < self._shown.columns and cell != empty), default=-1)
        for column in range(last + 1):
            cell = line[column]
            style = (cell.fg, cell.bg, _marks(cell))
            if run and (run.foreground, run.background, run.marks) == style:
                run = Run(run.text + cell.data, *style)
            else:
                if run:
                    yield run
                run = Run(cell.data, *style)
        if run:
            yield run
