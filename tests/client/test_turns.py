"""Promise: what is sent into a conversation goes out under one id until it has a receipt; what failed keeps its text."""

from __future__ import annotations

from typing import get_args

import pytest

from mirrord.client.pending import RETRY_SECONDS
from mirrord.client.turns import KEPT_TURNS, Kept, Turn, Turns, turn
from mirrord.wire import chat as wire

SESSION = "1-1"


def standing() -> Turns:
    turns = Turns()
    turns.back(0.0)
    return turns


def receipt(of: Turn, stage: wire.Stage, code: wire.ReceiptCode | None = None) -> wire.Receipt:
    return wire.Receipt(session_id=SESSION, client_turn_id=of.id, stage=stage, at=1, code=code)


def given(turns: Turns, text: str = "Plant tulips") -> Turn:
    new = turn(SESSION, "prompt", text)
    assert turns.give(new, 0.0)
    return new


def test_a_short_text_is_one_frame_and_a_long_one_pieces_under_its_id() -> None:
    assert [type(frame) for frame in turn(SESSION, "steer", "north").frames] == [wire.ChatAction]
    long = turn(SESSION, "prompt", "ü" * 300_000)
    *pieces, action = long.frames
    assert isinstance(action, wire.ChatAction)
    assert (action.text, action.parts) == (None, len(pieces))
    assert {piece.response_id for piece in long.pieces} == {long.id}
    assert "".join(piece.text for piece in long.pieces) == long.text


def test_without_a_receipt_it_goes_out_again_and_is_told_once() -> None:
    turns = standing()
    new = given(turns)
    assert turns.tick(RETRY_SECONDS - 0.1) == ([], [])
    assert turns.tick(RETRY_SECONDS) == ([new], [new])
    assert turns.tick(2 * RETRY_SECONDS) == ([new], [])
    turns.receipt(receipt(new, "accepted"))
    assert turns.next_at is None
    assert turns.tick(9 * RETRY_SECONDS) == ([], [])


@pytest.mark.parametrize("kind", get_args(wire.SubmitKind))
def test_what_pi_may_still_refuse_waits_for_its_word(kind: wire.SubmitKind) -> None:
    turns = standing()
    new = turn(SESSION, kind, "Plant")
    turns.give(new, 0.0)
    assert turns.waiting == 1
    turns.receipt(receipt(new, "accepted"))
    assert turns.waiting == (kind in ("prompt", "steer", "follow_up")), "a command runs by then"
    turns.receipt(receipt(new, "queued"))
    assert turns.waiting == 0


def test_a_new_connection_gets_everything_that_is_not_over_under_the_same_id() -> None:
    turns = standing()
    silent, queued, done = given(turns), given(turns), given(turns)
    turns.receipt(receipt(queued, "queued"))
    turns.receipt(receipt(done, "consumed"))
    turns.lost()
    assert turns.back(1.0) == [silent, queued]


def test_while_no_connection_stands_nothing_is_sent_and_the_text_is_kept() -> None:
    turns = Turns()
    new = turn(SESSION, "prompt", "Plant")
    assert not turns.give(new, 0.0)
    assert turns.kept == {new.id: Kept(new, "rejected", "detached")}
    assert turns.retry() == new, "the daemon never heard of it"


@pytest.mark.parametrize("code", ["detached", "busy", "store"])
def test_a_rejection_of_which_nothing_was_kept_is_tried_under_the_same_id(code: wire.ReceiptCode) -> None:
    turns = standing()
    new = given(turns)
    turns.receipt(receipt(new, "rejected", code))
    assert turns.retry() == new


def test_any_other_rejection_is_tried_under_a_new_id_and_perhaps_as_another_kind() -> None:
    turns = standing()
    new = given(turns, "north first")
    turns.receipt(receipt(new, "rejected", "refused"))
    again = turns.retry("steer")
    assert again is not None
    assert again.id != new.id
    assert (again.action.kind, again.text) == ("steer", "north first")


def test_what_may_have_acted_keeps_its_id_and_its_kind() -> None:
    turns = standing()
    new = given(turns)
    turns.receipt(receipt(new, "unknown"))
    assert turns.retry("steer") == new


def test_what_was_unknown_may_turn_out_to_have_been_taken() -> None:
    turns = standing()
    new = given(turns)
    turns.receipt(receipt(new, "unknown"))
    assert turns.receipt(receipt(new, "queued")) == new
    assert turns.kept == {}
    assert turns.receipt(receipt(new, "consumed")) == new
    assert turns.receipt(receipt(new, "consumed")) is None, "it is over"


def test_the_same_stage_told_again_is_no_news() -> None:
    turns = standing()
    new = given(turns)
    assert turns.receipt(receipt(new, "accepted")) == new
    assert turns.receipt(receipt(new, "accepted")) is None
    assert turns.receipt(receipt(turn(SESSION, "prompt", "another's"), "accepted")) is None


def test_giving_up_says_so_to_the_daemon_only_where_it_may_have_acted() -> None:
    turns = standing()
    assert turns.discard() is None
    refused = given(turns)
    turns.receipt(receipt(refused, "rejected", "refused"))
    assert turns.discard() is True
    assert turns.kept == {}
    unknown = given(turns)
    turns.receipt(receipt(unknown, "unknown"))
    assert turns.discard() == wire.ChatAction(session_id=SESSION, client_turn_id=unknown.id, action="discard")
    assert unknown.id in turns.kept, "until the daemon says so"
    assert turns.receipt(receipt(unknown, "unknown", "discarded")) == unknown
    assert turns.kept == {}


def test_failed_texts_are_kept_up_to_a_bound_the_oldest_go() -> None:
    turns = standing()
    all_ = [given(turns, str(number)) for number in range(KEPT_TURNS + 1)]
    for each in all_:
        turns.receipt(receipt(each, "rejected", "refused"))
    assert list(turns.kept) == [each.id for each in all_[1:]]


def test_a_text_is_in_no_repr() -> None:
    assert "tulips" not in repr(turn(SESSION, "prompt", "tulips"))
