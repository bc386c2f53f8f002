"""A QR code as lines of a terminal: two modules to a character, black on white whatever the theme. Pure."""

from __future__ import annotations

from itertools import zip_longest
from typing import Final

QUIET_ZONE: Final = 4
"""White modules around the code; with fewer many phones do not find it."""

# Of the 256 colours, 16 and 231 are black and white in every theme; the first 16 are what a theme makes of them.
_COLOURS: Final = "\x1b[38;5;16;48;5;231m"
_RESET: Final = "\x1b[0m"
_HALVES: Final = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}


def modules(text: str) -> list[list[bool]]:
    """The code with its quiet zone, row by row; True is black."""
    import segno  # a megabyte of memory, which a daemon that draws none does without

    code = segno.make(text, error="m", micro=False, boost_error=False)
    return [[module == 1 for module in row] for row in code.matrix_iter(border=QUIET_ZONE)]


def half_blocks(rows: list[list[bool]]) -> list[str]:
    """The rows two by two, without colours."""
    width = len(rows[0])
    pairs = zip_longest(rows[::2], rows[1::2], fillvalue=[False] * width)
    return ["".join(_HALVES[halves] for halves in zip(upper, lower, strict=True)) for upper, lower in pairs]


def qr_lines(text: str) -> list[str]:
    """The code as lines that set their own colours and put them back; `qr_size` tells how much room they take."""
    return [f"{_COLOURS}{line}{_RESET}" for line in half_blocks(modules(text))]


def qr_size(text: str) -> tuple[int, int]:
    """Columns and lines of `qr_lines`."""
    size = len(modules(text))
    return size, (size + 1) // 2
