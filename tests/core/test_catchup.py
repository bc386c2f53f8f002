"""Promise: a cursor gets exactly the events after it, or an explicit "cannot"."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mirrord.core.catchup import JOURNAL_BYTES, Journal
from mirrord.wire.limits import JOURNAL_EVENTS
from mirrord.wire.messages import Error, ServerMessage


def message(number: int, size: int = 1) -> ServerMessage:
    return Error(code="malformed", message=f"{number}".ljust(size))


def journal(count: int, size: int = 1) -> Journal:
    journal = Journal("run1")
    for number in range(1, count + 1):
        assert journal.advance() == f"run1:{number}"
        journal.record(message(number, size))
    return journal


def test_a_cursor_gets_what_came_after_it_and_nothing_else() -> None:
    assert journal(5).after("run1:3") == (message(4), message(5))
    assert journal(5).after("run1:5") == ()
    assert journal(5).after("run1:0") == tuple(message(number) for number in range(1, 6))


def test_zero_is_a_cursor_before_anything_happened() -> None:
    assert journal(0).after("run1:0") == ()


@pytest.mark.parametrize(
    "cursor",
    ["run0:3", "run1:6", "run1:-1", "run1:", "3", "", "run1:x", "run1:٣", "run1:" + "9" * 5000, "run1:3:3"],
)
def test_a_cursor_of_another_run_from_the_future_or_malformed_cannot_be_served(cursor: str) -> None:
    assert journal(5).after(cursor) is None


def test_it_keeps_the_newest_events_up_to_the_limit_and_one_past_it_is_a_gap() -> None:
    full = journal(JOURNAL_EVENTS + 1)
    served = full.after("run1:1")
    assert served is not None
    assert len(served) == JOURNAL_EVENTS
    assert full.after("run1:0") is None


def keyed(*keys: str | None, size: int = 1) -> Journal:
    made = Journal("run1")
    for number, key in enumerate(keys, start=1):
        made.advance()
        made.record(message(number, size), key)
    return made


def test_of_what_has_a_key_only_the_newest_is_kept_in_its_place() -> None:
    made = keyed("a", None, "b", "a", None)
    assert made.after("run1:0") == (message(2), message(3), message(4), message(5))
    assert made.after("run1:3") == (message(4), message(5))
    assert made.after("run1:4") == (message(5),)


def test_what_changes_often_pushes_nothing_else_out() -> None:
    made = keyed(None, *["progress", "clock"] * JOURNAL_EVENTS, None)
    served = made.after("run1:0")
    assert served is not None
    assert [served[0], served[-1]] == [message(1), message(2 * JOURNAL_EVENTS + 2)]
    assert len(served) == 4


def test_a_key_that_was_let_go_is_a_gap_for_who_has_not_seen_it() -> None:
    made = keyed("a", *[None] * JOURNAL_EVENTS)
    assert made.after("run1:0") is None
    assert made.after("run1:1") is not None
    made.advance()
    made.record(message(0), "a")
    assert made.after("run1:1") is None, "one more went for it"
    assert made.after("run1:2") is not None


@given(st.lists(st.sampled_from([None, "a", "b", "c"]), max_size=40))
def test_a_replay_from_any_cursor_leads_where_the_events_lead(keys: list[str | None]) -> None:
    made = keyed(*keys)
    for since in range(len(keys) + 1):
        replayed = made.after(f"run1:{since}")
        assert replayed is not None
        numbers = [int(each.message) for each in replayed if isinstance(each, Error)]
        assert numbers == sorted(numbers)
        assert [number for number in numbers if keys[number - 1] is None] == [
            n for n in range(since + 1, len(keys) + 1) if keys[n - 1] is None
        ]
        newest = {keys[n - 1]: n for n in range(since + 1, len(keys) + 1) if keys[n - 1] is not None}
        assert {keys[number - 1]: number for number in numbers if keys[number - 1] is not None} == newest


def test_it_is_bounded_in_bytes_too() -> None:
    large = journal(4, size=JOURNAL_BYTES // 3)
    assert large.after("run1:1") is None
    assert large.after("run1:2") is not None
    assert journal(1, size=JOURNAL_BYTES + 1).after("run1:0") is None
