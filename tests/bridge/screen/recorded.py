"""Recordings of Pi's screens: those of `fixtures/screen` say at each mark what state they show, those of `fixtures/sanitize` show none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from bridge.screen.page import Page
from sanitize.counters import Counters
from sanitize.pens import Pens
from sanitize.roles import Palette
from sanitize.terminal import Terminal
from tests.harness.record import Sidecar

FIXTURES: Final = Path(__file__).parents[3] / "fixtures"
SCREENS: Final = tuple(sorted((FIXTURES / "screen").glob("*.bin")))
OTHERS: Final = tuple(sorted((FIXTURES / "sanitize" / "recordings").glob("*.bin")))

_END: Final = b"\x1b[?2026l"


@dataclass(frozen=True, slots=True)
class Shot:
    """A terminal at one moment; `label` is the mark's, or empty for a frame between two."""

    label: str
    terminal: Terminal
    page: Page


def sidecar(file: Path) -> Sidecar:
    """What stands beside a recording."""
    return msgspec.json.decode(file.with_suffix(".json").read_bytes(), type=Sidecar)


def frames(file: Path, every: int = 1) -> Iterator[Shot]:
    """The screen at each mark, and at the end of each `every`th frame; the terminal goes on when the next one is asked for."""
    said = sidecar(file)
    data = file.read_bytes()
    terminal = Terminal(said.cols, said.rows, Pens(Palette()), Counters())
    at = count = 0
    for mark in said.marks:
        while (end := data.find(_END, at, mark.offset)) >= 0:
            end += len(_END)
            terminal.feed(data[at:end])
            at = end
            count += 1
            if count % every == 0:
                yield shot("", terminal, said)
        terminal.feed(data[at : mark.offset])
        at = mark.offset
        yield shot(mark.label, terminal, said)


def shot(label: str, terminal: Terminal, said: Sidecar) -> Shot:
    """The terminal as it is now."""
    return Shot(label, terminal, Page.of(terminal.lines(), said.cols, said.rows, terminal.cursor))
