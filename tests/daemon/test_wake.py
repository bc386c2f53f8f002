"""Promise: a sleep, a stop and a pause of the machine are noticed at the first look, and nothing else is taken for one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mirrord.daemon.wake import LOOK_SECONDS, SET_SECONDS, SLEPT_SECONDS, STOOD_SECONDS, Sleeper, WakeWatch, read
from mirrord.testing import FakeClock

HOUR = 3_600.0


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def sleeper(clock: FakeClock) -> Sleeper:
    return Sleeper(read(clock))


def test_a_sleep_is_noticed_once_however_short_before_the_next_look(sleeper: Sleeper, clock: FakeClock) -> None:
    clock.advance(0.2)
    clock.sleep(8 * HOUR)
    assert sleeper.look(read(clock)) == pytest.approx(8 * HOUR + 0.2)
    assert sleeper.look(read(clock)) is None
    clock.sleep(SLEPT_SECONDS + 0.01)
    assert sleeper.look(read(clock)) is not None


def test_a_process_that_was_stopped_notices_it(sleeper: Sleeper, clock: FakeClock) -> None:
    clock.advance(LOOK_SECONDS + STOOD_SECONDS)
    assert sleeper.look(read(clock)) is None
    clock.advance(LOOK_SECONDS + STOOD_SECONDS + 0.1)
    assert sleeper.look(read(clock)) is not None


def test_a_virtual_machine_that_was_paused_is_noticed_by_the_wall_clock_that_is_set_afterwards(sleeper: Sleeper, clock: FakeClock) -> None:
    clock.advance(1)
    clock.set_wall(clock.wall() + 3_600_000)
    assert sleeper.look(read(clock)) == pytest.approx(HOUR)


@pytest.mark.parametrize("seconds", [-HOUR, -1.0, 1.0, -0.999, SET_SECONDS - 0.1], ids=str)
def test_a_clock_that_is_set_back_or_a_little_forward_is_no_sleep_nor_is_a_leap_second(
    sleeper: Sleeper, clock: FakeClock, seconds: float
) -> None:
    clock.advance(1)
    clock.set_wall(clock.wall() + round(seconds * 1000))
    assert sleeper.look(read(clock)) is None


@given(st.lists(st.floats(0, LOOK_SECONDS + 1), max_size=50))
def test_a_machine_that_runs_was_never_asleep(steps: list[float]) -> None:
    clock = FakeClock()
    sleeper = Sleeper(read(clock))
    for step in steps:
        clock.advance(step)
        assert sleeper.look(read(clock)) is None


async def test_who_is_alone_is_not_woken_and_takes_no_long_wait_for_a_sleep(clock: FakeClock) -> None:
    lost: list[float] = []
    watch = WakeWatch(clock, lost.append)
    clock.advance(HOUR)
    clock.sleep(HOUR)
    watch.look()
    watch.expect(company=True)
    watch.look()
    assert lost == []
    clock.sleep(HOUR)
    watch.expect(company=True)
    watch.look()
    assert lost == [pytest.approx(HOUR)]
    watch.expect(company=False)
    clock.sleep(HOUR)
    watch.look()
    watch.expect(company=True)
    watch.look()
    assert len(lost) == 1
