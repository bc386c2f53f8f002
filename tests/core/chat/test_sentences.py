"""Promise: sentences of the native chat contract about single fields hold for every client, whoever was there when the field changed."""

from __future__ import annotations

import pytest

from mirrord.core.chat import events
from mirrord.wire import chat as wire
from mirrord.wire import messages
from tests.core.chat.talk import Talk, row
from tests.core.playbook import PI


@pytest.fixture
def talk() -> Talk:
    made = Talk()
    made.linked(row("e1", "Plan", "user", entry_id="e1"))
    made.follows(1)
    return made


def test_queue_steering_unavailable_reason_is_cleared_with_an_explicit_null(talk: Talk) -> None:
    talk.agent(idle=False, refuses={"steer": "This Pi cannot be steered from afar."})
    assert talk.views[1].fields["queueSteeringUnavailableReason"] == "This Pi cannot be steered from afar."
    talk.agent(idle=False)
    last = talk.got(1, wire.ChatEvent)[-1]
    assert last.snapshot is not None
    assert last.snapshot.queue_steering_unavailable_reason is None
    assert talk.views[1].fields["queueSteeringUnavailableReason"] is None


def test_a_read_only_queue_disables_neither_messages_nor_answers_nor_stop(talk: Talk) -> None:
    talk.agent(idle=False)
    assert talk.views[1].fields["queueReadOnly"] is True
    assert talk.views[1].fields["readOnly"] is False
    talk.submits(1, "t1", kind="follow_up")
    assert [kept.receipt.client_turn_id for kept in talk.kept] == ["t1"], "it is on its way to Pi"
    talk.says(1, messages.Command(request_id="9", name="stop_turn", args={"sessionId": PI}))
    assert talk.views[1].fields["stopping"]["by"]


def test_the_queue_is_told_whole_with_kind_and_position_and_emptied_with_an_empty_list(talk: Talk) -> None:
    waiting = (wire.QueuedFollowUp("steer", 0, "north"), wire.QueuedFollowUp("follow_up", 1, "then the roses"))
    talk.tells(events.QueueTold, items=waiting)
    assert talk.views[1].fields["queuedFollowUps"] == [
        {"kind": "steer", "position": 0, "text": "north"},
        {"kind": "follow_up", "position": 1, "text": "then the roses"},
    ]
    talk.tells(events.QueueTold, items=())
    assert talk.views[1].fields["queuedFollowUps"] == []


def test_a_completed_reply_stays_while_later_work_runs(talk: Talk) -> None:
    talk.row(row("e2", "I plant."), "e1")
    talk.row(row("live:3", "And", state="streaming"), "e2")
    before = talk.views[1].messages[1]
    talk.grows("live:3", 3, " roses")
    assert talk.views[1].messages[1] is before


def test_a_single_large_message_reaches_a_client_whole(talk: Talk) -> None:
    long = "tulips 🌷\n" * 20_000
    talk.row(row("e2", long), "e1")
    assert talk.shows(1)[-1] == long
    assert len(talk.got(1, wire.ChatFrame)) > 2, "in pieces"
    assert talk.views[1].error is None


def test_consecutive_sends_of_the_same_text_keep_separate_identities(talk: Talk) -> None:
    for turn in ("t1", "t2"):
        talk.submits(1, turn, "Again")
        talk.row(row(f"live:{turn}", "Again", "user", client_turn_id=turn), talk.views[1].messages[-1]["id"])
    keys = talk.views[1].keys
    assert len(set(keys)) == len(keys) == 3
    talk.tells(events.RowConfirmed, id="live:t2", entry_id="e9")
    assert talk.views[1].keys == keys
    assert [message.get("clientTurnId") for message in talk.views[1].messages] == [None, "t1", "t2"]
