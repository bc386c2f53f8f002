"""Rows of texts under each other. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from wcwidth import wcswidth

_GAP: Final = "  "


def columns(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """The rows as lines, each column as wide as its widest text."""
    widths = [max(max(wcswidth(row[column]), 0) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = (cell + " " * (width - max(wcswidth(cell), 0)) for cell, width in zip(row, widths, strict=True))
        yield _GAP.join(cells).rstrip()
