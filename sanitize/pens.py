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
from sanitize.roles import DEFAULT, Palette
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

DIRECT: Final = 256
"""Added to a 24-bit colour, so that it is no index: a colour is DEFAULT, an index below 256, or this plus 0xRRGGBB."""

_EXTENDED: Final = frozenset((38, 48, 58))
"""Foreground, background, underline: a colour of several numbers follows."""

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

    def unlinked(self, pen: Pen) -> Pen:
        """The pen without its link."""
        return self._pen(pen._attributes, pen._foreground, None, False) if pen.link or pen.refused else pen

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
    if role is not None:
        return role
    if attributes & _DIM:
        return "muted"
    return "accent" if attributes & _REVERSE else "primary"


def _traits(attributes: int, role: Role) -> tuple[Trait, ...]:
    traits = [trait for bit, trait in _TRAITS if attributes & bit]
    if role == "code":
        traits.insert(sum(trait in ("bold", "italic") for trait in traits), "monospaced")
    return tuple(traits)


def _selected(attributes: int, foreground: int, parameters: str) -> tuple[int, int]:
    """ECMA-48 8.3.117 with xterm's extended colours, in both of their spellings (`38;2;r;g;b` and ISO 8613-6's `38:2::r:g:b`)."""
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
    return min(int(digits[:5]), LARGEST_PARAMETER) if len(digits.lstrip("0")) < 5 else LARGEST_PARAMETER


def _colour_that_follows(groups: list[list[int | None]], at: int) -> tuple[int | None, int]:
    """The colour whose kind is at `at`, and where the next parameter is."""
    numbers = [group[0] for group in groups[at : at + 4]]
    if numbers[:1] == [5]:
        return (_indexed(numbers[1]) if len(numbers) > 1 else None), at + 2
    if numbers[:1] == [2]:
        return (_direct(*numbers[1:4]) if len(numbers) == 4 else None), at + 4
    return None, at + 1


def _colour_of_group(group: list[int | None]) -> int | None:
    """`38:5:n`, `38:2:r:g:b`, or with the colour space `38:2::r:g:b`."""
    if group[1] == 5 and len(group) > 2:
        return _indexed(group[2])
    if group[1] == 2 and len(group) > 5:
        return _direct(*group[3:6])
    if group[1] == 2 and len(group) == 5:
        return _direct(*group[2:5])
    return None


def _indexed(index: int | None) -> int | None:
    number = index or 0
    return number if number < 256 else None


def _direct(red: int | None, green: int | None, blue: int | None) -> int | None:
    parts = red or 0, green or 0, blue or 0
    return DIRECT + (parts[0] << 16 | parts[1] << 8 | parts[2]) if max(parts) < 256 else None
