"""Which role a colour means, by the palette of the theme that drew it."""

from __future__ import annotations

from typing import Final

from sanitize.spans import Role

DEFAULT: Final = -1
"""The terminal's own text colour."""


class Palette:
    """Colour → role."""

    def role(self, colour: int) -> Role | None:
        """The role of a foreground colour; None when it says nothing."""
        raise NotImplementedError(colour)
