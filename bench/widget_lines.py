"""Lines as widgets of Pi extensions render them, made from a seed: what terminals are measured with."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Final

from sanitize.width import text_width

COLUMNS: Final = 100
COUNT: Final = 1000
SEED: Final = 4

THEME: Final[Mapping[str, str]] = {
    token: f"\x1b[38;2;{red};{green};{blue}m"
    for token, (red, green, blue) in {
        "accent": (138, 190, 183),
        "success": (181, 189, 104),
        "error": (204, 102, 102),
        "warning": (255, 255, 0),
        "muted": (128, 128, 128),
        "dim": (102, 102, 102),
    }.items()
}
"""Token → SGR, as Pi's dark theme has them."""

_SEGMENTS: Final = 7
"""In a line, each in a look of its own. With the reset at the end and a link in every third line these are 16 escapes."""

_RESET: Final = "\x1b[0m\x1b]8;;\x07"
"""What Pi ends each line with."""

_WORDS: Final = (
    *("alpha", "beta", "build", "cached", "check", "deploy", "done", "elapsed", "failed", "file", "found", "in", "left", "lint", "main"),
    *("merged", "of", "pending", "queue", "ready", "retry", "running", "skipped", "step", "tests", "to", "total", "waiting", "worker"),
)
_SYMBOLS: Final = tuple("\u2713\u2717\u25cf\u25cb\u2502\u2500\u2514\u2588\u2591\u2192\u2026")
_WIDE: Final = tuple("\U0001f642\U0001f680\u2705\u26a1\U0001f4e6\u4e2d\u6587\u65e5\u672c")


def themed() -> list[str]:
    """COUNT lines of COLUMNS columns, with colours of THEME, attributes, links, and some emoji and Chinese."""
    source = random.Random(SEED)
    return [_themed(source, number) for number in range(COUNT)]


def plain() -> list[str]:
    """As many of the same width, of printable ASCII alone."""
    source = random.Random(SEED)
    return [f"{number:4} {' '.join(source.choices(_WORDS, k=COLUMNS))}"[:COLUMNS] for number in range(COUNT)]


def _themed(source: random.Random, number: int) -> str:
    line, room = "", COLUMNS
    for place, text in enumerate(_texts(source)):
        room -= text_width(text)
        if place == _SEGMENTS // 2 and number % 3 == 0:
            text = f"\x1b]8;;https://example.com/runs/{source.randrange(100)}\x07{text}\x1b]8;;\x07"
        line += _styled(source, text)
    return f"{line}{' ' * room}{_RESET}"


def _texts(source: random.Random) -> Iterator[str]:
    for _ in range(_SEGMENTS):
        text = f"{source.choice(_WORDS)} {source.randrange(1000)}"
        if source.random() < 0.3:
            text = f"{source.choice(_SYMBOLS)} {text}"
        if source.random() < 0.1:
            text += source.choice(_WIDE)
        yield f"{text} "


def _styled(source: random.Random, text: str) -> str:
    if source.random() < 0.2:
        on, off = source.choice((("1", "22"), ("3", "23"), ("4", "24"), ("2", "22")))
        return f"\x1b[{on}m{text}\x1b[{off}m"
    return f"{source.choice(tuple(THEME.values()))}{text}\x1b[39m"
