"""Promise: a daemon ends after its time without session and client, no sooner, and whoever comes or knocks begins the wait anew."""

from __future__ import annotations

from mirrord.daemon.idle import IDLE_EXIT_SECONDS, Idle


def test_the_wait_begins_with_the_daemon_and_is_ten_minutes() -> None:
    assert IDLE_EXIT_SECONDS == 600
    assert Idle(IDLE_EXIT_SECONDS, since=1_000.0).ends_at == 1_600.0


def test_while_somebody_is_there_it_has_no_end() -> None:
    idle = Idle(600, since=1_000.0)
    idle.look(deserted=False, now=1_599.0)
    assert idle.ends_at is None


def test_the_wait_counts_from_when_the_last_one_left_however_often_it_is_looked_at() -> None:
    idle = Idle(600, since=1_000.0)
    idle.look(deserted=False, now=1_100.0)
    for now in (1_200.0, 1_300.0, 1_799.0):
        idle.look(deserted=True, now=now)
        assert idle.ends_at == 1_800.0


def test_a_knock_begins_the_wait_anew_and_does_nothing_while_somebody_is_there() -> None:
    idle = Idle(600, since=1_000.0)
    idle.knocked(1_599.0)
    assert idle.ends_at == 2_199.0
    idle.look(deserted=False, now=1_600.0)
    idle.knocked(1_601.0)
    assert idle.ends_at is None
