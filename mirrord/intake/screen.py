"""A terminal's screen as it may be shown: cleaned once more, whoever cleaned it before."""

from __future__ import annotations

from typing import Final, get_args

from bridge.screen.messages import Screen
from mirrord.core.model import TerminalId
from mirrord.wire import messages as wire
from mirrord.wire.surfaces import Caret, TextSpan
from sanitize import text
from sanitize.assemble import needs_care
from sanitize.counters import Counters
from sanitize.limits import COLUMNS, LINE_CHARACTERS, ROWS
from sanitize.spans import Line, Span
from sanitize.written import on_one_line, written

_HIDDEN: Final = frozenset(get_args(wire.ScreenHidden))


def screen(said: Screen, terminal: TerminalId) -> wire.Screen:
    """What a follower says it sees. Links are left out: where one leads is not seen on a screen."""
    columns, rows = _within(said.columns, COLUMNS), _within(said.rows, ROWS)
    if said.hidden is not None:
        hidden = said.hidden if said.hidden in _HIDDEN else "unknown"
        return wire.Screen(session_id=terminal, columns=columns, rows=rows, hidden=hidden)  # type: ignore[arg-type] # it is one of them
    lines = [_clean(line) for line in said.lines[:rows]]
    caret = next((Caret(row, line.caret) for row, line in enumerate(lines) if line.caret is not None), None)
    return wire.Screen(
        session_id=terminal,
        columns=columns,
        rows=rows,
        lines=tuple(tuple(TextSpan(span.text, span.role, span.traits) for span in line.spans) for line in lines),
        caret=caret,
    )


def _within(size: int, most: int) -> int:
    return max(1, min(size, most))


def _clean(line: Line) -> Line:
    """The line itself where nothing in it needs care; else what is left of it, without its caret, whose place has no meaning any more."""
    plain = line.text
    if len(plain) <= LINE_CHARACTERS and not needs_care(plain):
        caret = line.caret if line.caret is None or 0 <= line.caret <= len(plain) else None
        return Line(line.spans, caret)
    room = LINE_CHARACTERS
    spans: list[Span] = []
    for span in line.spans:
        spans.append(Span(on_one_line(text(span.text[:room]).text, " "), span.role, span.traits))
        room -= len(span.text)
        if room <= 0:
            break
    kept = tuple(written((span for span in spans if span.text), Counters()))
    same = "".join(span.text for span in kept) == plain
    return Line(kept, line.caret if same and line.caret is not None and 0 <= line.caret <= len(plain) else None)
