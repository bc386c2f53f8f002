"""What is true of everything that leaves, whatever came in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from sanitize.links import safe_link
from sanitize.spans import ROLES, TRAITS, Line
from sanitize.width import text_width

_FLAGS: Final = "|".join(
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f" for region in ("gbeng", "gbsct", "gbwls")
)
_FORBIDDEN: Final = (
    r"\x00-\x1f\x7f-\x9f"  # C0, DEL, C1
    r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # direction
    r"\U000e0000-\U000e007f"  # tags
    r"\ufdd0-\ufdef" + "".join(rf"\U{plane:04x}fffe\U{plane:04x}ffff" for plane in range(17)) + r"\ud800-\udfff\u2028\u2029\u200b\ufeff"
)
_forbidden: Final = re.compile(f"(?:{_FLAGS})|([{_FORBIDDEN}])")
_forbidden_in_text: Final = re.compile(f"(?:{_FLAGS})|(?:[\n\t])|([{_FORBIDDEN}])")


def forbidden(shown: str, *, text: bool = False) -> set[str]:
    """Which of its characters may never leave; TAB and LF may, in a text, and tags in three flags."""
    if shown.isascii() and shown.isprintable():
        return set()
    return set((_forbidden_in_text if text else _forbidden).findall(shown)) - {""}


def check_line(line: Line, columns: int | None = None) -> None:
    """Fails when a line is none that may leave, or has more columns than given."""
    text = line.text
    assert not forbidden(text), forbidden(text)
    for span in line.spans:
        assert span.text
        assert span.role in ROLES
        assert [trait for trait in TRAITS if trait in span.traits] == list(span.traits)
        assert ("monospaced" in span.traits) == (span.role == "code")
        assert span.link is None or safe_link(span.link) == span.link
    for one, other in pairwise(line.spans):
        assert (one.role, one.traits, one.link) != (other.role, other.traits, other.link), "neighbours differ in their text only"
    assert line.caret is None or 0 <= line.caret <= len(text)
    if columns is not None:
        assert text_width(text) <= columns


def check_screen(lines: Sequence[Line], columns: int, rows: int) -> None:
    """Fails when these are no rows of a screen of that size; on one of a single column a wide character reaches over the edge."""
    assert len(lines) <= rows
    for line in lines:
        check_line(line, max(columns, 2))
        assert line.caret is None
