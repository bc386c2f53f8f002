"""What a line shows that is drawn and not written, in a few words for readers who hear it.

Whatever has a word speaks for itself, and so does what screen readers can say: punctuation, emoji, a symbol alone. The answer depends
on the text alone, never on colours; time is linear in the line.
"""

from __future__ import annotations

import re
from typing import Final

from sanitize.spans import Line

_ACROSS: Final = "─━┄┅┈┉╌╍═╴╶╸╺╼╾┬-┿╀-╋╤-╬"
_DOWN: Final = "│┃┆┇┊┋╎╏║╵╷╹╻╽╿"

_SHAPES: Final = tuple(
    (re.compile(pattern).fullmatch, words)
    for pattern, words in (
        (f"[{_ACROSS}][{_ACROSS} ]*", "horizontal rule"),
        (r"([-=_*~])\1{2,}|\+[-=+]+", "horizontal rule"),
        (f"[{_DOWN}]", "vertical line"),
        (f"[{_DOWN}][{_DOWN} ]*", "box, empty line"),
        ("[┌-┏╒-╔╭][─-╿ ]*", "box top"),
        ("[└-┗╘-╚╰][─-╿ ]*", "box bottom"),
        ("[├-┣╞-╠][─-╿ ]*", "box divider"),
        ("[─-╿][─-╿ ]*", "box drawing"),
        ("[⠁-⣾]|[◐-◓◜-◟◠◡◢-◥◰-◷▖▘▝▗]", "spinner"),
        ("[▁-█][▁-█ ]+", "bar chart"),
        ("[⠀-⣿][⠀-⣿ ]*", "graph"),
        ("[▀-▟][▀-▟ ]*", "block graphics"),
        ("[─-◿⠀-⣿][─-◿⠀-⣿ ]+", "drawing"),
        ("[\ue000-\uf8ff\U000f0000-\U0010fffd]", "icon"),
        ("[\ue000-\uf8ff\U000f0000-\U0010fffd][\ue000-\uf8ff\U000f0000-\U0010fffd ]+", "icons"),
    )
)

_PARTS: Final = {"": 0.0, ">": 0.0} | {cell: eighths / 8 for eighths, cell in enumerate("▏▎▍▌▋▊▉", 1)}
"""How much of a cell is full, for the one where the bar ends."""
_bar: Final = re.compile("(?P<full>[█▓■▰▮◼⣿]*)(?P<part>[▏▎▍▌▋▊▉]?)(?P<empty>[░▒□▱▯◻⣀ ]*)")
_ascii_bar: Final = re.compile("(?P<full>[#=]*)(?P<part>>?)(?P<empty>[-. _]*)")
_SHORTEST_IN_ASCII: Final = 3
"""`[ ]` and `[-]` are boxes to tick."""
_coloured_bar: Final = re.compile(f"[{_ACROSS}]+")
_BRACKETS: Final = frozenset(("[]", "()", "||", "││", "▕▏", "▐▌"))
_PERCENT: Final = r"(\d{1,3})(?:[.,]\d{1,2})? ?%"
_percent_before: Final = re.compile(rf"{_PERCENT} ").match
_percent_behind: Final = re.compile(rf" {_PERCENT}\Z").search
_PERCENT_CHARACTERS: Final = len(" 100.00 %")


def describe(line: Line) -> str | None:
    """What the line draws; None when its text is to be read as it is."""
    text = line.text.strip()
    if not text:
        return "blank"
    return _progress(text) or next((words for matches, words in _SHAPES if matches(text)), None)


def _progress(text: str) -> str | None:
    """The share of a bar that is full, as the number beside it tells or as the bar shows."""
    told = None
    if found := _percent_before(text) or _percent_behind(text, max(len(text) - _PERCENT_CHARACTERS, 0)):
        told = min(int(found[1]), 100)
        text = (text[: found.start()] + text[found.end() :]).strip()
    framed = text[:1] + text[-1:] in _BRACKETS
    cells = text[1:-1] if framed else text
    if not cells:
        return None
    bar = _bar.fullmatch(cells)
    if bar is None and framed and text[0] == "[" and len(cells) >= _SHORTEST_IN_ASCII:
        bar = _ascii_bar.fullmatch(cells)
    if bar is None:
        return f"progress bar, {told} %" if told is not None and _coloured_bar.fullmatch(cells) else None
    if told is None:
        drawn = bar["full"] + bar["part"], bar["empty"].strip()
        if not (any(drawn) if framed else all(drawn)):
            return None
        told = round(100 * (len(bar["full"]) + _PARTS[bar["part"]]) / len(cells))
    return f"progress bar, {told} %"
