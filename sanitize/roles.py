"""Which role a colour means, by the palette of the theme that drew it.

A theme's token says what its colour means, so exact colours come first, and where tokens share one the most general of them decides.
Then come the terminal's sixteen colours by convention (red is danger), then any other by its hue and, where it is grey, its brightness.
`code` comes from tokens alone: no colour means it by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from sanitize.colours import FIRST_FIXED, Rgb, hue, index_of, luma, rgb_of
from sanitize.limits import COLOURS
from sanitize.spans import Role

DEFAULT: Final = -1
"""The terminal's own text colour."""

DIRECT: Final = 256
"""Added to a 24-bit colour, so that it is no index: a colour is DEFAULT, an index below 256, or this plus 0xRRGGBB."""

_GENERAL: Final[tuple[tuple[Role, str], ...]] = (
    ("accent", "accent"),
    ("success", "success"),
    ("danger", "error"),
    ("warning", "warning"),
    ("muted", "muted dim"),
    ("primary", "text"),
)
"""Role and tokens, first things first. Only these may also claim one of the terminal's sixteen colours, for others draw with those too."""

_SPECIAL: Final[tuple[tuple[Role, str], ...]] = (
    ("primary", "userMessageText toolTitle searchMatchText"),
    ("secondary", "thinkingText toolOutput customMessageText mdQuote"),
    ("accent", "mdHeading mdLink customMessageLabel mdListBullet"),
    ("success", "toolDiffAdded"),
    ("danger", "toolDiffRemoved"),
    ("muted", "toolDiffContext mdLinkUrl mdQuoteBorder mdHr mdCodeBlockBorder borderMuted"),
    ("code", "mdCode mdCodeBlock"),
    ("accent", "border borderAccent bashMode"),
    (
        "code",
        "syntaxKeyword syntaxFunction syntaxVariable syntaxString syntaxNumber syntaxType syntaxOperator syntaxPunctuation syntaxComment",
    ),
    ("muted", "scrollbarTrack scrollbarThumb thinkingOff"),
    ("accent", "thinkingMinimal thinkingLow thinkingMedium thinkingHigh thinkingXhigh thinkingMax"),
)
"""The other foreground tokens of Pi's themes. Backgrounds mean nothing here."""

_SIXTEEN: Final[tuple[Role, ...]] = (
    *("muted", "danger", "success", "warning", "accent", "accent", "accent", "secondary"),
    *("muted", "danger", "success", "warning", "accent", "accent", "accent", "primary"),
)
_BLACK: Final = 0

_COLOURLESS: Final = 0.2
"""A colour of less saturation than this, or darker than _DARK, counts as grey."""
_DARK: Final = 40

_BRIGHT: Final = 204
_MIDDLE: Final = 150
"""Greys from here on are secondary text, from _BRIGHT on primary; on a light background the other way round."""

_HUES: Final[tuple[tuple[int, Role], ...]] = ((20, "danger"), (65, "warning"), (165, "success"), (335, "accent"), (360, "danger"))
"""Where on the circle of colours each role ends: red, orange and yellow, green, cyan to pink, red."""

_value: Final = re.compile(
    r"(\x1b\[)?(?:38;2;(?P<red>[0-9]{1,3});(?P<green>[0-9]{1,3});(?P<blue>[0-9]{1,3})|38;5;(?P<index>[0-9]{1,3})|(?P<basic>[39][0-7])|39)"
    r"(?(1)m(?:\x1b\[2m)?)"  # Pi makes some tokens faint as well
    r"|#(?P<hex>[0-9A-Fa-f]{6})"
)


class PaletteError(ValueError):
    """What is wrong with the text of a palette, in one sentence."""


class Palette:
    """Colour → role. Without a theme, colours mean what they mean by convention."""

    def __init__(self, exact: Mapping[int, Role] | None = None, light: bool = False) -> None:
        self._exact: Final = dict(exact or {})
        self._light: Final = light
        self._known: dict[int, Role] = {}

    @classmethod
    def of(cls, tokens: Mapping[str, str]) -> Palette:
        """The palette of a Pi theme, as token → SGR sequence, its parameters alone, or `#rrggbb`. What is none of these is passed over."""
        general = list(_coloured(tokens, _GENERAL))
        special = [(colour, role) for colour, role in _coloured(tokens, _SPECIAL) if colour >= FIRST_FIXED]
        exact: dict[int, Role] = {}
        for colour, role in general + special:
            exact.setdefault(colour, role)
        for colour, role in general + special:
            if colour >= DIRECT:
                exact.setdefault(index_of(_rgb(colour)), role)
        return cls(exact, _is_light(tokens))

    @classmethod
    def read(cls, text: str) -> Palette:
        """The palette in a JSON object of token and colour. Raises PaletteError."""
        try:
            tokens = msgspec.json.decode(text, type=dict[str, str])
        except (ValueError, RecursionError) as error:
            raise PaletteError(f"A palette is a JSON object of token and colour, but: {error}.") from error
        for token in _names(_GENERAL + _SPECIAL):
            if token in tokens and _parsed(tokens[token]) is None:
                raise PaletteError(f'The colour of "{token}" is neither an SGR sequence nor #rrggbb.')
        return cls.of(tokens)

    def role(self, colour: int) -> Role | None:
        """The role of a foreground colour; None for the default, which says nothing."""
        if colour == DEFAULT:
            return None
        role = self._known.get(colour)
        if role is None:
            if len(self._known) >= COLOURS:
                self._known.clear()
            role = self._known[colour] = self._exact.get(colour) or self._by_look(colour)
        return role

    def _by_look(self, colour: int) -> Role:
        if colour == _BLACK and self._light:
            return "primary"
        if colour < FIRST_FIXED:
            return _SIXTEEN[colour]
        look = _rgb(colour)
        strongest, weakest = max(look), min(look)
        if strongest >= _DARK and strongest - weakest >= _COLOURLESS * strongest:
            angle = hue(look)
            return next(role for end, role in _HUES if angle < end)
        brightness = 255 - luma(look) if self._light else luma(look)
        if brightness >= _BRIGHT:
            return "primary"
        return "secondary" if brightness >= _MIDDLE else "muted"


def _names(table: tuple[tuple[Role, str], ...]) -> Iterator[str]:
    return (token for _, tokens in table for token in tokens.split())


def _coloured(tokens: Mapping[str, str], table: tuple[tuple[Role, str], ...]) -> Iterator[tuple[int, Role]]:
    """Colour and role of each token of the table that has a colour of its own."""
    for role, names in table:
        for name in names.split():
            colour = _parsed(tokens.get(name, ""))
            if colour is not None and colour != DEFAULT:
                yield colour, role


def _parsed(value: str) -> int | None:
    """None when it is no foreground colour."""
    found = _value.fullmatch(value)
    if found is None:
        return None
    if found["hex"]:
        return DIRECT + int(found["hex"], 16)
    if found["basic"]:
        return int(found["basic"][1]) + (8 if found["basic"][0] == "9" else 0)
    if found["index"]:
        index = int(found["index"])
        return index if index < DIRECT else None
    if found["red"]:
        red, green, blue = int(found["red"]), int(found["green"]), int(found["blue"])
        return DIRECT + (red << 16 | green << 8 | blue) if max(red, green, blue) < 256 else None
    return DEFAULT


def _rgb(colour: int) -> Rgb:
    """The look of a colour that is not the terminal's own."""
    if colour < DIRECT:
        return rgb_of(colour)
    red_green, blue = divmod(colour - DIRECT, 256)
    return red_green // 256, red_green % 256, blue


def _is_light(tokens: Mapping[str, str]) -> bool:
    """Whether the theme is for a light background: its text is dark or, where that has no colour, `dim` is lighter than `muted`."""
    text, muted, dim = (_brightness(tokens.get(token, "")) for token in ("text", "muted", "dim"))
    if text is not None:
        return text < 128
    return muted is not None and dim is not None and dim > muted


def _brightness(value: str) -> int | None:
    colour = _parsed(value)
    return None if colour is None or colour < FIRST_FIXED else luma(_rgb(colour))
