"""Promise: twenty changes a second of one thing, sixty messages a second of all, the newest value by the next turn, nothing starved."""

from __future__ import annotations

import pytest

from mirrord.core.catchup import Journal
from mirrord.core.model import TerminalId
from mirrord.core.pace import Bucket, Held, Pace
from mirrord.wire.messages import Error
from mirrord.wire.surface_limits import KEY_SECONDS, NOTES_A_SECOND, NOTES_AT_ONCE, NOTES_HELD, STATES_A_SECOND, STATES_AT_ONCE

PI = TerminalId("pi")
JOURNAL = Journal("run1")
MESSAGES_A_SECOND = 60


def change(key: str, seq: int | None = 1, session: TerminalId | None = PI) -> Held:
    return Held(key, Error(code="malformed", message=f"{seq}"), session, JOURNAL, seq)


def released(pace: Pace, now: float) -> list[tuple[str, int | None]]:
    return [(held.key, held.seq) for held in pace.release(now)]


def test_the_numbers_add_up_to_what_is_promised() -> None:
    assert STATES_AT_ONCE + STATES_A_SECOND + NOTES_AT_ONCE + NOTES_A_SECOND == MESSAGES_A_SECOND
    assert KEY_SECONDS == 1 / 20


def test_the_first_change_goes_at_once_and_the_newest_of_the_next_ones_when_its_time_has_come() -> None:
    pace = Pace()
    assert pace.state(change("a", 1), 0.0)
    for seq in range(2, 9):
        assert not pace.state(change("a", seq), seq / 1000)
    assert pace.due(0.009) == pytest.approx(KEY_SECONDS)
    assert released(pace, KEY_SECONDS - 0.001) == []
    assert released(pace, KEY_SECONDS) == [("a", 8)]
    assert not pace.holding
    assert released(pace, 1.0) == []


def test_one_thing_changes_at_most_twenty_times_a_second_and_its_last_value_comes() -> None:
    pace = Pace()
    sent: list[int] = []
    for ms in range(1_000):
        now = ms / 1000
        sent += [seq or 0 for _, seq in released(pace, now)] if pace.holding and pace.due(now) <= now else []
        if pace.state(change("a", ms), now):
            sent.append(ms)
    sent += [seq or 0 for _, seq in released(pace, 1.049)]
    assert len(sent) == 21
    assert sent[-1] == 999
    assert sent == sorted(sent)


def test_many_things_share_what_one_client_takes_and_none_is_starved() -> None:
    pace, sent = Pace(), []
    for ms in range(3_000):
        now = ms / 1000
        sent += [(ms, key) for key, _ in released(pace, now)]
        for key in range(0, 100, 5):
            if pace.state(change(f"{key + ms % 5}", ms), now):
                sent.append((ms, f"{key + ms % 5}"))
    times = [ms for ms, _ in sent]
    most = STATES_AT_ONCE + STATES_A_SECOND
    assert all(later - first >= 1_000 for first, later in zip(times, times[most:], strict=False))
    assert len(times) >= 3 * STATES_A_SECOND
    assert len({key for _, key in sent}) >= 90


def test_what_waits_longest_goes_first_however_often_it_changes() -> None:
    pace = Pace()
    for number in range(STATES_AT_ONCE):
        assert pace.state(change(f"{number}"), 0.0)
    for seq, key in enumerate(("x", "y", "z", "x"), start=10):
        assert not pace.state(change(key, seq), 0.0)
    assert released(pace, 1 / STATES_A_SECOND) == [("x", 13)]
    assert released(pace, 3 / STATES_A_SECOND) == [("y", 11), ("z", 12)]


def test_a_moment_that_it_names_is_one_at_which_something_goes() -> None:
    pace, now = Pace(), 0.0
    for key in range(STATES_AT_ONCE + 40):
        pace.state(change(f"{key}"), now)
    while pace.holding:
        due = pace.due(now)
        assert due > now
        now = due
        assert released(pace, now)
    assert now == pytest.approx(40 / STATES_A_SECOND)


def test_a_cursor_is_safe_up_to_the_oldest_that_is_held() -> None:
    pace = Pace()
    assert pace.safe(JOURNAL) is None
    for key in ("a", "b", "a"):
        pace.state(change(key, 5), 0.0)
    assert pace.safe(JOURNAL) == 4
    pace.state(change("b", 7), 0.0)
    assert pace.safe(JOURNAL) == 4
    pace.state(change("a", 8), 0.0)
    assert pace.safe(JOURNAL) == 6
    assert pace.safe(Journal("run1")) is None
    pace.forget(PI)
    assert pace.safe(JOURNAL) is None


def test_what_is_in_no_journal_holds_no_cursor_back() -> None:
    pace = Pace()
    for _ in range(2):
        pace.state(change("view", None), 0.0)
    assert pace.holding
    assert pace.safe(JOURNAL) is None


def test_one_that_has_to_go_now_goes_and_is_held_no_longer() -> None:
    pace = Pace()
    for seq in (1, 2):
        pace.state(change("a", seq), 0.0)
    last = pace.take("a")
    assert last is not None
    assert last.seq == 2
    assert pace.take("a") is None
    assert not pace.holding


def test_forgetting_a_session_leaves_what_is_of_others() -> None:
    pace = Pace()
    for key, session in (("a", PI), ("b", TerminalId("other")), ("list", None)):
        for _ in range(2):
            pace.state(change(key, 1, session), 0.0)
    pace.forget(PI)
    assert released(pace, 1.0) == [("b", 1), ("list", 1)]


def test_notifications_have_tokens_of_their_own() -> None:
    pace = Pace()
    for key in range(200):
        pace.state(change(f"{key}"), 0.0)
    assert sum(pace.note(change("", None), 0.0) for _ in range(NOTES_AT_ONCE + 5)) == NOTES_AT_ONCE
    assert ("", None) in released(pace, 1 / NOTES_A_SECOND)


def test_notifications_wait_in_their_order_and_the_oldest_of_too_many_are_dropped() -> None:
    pace, sent = Pace(), []
    for number in range(1_000):
        if pace.note(change("", number), 0.0):
            sent.append(number)
    assert sent == list(range(NOTES_AT_ONCE))
    now = 0.0
    while pace.holding:
        now = pace.due(now)
        sent += [seq or 0 for _, seq in released(pace, now)]
    assert sent[NOTES_AT_ONCE:] == list(range(1_000 - NOTES_HELD, 1_000))
    assert now == pytest.approx(NOTES_HELD / NOTES_A_SECOND)
    assert pace.dropped == 1_000 - NOTES_AT_ONCE - NOTES_HELD


def test_notifications_of_a_session_that_is_no_longer_wanted_are_forgotten() -> None:
    pace = Pace()
    for _ in range(NOTES_AT_ONCE):
        pace.note(change(""), 0.0)
    for session in (PI, TerminalId("other")):
        assert not pace.note(change("", 1, session), 0.0)
    pace.forget(PI)
    assert released(pace, 10.0) == [("", 1)]


def test_a_bucket_fills_up_to_its_most_and_no_further() -> None:
    bucket = Bucket(3, 10)
    assert [bucket.take(0.0) for _ in range(4)] == [True, True, True, False]
    assert bucket.ready_at(0.0) == pytest.approx(0.1)
    assert not bucket.take(0.05)
    assert bucket.take(0.1)
    assert [bucket.take(1_000.0) for _ in range(4)] == [True, True, True, False]
