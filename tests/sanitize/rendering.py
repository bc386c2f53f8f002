"""What the tests of both paths share: the fixtures, and each path as one call."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from sanitize.counters import Counters
from sanitize.lines import LineRenderer
from sanitize.pens import Pens
from sanitize.roles import Palette
from sanitize.spans import EMPTY, Line
from sanitize.terminal import Terminal

FIXTURES: Final = Path(__file__).parents[2] / "fixtures" / "sanitize"

Case = dict[str, Any]
"""One line of a fixture; its fields are described where it is used."""

PENS: Final = Pens(Palette())
"""Shared by the tests that do not look at them: what a pen was told before changes nothing."""


def fixture(name: str) -> list[Case]:
    """The objects of a file of JSON lines."""
    return [json.loads(line) for line in (FIXTURES / name).read_text("utf-8").split("\n") if line]


def data(case: Case) -> bytes:
    """The input as a program writes it. A list is pieces of text, each with how often it is repeated."""
    if "input_base64" in case:
        return base64.b64decode(case["input_base64"])
    return text(case).encode(errors="surrogatepass")


def text(case: Case) -> str:
    """The input as a string: bytes that are no UTF-8 are U+FFFD."""
    if "input_base64" in case:
        return base64.b64decode(case["input_base64"]).decode(errors="replace")
    whole = case["input"]
    return whole if isinstance(whole, str) else "".join(piece * times for piece, times in whole)


def screen(pieces: Iterable[bytes], columns: int, rows: int, counters: Counters | None = None) -> list[Line]:
    """The rows of a screen that was fed the pieces, without the empty ones at its end."""
    terminal = Terminal(columns, rows, PENS, counters or Counters())
    for piece in pieces:
        terminal.feed(piece)
    return trimmed(terminal.lines())


def lines(raw: Iterable[str], columns: int = 300, counters: Counters | None = None) -> list[Line]:
    """What the line path makes of lines that a component rendered."""
    return LineRenderer(PENS, counters or Counters(), columns).render(raw)


def texts(rows: Iterable[Line]) -> list[str]:
    """Of each line, without blanks at its end: these stay where they are underlined or linked."""
    return [line.text.rstrip(" ") for line in rows]


def trimmed(rows: list[Line]) -> list[Line]:
    """The rows without the empty ones at the end."""
    end = len(rows)
    while end and rows[end - 1] == EMPTY:
        end -= 1
    return rows[:end]
