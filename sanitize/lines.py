"""The line path: lines of SGR and OSC 8, as Pi's components render them, become spans without an emulator.

Lines are independent of each other (Pi ends each with a reset), so each begins with the plain pen and what it leaves open ends with
it. A line with anything else in it goes through the emulator, alone on a screen of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from sanitize.assemble import Run, add, assemble, completed, needs_care
from sanitize.counters import Counters
from sanitize.limits import COLUMNS, LINE_CHARACTERS, LINK_CHARACTERS, LINK_PARAMETERS, ROWS, SGR_CHARACTERS, TAB_SPACES
from sanitize.pens import Pens
from sanitize.spans import EMPTY, Line, Span
from sanitize.terminal import Terminal

_split: Final = re.compile(
    rf"(\x1b\[[0-9;:]{{0,{SGR_CHARACTERS}}}m"
    rf"|\x1b\]8;[^;\x00-\x1f\x7f-\x9f]{{0,{LINK_PARAMETERS}}};[^\x00-\x1f\x7f-\x9f]{{0,{LINK_CHARACTERS}}}(?:\x07|\x1b\\|\x9c))"
).split
_control: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]").search
_feeds: Final = re.compile(r"[\x0b\x0c\x84\x85\x8d]|\x1b[DEM]").findall

_MARKER: Final = "\x1b_pi:"
_marker: Final = re.compile(r"\x1b_pi:(?:(c|fc)|/fc)\x07")
"""Where the caret is, in both forms that Pi writes: alone (0.73.1), or before a faked cursor that is marked itself (1.6.0)."""

_TAB: Final = " " * TAB_SPACES
_CUT: Final = "…"


class LineRenderer:
    """Renders the lines of one surface. `columns` is the width they were rendered for, where it is known."""

    def __init__(self, pens: Pens, counters: Counters, columns: int = COLUMNS) -> None:
        self._pens: Final = pens
        self._counters: Final = counters
        self._columns: Final = min(max(columns, 1), COLUMNS)
        self._terminal: Terminal | None = None

    def render(self, lines: Iterable[str], limit: int | None = None) -> list[Line]:
        """Each line that arrives as one line, but as several where it has line feeds. Of more than `limit` the others are left out."""
        rendered: list[Line] = []
        for raw in lines:
            if raw.isascii() and raw.isprintable() and len(raw) <= LINE_CHARACTERS:
                text = raw.rstrip(" ")
                rendered.append(Line((Span(text, "primary"),)) if text else EMPTY)
            elif "\n" in raw:
                for part in raw.split("\n"):
                    rendered += self._render(part.removesuffix("\r"))
            else:
                rendered += self._render(raw)
            if limit is not None and len(rendered) > limit:
                del rendered[limit:]
                self._counters.truncated += 1
                break
        return rendered

    def _render(self, raw: str) -> list[Line]:
        if len(raw) > LINE_CHARACTERS:
            self._counters.truncated += 1
            lines = self._render(raw[:LINE_CHARACTERS])
            spans = list(lines[-1].spans)
            add(spans, Span(_CUT, "primary"))
            lines[-1] = Line(tuple(spans), lines[-1].caret)
            return lines
        caret = None
        if _MARKER in raw:
            raw, caret = self._caret(raw)
        if "\t" in raw:
            raw = raw.replace("\t", _TAB)
        pieces = _split(raw)
        text = "".join(pieces[::2])
        care = not text.isascii() or not text.isprintable()
        if care and _control(text):
            return self._emulate(raw)
        if caret is not None or (care and needs_care(text)):
            return [assemble(list(self._runs(pieces)), caret, self._counters)]
        return [self._finish(pieces)]

    def _runs(self, pieces: list[str]) -> Iterator[Run]:
        """`pieces` are texts and sequences in turn, a text first and last."""
        pen = self._pens.plain
        for text, sequence in zip(pieces[::2], [*pieces[1::2], ""], strict=True):
            if text:
                yield text, pen
            if sequence:
                pen = pen.after.get(sequence) or self._pens.obey(pen, sequence)

    def _finish(self, pieces: list[str]) -> Line:
        """What `finish` makes of the runs, in one loop: most lines go this way, and it takes two thirds of the time."""
        pen, obey = self._pens.plain, self._pens.obey
        spans: list[Span] = []
        look = None
        text = ""
        linked = False
        refused = 0
        rest = iter(pieces)
        for piece in rest:
            if not piece:
                pass
            elif pen.look == look:
                text += piece
            elif pen.visible:
                if look is not None:
                    spans.append(Span(text, look[0], look[1], look[2]))
                if pen.link is not None:
                    linked = True
                elif pen.refused:
                    refused += look is None or not look[3]
                text, look = piece, pen.look
            sequence = next(rest, None)
            if sequence is None:
                break
            try:
                pen = pen.after[sequence]
            except KeyError:
                pen = obey(pen, sequence)
        if look is not None:
            spans.append(Span(text, look[0], look[1], look[2]))
        return completed(spans, linked, refused, None, self._counters)

    def _caret(self, raw: str) -> tuple[str, int | None]:
        """The line without the markers, and the code points of its text before the first one."""
        found = _marker.search(raw)
        clean = _marker.sub("", raw)
        if found is None or found[1] is None:
            return clean, None
        return clean, len("".join(_split(raw[: found.start()].replace("\t", _TAB))[::2]))

    def _emulate(self, raw: str) -> list[Line]:
        self._counters.emulated += 1
        rows = min(1 + len(_feeds(raw)) + len(raw) // self._columns, ROWS)
        if self._terminal is None:
            self._terminal = Terminal(self._columns, rows, self._pens, self._counters)
        else:
            self._terminal.reset()
            self._terminal.resize(self._columns, rows)
        self._terminal.feed(raw)
        return self._terminal.lines() or [EMPTY]
