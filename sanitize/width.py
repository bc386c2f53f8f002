"""How many columns text takes on a screen that Pi draws: as Pi counts, for Pi pads and cuts its lines by that count.

Where Pi and the tables of `wcwidth` differ, Pi wins: vowel and consonant signs that move the pen take a column of their own, number signs
that enclose digits take none, lone Hangul vowels take one.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Final

from wcwidth import wcswidth, wcwidth

from sanitize.clusters import clusters
from sanitize.limits import TAB_SPACES, WIDTHS

_WIDEST: Final = 2

_JOINER: Final = "\u200d"
_COLOURED: Final = "\ufe0f"
_KEY_CAP: Final = "\u20e3"
_KEYS: Final = frozenset("0123456789#*")
_TONES: Final = frozenset(map(chr, range(0x1F3FB, 0x1F400)))
_NARROW_PEOPLE: Final = frozenset("\u261d\u26f9\u270c\u270d\U0001f3cb\U0001f3cc\U0001f574\U0001f575\U0001f590")
"""Text of one column that a skin tone makes an emoji. Unicode adds no more: newer emoji are wide by themselves."""

_REGIONAL: Final = ("\U0001f1e6", "\U0001f1ff")
_HALF_AND_FULL_WIDTH: Final = ("\uff00", "\uffef")
_AM: Final = frozenset("\u0e33\u0eb3")
"""The vowels AM of Thai and Lao: half above the consonant, half behind it."""

_FILLERS: Final = frozenset("\u115f\u1160\u3164\uffa0")
_STAYING: Final = frozenset("\u1734\u302e\u302f")
"""Spacing marks by category that take no column."""
_MOVING: Final = frozenset("\u065f\u102b\u102c\u1031\u1033\u1034\u1035\u1038\u103a\u103b\u103c\u103d\u103e\U0001171e")
"""Marks that take one, whatever their category in the tables of this Python."""


def text_width(text: str) -> int:
    """Columns of `text`; a tab has three wherever it stands, other controls have none."""
    if text.isascii() and text.isprintable():
        return len(text)
    return sum(map(cluster_width, clusters(text.replace("\t", " " * TAB_SPACES))))


@lru_cache(WIDTHS)
def cluster_width(cluster: str) -> int:
    """Columns of one grapheme cluster: 0, 1 or 2.

    Pi counts more for a few (three signs on one letter, Indian letters in a row); there are no such cells.
    """
    if _is_presented(cluster):
        return 2
    at = next((at for at, character in enumerate(cluster) if _is_base(character)), None)
    if at is None:
        return min(len(cluster), _WIDEST) if all(map(_moves, cluster)) else 0
    if _REGIONAL[0] <= cluster[at] <= _REGIONAL[1]:
        return 2
    width = _base_width(cluster[at])
    after_mark = False
    for character in cluster[at + 1 :]:
        if _moves(character):
            width += 1
            after_mark = False
        elif _is_base(character):
            if after_mark or _HALF_AND_FULL_WIDTH[0] <= character <= _HALF_AND_FULL_WIDTH[1]:
                width += _base_width(character)
            elif character in _AM:
                width += 1
            after_mark = False
        elif _is_mark(character):
            after_mark = True
    return min(width, _WIDEST)


def _is_presented(cluster: str) -> bool:
    """Whether it is an emoji, joined with others or alone, that starts with a selector or a skin tone on a character."""
    base, presentation = cluster[:1], cluster[1:2]
    if base in _KEYS:
        return cluster[1:] == _COLOURED + _KEY_CAP
    widened = (presentation in _TONES and base in _NARROW_PEOPLE) or (presentation == _COLOURED and wcswidth(base + _COLOURED) == 2)
    return widened and all(len(part) == 1 or (len(part) == 2 and _presents(part[1])) for part in cluster.split(_JOINER))


def _presents(character: str) -> bool:
    return character == _COLOURED or character in _TONES


def _base_width(character: str) -> int:
    """1 or 2: also for what `wcwidth` expects behind another character, but which stands alone here."""
    return max(wcwidth(character), 1)


def _is_base(character: str) -> bool:
    """Whether it has columns of its own: neither a mark nor a control nor invisible."""
    category = unicodedata.category(character)
    if category == "Cn":  # perhaps younger than the tables of this Python
        return wcwidth(character) > 0
    return category[0] != "M" and category not in ("Cc", "Cf", "Cs") and character not in _FILLERS and character not in _MOVING


def _moves(character: str) -> bool:
    """Whether it is a mark that takes a column, like a vowel sign to the right of its letter."""
    return character in _MOVING or (unicodedata.category(character) == "Mc" and character not in _STAYING)


def _is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] == "M"
