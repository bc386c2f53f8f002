"""Promise: a percentile is a sample that was measured, and at least so many of a hundred samples do not exceed it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.statistics import percentile

HUNDRED = [float(number) for number in range(1, 101)]


@pytest.mark.parametrize(("percent", "expected"), [(1, 1), (50, 50), (99, 99), (99.5, 100), (100, 100)])
def test_of_a_hundred_samples_it_is_the_one_of_that_rank(percent: float, expected: float) -> None:
    assert percentile(HUNDRED, percent) == expected


@pytest.mark.parametrize(("count", "expected"), [(300, 297), (200, 198), (700, 693), (1000, 990)])
def test_rounding_in_binary_moves_no_rank(count: int, expected: float) -> None:
    assert percentile([float(number) for number in range(1, count + 1)], 99) == expected


def test_the_order_of_the_samples_makes_no_difference() -> None:
    assert percentile([3, 1, 2], 50) == percentile([1, 2, 3], 50) == 2


def test_one_sample_is_every_percentile() -> None:
    assert percentile([7], 50) == percentile([7], 99) == 7


@pytest.mark.parametrize("percent", [0, -1, 100.1])
def test_what_is_no_percentage_is_refused(percent: float) -> None:
    with pytest.raises(ValueError, match="no percentage"):
        percentile([1], percent)


def test_without_samples_there_is_none() -> None:
    with pytest.raises(ValueError, match="no sample"):
        percentile([], 50)


@given(st.lists(st.floats(allow_nan=False), min_size=1), st.integers(1, 100))
def test_it_holds_for_any_samples(samples: list[float], percent: int) -> None:
    value = percentile(samples, percent)
    assert value in samples
    assert sum(sample <= value for sample in samples) * 100 >= percent * len(samples)
    assert sum(sample < value for sample in samples) * 100 < percent * len(samples)
