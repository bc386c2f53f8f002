"""Promise: nothing is settled before the terminal says so; one settlement a prompt; every answerer learns what became of its answer."""

from __future__ import annotations

import pytest

from bridge.limits import CONTENT_BYTES, KEPT_SETTLEMENTS, OPEN_PROMPTS, OPTIONS_SENT
from mirrord.core import events
from mirrord.core.abridged import TOO_LARGE
from mirrord.core.model import Prompt, PromptId, Reply
from mirrord.wire import messages as wire
from mirrord.wire.limits import CONTENTS_BYTES, PREFILL_INLINE_BYTES
from mirrord.wire.roles import Role
from tests.core.playbook import Playbook, confirm, input_, select


@pytest.fixture
def play() -> Playbook:
    """One Pi with one open select; clients 1 and 2 follow it."""
    play = Playbook()
    play.attach(select("p1"))
    play.connect(1)
    play.connect(2)
    return play


def test_a_valid_answer_is_forwarded_and_nothing_is_settled_until_the_terminal_confirms(play: Playbook) -> None:
    play.answers(1, "p1", value="banana")
    assert play.forwarded[-1].reply == Reply(index=1)
    assert not play.got(1, wire.ExtensionUISettled)
    assert not play.got(1, wire.ResponseResult)
    play.accepts(answer="banana")
    for client in (1, 2):
        settled = play.got(client, wire.ExtensionUISettled)
        assert [(each.id, each.outcome, each.winner, each.winner_name, each.answer) for each in settled] == [
            ("p1", "answered", "remote", "phone-1", "banana")
        ]
    assert play.result(1).accepted
    assert not play.got(2, wire.ResponseResult)


def test_the_terminal_wins_and_the_answer_that_was_on_its_way_is_told_so(play: Playbook) -> None:
    play.answers(1, "p1", index=0)
    play.settles("p1", "answered", "terminal", answer="cherry")
    result = play.result(1)
    assert (result.accepted, result.reason, result.winner) == (False, "settled", "terminal")
    assert result.settled == wire.Verdict(outcome="answered", winner="terminal", at=play.now - 1, answer="cherry")


def test_of_two_remotes_the_first_is_forwarded_and_the_second_is_told_who_won(play: Playbook) -> None:
    play.answers(1, "p1", index=0)
    play.answers(2, "p1", index=1)
    assert len(play.forwarded) == 1
    play.accepts(answer="apple")
    assert play.result(1).accepted
    loser = play.result(2)
    assert (loser.accepted, loser.reason, loser.winner) == (False, "settled", "remote")
    assert loser.settled is not None
    assert loser.settled.winner_name == "phone-1"


def test_when_the_terminal_rejects_the_first_answer_the_second_gets_its_turn(play: Playbook) -> None:
    play.answers(1, "p1", index=0)
    play.answers(2, "p1", index=1)

    play.feed(
        events.ResponseRejected(at=play.at, link=play.link, prompt=PromptId("p1"), response=play.forwarded[0].response, reason="invalid")
    )
    assert play.result(1).reason == "invalid"
    assert play.forwarded[-1].reply == Reply(index=1)
    play.accepts()
    assert play.result(2).accepted


def test_an_invalid_answer_is_refused_and_settles_nothing(play: Playbook) -> None:
    play.answers(1, "p1", value="mango")
    assert play.result(1).reason == "invalid"
    assert not play.forwarded
    assert play.core.sessions()[0].open_prompts == 1
    play.answers(1, "p1", value="apple")
    assert len(play.forwarded) == 1


def test_a_late_answer_learns_how_the_prompt_ended(play: Playbook) -> None:
    play.settles("p1", answer="apple")
    play.answers(2, "p1", index=0)
    assert play.result(2).settled == wire.Verdict(outcome="answered", winner="terminal", at=play.now - 2, answer="apple")
    assert not play.forwarded


def test_an_answer_to_a_prompt_that_never_was_is_unknown(play: Playbook) -> None:
    play.answers(1, "nothing", index=0)
    assert play.result(1).reason == "unknown"


def test_the_same_response_id_twice_gets_the_same_result_and_is_forwarded_once(play: Playbook) -> None:
    play.answers(1, "p1", "r9", index=0)
    play.answers(1, "p1", "r9", index=0)
    assert len(play.forwarded) == 1
    play.accepts()
    play.answers(1, "p1", "r9", index=0)
    results = play.got(1, wire.ResponseResult)
    assert len(results) == 2
    assert results[0] == results[1]


def test_a_retry_on_a_new_connection_gets_the_verdict(play: Playbook) -> None:
    play.answers(1, "p1", "r9", index=0)
    play.leaves(1)
    play.connect(3, credential="phone-1")
    play.answers(3, "p1", "r9", index=0)
    assert len(play.forwarded) == 1
    play.accepts()
    assert play.result(3).accepted


def test_two_devices_with_the_same_response_id_do_not_share_a_verdict(play: Playbook) -> None:
    play.answers(1, "p1", "same", index=0)
    play.answers(2, "p1", "same", index=1)
    play.accepts()
    assert play.result(1).accepted
    assert not play.result(2).accepted


def test_an_answer_without_a_response_id_works_as_the_contract_writes_it(play: Playbook) -> None:
    play.answers(1, "p1", None, value="apple")
    play.accepts()
    assert play.result(1).accepted


def test_after_a_daemon_restart_the_retry_of_the_winning_answer_is_told_that_it_won() -> None:
    before = Playbook()
    before.attach(select("p1"))
    before.connect(1)
    before.answers(1, "p1", "r9", index=0)
    key = before.forwarded[0].response
    after = Playbook()
    after.attach()
    after.settles("p1", "answered", "remote", response=key, answer="apple")
    after.connect(1)
    after.answers(1, "p1", "r9", index=0)
    assert after.result(1).accepted
    settled = after.result(1).settled
    assert settled is not None
    assert settled.winner_name == "phone-1"


def test_what_an_earlier_daemon_had_is_told_to_who_answers_late_and_to_nobody_else() -> None:
    play = Playbook()
    play.attach()
    play.connect(1)
    play.connect(2)
    play.settles("p1", answer="apple", again=True)
    play.answers(1, "p1", index=0)
    settled = play.result(1).settled
    assert settled is not None
    assert (settled.winner, settled.answer) == ("terminal", "apple")
    assert play.got(1, wire.ExtensionUISettled) == play.got(2, wire.ExtensionUISettled) == []


def test_what_an_earlier_daemon_had_is_told_where_it_is_still_open(play: Playbook) -> None:
    play.settles("p1", answer="apple", again=True)
    assert len(play.got(1, wire.ExtensionUISettled)) == 1


def test_cancelling_from_afar_is_an_answer_that_cancels(play: Playbook) -> None:
    play.answers(1, "p1", cancelled=True)
    assert play.forwarded[-1].reply == Reply(cancelled=True)
    play.accepts()
    assert [settled.outcome for settled in play.got(2, wire.ExtensionUISettled)] == ["cancelled"]


def test_prompts_are_listed_in_the_terminals_order(play: Playbook) -> None:
    play.opens(confirm("p2"))
    play.opens(input_("p3"))
    play.settles("p1")
    play.connect(5)
    assert [prompt.id for prompt in play.got(5, wire.Snapshot)[0].prompts] == ["p2", "p3"]


def test_a_second_settlement_of_the_same_prompt_changes_nothing(play: Playbook) -> None:
    play.settles("p1", answer="apple")
    play.settles("p1", "cancelled", "remote", response="x/y")
    assert [settled.answer for settled in play.got(1, wire.ExtensionUISettled)] == ["apple"]


def test_an_id_that_was_settled_never_opens_again(play: Playbook) -> None:
    play.settles("p1")
    play.opens(select("p1"))
    assert play.core.sessions()[0].open_prompts == 0


def test_an_observer_is_refused_and_nothing_is_forwarded(play: Playbook) -> None:
    play.connect(7, role=Role.OBSERVER)
    play.answers(7, "p1", index=0)
    assert play.result(7).reason == "forbidden"
    assert not play.forwarded


def test_a_detached_terminal_keeps_its_prompt_and_refuses_answers_with_the_reason(play: Playbook) -> None:
    play.loses_link()
    play.answers(1, "p1", index=0)
    assert play.result(1).reason == "detached"
    assert play.core.sessions()[0].open_prompts == 1
    assert play.core.sessions()[0].status.state == "detached"


def test_an_answer_in_flight_when_the_link_is_lost_goes_out_again_under_the_same_id(play: Playbook) -> None:
    play.answers(1, "p1", index=0)
    play.loses_link()
    assert not play.got(1, wire.ResponseResult)
    play.attach(select("p1"))
    assert len(play.forwarded) == 2
    assert play.forwarded[0].response == play.forwarded[1].response
    play.accepts()
    assert play.result(1).accepted


def revoked(play: Playbook, device: str) -> None:
    play.feed(events.DeviceForgotten(at=play.at, device=device))


def test_an_answer_that_waits_behind_another_goes_nowhere_once_its_device_is_revoked(play: Playbook) -> None:
    play.connect(5, device="lost-phone")
    play.connect(6, device="laptop")
    play.answers(1, "p1", index=0)
    play.answers(5, "p1", index=1)
    play.answers(6, "p1", index=2)
    revoked(play, "lost-phone")
    first = play.forwarded[-1]
    play.feed(events.ResponseRejected(at=play.at, link=play.link, prompt=first.prompt, response=first.response, reason="invalid"))
    assert [forward.reply.index for forward in play.forwarded] == [0, 2]
    play.accepts()
    assert play.result(6).accepted


def test_an_answer_whose_device_is_revoked_while_the_terminal_is_away_is_not_sent_again(play: Playbook) -> None:
    play.connect(5, device="lost-phone")
    play.answers(5, "p1", index=1)
    play.loses_link()
    revoked(play, "lost-phone")
    play.attach(select("p1"))
    assert len(play.forwarded) == 1
    play.answers(1, "p1", index=0)
    play.accepts()
    assert play.result(1).accepted


def test_an_answer_that_the_terminal_has_is_its_to_judge_though_the_device_is_revoked(play: Playbook) -> None:
    play.connect(5, device="lost-phone")
    play.answers(5, "p1", index=1)
    revoked(play, "lost-phone")
    play.answers(1, "p1", index=0)
    assert len(play.forwarded) == 1, "the next one waits for the terminal's word"
    play.accepts()
    assert not play.result(1).accepted
    assert play.got(1, wire.ExtensionUISettled)[-1].winner == "remote"


def test_a_prompt_that_is_not_told_again_is_withdrawn_and_its_answerer_told(play: Playbook) -> None:
    play.answers(1, "p1", index=0)
    play.loses_link()
    play.attach()
    settled = play.got(2, wire.ExtensionUISettled)
    assert [(each.outcome, each.winner, each.reason) for each in settled] == [("withdrawn", "none", "lost")]
    assert not play.result(1).accepted


def test_a_dead_process_withdraws_its_prompts(play: Playbook) -> None:
    play.loses_link(alive=False)
    assert [(each.outcome, each.reason) for each in play.got(1, wire.ExtensionUISettled)] == [("withdrawn", "gone")]
    assert play.core.sessions()[0].status.state == "ended"


def editor(id_: str, prefill: str) -> Prompt:
    """An open editor."""
    return Prompt(id=PromptId(id_), method="editor", title="Edit", opened_at=1, prefill=prefill)


def test_texts_that_can_be_fetched_are_bounded_and_the_one_past_the_limit_is_edited_at_the_terminal() -> None:
    play = Playbook()
    play.attach()
    play.connect(1)
    whole = "x" * CONTENT_BYTES
    for number in range(CONTENTS_BYTES // CONTENT_BYTES):
        play.opens(editor(f"e{number}", whole))
    play.opens(editor("past", "y" * (PREFILL_INLINE_BYTES + 1)))
    play.opens(editor("short", "z" * PREFILL_INLINE_BYTES))
    told = {each.id: each for each in play.got(1, wire.ExtensionUIRequest)}
    assert (told["e3"].prefill_parts is None, told["e3"].terminal_only) == (False, None)
    assert told["past"].terminal_only == TOO_LARGE
    assert told["past"].prefill_parts is None
    assert not told["short"].terminal_only
    play.answers(1, "past", value="y")
    assert play.result(1).reason == "terminal_only"
    assert CONTENTS_BYTES <= play.core.held()["prompts"] < CONTENTS_BYTES + 2 * PREFILL_INLINE_BYTES
    play.settles("e0")
    play.opens(editor("later", whole))
    assert not play.got(1, wire.ExtensionUIRequest)[-1].terminal_only, "there is room again"


def test_of_options_that_find_no_room_the_first_page_stays_and_the_others_are_chosen_by_number() -> None:
    play = Playbook()
    play.attach()
    play.connect(1)
    for number in range(CONTENTS_BYTES // CONTENT_BYTES):
        play.opens(editor(f"e{number}", "x" * CONTENT_BYTES))
    options = tuple(f"option {number}" for number in range(OPTIONS_SENT + 9))
    play.opens(select("many", options))
    asked = play.got(1, wire.ExtensionUIRequest)[-1]
    assert (asked.options, asked.option_count, asked.terminal_only) == (options[:OPTIONS_SENT], OPTIONS_SENT + 9, None)
    play.answers(1, "many", index=OPTIONS_SENT + 5)
    assert play.forwarded[-1].reply.index == OPTIONS_SENT + 5


def test_open_prompts_are_bounded_and_one_past_the_limit_is_not_offered() -> None:
    play = Playbook()
    play.attach()
    for number in range(OPEN_PROMPTS + 1):
        play.opens(select(f"p{number}"))
    assert play.core.sessions()[0].open_prompts == OPEN_PROMPTS
    play.settles("p0")
    play.opens(select("later"))
    assert play.core.sessions()[0].open_prompts == OPEN_PROMPTS


def test_the_last_settlements_are_remembered_and_older_ones_are_unknown() -> None:
    play = Playbook()
    play.attach()
    play.connect(1)
    for number in range(KEPT_SETTLEMENTS + 1):
        play.opens(select(f"p{number}"))
        play.settles(f"p{number}")
    play.answers(1, "p1", "a", index=0)
    assert play.result(1).reason == "settled"
    play.answers(1, "p0", "b", index=0)
    assert play.result(1).reason == "unknown"
