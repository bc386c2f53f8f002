"""SGR and OSC 8 as a terminal obeys them: a pen is what characters are written with.

Pens are shared: a pen knows which pen each sequence makes of it, so that a sequence that came before costs one look-up. What leaves
(role, traits, link) is decided once for each pen, not for each character.

Rules for what has no trait of its own: double, curly, dotted and dashed underline are `underline`; the underline's colour, overline,
blink, framed and fonts are read over; `dim` gives the role `muted` where the text has no colour that means something; reverse video
gives `accent` there, because programs select with it; concealed text is gone.
"""

from __future__ import annotations

import re
from typing import Final

from sanitize.limits import LARGEST_PARAMETER, PARAMETERS, PENS
from sanitize.links import safe_link
from sanitize.roles import DEFAULT, DIRECT, Palette
from sanitize.spans import Role, Trait

_BOLD: Final = 1
_DIM: Final = 2
_ITALIC: Final = 4
_UNDERLINE: Final = 8
_REVERSE: Final = 16
_CONCEAL: Final = 32
_STRIKE: Final = 64

_ON: Final = {1: _BOLD, 2: _DIM, 3: _ITALIC, 4: _UNDERLINE, 7: _REVERSE, 8: _CONCEAL, 9: _STRIKE, 21: _UNDERLINE}
_OFF: Final = {22: _BOLD | _DIM, 23: _ITALIC, 24: _UNDERLINE, 27: _REVERSE, 28: _CONCEAL, 29: _STRIKE}

_TRAITS: Final[tuple[tuple[int, Trait], ...]] = (
    (_BOLD, "bold"),
    (_ITALIC, "italic"),
    (_STRIKE, "strikethrough"),
    (_UNDERLINE, "underline"),
)

_COLOURLESS: Final = (None, "primary", "secondary")
"""Roles of text whose colour says nothing but that it is text."""

_EXTENDED: Final = frozenset((38, 48, 58))
"""Foreground, background, underline: a colour of several numbers follows."""
_DIRECT: Final = 2
_INDEXED: Final = 5

_MANY_DIGITS: Final = len(str(LARGEST_PARAMETER)) + 1
_parameters: Final = re.compile(r"[0-9;:]*")

_split: Final = re.compile(r"\x1b\](?:8;[^;]*;)(?P<uri>.*?)(?:\x07|\x1b\\|\x9c)", re.DOTALL)


class Pen:
    """What characters are written with. Made by `Pens` only; equal looks may be several objects."""

    __slots__ = ("_attributes", "_foreground", "after", "link", "look", "refused", "role", "traits", "visible")

    def __init__(self, attributes: int, foreground: int, link: str | None, refused: bool, palette: Palette) -> None:
        self._attributes: Final = attributes
        self._foreground: Final = foreground
        self.link: Final = link
        """The target as it arrived, when it may leave."""
        self.refused: Final = refused
        """Whether there is a target which may not leave."""
        self.visible: Final = not attributes & _CONCEAL
        self.role: Final = _role(attributes, foreground, palette)
        self.traits: Final = _traits(attributes, self.role)
        self.look: Final = (self.role, self.traits, link, refused, self.visible)
        """Equal where nothing that leaves differs."""
        self.after: dict[str, Pen] = {}
        """Sequence → pen; the keys are whole sequences, or the parameters of an SGR alone."""


class Pens:
    """The pens of one palette."""

    def __init__(self, palette: Palette) -> None:
        self.palette: Final = palette
        self._known: dict[tuple[int, int, str | None, bool], Pen] = {}
        self._touched: list[Pen] = []
        self.plain: Final = self._pen(0, DEFAULT, None, False)
        """The default rendition, without a link."""

    def sgr(self, pen: Pen, parameters: str) -> Pen:
        """The pen after `CSI parameters m`; `parameters` are digits, `;` and `:` only, else they change nothing."""
        known = pen.after.get(parameters)
        if known is None:
            if not _parameters.fullmatch(parameters):
                return pen
            attributes, foreground = _selected(pen._attributes, pen._foreground, parameters)
            known = self._remember(pen, parameters, self._pen(attributes, foreground, pen.link, pen.refused))
        return known

    def linked(self, pen: Pen, uri: str) -> Pen:
        """The pen after an OSC 8 to `uri`; an empty one ends the link."""
        link = safe_link(uri) if uri else None
        return self._pen(pen._attributes, pen._foreground, link, bool(uri) and link is None)

    def obey(self, pen: Pen, sequence: str) -> Pen:
        """The pen after a whole SGR or OSC 8 sequence with 7-bit introducer, ended properly. For callers that looked into `pen.after`."""
        if sequence[1] == "[":
            after = self.sgr(pen, sequence[2:-1])
        else:
            found = _split.fullmatch(sequence)
            after = pen if found is None else self.linked(pen, found["uri"])
        return self._remember(pen, sequence, after)

    def _remember(self, pen: Pen, key: str, after: Pen) -> Pen:
        if len(self._touched) >= PENS:
            self._forget()
        self._touched.append(pen)
        pen.after[key] = after
        return after

    def _pen(self, attributes: int, foreground: int, link: str | None, refused: bool) -> Pen:
        key = attributes, foreground, link, refused
        known = self._known.get(key)
        if known is None:
            if len(self._known) >= PENS:
                self._forget()
            known = self._known[key] = Pen(attributes, foreground, link, refused, self.palette)
        return known

    def _forget(self) -> None:
        """Forget all at once, so hostile text cannot make this grow without end. Pens that are in use stay as they are."""
        for pen in self._touched:
            pen.after.clear()
        self._touched.clear()
        self._known.clear()


def _role(attributes: int, foreground: int, palette: Palette) -> Role:
    role = palette.role(foreground)
    if role in _COLOURLESS:
        if attributes & _DIM:
            return "muted"
        if attributes & _REVERSE:
            return "accent"
    return role or "primary"


def _traits(attributes: int, role: Role) -> tuple[Trait, ...]:
    traits = [trait for bit, trait in _TRAITS if attributes & bit]
    if role == "code":
        traits.insert(sum(trait in ("bold", "italic") for trait in traits), "monospaced")
    return tuple(traits)


def _selected(attributes: int, foreground: int, parameters: str) -> tuple[int, int]:
    """ECMA-48 8.3.117 with extended colours as xterm.js reads them, in both spellings: `38;2;r;g;b` and ISO 8613-6's `38:2::r:g:b`.

    A number that was left out is 0, and of a colour's only the low byte counts.
    """
    groups = [[_number(digits) for digits in group.split(":")] for group in parameters.split(";", PARAMETERS)[:PARAMETERS]]
    at = 0
    while at < len(groups):
        group = groups[at]
        code = group[0] or 0
        at += 1
        if code in _EXTENDED:
            if len(group) > 1:
                colour = _colour_of_group(group)
            else:
                colour, at = _colour_that_follows(groups, at)
            if code == 38 and colour is not None:
                foreground = colour
        elif code == 0:
            attributes, foreground = 0, DEFAULT
        elif code == 4 and len(group) > 1:
            attributes = attributes & ~_UNDERLINE if group[1] == 0 else attributes | _UNDERLINE
        elif code in _ON:
            attributes |= _ON[code]
        elif code in _OFF:
            attributes &= ~_OFF[code]
        elif 30 <= code <= 37:
            foreground = code - 30
        elif 90 <= code <= 97:
            foreground = code - 90 + 8
        elif code == 39:
            foreground = DEFAULT
    return attributes, foreground


def _number(digits: str) -> int | None:
    """None for one that was left out."""
    if not digits:
        return None
    digits = digits.lstrip("0")
    return min(int(digits or "0"), LARGEST_PARAMETER) if len(digits) < _MANY_DIGITS else LARGEST_PARAMETER


def _colour_that_follows(groups: list[list[int | None]], at: int) -> tuple[int | None, int]:
    """The colour whose kind is at `at`, and where the next parameter is. An unknown kind takes four numbers with it, a group none."""
    if at < len(groups) and len(groups[at]) > 1:
        return None, at + 1
    numbers = [group[0] or 0 for group in groups[at : at + 4]] + [0] * 4
    if numbers[0] == _INDEXED:
        return numbers[1] & 0xFF, at + 2
    if numbers[0] == _DIRECT:
        return _direct(numbers[1:4]), at + 4
    return None, at + 5


def _colour_of_group(group: list[int | None]) -> int | None:
    """`38:5:n`, `38:2:r:g:b`, or with the colour space `38:2::r:g:b`."""
    kind, *numbers = [number or 0 for number in group[1:]] + [0] * 4
    if kind == _INDEXED:
        return numbers[0] & 0xFF
    if kind == _DIRECT:
        return _direct(numbers[:3] if len(group) == 5 else numbers[1:4])
    return None


def _direct(parts: list[int]) -> int:
    red, green, blue = (part & 0xFF for part in parts)
    return DIRECT + (red << 16 | green << 8 | blue)
