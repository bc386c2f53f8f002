"""What a setting's value may be: read from TOML, or from the text of an environment variable. Pure."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import ClassVar, Final, Protocol

Value = bool | int | float | str | tuple[str, ...] | None
"""A setting as the program has it; None is "not set" where that means something."""

_ON: Final = frozenset(("1", "true", "on", "yes"))
_OFF: Final = frozenset(("0", "false", "off", "no"))

_SIZE: Final = re.compile(r"(\d{1,12})\s*([KMG]i?B|B)?", re.IGNORECASE)
_UNITS: Final = {None: 1, "b": 1, "kib": 1024, "mib": 1024**2, "gib": 1024**3, "kb": 1000, "mb": 1000**2, "gb": 1000**3}

CONTACT_CHARS: Final = 200
"""Push services refuse long tokens, and the contact is a part of each."""


class Kind(Protocol):
    """One kind of value. Both readers raise ValueError for what is of another kind; `words` then says what was expected."""

    @property
    def words(self) -> str:
        """What stands behind "must be"."""

    def read(self, found: object) -> Value:
        """The value for what TOML has."""

    def parse(self, text: str) -> Value:
        """The value for the text of an environment variable."""


@dataclass(frozen=True, slots=True)
class Flag:
    """On or off."""

    words: ClassVar[str] = "true or false"

    def read(self, found: object) -> Value:
        """A boolean, and nothing that only looks like one."""
        if not isinstance(found, bool):
            raise ValueError
        return found

    def parse(self, text: str) -> Value:
        """The words that people use for it."""
        word = text.strip().lower()
        if word not in _ON | _OFF:
            raise ValueError
        return word in _ON


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number from `low` to `high`."""

    low: int
    high: int

    @property
    def words(self) -> str:
        """With both bounds."""
        return f"a whole number from {self.low} to {self.high}"

    def read(self, found: object) -> Value:
        """An integer in the bounds; booleans are none."""
        if isinstance(found, bool) or not isinstance(found, int) or not self.low <= found <= self.high:
            raise ValueError
        return found

    def parse(self, text: str) -> Value:
        """Decimal digits."""
        return self.read(int(text))


@dataclass(frozen=True, slots=True)
class Seconds:
    """A length of time up to `high`."""

    high: int

    @property
    def words(self) -> str:
        """With both bounds."""
        return f"a number of seconds from 0 to {self.high}"

    def read(self, found: object) -> Value:
        """A number in the bounds, which what is no number is not."""
        if isinstance(found, bool) or not isinstance(found, int | float) or not 0 <= found <= self.high:
            raise ValueError
        return float(found)

    def parse(self, text: str) -> Value:
        """A decimal number."""
        return self.read(float(text))


@dataclass(frozen=True, slots=True)
class Size:
    """A number of bytes from `low` to `high`."""

    low: int
    high: int

    @property
    def words(self) -> str:
        """With both forms."""
        return f'a number of bytes from {self.low} to {self.high}, or a text such as "64 MiB"'

    def read(self, found: object) -> Value:
        """An integer, or a text with a unit."""
        if isinstance(found, str):
            return self.parse(found)
        if isinstance(found, bool) or not isinstance(found, int) or not self.low <= found <= self.high:
            raise ValueError
        return found

    def parse(self, text: str) -> Value:
        """Digits and perhaps a unit."""
        match = _SIZE.fullmatch(text.strip())
        if match is None:
            raise ValueError
        unit = match[2].lower() if match[2] else None
        return self.read(int(match[1]) * _UNITS[unit])


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few words."""

    options: tuple[str, ...]

    @property
    def words(self) -> str:
        """All of them."""
        return f"one of {', '.join(self.options)}"

    def read(self, found: object) -> Value:
        """The word as it is written here."""
        if found not in self.options:
            raise ValueError
        return str(found)

    def parse(self, text: str) -> Value:
        """The same, in either case."""
        return self.read(text.strip().lower())


@dataclass(frozen=True, slots=True)
class Texts:
    """A list of texts."""

    words: ClassVar[str] = 'a list of texts, such as ["~/private/**"]'

    def read(self, found: object) -> Value:
        """All of them texts."""
        if not isinstance(found, list) or not all(isinstance(entry, str) for entry in found):
            raise ValueError
        return tuple(found)

    def parse(self, text: str) -> Value:
        """Between colons, as paths are listed."""
        return tuple(part for part in text.split(":") if part)


@dataclass(frozen=True, slots=True)
class Program:
    """A program and its arguments, which no shell ever sees."""

    words: ClassVar[str] = 'a list of a program and its arguments, such as ["notify-send", "Pi"]'

    def read(self, found: object) -> Value:
        """The first is the program. An empty list is none."""
        if not isinstance(found, list) or not all(isinstance(word, str) and "\0" not in word for word in found):
            raise ValueError
        if found and not found[0]:
            raise ValueError
        return tuple(found)

    def parse(self, text: str) -> Value:
        """Words with a shell's quotes, and nothing else that a shell would do."""
        return self.read(shlex.split(text))


@dataclass(frozen=True, slots=True)
class Contact:
    """Where the operator of a push service can reach whoever runs this daemon (RFC 8292)."""

    words: ClassVar[str] = "an address such as mailto:ada@example.org or https://example.org"

    def read(self, found: object) -> Value:
        """One that push services take: Apple refuses a made-up domain."""
        if not isinstance(found, str) or not _is_contact(found):
            raise ValueError
        return found

    def parse(self, text: str) -> Value:
        """The same."""
        return self.read(text.strip())


def _is_contact(text: str) -> bool:
    if len(text) > CONTACT_CHARS or not text.isascii() or not text.isprintable() or " " in text:
        return False
    scheme, _, rest = text.partition(":")
    host = rest.rpartition("@")[2] if scheme == "mailto" and "@" in rest else rest.removeprefix("//") if scheme == "https" else ""
    return "." in host.strip(".").partition("/")[0]
