"""Promise: twice the input takes at most twice the time, whatever it is made of, and what is kept does not grow with it.

Here each family (families.py) gets so much CPU time that only a quadratic algorithm needs more: a steep curve is told from a slow
machine. The doublings up to 1 MB are measured in `make soak`.
"""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from itertools import pairwise
from typing import Final

import pytest

from sanitize.counters import Counters
from sanitize.display import label, text
from sanitize.limits import LINE_CHARACTERS
from sanitize.pens import Pens
from sanitize.roles import Palette
from sanitize.terminal import Terminal
from tests.sanitize.families import FAMILIES, Family
from tests.sanitize.rendering import lines

SIZE: Final = 64 * 1024
ENOUGH: Final = 4.0
"""Seconds of CPU for SIZE bytes: a slow machine takes a tenth of it, and 64 Ki² steps of anything take ten times as long."""

KEPT: Final = 8 * 1024 * 1024
"""Bytes that may stay in memory: a full screen, and caches that are full."""

LARGEST: Final = 1024 * 1024
DOUBLINGS: Final = 2
RATIO: Final = 3.0
NOISE: Final = 0.02
"""Seconds; what takes less says nothing."""


def on_a_screen(raw: str) -> None:
    terminal = Terminal(100, 40, Pens(Palette()), Counters())
    terminal.feed(raw.encode())
    terminal.lines()


def as_lines(raw: str) -> None:
    """Lines as long as they may be, so that their limit does not hide what is slow."""
    lines([raw[at : at + LINE_CHARACTERS] for at in range(0, len(raw), LINE_CHARACTERS)], 100)


def plain(raw: str) -> None:
    label(raw)
    text(raw)


WAYS: Final = (on_a_screen, as_lines, plain)
each_way = pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
each_family = pytest.mark.parametrize("family", FAMILIES, ids=str)


def cpu(way: Callable[[str], None], raw: str) -> float:
    began = time.process_time()
    way(raw)
    return time.process_time() - began


@each_way
@each_family
def test_64_kib_of_anything_take_no_time_to_speak_of(family: Family, way: Callable[[str], None]) -> None:
    raw = family.of(SIZE)
    assert SIZE <= len(raw.encode()) < SIZE + 2048
    assert cpu(way, raw) < ENOUGH


@pytest.mark.parametrize(
    ("name", "size"),
    [
        *[(name, 2 * SIZE) for name in ("marks on one cell", "unterminated OSC", "DCS", "CSI digits", "CSI parameters", "DECSC", "LF")],
        pytest.param("24-bit colours", 8 * SIZE, marks=pytest.mark.soak),
        pytest.param("links", 8 * SIZE, marks=pytest.mark.soak),
        ("screens", SIZE),
    ],
)
def test_what_is_kept_does_not_grow_with_what_was_fed(name: str, size: int) -> None:
    (family,) = (family for family in FAMILIES if family.name == name)
    data = family.of(size).encode()
    terminal = Terminal(100, 40, Pens(Palette()), Counters())
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for at in range(0, len(data), SIZE):
            terminal.feed(data[at : at + SIZE])
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < KEPT


@pytest.mark.soak
@each_way
@each_family
def test_twice_as_much_takes_twice_as_long(family: Family, way: Callable[[str], None]) -> None:
    inputs = [family.of(LARGEST >> shift) for shift in range(DOUBLINGS, -1, -1)]
    took = [min(cpu(way, raw) for _ in range(3)) for raw in inputs]
    for once, twice in pairwise(took):
        assert twice < RATIO * max(once, NOISE), took
