"""Promise: every clock keeps the same rules, the fake one included: only `wall`, milliseconds since the epoch, ever goes back."""

from __future__ import annotations

import time

import pytest

from mirrord.clock import Clock, SystemClock, moment
from mirrord.core.model import Moment
from mirrord.testing import FakeClock


def check_clock(clock: Clock) -> None:
    """The promise, for any clock."""
    boots = [clock.boot() for _ in range(100)]
    assert boots == sorted(boots)
    ran = [clock.monotonic() for _ in range(100)]
    assert ran == sorted(ran)
    assert isinstance(clock.wall(), int)
    assert clock.wall() > 1_600_000_000_000
    now = moment(clock)
    assert isinstance(now, Moment)
    assert now.boot >= boots[-1]


@pytest.mark.parametrize("clock", [SystemClock(), FakeClock()], ids=["system", "fake"])
def test_a_clock_keeps_the_rules(clock: Clock) -> None:
    check_clock(clock)


def test_the_systems_wall_clock_is_the_systems() -> None:
    assert abs(SystemClock().wall() - time.time() * 1000) < 5_000


def test_the_fake_clock_moves_only_when_told_and_setting_the_wall_moves_no_deadline() -> None:
    clock = FakeClock(wall_ms=5_000, boot_seconds=7.0)
    assert moment(clock) == moment(clock) == Moment(5_000, 7.0)
    clock.advance(1.5)
    assert moment(clock) == Moment(6_500, 8.5)
    clock.set_wall(1)
    assert moment(clock) == Moment(1, 8.5)
    clock.sleep(10)
    assert (moment(clock), clock.monotonic()) == (Moment(10_001, 18.5), 8.5)
    with pytest.raises(ValueError, match="backwards"):
        clock.advance(-1)
