"""Several who do the same work in turn, so that what the machine does meanwhile hits all alike."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final

Timed = Callable[[], float]
"""Does the work once and returns the µs that counted."""

WARM_UP: Final = 5
"""Rounds that do not count: Node compiles, caches fill."""


def contest(who: Mapping[str, Timed], rounds: int) -> dict[str, tuple[float, ...]]:
    """The µs of each, by name: one for each round. Another one begins each round."""
    names: Sequence[str] = list(who)
    times: dict[str, list[float]] = {name: [] for name in names}
    for number in range(WARM_UP + rounds):
        first = number % len(names)
        for name in (*names[first:], *names[:first]):
            gc.collect()
            taken = who[name]()
            if number >= WARM_UP:
                times[name].append(taken)
    return {name: tuple(taken) for name, taken in times.items()}


def microseconds(work: Callable[[], object]) -> float:
    """How long the work takes."""
    start = time.perf_counter_ns()
    work()
    return (time.perf_counter_ns() - start) / 1000
