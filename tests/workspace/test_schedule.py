"""Promise: a change is seen soon, Git is never asked all the time, and what takes too long is asked rarely."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mirrord.workspace.schedule import BETWEEN_SECONDS, PERIOD_SECONDS, QUIET_SECONDS, SLOW_SECONDS, Schedule


def looked_at(schedule: Schedule[str], now: float, *, slow: bool = False) -> None:
    """`a` is due, and is looked at for a second."""
    assert schedule.take(now) == "a"
    assert schedule.done("a", now + 1, slow=slow)


def test_the_first_look_is_at_once_and_the_next_after_a_period() -> None:
    schedule: Schedule[str] = Schedule()
    assert (schedule.take(0), schedule.next_due()) == (None, None)
    schedule.touch("a", 0)
    assert schedule.next_due() == 0
    looked_at(schedule, 0)
    assert schedule.next_due() == 1 + PERIOD_SECONDS
    assert schedule.take(PERIOD_SECONDS) is None
    looked_at(schedule, 1 + PERIOD_SECONDS)


def test_something_that_happens_makes_the_next_look_come_soon_but_not_too_soon() -> None:
    schedule: Schedule[str] = Schedule()
    schedule.touch("a", 0)
    looked_at(schedule, 0)
    schedule.touch("a", 2)
    assert schedule.next_due() == 1 + BETWEEN_SECONDS
    schedule.touch("a", 3)
    assert schedule.next_due() == 1 + BETWEEN_SECONDS
    looked_at(schedule, 1 + BETWEEN_SECONDS)
    schedule.touch("a", 20)
    assert schedule.next_due() == 20 + QUIET_SECONDS
    schedule.touch("a", 20.5)
    assert schedule.next_due() == 20 + QUIET_SECONDS


def test_what_happens_during_a_look_is_looked_at_again() -> None:
    schedule: Schedule[str] = Schedule()
    schedule.touch("a", 0)
    assert schedule.take(0) == "a"
    schedule.touch("a", 0.5)
    assert (schedule.take(9), schedule.next_due()) == (None, None)
    assert schedule.done("a", 10)
    assert schedule.next_due() == 10 + BETWEEN_SECONDS


def test_what_took_too_long_is_left_alone_for_minutes_whatever_happens() -> None:
    schedule: Schedule[str] = Schedule()
    schedule.touch("a", 0)
    looked_at(schedule, 0, slow=True)
    schedule.touch("a", 5)
    assert schedule.next_due() == 1 + SLOW_SECONDS
    looked_at(schedule, 1 + SLOW_SECONDS)
    assert schedule.next_due() == 2 + SLOW_SECONDS + PERIOD_SECONDS


def test_what_nobody_wants_to_know_is_not_looked_at_and_not_told() -> None:
    schedule: Schedule[str] = Schedule()
    schedule.touch("a", 0)
    schedule.drop("a", 0)
    assert schedule.take(0) is None
    schedule.touch("a", 0)
    assert schedule.take(0) == "a"
    schedule.drop("a", 1)
    assert not schedule.done("a", 1)
    schedule.drop("a", 1)


def test_who_comes_and_goes_all_the_time_makes_no_look_come_sooner() -> None:
    schedule: Schedule[str] = Schedule()
    schedule.touch("a", 0)
    looked_at(schedule, 0, slow=True)
    schedule.drop("a", 2)
    schedule.touch("a", 3)
    assert schedule.next_due() == 1 + SLOW_SECONDS
    assert schedule.take(1 + SLOW_SECONDS) == "a"
    schedule.drop("a", 2 + SLOW_SECONDS)
    schedule.touch("a", 2 + SLOW_SECONDS)
    assert schedule.next_due() == 2 + SLOW_SECONDS + BETWEEN_SECONDS
    schedule.drop("a", 3 + SLOW_SECONDS)
    schedule.touch("a", 1000)
    assert schedule.next_due() == 1000


def test_the_one_that_is_due_for_longest_comes_first() -> None:
    schedule: Schedule[str] = Schedule()
    schedule.touch("a", 1)
    schedule.touch("b", 0)
    assert [schedule.take(5), schedule.take(5), schedule.take(5)] == ["b", "a", None]


@given(st.lists(st.tuples(st.sampled_from(("touch", "drop", "step")), st.floats(0, 3)), max_size=200))
def test_two_looks_at_one_folder_are_never_closer_than_they_may_be_and_a_followed_one_is_never_forgotten(
    steps: list[tuple[str, float]],
) -> None:
    schedule: Schedule[str] = Schedule()
    now, last, followed = 0.0, None, False
    for step, seconds in steps:
        now += seconds
        if step == "drop":
            schedule.drop("a", now)
            followed = False
        elif step == "touch":
            schedule.touch("a", now)
            followed = True
        elif schedule.take(now) == "a":
            assert last is None or now >= last + BETWEEN_SECONDS
            schedule.done("a", now)
            last = now
        due = schedule.next_due()
        assert (due is not None) is followed
        assert due is None or due <= now + PERIOD_SECONDS
