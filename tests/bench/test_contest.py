"""Promise: everyone does the work as often as everyone else, begins as often, and the first rounds do not count."""

from __future__ import annotations

import threading

from bench.contest import WARM_UP, contest, microseconds


def test_each_round_another_one_begins_and_the_first_rounds_do_not_count() -> None:
    done: list[str] = []

    def by(name: str) -> float:
        done.append(name)
        return float(len(done))

    times = contest({"a": lambda: by("a"), "b": lambda: by("b")}, 3)
    assert "".join(done) == ("abba" * (WARM_UP + 3))[: 2 * (WARM_UP + 3)]
    assert {name: len(taken) for name, taken in times.items()} == {"a": 3, "b": 3}
    assert min(times["a"] + times["b"]) > 2 * WARM_UP


def test_the_time_of_work_is_in_microseconds() -> None:
    assert 10_000 <= microseconds(lambda: threading.Event().wait(0.01)) < 5_000_000
