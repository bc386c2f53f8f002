"""Promise: an address that fails too often is held off, everybody else is not, and memory and log are bounded."""

from __future__ import annotations

from mirrord.server.rate import ADDRESSES, BURST, LINES, LINES_PER_SECOND, PER_SECOND, FailureRate, RefusalLines


def test_an_unknown_address_has_its_whole_allowance_and_not_one_more() -> None:
    rate = FailureRate()
    for _ in range(BURST):
        assert not rate.exhausted("a", 0.0)
        rate.failed("a", 0.0)
    assert rate.exhausted("a", 0.0)
    assert not rate.exhausted("b", 0.0)


def test_the_allowance_comes_back_with_time_and_never_grows_beyond_its_size() -> None:
    rate = FailureRate()
    for _ in range(BURST):
        rate.failed("a", 0.0)
    assert rate.exhausted("a", 0.99 / PER_SECOND)
    assert not rate.exhausted("a", 1.0 / PER_SECOND)
    for _ in range(BURST):
        assert not rate.exhausted("a", 1e9)
        rate.failed("a", 1e9)
    assert rate.exhausted("a", 1e9)


def test_asking_costs_nothing() -> None:
    rate = FailureRate(burst=1, per_second=0.0)
    for _ in range(100):
        assert not rate.exhausted("a", 0.0)
    assert len(rate) == 0


def test_at_most_so_many_addresses_are_remembered_and_the_oldest_failure_is_forgotten_first() -> None:
    rate = FailureRate(burst=1, per_second=0.0)
    for number in range(ADDRESSES):
        rate.failed(str(number), 0.0)
    assert len(rate) == ADDRESSES
    rate.failed("0", 0.0)
    rate.failed("one more", 0.0)
    assert len(rate) == ADDRESSES
    assert rate.exhausted("0", 0.0)
    assert not rate.exhausted("1", 0.0)


def test_of_a_flood_of_refusals_the_first_ones_are_logged_then_one_a_minute_with_the_number_of_the_others() -> None:
    lines = RefusalLines()
    said = [lines.due("origin", second / 100) for second in range(50_000)]
    told = [left_out for left_out in said if left_out is not None]
    assert told[:LINES] == [0] * LINES
    assert len(told) == LINES + int(500 * LINES_PER_SECOND)
    assert told[LINES] == round(100 / LINES_PER_SECOND) - LINES
    assert sum(told) + len(told) == 50_000 - said[::-1].index(told[-1]), "none is told twice, and none is lost"


def test_a_flood_for_one_reason_hides_no_other_and_is_over_after_a_while() -> None:
    lines = RefusalLines()
    for _ in range(LINES + 5):
        lines.due("origin", 0.0)
    assert lines.due("credential", 0.0) == 0
    assert lines.due("origin", 0.0) is None
    assert lines.due("origin", 1e6) == 6
    assert [lines.due("origin", 1e6) for _ in range(LINES)] == [*[0] * (LINES - 1), None]
