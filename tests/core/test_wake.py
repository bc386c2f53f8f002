"""Promise: after a sleep no answer reaches a terminal before that terminal could say what became of its prompts in the sleep."""

from __future__ import annotations

import pytest

from mirrord.core import events
from mirrord.core.model import TerminalId
from mirrord.core.wake import DOUBT_SECONDS, WAITING_ANSWERS, AskLink, LinkAnswered, Woke
from mirrord.wire import messages as wire
from tests.core.playbook import Playbook, confirm, select


@pytest.fixture
def play() -> Playbook:
    """A session with two prompts, a client, and a machine that just woke."""
    made = Playbook()
    made.attach(select("p1"), confirm("p2"))
    made.connect(1)
    wake(made)
    return made


def wake(play: Playbook) -> None:
    play.other.clear()
    play.feed(Woke(at=play.at))


def asked(play: Playbook) -> list[AskLink]:
    """How the link was asked whether it is there."""
    return [command for command in play.other if isinstance(command, AskLink)]


def speaks(play: Playbook) -> None:
    """The link answers the newest question."""
    question = asked(play)[-1]
    play.feed(LinkAnswered(at=play.at, link=question.link, question=question.question))


def test_an_answer_waits_until_the_terminal_has_spoken(play: Playbook) -> None:
    assert [question.link for question in asked(play)] == [play.link]
    play.answers(1, "p1", index=1)
    assert play.forwarded == []
    speaks(play)
    assert [forward.prompt for forward in play.forwarded] == ["p1"]
    assert len(asked(play)) == 1
    assert play.core.wake_at is None


def test_an_answer_that_waits_goes_nowhere_once_its_device_is_revoked(play: Playbook) -> None:
    play.connect(2, device="lost-phone")
    play.answers(2, "p1", index=1)
    play.feed(events.DeviceForgotten(at=play.at, device="lost-phone"))
    speaks(play)
    assert play.forwarded == []


def test_an_answer_to_what_ran_out_in_the_sleep_loses_and_never_reaches_the_terminal(play: Playbook) -> None:
    play.answers(1, "p1", index=1)
    play.settles("p1", "timed_out", "none")
    speaks(play)
    assert play.forwarded == []
    result = play.result(1)
    assert (result.accepted, result.reason) == (False, "settled")
    assert len(play.got(1, wire.ExtensionUISettled)) == 1


def test_a_terminal_that_says_nothing_gets_the_answer_a_second_later(play: Playbook) -> None:
    play.answers(1, "p1", index=1)
    play.passes(round(DOUBT_SECONDS * 1000) - 10)
    assert play.forwarded == []
    play.passes(20)
    assert [forward.prompt for forward in play.forwarded] == ["p1"]
    play.answers(1, "p2", "r2", confirmed=True)
    assert [forward.prompt for forward in play.forwarded] == ["p1", "p2"]


def test_answers_go_in_the_order_in_which_they_were_given_and_a_retry_counts_once(play: Playbook) -> None:
    play.connect(2)
    play.answers(2, "p2", "r1", confirmed=False)
    play.answers(1, "p2", "r1", confirmed=True)
    play.answers(2, "p2", "r1", confirmed=False)
    play.answers(1, "p1", "r2", index=0)
    speaks(play)
    assert [(forward.prompt, forward.name) for forward in play.forwarded] == [("p2", "phone-2"), ("p1", "phone-1")]
    play.accepts()
    play.settles("p2", response=play.forwarded[0].response, winner="remote")
    assert [result.accepted for result in play.got(2, wire.ResponseResult)] == [True]


def test_when_the_link_is_lost_while_an_answer_waits_its_client_is_told(play: Playbook) -> None:
    play.answers(1, "p1", index=1)
    play.loses_link()
    assert play.result(1).reason == "detached"
    play.attach(select("p1"), confirm("p2"))
    speaks(play)
    assert play.forwarded == []
    play.answers(1, "p1", index=1)
    assert len(play.forwarded) == 1


def test_who_left_while_the_answer_waited_has_answered_all_the_same(play: Playbook) -> None:
    play.answers(1, "p1", index=1)
    play.leaves(1)
    speaks(play)
    assert [forward.prompt for forward in play.forwarded] == ["p1"]


def test_a_second_sleep_begins_anew_and_a_word_from_before_it_tells_nothing(play: Playbook) -> None:
    (first,) = asked(play)
    play.answers(1, "p1", index=1)
    play.now += 3_600_000
    wake(play)
    play.feed(LinkAnswered(at=play.at, link=first.link, question=first.question))
    play.passes(round(DOUBT_SECONDS * 1000) - 10)
    assert play.forwarded == []
    speaks(play)
    assert [forward.prompt for forward in play.forwarded] == ["p1"]


def test_more_answers_than_anybody_gives_in_a_second_do_not_wait(play: Playbook) -> None:
    for number in range(WAITING_ANSWERS):
        play.answers(1, "p1", f"r{number}", index=0)
    assert play.forwarded == []
    play.answers(1, "p2", "more", confirmed=True)
    assert [forward.prompt for forward in play.forwarded] == ["p2"]


def test_every_link_is_asked_and_then_what_was_due_is_done() -> None:
    play = Playbook()
    first = play.attach(select("p1"))
    second = play.attach(id_=TerminalId("other"))
    commands = play.feed(Woke(at=play.at))
    assert [command.link for command in commands if isinstance(command, AskLink)] == [first, second]


def test_a_word_of_a_link_that_was_not_asked_changes_nothing() -> None:
    play = Playbook()
    play.attach(select("p1"))
    word = LinkAnswered(at=play.at, link=play.link, question=1)
    assert play.feed(word) == []
    play.loses_link()
    assert play.feed(word) == []
    assert play.feed(events.TimeIs(at=play.at)) == []
