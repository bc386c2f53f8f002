"""Promise: tries to connect again are never further apart than 5 s, never in step, and never in a tight loop."""

from __future__ import annotations

from mirrord.client.backoff import FIRST_SECONDS, MOST_SECONDS, STABLE_SECONDS, Backoff


def test_waits_double_up_to_the_longest() -> None:
    backoff = Backoff()
    assert [backoff.wait(1.0) for _ in range(7)] == [0.25, 0.5, 1.0, 2.0, 4.0, 5.0, 5.0]


def test_chance_takes_at_most_half_of_a_wait() -> None:
    assert Backoff().wait(0.0) == FIRST_SECONDS / 2
    assert Backoff().wait(0.5) == FIRST_SECONDS * 0.75
    backoff = Backoff()
    assert max(backoff.wait(0.999) for _ in range(20)) <= MOST_SECONDS


def test_only_a_connection_that_stood_for_a_while_begins_anew() -> None:
    backoff = Backoff()
    backoff.wait(1.0)
    backoff.stood(STABLE_SECONDS - 0.1)
    assert backoff.wait(1.0) == 2 * FIRST_SECONDS, "one that is cut at once, again and again, is not made in a loop"
    backoff.stood(STABLE_SECONDS)
    assert backoff.wait(1.0) == FIRST_SECONDS
