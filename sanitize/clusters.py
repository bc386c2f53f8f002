"""Grapheme clusters: what a reader takes for one character, and where a text may be cut."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Final

from wcwidth import iter_graphemes, wcwidth

from sanitize.joining import JOINER, NON_JOINER
from sanitize.limits import CLUSTER_CODE_POINTS, CLUSTER_MARKS

if TYPE_CHECKING:
    from collections.abc import Iterator

# A mark is never ASCII, so only such a run can hold a cluster with too many.
_crowded: Final = re.compile(rf"[\x00-\x7f]?[^\x00-\x7f]{{{CLUSTER_MARKS + 1},}}")


def clusters(text: str) -> Iterator[str]:
    """The grapheme clusters of `text` in order; one of more than 32 code points comes in pieces of 32."""
    for cluster in iter_graphemes(text):
        if len(cluster) <= CLUSTER_CODE_POINTS:
            yield cluster
        else:
            yield from (cluster[at : at + CLUSTER_CODE_POINTS] for at in range(0, len(cluster), CLUSTER_CODE_POINTS))


def cap_marks(text: str) -> str:
    """`text` with the first eight combining marks of each grapheme cluster; the others are dropped."""
    if text.isascii():
        return text
    once = _cap(text)
    # A dropped mark may have kept two Indian letters apart that now join, so what was changed is looked at again. The
    # second letter has lost its marks then and joins nothing more, so twice is enough.
    return once if once == text else _cap(once)


def _cap(text: str) -> str:
    return _crowded.sub(lambda run: "".join(map(_capped, iter_graphemes(run[0]))), text)


def _capped(cluster: str) -> str:
    if len(cluster) <= CLUSTER_MARKS:
        return cluster
    kept: list[str] = []
    marks = 0
    for character in cluster:
        if _is_mark(character):
            marks += 1
            if marks > CLUSTER_MARKS:
                continue
        elif marks > CLUSTER_MARKS and character in (JOINER, NON_JOINER):
            continue  # the mark it came after is gone
        kept.append(character)
    return "".join(kept)


def _is_mark(character: str) -> bool:
    """Whether it is a combining mark, also one that is younger than this Python's Unicode tables."""
    category = unicodedata.category(character)
    return category[0] == "M" or (category == "Cn" and wcwidth(character) == 0)
