"""Promise: the flood reaches the terminal, and the client sees the screen that was drawn after it."""

from __future__ import annotations

import anyio

from bench.flood import floods


def test_a_flood_of_two_megabytes() -> None:
    terminal, newest, memory = anyio.run(floods, 1, 2)
    assert (len(terminal.samples), len(newest.samples), len(memory.samples)) == (2, 2, 1)
    assert all(taken > 0 for taken in terminal.samples)
