"""Texts that no log, repr or message may hold, whoever formats them: the type sees to it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Secret:
    """A token, code or key. Whoever needs it asks for it by name."""

    _text: str = field(repr=False)

    def reveal(self) -> str:
        """The text itself."""
        return self._text

    def __str__(self) -> str:
        """Without the text, and without its length."""
        return f"[{type(self).__name__.lower()}]"

    __repr__ = __str__

    def __format__(self, spec: str) -> str:
        """As `str` does, whatever is asked for."""
        return str(self)


class Content(Secret):
    """What a person typed, or what an extension asked them (design FIXED 7)."""

    __slots__ = ()
