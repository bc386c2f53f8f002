"""Text that grows, cut into lines that are final: a line is given once it is complete, and never again. Pure."""

from __future__ import annotations

from typing import Final

from sanitize.clusters import clusters
from sanitize.width import cluster_width, text_width

LONGEST: Final = 4_000
"""Characters of one line where nothing wraps: a pipe gets whole paragraphs, and none is waited for without an end."""

_MARKS: Final = 8
"""Characters that one column may take: a letter with its marks, an emoji with its joiners. What takes more is cut there."""


def lines_from(text: str, start: int, ended: bool, columns: int | None) -> tuple[list[str], int]:
    """The lines of `text` from `start` on that are complete, and where the next one begins.

    A line ends at a newline, before the word that would make it wider than `columns` (LONGEST characters where that is None), or with
    the text once it has `ended`. Empty lines at either end of the text are not lines of it.
    """
    lines: list[str] = []
    while True:
        if start == 0:
            start = len(text) - len(text.lstrip("\n"))
        newline = text.find("\n", start)
        end = len(text) if newline < 0 else newline
        if start >= end and newline < 0:
            return lines, start
        fit = _fitting(text, start, end, columns)
        if fit < end:
            lines.append(text[start:fit].rstrip(" "))
            start = fit
        elif newline >= 0:
            if not text[start:].strip("\n"):
                return lines, len(text) if ended else start
            lines.append(text[start:end].rstrip(" "))
            start = newline + 1
        elif ended:
            return [*lines, text[start:].rstrip(" ")], len(text)
        else:
            return lines, start


def _fitting(text: str, start: int, end: int, columns: int | None) -> int:
    """Where a line that begins at `start` must be broken; `end` when it fits."""
    if columns is None:
        if end - start <= LONGEST:
            return end
        hard = start + LONGEST
    else:
        some = text[start : min(end, start + columns * _MARKS)]
        if len(some) == end - start and text_width(some) <= columns:
            return end
        hard, room = start, columns
        for cluster in clusters(some):
            room -= cluster_width(cluster)
            if room < 0:
                break
            hard += len(cluster)
        hard = max(hard, start + 1)
    if text[hard : hard + 1] == " ":
        return min(end, hard + 1)
    space = text.rfind(" ", start, hard)
    return space + 1 if space > start else hard
