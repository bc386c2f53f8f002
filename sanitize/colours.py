"""Colours of terminals as numbers: what xterm's 256 indices look like, and which of them Pi writes for a 24-bit colour."""

from __future__ import annotations

from typing import Final

Rgb = tuple[int, int, int]
"""Red, green, blue, each from 0 to 255."""

FIRST_FIXED: Final = 16
"""Indices below are the terminal's own colours, which look as its user likes."""
_FIRST_GREY: Final = 232
_CUBE: Final = (0, 95, 135, 175, 215, 255)
_GREYS: Final = range(8, 248, 10)
_TINTED: Final = 10
"""From this difference between its parts on, Pi takes a colour for no grey."""


def rgb_of(index: int) -> Rgb:
    """The look of an index from 16 to 255."""
    if index >= _FIRST_GREY:
        grey = _GREYS[index - _FIRST_GREY]
        return grey, grey, grey
    red, rest = divmod(index - FIRST_FIXED, 36)
    green, blue = divmod(rest, 6)
    return _CUBE[red], _CUBE[green], _CUBE[blue]


def index_of(colour: Rgb) -> int:
    """The index that Pi writes instead, where the terminal has no 24-bit colours."""
    red, green, blue = (min(range(6), key=lambda step: abs(_CUBE[step] - part)) for part in colour)
    cube = FIRST_FIXED + 36 * red + 6 * green + blue
    if max(colour) - min(colour) >= _TINTED:
        return cube
    brightness = luma(colour)
    grey = _FIRST_GREY + min(range(len(_GREYS)), key=lambda step: abs(_GREYS[step] - brightness))
    return grey if _distance(colour, rgb_of(grey)) < _distance(colour, rgb_of(cube)) else cube


def luma(colour: Rgb) -> int:
    """How bright it looks, from 0 to 255."""
    red, green, blue = colour
    return (299 * red + 587 * green + 114 * blue + 500) // 1000


def hue(colour: Rgb) -> int:
    """Its angle on the circle of colours, from 0 (red) over 120 (green) and 240 (blue) to 359; 0 for greys."""
    red, green, blue = colour
    spread = max(colour) - min(colour)
    if not spread:
        return 0
    if red == max(colour):
        angle = 60 * (green - blue) / spread
    elif green == max(colour):
        angle = 120 + 60 * (blue - red) / spread
    else:
        angle = 240 + 60 * (red - green) / spread
    return round(angle) % 360


def _distance(first: Rgb, second: Rgb) -> int:
    red, green, blue = ((one - other) ** 2 for one, other in zip(first, second, strict=True))
    return 299 * red + 587 * green + 114 * blue
