"""Texts from the daemon, cleaned again before a terminal shows them: a terminal obeys what it is given."""

from __future__ import annotations

from typing import Final

from bridge.limits import TEXT_BYTES
from sanitize import label, text
from sanitize.limits import TAB_SPACES

LINE_CLUSTERS: Final = 1_000
"""One line: what the daemon lets through for an option, the longest of its one-line texts."""


def one_line(dirty: str) -> str:
    """On one line, with no control, invisible or direction character."""
    return label(dirty, limit=LINE_CLUSTERS).text


def several_lines(dirty: str) -> list[str]:
    """Each line cleaned, with spaces for a tab, whose width here nobody could tell; the only thing that breaks lines is a newline."""
    return text(dirty, limit_bytes=TEXT_BYTES).text.replace("\t", " " * TAB_SPACES).split("\n")
