"""Promise: an address that fails too often is held off, everybody else is not, and memory is bounded."""

from __future__ import annotations

from mirrord.server.rate import ADDRESSES, BURST, PER_SECOND, FailureRate


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
