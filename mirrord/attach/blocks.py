"""What an extension shows as lines of plain text: native blocks, or the lines that were drawn. Every text passes `sanitize` again here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from mirrord.client.clean import one_line, several_lines
from mirrord.wire.messages import Truncation
from mirrord.wire.surfaces import BLOCK_TYPES, ActivityRow, ActivityState, Block, Caret, NativeSurface, TextSpan

STATE_WORDS: Final[dict[ActivityState, str]] = {
    "queued": "queued",
    "running": "running",
    "success": "done",
    "warning": "done, with a warning",
    "error": "failed",
    "inactive": "stopped",
}

CARET: Final = "▏"
"""Where Pi's cursor is."""

_BAR_CELLS: Final = 20
_INDENT: Final = "  "
_RULE: Final = "─" * 20
_CODE: Final = "│ "


def surface_lines(surface: NativeSurface | None, drawn: Sequence[str], truncated: Iterable[Truncation] = ()) -> Iterator[str]:
    """A surface without its title; `drawn` is its text alone, which is shown where there are no blocks. Then a line for each cut."""
    if surface is None:
        yield from map(_kept_line, drawn)
    else:
        if surface.presentation.subtitle:
            yield one_line(surface.presentation.subtitle)
        yield from _blocks(surface.blocks, _Fallback(surface, drawn))
    for cut in truncated:
        yield f"({one_line(cut.field)} is shortened: {cut.shown} of {cut.total})"


class _Fallback:
    """What is shown in the place of blocks that this build does not know: once for all of them."""

    def __init__(self, surface: NativeSurface, drawn: Sequence[str]) -> None:
        self._surface = surface
        self._drawn = drawn
        self._is_shown = False

    def lines(self, kind: str) -> Iterator[str]:
        if self._is_shown:
            return
        self._is_shown = True
        fallback = self._surface.fallback
        if fallback is not None and fallback.lines:
            yield from map(_kept_line, fallback.lines)
        elif fallback is not None and fallback.text:
            yield from several_lines(fallback.text)
        elif self._drawn:
            yield from map(_kept_line, self._drawn)
        else:
            yield f"(a block of the kind {one_line(kind)}, which this version cannot show)"


def _blocks(blocks: Iterable[Block], fallback: _Fallback) -> Iterator[str]:
    for block in blocks:
        if block.type in BLOCK_TYPES:
            yield from _block(block, fallback)
        else:
            yield from fallback.lines(block.type)


def _block(block: Block, fallback: _Fallback) -> Iterator[str]:
    match block.type:
        case "text":
            yield from several_lines(_spans(block.spans or ()))
        case "markdown":
            yield from several_lines(block.markdown or "")
        case "section":
            heading = " · ".join(one_line(text) for text in (block.title, block.subtitle) if text)
            if heading:
                yield heading
            yield from (f"{_INDENT}{line}" for line in _blocks(block.blocks or (), fallback))
        case "activityList":
            for row in block.rows or ():
                yield from _row(row)
        case "progress":
            yield _progress(block)
        case "terminal":
            yield from _terminal(block.lines or (), block.caret)
        case "code":
            if block.language:
                yield f"({one_line(block.language)})"
            yield from (f"{_CODE}{line}" for line in several_lines(block.text or ""))
        case "divider":
            yield _RULE
        case _:
            yield ""


def _row(row: ActivityRow) -> Iterator[str]:
    words = [STATE_WORDS[row.state]] if row.state is not None else []
    if row.progress is not None:
        words.append(_percent(row.progress))
    state = f"[{', '.join(words)}] " if words else "- "
    link = f" <{one_line(row.link)}>" if row.link else ""
    yield state + " · ".join(one_line(text) for text in (row.title, row.subtitle) if text) + link
    if row.detail:
        yield from (f"{_INDENT}{line}" for line in several_lines(row.detail))
    for child in row.children:
        yield from (f"{_INDENT}{line}" for line in _row(child))


def _progress(block: Block) -> str:
    said = block.accessibility
    label = one_line(block.label or (said.label if said is not None and said.label else ""))
    if block.value is None or block.indeterminate:
        return f"{label}: under way" if label else "under way"
    filled = round(min(max(block.value, 0.0), 1.0) * _BAR_CELLS)
    bar = f"[{'#' * filled}{'-' * (_BAR_CELLS - filled)}] {_percent(block.value)}"
    return f"{label} {bar}" if label else bar


def _percent(value: float) -> str:
    return f"{round(min(max(value, 0.0), 1.0) * 100)} %"


def _terminal(lines: Sequence[Sequence[TextSpan]], caret: Caret | None) -> Iterator[str]:
    for row, line in enumerate(lines):
        if caret is not None and caret.row == row:
            text = "".join(span.text for span in line)
            yield _kept_line(text[: caret.column] + CARET + text[caret.column :])
        else:
            yield _kept_line(_spans(line))


def _spans(spans: Sequence[TextSpan]) -> str:
    """The text, each link behind what it stands on, unless that says where it leads."""
    said = ""
    for place, span in enumerate(spans):
        after = spans[place + 1] if place + 1 < len(spans) else None
        said += span.text
        if span.link and (after is None or after.link != span.link) and span.link not in span.text:
            said += f" <{span.link}>"
    return said


def _kept_line(dirty: str) -> str:
    """One line with its blanks as they are, for they may be columns."""
    return " ".join(several_lines(dirty))
