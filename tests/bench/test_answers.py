"""Promise: only an answer that won counts, the warm-up counts for nothing, and times are µs from the answer on."""

from __future__ import annotations

import pytest

from bench.answers import WARM_UP, resolved_after, seen_after
from bench.pi import OPTIONS, REMOTE, TERMINAL, Asked, Given, number_of
from bench.world import NotMeasured

COUNT = WARM_UP + 2


def test_times_are_from_the_answer_to_its_promise_and_to_the_remote() -> None:
    given = [Given(number, REMOTE, number * 1_000_000, number * 1_000_000 + 2_000) for number in range(COUNT)]
    asked = {number: Asked(number, str(number * 1_000_000 + 1_500), OPTIONS[REMOTE]) for number in range(COUNT)}
    assert resolved_after(given, asked) == (1.5, 1.5)
    assert seen_after(given) == (2.0, 2.0)


def test_an_answer_that_somebody_else_gave_spoils_the_measurement() -> None:
    given = [Given(1, TERMINAL, 0)]
    with pytest.raises(NotMeasured, match="question 1"):
        resolved_after(given, {1: Asked(1, "1000", OPTIONS[REMOTE])})
    with pytest.raises(NotMeasured, match="question 1"):
        resolved_after(given, {1: Asked(1, "1000", None)})


def test_a_question_is_known_by_its_number() -> None:
    assert number_of("ask 17") == 17


@pytest.mark.parametrize("title", ["ask", "ask x", "ask -1", "Delete file?", "ask 17 (3s)"])
def test_another_question_is_not_taken_for_ours(title: str) -> None:
    with pytest.raises(NotMeasured):
        number_of(title)
