"""From runs of characters with their pens to a line of spans: the last step of the line path and of the screen path alike.

A grapheme cluster has the look of its first character, as a terminal's cell has. What may not be shown is removed here and nowhere
else, so both paths agree.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Final

from wcwidth import iter_graphemes

from sanitize.cells import drawn, joins_all
from sanitize.clusters import cap_marks
from sanitize.counters import Counters
from sanitize.links import names_other_host
from sanitize.pens import Pen
from sanitize.spans import EMPTY, Line, Span
from sanitize.strip import strip
from sanitize.width import cluster_width

Run = tuple[str, Pen]

_ALONE: Final = (
    r"\x20-\x7e\xa0-\xac\xae-\u02ff\u0370-\u0482\u048a-\u058f\u1e00-\u1fff\u2000-\u200a\u2010-\u2027\u202f-\u205f\u2070-\u20cf"
    r"\u2100-\u2bff\u2e80-\u3029\u3030-\u3098\u309b-\u312f\u3131-\u3163\u3165-\ua4cf\uac00-\ud7a3\ue000-\uf8ff\uf900-\ufaff"
    r"\ufe30-\ufe6f\uff01-\uff9d\ufffd\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001faff\U0001fb00-\U0001fbff"
    r"\U00020000-\U0002fa1f"
)
"""Characters that are a cluster of their own, whatever stands beside them, unless that is a character not in this list."""

_surrogate: Final = re.compile(r"[\ud800-\udfff]")

needs_care: Final = re.compile(f"[^{_ALONE}]").search
"""Whether a text holds controls, or characters that join others or may have to go."""


def assemble(runs: Sequence[Run], caret: int | None, counters: Counters) -> Line:
    """A line of the runs, in order. `caret` counts code points of their text, and in the line those of its own.

    The text holds no controls; it may hold everything else.
    """
    if needs_care("".join([text for text, _ in runs])):
        runs, caret = _clean(runs, caret)
    return finish(runs, caret, counters)


def finish(runs: Sequence[Run], caret: int | None, counters: Counters) -> Line:
    """The same for runs of which no text needs care."""
    spans: list[Span] = []
    look = None
    text = ""
    linked = False
    refused = 0
    for piece, pen in runs:
        if pen.look == look:
            text += piece
        elif pen.visible and piece:
            if look is not None:
                spans.append(Span(text, look[0], look[1], look[2]))
            if pen.link is not None:
                linked = True
            elif pen.refused:
                refused += look is None or not look[3]
            text, look = piece, pen.look
    if look is not None:
        spans.append(Span(text, look[0], look[1], look[2]))
    if caret is not None:
        caret = _visible_before(runs, caret)
    return completed(spans, linked, refused, caret, counters)


def completed(spans: list[Span], linked: bool, refused: int, caret: int | None, counters: Counters) -> Line:
    """The line of these spans, of which neighbours may differ in nothing but a link that was refused.

    `linked`: whether any has a link; `refused`: at how many places there was one that may not leave.
    """
    if linked or refused:
        spans = checked(spans, refused, counters)
    if spans and spans[-1].text[-1] == " ":
        _drop_blanks(spans, 0 if caret is None else caret)
    return Line(tuple(spans), caret) if spans or caret is not None else EMPTY


def _visible_before(runs: Sequence[Run], caret: int) -> int:
    seen = visible = 0
    for text, pen in runs:
        part = min(len(text), caret - seen)
        if part <= 0:
            break
        seen += part
        if pen.visible:
            visible += part
    return visible


def _drop_blanks(spans: list[Span], caret: int) -> None:
    """Remove blanks at the end that nobody can see, but none before the caret."""
    length = sum([len(span.text) for span in spans]) if caret else 0
    while spans:
        last = spans[-1]
        if last.link is not None or "underline" in last.traits or "strikethrough" in last.traits:
            return
        start = length - len(last.text)
        text = last.text[: max(caret - start, 0)] if caret else ""
        text += last.text[len(text) :].rstrip(" ")
        if text:
            spans[-1] = Span(text, last.role, last.traits)
            return
        del spans[-1]
        length = start


def checked(spans: list[Span], refused: int, counters: Counters) -> list[Span]:
    """The spans without the links whose text names another host. A link that spans with several looks share is one link."""
    lost: set[int] = set()
    at = 0
    while at < len(spans):
        link, end = spans[at].link, at + 1
        if link is not None:
            while end < len(spans) and spans[end].link == link:
                end += 1
            if names_other_host("".join([span.text for span in spans[at:end]]), link):
                refused += 1
                lost.update(range(at, end))
        at = end
    if not refused:
        return spans
    counters.links += refused
    kept: list[Span] = []
    for at, span in enumerate(spans):
        add(kept, Span(span.text, span.role, span.traits) if at in lost else span)
    return kept


def add(spans: list[Span], span: Span) -> None:
    """Append it, or join it with the last one when both look the same."""
    last = spans[-1] if spans else None
    if last is not None and (last.role, last.traits, last.link) == (span.role, span.traits, span.link):
        spans[-1] = Span(last.text + span.text, span.role, span.traits, span.link)
    else:
        spans.append(span)


def _clean(runs: Sequence[Run], caret: int | None) -> tuple[list[Run], int | None]:
    """The runs without what may not be shown, each cluster in the run of its first code point."""
    if caret is not None:
        caret = len(_prepare("".join(text for text, _ in runs)[:caret]))
    raw = _prepare("".join(text for text, _ in runs))
    runs = [(_prepare(text), pen) for text, pen in runs]
    afloat = len(raw) - len(grounded(raw))
    if afloat:
        return _clean(_without_start(runs, afloat), caret if caret is None else max(caret - afloat, 0))
    clean = grounded(cap_marks(strip(raw)))
    kept: list[Run] = []
    at = seen = 0
    caret_at = caret
    for text, pen in _by_cluster(raw, runs):
        start = at
        # What is clean is the text without some of its characters, so the next one of both that is equal is the same.
        for character in text:
            if seen == caret:
                caret_at = at
            seen += 1
            if at < len(clean) and clean[at] == character:
                at += 1
        if at > start:
            kept.append((clean[start:at], pen))
    return kept, at if seen == caret else caret_at


def grounded(text: str) -> str:
    """The text from its first character that stands by itself: where a line is shown, a mark before it would join what is to its left."""
    at = 0
    while at < len(text) and (unicodedata.category(text[at])[0] == "M" or (joins_all(text[at]) and cluster_width(text[at]) == 0)):
        at += 1
    return text[at:]


def _without_start(runs: Sequence[Run], count: int) -> list[Run]:
    """The runs without their first code points."""
    left = []
    for text, pen in runs:
        left.append((text[count:], pen))
        count = max(count - len(text), 0)
    return left


def _prepare(text: str) -> str:
    """Without what never enters a cell of a screen, so that it keeps nothing apart here either; lone surrogates have no meaning."""
    return _surrogate.sub("\ufffd", drawn(text))


def _by_cluster(raw: str, runs: Sequence[Run]) -> Iterator[Run]:
    """The runs anew, with borders between clusters only."""
    ends = accumulate(len(text) for text, _ in runs)
    borders = zip(ends, (pen for _, pen in runs), strict=True)
    end, pen = 0, runs[0][1]
    at = start = 0
    for cluster in iter_graphemes(raw):
        if at >= end:
            yield raw[start:at], pen
            start = at
            while at >= end:
                end, pen = next(borders)
        at += len(cluster)
    yield raw[start:], pen
