"""Spans that an author wrote, not a terminal: the same promises as for those that were drawn.

Their texts come through `display.text` before; here is what concerns neighbours: a link is one link over all spans that share it, and marks
at the start of a span would stand on the last character of the one before.
"""

from __future__ import annotations

from collections.abc import Iterable

from sanitize.assemble import add, checked, grounded
from sanitize.counters import Counters
from sanitize.links import safe_link
from sanitize.spans import Span


def written(spans: Iterable[Span], counters: Counters) -> list[Span]:
    """The spans without links that may not leave, and without marks that stand alone; those that then look alike are joined."""
    kept: list[Span] = []
    refused = 0
    for span in spans:
        text = grounded(span.text)
        if not text:
            continue
        link = safe_link(span.link) if span.link is not None else None
        refused += link is None and span.link is not None
        add(kept, Span(text, span.role, span.traits, link))
    return checked(kept, refused, counters)


def on_one_line(text: str, tab: str) -> str:
    """A clean text as cells of one line: line ends are blanks, tabs are `tab`."""
    return text.replace("\n", " ").replace("\t", tab)
