"""Promise: a snapshot shows a complete frame or a screen at rest, at most thirty times a second, and nothing new waits for ever."""

from __future__ import annotations

import pytest

from sanitize.limits import QUIET_SECONDS, SNAPSHOT_SECONDS, UNSEEN_SECONDS
from sanitize.pace import Pace


def pace(*fed: tuple[float, int, bool]) -> Pace:
    made = Pace()
    for now, frames, in_frame in fed:
        made.fed(now, frames, in_frame)
    return made


def due(of: Pace) -> float:
    at = of.due()
    assert at is not None
    return at


def test_nothing_is_due_while_nothing_is_new() -> None:
    made = pace()
    assert made.due() is None
    made.fed(1.0, 1, False)
    made.taken(1.0)
    assert made.due() is None


def test_a_complete_frame_is_due_at_once() -> None:
    assert due(pace((1.0, 0, True), (1.01, 1, False))) == 1.01
    assert due(pace((1.0, 1, False))) == 1.0


def test_what_follows_a_frame_does_not_put_it_off() -> None:
    assert due(pace((1.0, 1, False), (1.004, 1, False))) == 1.004


def test_what_was_seen_is_no_frame_any_more() -> None:
    made = pace((1.0, 1, False))
    made.taken(1.0)
    made.fed(2.0, 1, False)
    assert due(made) == pytest.approx(2.0 + QUIET_SECONDS)


def test_without_frames_the_screen_must_rest() -> None:
    assert due(pace((1.0, 0, False))) == pytest.approx(1.0 + QUIET_SECONDS)
    assert due(pace((1.0, 0, False), (1.02, 0, False))) == pytest.approx(1.02 + QUIET_SECONDS)


def test_an_open_frame_is_waited_for() -> None:
    assert due(pace((1.0, 0, True))) == pytest.approx(1.0 + UNSEEN_SECONDS)
    assert due(pace((1.0, 0, True), (1.1, 0, True))) == pytest.approx(1.0 + UNSEEN_SECONDS)


def test_a_frame_that_was_begun_after_a_complete_one_is_waited_for() -> None:
    made = pace((1.0, 1, False), (1.01, 1, True))
    assert due(made) == pytest.approx(1.0 + UNSEEN_SECONDS)
    made.fed(1.02, 2, False)
    assert due(made) == 1.02


def test_a_frame_that_ended_and_began_at_once_is_not_complete() -> None:
    assert due(pace((1.0, 0, True), (1.01, 1, True))) == pytest.approx(1.0 + UNSEEN_SECONDS)


@pytest.mark.parametrize("in_frame", [False, True])
def test_a_flood_is_seen_all_the_same(in_frame: bool) -> None:
    made = pace(*((1.0 + step / 100, step, in_frame) if in_frame else (1.0 + step / 100, 0, False) for step in range(100)))
    assert due(made) == pytest.approx(1.0 + UNSEEN_SECONDS)


def test_frames_are_shown_at_most_thirty_times_a_second() -> None:
    made = Pace()
    taken = 0
    for step in range(1000):
        now = step / 1000
        made.fed(now, step, False)
        if due(made) <= now:
            made.taken(now)
            taken += 1
    assert 29 <= taken <= 31


def test_the_next_snapshot_waits_for_its_turn() -> None:
    made = pace((1.0, 1, False))
    made.taken(1.0)
    made.fed(1.001, 2, False)
    assert due(made) == pytest.approx(1.0 + SNAPSHOT_SECONDS)
