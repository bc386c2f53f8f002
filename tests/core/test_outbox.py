"""Promise: what waits for a client is bounded; newest state wins; a prompt or a settlement is kept or the client is cut."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mirrord.core.model import Importance
from mirrord.core.outbox import Outbox
from mirrord.wire.limits import MAY_BYTES, OUTBOX_BYTES


def drain(outbox: Outbox) -> list[bytes]:
    frames = []
    while (frame := outbox.take()) is not None:
        frames.append(frame)
    return frames


def test_frames_leave_in_the_order_they_came() -> None:
    outbox = Outbox()
    for frame in (b"1", b"2", b"3"):
        assert outbox.push(frame, "must", None) is None
    assert drain(outbox) == [b"1", b"2", b"3"]
    assert outbox.pending == 0


def test_a_newer_state_replaces_the_waiting_one_and_goes_behind_what_came_between() -> None:
    outbox = Outbox()
    outbox.push(b"old", "latest", "status")
    outbox.push(b"prompt", "must", None)
    outbox.push(b"new", "latest", "status")
    outbox.push(b"other", "latest", "title")
    assert drain(outbox) == [b"prompt", b"new", b"other"]


def test_a_must_frame_at_the_limit_is_kept_and_one_byte_past_it_cuts_the_client() -> None:
    outbox = Outbox()
    assert outbox.push(b"x" * OUTBOX_BYTES, "must", None) is None
    assert outbox.push(b"x", "must", None) == "slow: pending"


def test_a_may_frame_finds_room_only_while_little_waits_and_is_counted_when_it_does_not() -> None:
    outbox = Outbox()
    assert outbox.push(b"x" * MAY_BYTES, "may", None) is None
    assert outbox.dropped == 0
    assert outbox.push(b"n", "may", None) is None
    assert outbox.dropped == 1
    assert outbox.push(b"prompt", "must", None) is None
    assert drain(outbox) == [b"x" * MAY_BYTES, b"prompt"]


def test_a_long_notification_goes_when_nothing_waits() -> None:
    outbox = Outbox()
    assert outbox.push(b"x" * (MAY_BYTES + 1), "may", None) is None
    assert outbox.dropped == 0
    outbox.push(b"x" * (MAY_BYTES + 1), "may", None)
    assert outbox.dropped == 1


def test_a_taken_state_is_not_replaced() -> None:
    outbox = Outbox()
    outbox.push(b"old", "latest", "status")
    assert outbox.take() == b"old"
    outbox.push(b"new", "latest", "status")
    assert drain(outbox) == [b"new"]


importances: st.SearchStrategy[Importance] = st.sampled_from(["must", "latest", "may"])


@given(st.lists(st.tuples(importances, st.sampled_from(["a", "b", None]), st.integers(0, 2_000_000)), max_size=30))
def test_whatever_is_pushed_it_stays_bounded_and_loses_no_must_frame(pushes: list[tuple[Importance, str | None, int]]) -> None:
    outbox = Outbox()
    kept: list[bytes] = []
    for number, (importance, key, size) in enumerate(pushes):
        frame = str(number).encode().ljust(size, b".")
        verdict = outbox.push(frame, importance, key)
        assert outbox.pending <= OUTBOX_BYTES
        if importance == "must" and verdict is None:
            kept.append(frame)
    out = drain(outbox)
    assert [frame for frame in out if frame in kept] == kept
    numbers = [int(frame.rstrip(b".")) for frame in out]
    assert numbers == sorted(numbers)
    assert outbox.pending == 0
