"""Promise: whoever sends is told what became of it, with the reason, and nothing goes to a terminal that cannot take it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bridge.limits import CONTENT_BYTES
from mirrord.core import events as core_events
from mirrord.core.chat import events
from mirrord.core.chat.conversation import ENDED
from mirrord.core.chat.turns import LINK_SECONDS, PENDING_TURNS, REMEMBERED_TURNS, UNDONE
from mirrord.core.core import Core
from mirrord.core.model import ClientId
from mirrord.core.receipts import EarlierSeen, Receipt, ReceiptKept, Receipts, ReceiptsLoaded, Stage
from mirrord.wire import chat as wire
from mirrord.wire import messages
from mirrord.wire.roles import Role
from tests.core.chat.talk import Talk, row
from tests.core.playbook import PI


@pytest.fixture
def talk() -> Talk:
    made = Talk()
    made.linked()
    made.follows(1, credential="ada")
    return made


def kept(talk: Talk, error: str | None = None) -> None:
    """The disk takes what waits, or does not."""
    waiting, talk.kept = talk.kept, []
    for command in waiting:
        talk.feed(ReceiptKept(at=talk.at, receipt=command.receipt, error=error))


def rules(talk: Talk, turn: str, stage: wire.Stage, reason: str | None = None, row_id: str | None = None) -> None:
    talk.tells(events.TurnRuled, turn=turn, stage=stage, reason=reason, row_id=row_id)


def last(talk: Talk, turn: str = "t1", client: int = 1) -> tuple[str, str | None]:
    receipt = talk.receipts(client, turn)[-1]
    return receipt.stage, receipt.code


def test_a_message_goes_to_pi_once_it_is_on_disk_and_its_way_is_told(talk: Talk) -> None:
    talk.submits(1, "t1", "Plant tulips", kind="steer", literal=True)
    assert (talk.turns, talk.receipts(1, "t1")) == ([], [])
    kept(talk)
    (forward,) = talk.turns
    assert (forward.turn, forward.kind, forward.text, forward.literal, forward.name) == ("t1", "steer", "Plant tulips", True, "ada")
    for stage, row_id in (("accepted", None), ("queued", None), ("consumed", "e5")):
        rules(talk, "t1", stage, row_id=row_id)  # type: ignore[arg-type]
    assert [(receipt.stage, receipt.row_id) for receipt in talk.receipts(1, "t1")] == [
        ("accepted", None),
        ("queued", None),
        ("consumed", "e5"),
    ]


def test_a_stage_that_is_told_late_changes_nothing(talk: Talk) -> None:
    talk.submits(1, "t1")
    kept(talk)
    for stage in ("queued", "accepted", "consumed", "rejected", "queued"):
        rules(talk, "t1", stage)
    assert [receipt.stage for receipt in talk.receipts(1, "t1")] == ["queued", "consumed"]


def test_pi_says_no_in_its_own_words(talk: Talk) -> None:
    talk.submits(1, "t1", "/model", kind="command")
    kept(talk)
    rules(talk, "t1", "rejected", "/model works at the terminal only.")
    assert talk.receipts(1, "t1")[-1].reason == "/model works at the terminal only."
    talk.submits(1, "t1", "/model", kind="command")
    assert (last(talk), len(talk.turns)) == (("rejected", "refused"), 1)


def test_a_disk_that_is_full_rejects_it_and_the_same_id_may_be_tried_again(talk: Talk) -> None:
    talk.submits(1, "t1")
    kept(talk, "Make room.")
    assert (last(talk), talk.receipts(1, "t1")[-1].reason, talk.turns) == (("rejected", "store"), "Make room.", [])
    talk.kept.clear()
    talk.submits(1, "t1")
    kept(talk)
    assert [forward.turn for forward in talk.turns] == ["t1"]


def test_sent_twice_it_goes_out_once_and_both_are_told(talk: Talk) -> None:
    talk.submits(1, "t1")
    talk.follows(2, credential="ada")
    talk.submits(2, "t1")
    kept(talk)
    talk.submits(2, "t1")
    rules(talk, "t1", "accepted")
    assert len(talk.turns) == 1
    assert last(talk) == last(talk, client=2) == ("accepted", None)
    talk.submits(2, "t1")
    assert (len(talk.turns), last(talk, client=2)) == (1, ("accepted", None))


@pytest.mark.parametrize("again", [{"text": "Other"}, {"kind": "steer"}, {"literal": True}])
def test_another_message_under_a_used_id_goes_nowhere(talk: Talk, again: dict[str, object]) -> None:
    talk.submits(1, "t1")
    kept(talk)
    talk.submits(1, "t1", **again)  # type: ignore[arg-type]
    assert (len(talk.turns), last(talk)) == (1, ("rejected", "other_session"))
    rules(talk, "t1", "accepted")
    assert last(talk) == ("accepted", None), "the first one is not touched by that"


def test_an_id_of_another_session_goes_nowhere(talk: Talk) -> None:
    loaded = Receipt("t1", "ada", "other-1", "prompt", b"d", "consumed", 1)
    talk.core.begin(ReceiptsLoaded(key=b"k", receipts=(loaded,)))
    talk.submits(1, "t1")
    assert last(talk) == ("rejected", "other_session")
    talk.says(1, wire.ChatAction(session_id=PI, client_turn_id="t1", action="discard"))
    assert (last(talk), talk.kept) == (("rejected", "other_session"), [])


@pytest.mark.parametrize("turn", ["", "x" * 129, "a b", "ü", "a\n"])
def test_an_id_that_is_none_is_refused(talk: Talk, turn: str) -> None:
    talk.submits(1, turn)
    assert talk.got(1, wire.Receipt)[-1].code == "invalid"
    assert len(talk.got(1, wire.Receipt)[-1].client_turn_id) <= 128
    assert talk.kept == []


@pytest.mark.parametrize(
    ("text", "session", "code"),
    [
        ("", PI, "invalid"),
        (" \n", PI, "invalid"),
        (None, PI, "invalid"),
        ("x" * (CONTENT_BYTES + 1), PI, "invalid"),
        ("x", "nowhere", "unknown_session"),
    ],
)
def test_what_cannot_be_sent_is_rejected_and_nothing_is_kept(talk: Talk, text: str | None, session: str, code: str) -> None:
    talk.says(1, wire.ChatAction(session_id=session, client_turn_id="t1", action="submit", text=text))
    assert (last(talk), talk.kept, talk.turns) == (("rejected", code), [], [])
    assert talk.receipts(1, "t1")[-1].reason is not None


def test_a_text_of_exactly_the_limit_is_sent(talk: Talk) -> None:
    talk.submits(1, "t1", "x" * CONTENT_BYTES)
    kept(talk)
    assert len(talk.turns[0].text) == CONTENT_BYTES


def test_a_long_text_comes_in_pieces_and_goes_whole(talk: Talk) -> None:
    for part, text in enumerate(("Plant ", "tulips")):
        talk.says(1, messages.ContentPart(response_id="t1", part=part, parts=2, text=text))
    talk.submits(1, "t1", None, parts=2)
    kept(talk)
    assert talk.turns[0].text == "Plant tulips"
    talk.submits(1, "t2", None, parts=2)
    assert last(talk, "t2") == ("rejected", "invalid")
    talk.submits(1, "t1", None, parts=2)
    assert len(talk.turns) == 1, "a retry whose pieces were lost asks what became of it"


@pytest.mark.parametrize(("alive", "code"), [(True, "detached"), (False, "ended")])
def test_without_a_terminal_it_is_rejected(talk: Talk, alive: bool, code: str) -> None:
    talk.loses_link(alive=alive)
    talk.submits(1, "t1")
    assert (last(talk), talk.kept) == (("rejected", code), [])


def test_an_extension_without_conversations_takes_nothing(talk: Talk) -> None:
    talk.links(capabilities=())
    talk.submits(1, "t1")
    assert last(talk) == ("rejected", "unsupported")


def test_what_this_pi_cannot_do_is_refused_with_its_reason(talk: Talk) -> None:
    talk.agent(refuses={"command": "This Pi cannot run slash commands from afar."})
    talk.submits(1, "t1", "/compact", kind="command")
    assert talk.receipts(1, "t1")[-1].reason == "This Pi cannot run slash commands from afar."


def test_an_observer_sends_nothing(talk: Talk) -> None:
    talk.connect(9, role=Role.OBSERVER, follow=None)
    talk.submits(9, "t1")
    assert (last(talk, client=9), talk.kept) == (("rejected", "forbidden"), [])


def test_a_link_that_breaks_makes_it_unknown_and_the_next_one_settles_that(talk: Talk) -> None:
    talk.submits(1, "t1")
    kept(talk)
    talk.loses_link()
    assert last(talk) == ("unknown", None)
    talk.linked()
    assert [forward.turn for forward in talk.turns] == ["t1", "t1"], "under the same id, so that it acts once"
    rules(talk, "t1", "accepted")
    assert last(talk) == ("accepted", None)


def test_what_the_extension_remembers_is_not_sent_again(talk: Talk) -> None:
    talk.submits(1, "t1")
    kept(talk)
    talk.loses_link()
    talk.links()
    rules(talk, "t1", "queued")
    talk.feed(events.ChatReady(at=talk.at, link=talk.link))
    assert (len(talk.turns), last(talk)) == (1, ("queued", None))


def test_a_daemon_that_starts_again_asks_pi_by_sending_the_retry_under_the_same_id(talk: Talk) -> None:
    talk.submits(1, "t1")
    disk = talk.kept[0].receipt
    later = Talk(core=Core(messages.ServerInfo("mirrord", "0", "run2"), "run2"))
    later.core.begin(ReceiptsLoaded(key=b"", receipts=(disk,)))
    later.linked()
    later.follows(1, credential="ada")
    later.submits(1, "t1")
    assert [forward.turn for forward in later.turns] == ["t1"]
    assert later.kept == []
    rules(later, "t1", "accepted")
    assert last(later) == ("accepted", None)


def test_one_that_pi_may_have_forgotten_is_never_sent_again(talk: Talk) -> None:
    talk.submits(1, "t1")
    first = talk.kept[0].receipt
    newer = tuple(replace(first, client_turn_id=f"n{number}", stage="consumed", at=first.at + 1) for number in range(REMEMBERED_TURNS))
    later = Talk()
    later.core.begin(ReceiptsLoaded(key=b"", receipts=(first, *newer)))
    later.linked()
    later.follows(1)
    for _ in range(2):
        later.submits(1, "t1")
        assert (last(later), later.turns) == (("unknown", "forgotten"), [])


def test_a_pi_that_quits_leaves_unknown_what_it_had_and_rejects_what_it_never_got(talk: Talk) -> None:
    talk.submits(1, "t1")
    kept(talk)
    talk.submits(1, "t2")
    talk.loses_link(alive=False)
    assert (last(talk, "t1"), last(talk, "t2")) == (("unknown", None), ("rejected", "ended"))


# ---- a Pi of an earlier daemon ---------------------------------------------------------------------------------------


def after_a_restart(stage: Stage, *, running: bool) -> Talk:
    """A daemon that finds a turn in this stage on disk, and looks whether its Pi runs; a client asks what became of it."""
    talk = Talk()
    digest = Receipts(key=b"k").digest(["Plant tulips", False, False])
    receipt = Receipt("t1", "ada", PI, "prompt", digest, stage, 1, row_id="e5" if stage == "consumed" else None)
    talk.core.begin(ReceiptsLoaded(key=b"k", receipts=(receipt,)))
    talk.feed(EarlierSeen(at=talk.at, running=frozenset((PI,) if running else ())))
    talk.connect(1, credential="ada", follow=None)
    assert asked(talk) == stage
    return talk


def asked(talk: Talk) -> str:
    """What the daemon says of it to who asks."""
    talk.says(1, messages.Command(request_id="1", name="chat_receipts", args={"sessionId": PI, "clientTurnIds": ["t1"]}))
    (said,) = talk.got(1, messages.CommandResult)[-1].data["receipts"]
    return str(said["stage"])


@pytest.mark.parametrize("stage", ["accepted", "queued"])
def test_what_a_pi_had_that_quit_while_no_daemon_ran_is_unknown_once_it_had_time_to_come(stage: Stage) -> None:
    talk = after_a_restart(stage, running=False)
    talk.passes(LINK_SECONDS - 1)
    assert (asked(talk), talk.kept) == (stage, [])
    talk.passes(1)
    (receipt,) = talk.receipts(1, "t1")
    assert (receipt.stage, receipt.code, receipt.reason) == ("unknown", None, UNDONE)
    assert [command.receipt.stage for command in talk.kept] == ["unknown"], "the next daemon knows it from the disk"
    assert (asked(talk), talk.core.wake_at) == ("unknown", None)
    talk.submits(1, "t1")
    assert last(talk) == ("unknown", None)
    talk.says(1, wire.ChatAction(session_id=PI, client_turn_id="t1", action="discard"))
    assert last(talk) == ("unknown", "discarded")


@pytest.mark.parametrize("stage", ["accepted", "queued"])
def test_what_a_pi_has_that_runs_and_is_not_linked_is_under_way_until_it_quits(stage: Stage) -> None:
    talk = after_a_restart(stage, running=True)
    assert talk.core.wake_at is None
    talk.passes(3600)
    assert asked(talk) == stage
    talk.feed(core_events.ProcessGone(at=talk.at, terminal=PI))
    assert ([command.receipt.stage for command in talk.kept], talk.receipts(1, "t1")[-1].reason) == (["unknown"], UNDONE)


@pytest.mark.parametrize("stage", ["unknown", "consumed", "rejected"])
def test_what_was_ruled_on_before_a_restart_stays_so(stage: Stage) -> None:
    talk = after_a_restart(stage, running=False)
    assert talk.core.wake_at is None
    talk.feed(core_events.ProcessGone(at=talk.at, terminal=PI))
    assert (asked(talk), talk.kept) == (stage, [])


@pytest.mark.parametrize("late", [False, True])
def test_a_pi_that_comes_tells_what_became_of_its_turns_however_late(late: bool) -> None:
    talk = after_a_restart("queued", running=False)
    talk.passes(LINK_SECONDS + 60 if late else 5)
    assert asked(talk) == ("unknown" if late else "queued")
    talk.linked()
    talk.passes(LINK_SECONDS)
    rules(talk, "t1", "consumed", row_id="e5")
    assert (last(talk), asked(talk)) == (("consumed", None), "consumed")
    talk.loses_link(alive=False)
    assert asked(talk) == "consumed"


def test_a_pi_that_is_linked_before_it_was_looked_for_has_all_the_time_it_needs() -> None:
    talk = Talk()
    talk.core.begin(ReceiptsLoaded(key=b"k", receipts=(Receipt("t1", "ada", PI, "prompt", b"d", "queued", 1),)))
    talk.linked()
    talk.feed(EarlierSeen(at=talk.at, running=frozenset()))
    talk.passes(2 * LINK_SECONDS)
    assert talk.kept == []


def test_who_asks_over_a_new_connection_what_became_of_a_turn_is_told_the_rest_too(talk: Talk) -> None:
    talk.submits(1, "t1")
    kept(talk)
    rules(talk, "t1", "queued")
    talk.leaves(1)
    talk.connect(2, credential="ada", follow=None)
    talk.says(2, messages.Command(request_id="1", name="chat_receipts", args={"sessionId": PI, "clientTurnIds": ["t1", "t2"]}))
    assert talk.receipts(2, "t1") == []
    talk.loses_link(alive=False)
    assert last(talk, client=2) == ("unknown", None)


# ---- given up --------------------------------------------------------------------------------------------------------


def test_what_is_given_up_is_not_tried_again_and_a_late_word_of_pi_still_counts(talk: Talk) -> None:
    talk.submits(1, "t1")
    kept(talk)
    talk.loses_link()
    talk.says(1, wire.ChatAction(session_id=PI, client_turn_id="t1", action="discard"))
    assert last(talk) == ("unknown", "discarded")
    talk.linked()
    assert len(talk.turns) == 1
    talk.submits(1, "t1")
    assert (len(talk.turns), last(talk)) == (1, ("unknown", "discarded"))
    rules(talk, "t1", "consumed", row_id="e5")
    assert last(talk) == ("consumed", None)


def test_given_up_before_it_came_it_never_acts(talk: Talk) -> None:
    talk.says(1, wire.ChatAction(session_id=PI, client_turn_id="t1", action="discard"))
    talk.submits(1, "t1")
    kept(talk)
    assert (last(talk), talk.turns) == (("rejected", "discarded"), [])


def test_what_was_taken_cannot_be_given_up(talk: Talk) -> None:
    talk.submits(1, "t1")
    kept(talk)
    rules(talk, "t1", "accepted")
    talk.says(1, wire.ChatAction(session_id=PI, client_turn_id="t1", action="discard"))
    assert last(talk) == ("accepted", None)


def test_no_more_waits_for_a_terminal_than_it_may(talk: Talk) -> None:
    for number in range(PENDING_TURNS + 1):
        talk.submits(1, f"n{number}")
    assert last(talk, f"n{PENDING_TURNS}") == ("rejected", "busy")
    big = Talk()
    big.linked()
    big.follows(1)
    for number in range(5):
        big.submits(1, f"n{number}", "x" * CONTENT_BYTES)
    assert last(big, "n4") == ("rejected", "busy")


def test_a_ruling_on_what_nobody_sent_is_ignored(talk: Talk) -> None:
    rules(talk, "t1", "consumed")
    assert (talk.got(1, wire.Receipt), talk.kept) == ([], [])


def test_receipts_can_be_asked_for(talk: Talk) -> None:
    talk.submits(1, "t1")
    kept(talk)
    rules(talk, "t1", "consumed", row_id="e5")
    talk.submits(1, "t2")
    args = {"sessionId": PI, "clientTurnIds": ["t1", "t2", "never"]}
    talk.says(1, messages.Command(request_id="1", name="chat_receipts", args=args))
    (result,) = talk.got(1, messages.CommandResult)
    stages = [(receipt["clientTurnId"], receipt["stage"], receipt.get("rowId")) for receipt in result.data["receipts"]]
    assert stages == [("t1", "consumed", "e5"), ("t2", "unknown", None)]


def test_a_pi_that_dies_leaves_unknown_what_it_had_not_done(talk: Talk) -> None:
    for turn, stage in (("t1", "accepted"), ("t2", "queued"), ("t3", "consumed")):
        talk.submits(1, turn)
        kept(talk)
        rules(talk, turn, stage)  # type: ignore[arg-type]
    talk.loses_link(alive=False)
    assert [last(talk, turn) for turn in ("t1", "t2", "t3")] == [("unknown", None), ("unknown", None), ("consumed", None)]
    assert {command.receipt.client_turn_id: command.receipt.stage for command in talk.kept} == {
        "t1": "unknown",
        "t2": "unknown",
        "t3": "consumed",
    }


def test_a_terminal_that_goes_leaves_nobody_waiting_and_nothing_streaming(talk: Talk) -> None:
    talk.row(row("live:1", "half", state="streaming"), None)
    talk.submits(1, "t1")
    kept(talk)
    talk.says(1, messages.Command(request_id="1", name="reload", args={"sessionId": PI}))
    talk.feed(core_events.TerminalGone(at=talk.at, terminal=PI))
    assert last(talk) == ("unknown", None)
    assert [result.ok for result in talk.got(1, messages.CommandResult)] == [False]
    assert [message["state"] for message in talk.views[1].messages] == ["aborted"]
    assert talk.views[1].fields["readOnlyReason"] == ENDED


def test_nothing_is_noted_of_a_session_that_is_none(talk: Talk) -> None:
    talk.says(1, wire.ChatAction(session_id="x" * 100_000, client_turn_id="t1", action="discard"))
    assert (last(talk), talk.kept) == (("rejected", "unknown_session"), [])


def test_who_went_and_what_is_over_is_remembered_for_nobody(talk: Talk) -> None:
    for number in range(3):
        talk.submits(1, f"t{number}")
        kept(talk)
        rules(talk, f"t{number}", "queued")
    talk.feed(core_events.ClientGone(at=talk.at, client=ClientId(1)))
    assert talk.core._chat.turns._watchers == {}


def test_what_waits_in_pi_says_who_sent_it_where_that_is_known(talk: Talk) -> None:
    talk.submits(1, "t1", "then the roses", kind="follow_up")
    kept(talk)
    told = [("then the roses", "t1"), ("typed there", None), ("nobody's", "t2")]
    items = tuple(wire.QueuedFollowUp("follow_up", place, text, turn) for place, (text, turn) in enumerate(told))
    talk.tells(events.QueueTold, items=items)
    queue = talk.views[1].fields["queuedFollowUps"]
    assert [(item["text"], item.get("from")) for item in queue] == [("then the roses", "ada"), ("typed there", None), ("nobody's", None)]
