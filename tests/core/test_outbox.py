"""Promise: what waits for a client is bounded; newest state wins; a prompt or a settlement is kept or the client is cut."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mirrord.core.model import Importance
from mirrord.core.outbox import Outbox
from mirrord.wire.limits import MAY_BYTES, OUTBOX_BYTES, OUTBOX_SECONDS


def drain(outbox: Outbox) -> list[bytes]:
    frames = []
    while (frame := outbox.take(0)) is not None:
        frames.append(frame)
    return frames


def test_frames_leave_in_the_order_they_came() -> None:
    outbox = Outbox()
    for frame in (b"1", b"2", b"3"):
        assert outbox.push(frame, "must", None, 0) is None
    assert drain(outbox) == [b"1", b"2", b"3"]
    assert outbox.pending == 0


def test_a_newer_state_replaces_the_waiting_one_and_goes_behind_what_came_between() -> None:
    outbox = Outbox()
    outbox.push(b"old", "latest", "status", 0)
    outbox.push(b"prompt", "must", None, 0)
    outbox.push(b"new", "latest", "status", 0)
    outbox.push(b"other", "latest", "title", 0)
    assert drain(outbox) == [b"prompt", b"new", b"other"]


def test_a_must_frame_at_the_limit_is_kept_and_one_byte_past_it_cuts_the_client() -> None:
    outbox = Outbox()
    assert outbox.push(b"x" * OUTBOX_BYTES, "must", None, 0) is None
    assert outbox.push(b"x", "must", None, 0) == "slow: pending"


def test_a_may_frame_finds_room_only_while_little_waits_and_is_counted_when_it_does_not() -> None:
    outbox = Outbox()
    assert outbox.push(b"x" * MAY_BYTES, "may", None, 0) is None
    assert outbox.dropped == 0
    assert outbox.push(b"n", "may", None, 0) is None
    assert outbox.dropped == 1
    assert outbox.push(b"prompt", "must", None, 0) is None
    assert drain(outbox) == [b"x" * MAY_BYTES, b"prompt"]


def test_a_client_that_takes_nothing_for_too_long_is_cut() -> None:
    outbox = Outbox()
    outbox.push(b"1", "must", None, 0)
    assert outbox.push(b"2", "must", None, OUTBOX_SECONDS) is None
    assert outbox.push(b"3", "may", None, OUTBOX_SECONDS + 0.1) == "slow: age"


def test_a_client_that_takes_slowly_stays_however_old_its_frames_are() -> None:
    outbox = Outbox()
    for number in range(10):
        outbox.push(str(number).encode(), "must", None, 0)
    now = 0.0
    while (frame := outbox.take(now)) is not None:
        now += OUTBOX_SECONDS - 1
        assert outbox.push(b"more", "may", None, now) is None, frame
        if now > 20 * OUTBOX_SECONDS:
            break
    outbox.push(b"x", "must", None, now)
    outbox.moved(now + OUTBOX_SECONDS)
    assert outbox.push(b"y", "must", None, now + OUTBOX_SECONDS + 1) is None


def test_waiting_for_something_to_send_is_not_slowness() -> None:
    outbox = Outbox()
    assert outbox.push(b"1", "must", None, 1_000_000) is None
    assert outbox.push(b"2", "must", None, 1_000_001) is None


def test_a_taken_state_is_not_replaced() -> None:
    outbox = Outbox()
    outbox.push(b"old", "latest", "status", 0)
    assert outbox.take(0) == b"old"
    outbox.push(b"new", "latest", "status", 0)
    assert drain(outbox) == [b"new"]


importances: st.SearchStrategy[Importance] = st.sampled_from(["must", "latest", "may"])


@given(st.lists(st.tuples(importances, st.sampled_from(["a", "b", None]), st.integers(0, 2_000_000)), max_size=30))
def test_whatever_is_pushed_it_stays_bounded_and_loses_no_must_frame(pushes: list[tuple[Importance, str | None, int]]) -> None:
    outbox = Outbox()
    kept: list[bytes] = []
    for number, (importance, key, size) in enumerate(pushes):
        frame = str(number).encode().ljust(size, b".")
        verdict = outbox.push(frame, importance, key, 0)
        assert outbox.pending <= OUTBOX_BYTES
        if importance == "must" and verdict is None:
            kept.append(frame)
    out = drain(outbox)
    assert [frame for frame in out if frame in kept] == kept
    numbers = [int(frame.rstrip(b".")) for frame in out]
    assert numbers == sorted(numbers)
    assert outbox.pending == 0
