"""Promise: a row of the web client's measurement stands beside the bare socket of the same questions, without the warm-up."""

from __future__ import annotations

import pytest

from bench.pi import OPTIONS, REMOTE, Asked
from bench.web import WARM_UP, Seen, question_rows
from bench.world import NotMeasured

MS = 1_000_000
NUMBERS = range(1, WARM_UP + 5)


def asked(value: str = OPTIONS[REMOTE]) -> dict[int, Asked]:
    """Each begins at its number in seconds and resolves 500 ms later."""
    return {number: Asked(number, str((number * 1000 + 500) * MS), value, str(number * 1000 * MS)) for number in NUMBERS}


def at(ms: int, parity: int | None = None) -> dict[int, int]:
    return {number: (number * 1000 + ms) * MS for number in NUMBERS if parity is None or number % 2 == parity}


def test_page_and_socket_are_measured_from_the_same_begin() -> None:
    rows = {row.name: row for row in question_rows(Seen(card=at(20), socket=at(4), tapped=at(490, 0), written=at(497, 1)), asked())}
    assert rows["dialog → card"].samples == (20.0,) * 4
    assert rows["dialog → card"].ratio == 5
    assert rows["tap → dialog gone"].samples == (10.0,) * 2
    assert rows["bare socket → resolved"].samples == (3.0,) * 2


def test_an_answer_that_nobody_gave_is_no_measurement() -> None:
    with pytest.raises(NotMeasured, match="question 1 gave"):
        question_rows(Seen(at(20), at(4), at(490, 0), at(497, 1)), asked(OPTIONS[0]))
