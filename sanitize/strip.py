"""Text without escape sequences, controls and invisible characters; each takes time in proportion to the text.

Sequences go first and whole, because a payload may hold anything. What is left of a control after that is removed, so
no escape or control character survives, and nothing that is removed can bring a sequence together that was not there.
"""

from __future__ import annotations

import re
from typing import Final

from sanitize.emoji import drop_stray_joiners
from sanitize.limits import STRING_CHARACTERS

_INSIDE: Final = r"\x00-\x17\x19\x1c-\x1f\x7f"
"""Controls that a terminal obeys in the middle of a sequence, without ending it."""

_ENDS: Final = r"\x18\x1a\x1b\x80-\x9f"
"""What ends a control string, well or badly: CAN, SUB, the next escape, any 8-bit control."""

_LINE_ENDS: Final = r"\n\r\x0b\x0c\u2028\u2029"

# The quantifiers with a + after them never give back what they took: no input makes the search start over.
_ESCAPE: Final = rf"\x1b[\x1b{_INSIDE}]*+"
_sequence: Final = re.compile(
    # OSC and APC, also ended by BEL: Pi marks its cursor with an APC that ends so.
    rf"(?:{_ESCAPE}[\]_]|[\x9d\x9f])[^\x07{_ENDS}]*+(?:\x07|\x9c|\x1b\\)"
    # DCS, SOS and PM.
    rf"|(?:{_ESCAPE}[PX^]|[\x90\x98\x9e])[^{_ENDS}]*+(?:\x9c|\x1b\\)"
    # Any of them without its end.
    rf"|(?:{_ESCAPE}[\]_PX^]|[\x90\x98\x9d-\x9f])[^{_LINE_ENDS}{_ENDS}]{{0,{STRING_CHARACTERS}}}+[\x18\x1a]?"
    # CSI, however malformed.
    rf"|((?:{_ESCAPE}\[|\x9b)[\x20-\x3f{_INSIDE}]*+[\x40-\x7e]?"
    # Every other escape.
    rf"|{_ESCAPE}[\x20-\x2f{_INSIDE}]*+[\x30-\x7e]?)"
)
_any_sequence: Final = re.compile(r"[\x1b\x80-\x9f]").search

_line_end: Final = re.compile(rf"\r\n?|[{_LINE_ENDS}\x85]")
_not_blank: Final = re.compile(rf"[^\t{_LINE_ENDS}]+")

_SURROGATES: Final = r"\ud800-\udfff"

_INVISIBLE: Final = (
    r"\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f"  # controls but the line ends and the tab, which become blanks
    r"\xad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0"  # soft hyphen, joiners, fillers
    r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f"  # direction: marks, embeddings, overrides, isolates
    r"\u200b\u2060-\u2065\ufeff"  # zero width
    r"\ufe00-\ufe0d\U000e0080-\U000e0fff\U000e0000-\U000e001f"  # variation selectors but two; language tags
    r"\ufff0-\ufffb"  # interlinear annotation
    r"\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a"  # format controls of scripts and music
    r"\ufdd0-\ufdef" + "".join(rf"\U{plane:04x}fffe\U{plane:04x}ffff" for plane in range(17))  # noncharacters
)
# None of them is printable ASCII, which most of a text is: asked first, ten times as fast as looking through the whole set.
_invisible: Final = re.compile(f"(?![ -~])[{_INVISIBLE}]")
_surrogate: Final = re.compile(f"[{_SURROGATES}]")
_private: Final = re.compile(r"[\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd]+")


def strip(raw: str) -> str:
    """`raw` as visible text: of all controls only LF and TAB are left, of invisible characters those that shape an emoji or letters.

    CR, CRLF, VT, FF, NEL and the Unicode line and paragraph separators become LF. Lone surrogates become U+FFFD.
    """
    if raw.isascii() and raw.isprintable():
        return raw
    text = _sequence.sub(_breaks_within, raw) if _any_sequence(raw) else raw
    text = _surrogate.sub("\ufffd", _invisible.sub("", text))
    return drop_stray_joiners(_line_end.sub("\n", text))


def drop_private(text: str) -> str:
    """`text` without private-use characters: icons in the terminal's font, nothing or boxes in any other."""
    return text if text.isascii() else _private.sub("", text)


def _breaks_within(sequence: re.Match[str]) -> str:
    """What a sequence leaves behind: the line ends and tabs that a terminal would have obeyed in its middle."""
    obeyed: str | None = sequence[1]
    if obeyed is None:
        return ""
    return "\n" if obeyed == "\x1bE" else _not_blank.sub("", obeyed)
