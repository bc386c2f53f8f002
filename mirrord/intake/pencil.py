"""Lines as Pi's components draw them become clean spans, by the colours of the session's theme."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from mirrord.wire.surface_limits import DETAIL_CLUSTERS, TERMINAL_LINES
from sanitize import label
from sanitize.counters import Counters
from sanitize.describe import describe
from sanitize.limits import COLUMNS
from sanitize.lines import LineRenderer
from sanitize.pens import Pens
from sanitize.roles import Palette
from sanitize.spans import Line

_MUTE: Final = ("blank", "horizontal rule", "vertical line", "box", "drawing", "icon", "spinner")
"""How the words begin for lines that are of no use to who hears them."""

_frame: Final = re.compile("[─-╿]+")


@dataclass(slots=True)
class Pencil:
    """Renders the lines of one session.

    A new palette counts for what is drawn after it: components are drawn again in the new colours, and lines that were given as text keep
    the ones they were written in.
    """

    counters: Counters = field(default_factory=Counters)
    _pens: Pens = field(default_factory=lambda: Pens(Palette()))
    _renderer: LineRenderer | None = None
    _columns: int = COLUMNS

    def use(self, tokens: Mapping[str, str]) -> None:
        """Draw by the colours of this theme: token → SGR sequence."""
        self._pens = Pens(Palette.of(tokens))
        self._renderer = None

    def lines(self, raw: Iterable[str], columns: int | None = None) -> list[Line]:
        """The first TERMINAL_LINES of the lines. `columns` is the width they were drawn at, where it is known."""
        columns = columns or COLUMNS
        if self._renderer is None or self._columns != columns:
            self._renderer, self._columns = LineRenderer(self._pens, self.counters, columns), columns
        return self._renderer.render(raw, TERMINAL_LINES)


def spoken(lines: Iterable[Line]) -> str | None:
    """What the lines say to who cannot see them, in some words: frames and rules are left out, bars and charts have a name."""
    words: list[str] = []
    for line in lines:
        drawn = describe(line)
        said = _frame.sub(" ", line.text).strip() if drawn is None else "" if drawn.startswith(_MUTE) else drawn
        if said and (not words or words[-1] != said):
            words.append(said)
    return label("; ".join(words), limit=DETAIL_CLUSTERS).text or None
