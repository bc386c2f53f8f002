"""Plain text that arrives dirty, for two of the three targets that text has:

* *label*, one line: a title, an option, a status. Tabs and line ends are blanks, and private-use characters are gone, for outside the
  terminal's font they are boxes.
* *text*, several lines: a message, markdown, code. TAB and LF stay as they are, and so does every character that may be shown.
* *lines*, what a terminal shows (`lines.py`): tabs are cells, and private-use characters are one cell each.

What comes out holds no escape sequence, no other control, nothing that changes direction and nothing invisible but what shapes an emoji
or letters, has at most eight marks on a character and is not longer than asked. Cleaning it again gives the same text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import accumulate, takewhile
from typing import Final

from sanitize.clusters import cap_marks, clusters
from sanitize.emoji import drop_stray_joiners
from sanitize.limits import LABEL_CLUSTERS, TEXT_BYTES
from sanitize.strip import drop_private, strip

_ELLIPSIS: Final = "…"
_blanks: Final = re.compile(r"[\t\n \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+")


@dataclass(frozen=True, slots=True)
class CleanText:
    """A text that may be shown. A truncated one ends with `…`, which is within the limit."""

    text: str
    truncated: bool
    total: int
    """Size before it was cut: grapheme clusters of a label, UTF-8 bytes of a text."""


def label(raw: str, limit: int = LABEL_CLUSTERS) -> CleanText:
    """`raw` on one line of at most `limit` (≥ 1) grapheme clusters. Line ends and tabs count as blanks; runs of blanks
    become one space and there is none at either end."""
    if limit < 1:
        raise ValueError("a label has room for at least one cluster")
    clean = cap_marks(_blanks.sub(" ", drop_private(strip(raw))).strip(" "))
    if clean.isascii():
        total, start = len(clean), clean[: limit - 1]
    else:
        parts = list(clusters(clean))
        total, start = len(parts), "".join(parts[: limit - 1])
    if total <= limit:
        return CleanText(clean, False, total)
    return CleanText(drop_stray_joiners(start).rstrip(" ") + _ELLIPSIS, True, total)


def text(raw: str, limit_bytes: int = TEXT_BYTES) -> CleanText:
    """`raw` on its lines, which end with LF, in at most `limit_bytes` (≥ 3) of UTF-8."""
    if limit_bytes < len(_ELLIPSIS.encode()):
        raise ValueError("a text has room for at least the mark of a cut")
    clean = cap_marks(strip(raw))
    encoded = clean.encode()
    if len(encoded) <= limit_bytes:
        return CleanText(clean, False, len(encoded))
    room = encoded[: limit_bytes - len(_ELLIPSIS.encode())].decode(errors="ignore")
    return CleanText(drop_stray_joiners(_whole_clusters(clean, len(room))) + _ELLIPSIS, True, len(encoded))


def _whole_clusters(clean: str, length: int) -> str:
    """The clusters of `clean` that end within its first `length` code points."""
    ends = accumulate(len(cluster) for cluster in clusters(clean))
    return clean[: max(takewhile(lambda end: end <= length, ends), default=0)]
