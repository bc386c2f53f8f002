"""Promise: no input makes anything fail: 10,000 at random, from a grammar that knows what hurts terminals.

`make soak` looks further, with atheris (tests/sanitize/soak_fuzz.py).
"""

from __future__ import annotations

import random

import pytest

from sanitize.counters import Counters
from sanitize.terminal import Terminal
from tests.sanitize.grammar import Grammar
from tests.sanitize.invariants import check_line, check_screen
from tests.sanitize.rendering import PENS, lines, texts

INPUTS = 10_000
SIZES = [(1, 1), (2, 1), (3, 2), (5, 3), (10, 4), (20, 5), (40, 6), (80, 8)]
EVERY = 10
"""One input of so many is fed again in pieces."""

ROUNDS = 10


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_any_bytes_are_a_screen_however_they_are_cut(seed: int) -> None:
    grammar = Grammar(seed)
    sizes = random.Random(seed)
    for number in range(INPUTS // ROUNDS):
        columns, rows = sizes.choice(SIZES)
        data = grammar.as_bytes(grammar.input(tokens=40))
        terminal = Terminal(columns, rows, PENS, Counters())
        try:
            terminal.feed(data)
            shown = terminal.lines()
            check_screen(shown, columns, rows)
            if number % EVERY == 0:
                again = Terminal(columns, rows, PENS, Counters())
                for piece in grammar.cut(data):
                    again.feed(piece)
                    check_screen(again.lines(), columns, rows)
                assert again.lines() == shown
        except Exception as error:
            raise AssertionError(f"{columns}x{rows} {data!r}") from error


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_any_string_is_lines(seed: int) -> None:
    grammar = Grammar(ROUNDS + seed)
    for _ in range(INPUTS // ROUNDS):
        raw = grammar.input(tokens=40)
        try:
            shown = lines([raw], 40)
            for line in shown:
                check_line(line)
            assert texts(lines(texts(shown), 40)) == texts(shown)
        except Exception as error:
            raise AssertionError(repr(raw)) from error


def test_a_screen_that_is_used_again_remembers_nothing() -> None:
    grammar = Grammar(seed=1)
    used = Terminal(20, 5, PENS, Counters())
    for _ in range(300):
        data = grammar.as_bytes(grammar.input(tokens=20))
        used.reset()
        used.feed(data)
        fresh = Terminal(20, 5, PENS, Counters())
        fresh.feed(data)
        assert used.lines() == fresh.lines(), data


def test_the_same_seed_gives_the_same_inputs() -> None:
    assert [Grammar(3).input() for _ in range(5)] == [Grammar(3).input() for _ in range(5)]
    assert len({Grammar(seed).input() for seed in range(50)}) > 45
