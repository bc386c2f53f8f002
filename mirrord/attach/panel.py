"""A board as the lines that stand below the stream and are replaced in place. Pure.

From the top: the title, an extension's header, what an open dialog draws, the working row, the strip and the widgets above the composer,
those below it, an extension's footer.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from mirrord.attach.mirror import fitted
from mirrord.attach.surfaces import Board, Drawn, Pills, Text
from mirrord.client.clean import one_line

Panel = Callable[[os.terminal_size], list[str]]
"""The lines for a terminal of this size, each of which fits a row of it."""

SHARE: Final = 2
"""The panel has at most a half of the rows: the stream is above it."""

SURFACE_LINES: Final = 8
"""Lines of one widget, so that several have room."""

WORKING_GLYPH: Final = "●"
"""Where the extension gave no frames. It stands still, as a first frame does: what blinks is hard to read beside."""

WORKING_TEXT: Final = "Working…"
AT_THE_TERMINAL: Final = "(answer it at the terminal)"


def no_panel(_size: os.terminal_size) -> list[str]:
    """Nothing to show."""
    return []


def panel_lines(board: Board, works: bool, size: os.terminal_size) -> list[str]:
    """What of the board fits; a count of lines stands for what does not."""
    lines = list(_lines(board, works))
    if not lines:
        return []
    return [fitted(line, size.columns) for line in ["─" * size.columns, *_cut(lines, max(size.lines // SHARE - 1, 1))]]


def _lines(board: Board, works: bool) -> Iterator[str]:
    entries = board.entries
    if isinstance(title := entries.get("title"), Text):
        yield title.lines[0]
    yield from _region(entries.get("header"))
    for key, view in entries.items():
        if key.startswith("view/") and isinstance(view, Drawn):
            yield f"{view.heading} {AT_THE_TERMINAL}"
            yield from (f"  {line}" for line in view.lines)
    if works and board.row.visible:
        yield f"{_glyph(board)} {one_line(board.row.message) if board.row.message else WORKING_TEXT}".strip()
    for place in ("above", "below"):
        if isinstance(strip := entries.get(f"strip/{place}"), Pills):
            yield strip.row()
        for key, widget in entries.items():
            if key.startswith("widget/") and isinstance(widget, Drawn) and widget.placement == f"{place}Editor":
                yield f"{widget.heading}:"
                yield from (f"  {line}" for line in _cut(widget.lines, SURFACE_LINES))
    yield from _region(entries.get("footer"))


def _region(region: object) -> Sequence[str]:
    return _cut(region.lines, SURFACE_LINES) if isinstance(region, Drawn) else ()


def _glyph(board: Board) -> str:
    indicator = board.row.indicator
    if indicator is None:
        return WORKING_GLYPH
    return one_line(indicator.frames[0]) if indicator.frames else ""


def _cut(lines: Sequence[str], room: int) -> Sequence[str]:
    if len(lines) <= room:
        return lines
    hidden = len(lines) - (room - 1)
    return [*lines[: room - 1], f"({hidden} more {'line' if hidden == 1 else 'lines'})"]
