"""Which code points share a cell of a screen, and how many columns it takes.

The same however the text arrives in pieces: whether a code point joins the cell before it depends on what that cell holds already, and
on nothing before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from wcwidth import iter_graphemes

from sanitize.limits import CLUSTER_CODE_POINTS, WIDTHS
from sanitize.width import cluster_width

_NARROW: Final = (
    r"\x20-\x7e\xa0-\xac\xae-\u02ff\u0370-\u0482\u048a-\u058f\u1e00-\u200a\u2010-\u2027\u202f-\u205f\u2070-\u20cf\u2100-\u2319"
    r"\u2500-\u25fc\u2616-\u262f\u270c-\u2727\u2729-\u274b\u2758-\u2794\u27c0-\u2b1a\ue000-\uf8ff\ufffd"
)
_WIDE: Final = (
    r"\u2f00-\u2fd5\u2ff0-\u3029\u3041-\u3096\u309b-\u30ff\u3105-\u312f\u3131-\u3163\u3250-\ua48c\uac00-\ud7a3\uf900-\ufaff"
    r"\uff01-\uff60\U0001f400-\U0001f43e\U0001f442-\U0001f4fc\U0001f5fb-\U0001f64f\U0001f680-\U0001f6c5\U0001f90c-\U0001f93a"
    r"\U0001f947-\U0001f9ff\U00020000-\U0002fa1f"
)

is_narrow: Final = re.compile(f"[{_NARROW}]*").fullmatch
"""Whether each code point of a text is a cell of its own with one column. Most that are, are found; none that is not."""

is_plain: Final = re.compile(f"[{_NARROW}{_WIDE}]*").fullmatch
"""Whether each is a cell of its own, with one column or two."""

HALF: Final = "\0"
"""In the columns of a row: the right half of the wide character before it. No text holds it."""

_wide: Final = re.compile(f"[{_WIDE}]")

_undrawn: Final = re.compile(
    r"[\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb"
    r"\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e001f\U000e0080-\U000e00ff\U000e01f0-\U000e0fff"
    r"\ufdd0-\ufdef" + "".join(rf"\U{plane:04x}fffe\U{plane:04x}ffff" for plane in range(17)) + "]"
)
"""Format controls that join nothing (UAX #29's class Control), and noncharacters."""

_WINDOW: Final = 8 * CLUSTER_CODE_POINTS
"""Code points that are looked at together: a cell is found without reading a long text to its end."""


def spread(plain: str) -> str:
    """A plain text as columns: each wide character with its right half."""
    return _wide.sub(rf"\g<0>{HALF}", plain)


def drawn(text: str) -> str:
    """The text without what never enters a cell."""
    return _undrawn.sub("", text)


def cells(text: str) -> Iterator[str]:
    """The cells of a text: grapheme clusters, but of those that are too long no mark after 32 code points; others begin a new cell."""
    at = 0
    while at < len(text):
        window = min(at + _WINDOW, len(text))
        for cluster in iter_graphemes(text, at, window):
            if len(cluster) > CLUSTER_CODE_POINTS:
                yield cluster[:CLUSTER_CODE_POINTS]
                at = _behind_marks(text, at + CLUSTER_CODE_POINTS)
                break
            if at + len(cluster) == window < len(text):
                break  # it may go on behind the window
            yield cluster
            at += len(cluster)


def _behind_marks(text: str, at: int) -> int:
    while at < len(text) and joins_all(text[at]):
        at += 1
    return at


@lru_cache(WIDTHS)
def joins_all(character: str) -> bool:
    """Whether it joins whatever is before it: a mark, a joiner, a selector, a skin tone."""
    return len(list(iter_graphemes("a" + character))) == 1


@lru_cache(WIDTHS)
def columns_of(cell: str) -> int:
    """0, 1 or 2. A cell that grew while it was drawn never became narrower, so it does not when it is drawn at once."""
    return max(cluster_width(cell[:end]) for end in range(1, len(cell) + 1))


def narrow_part(cell: str) -> str:
    """Of a wide cell, the first code points that were narrow together; none when it was wide from the start."""
    end = next(end for end in range(len(cell), -1, -1) if end == 0 or columns_of(cell[:end]) < 2)
    return cell[:end] if end and columns_of(cell[:end]) else ""
