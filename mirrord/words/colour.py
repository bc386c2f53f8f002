"""Colour for a person's terminal, and for nothing else."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Final, Literal

Paint = Literal["good", "warn", "bad", "dim", "bold"]

_CODES: Final[dict[Paint, str]] = {"good": "32", "warn": "33", "bad": "31", "dim": "2", "bold": "1"}
"""The terminal's own palette, which its owner chose."""


def wanted(env: Mapping[str, str], *, is_terminal: bool) -> bool:
    """Whether standard output is a terminal that shows colours, and nobody asked for none (https://no-color.org)."""
    return is_terminal and not env.get("NO_COLOR") and env.get("TERM", "dumb") != "dumb"


def wanted_here() -> bool:
    """The same for this process."""
    return wanted(os.environ, is_terminal=sys.stdout.isatty())


def painted(text: str, paint: Paint, on: bool) -> str:
    """The text in that colour where colours are on."""
    return f"\x1b[{_CODES[paint]}m{text}\x1b[0m" if on and text else text
