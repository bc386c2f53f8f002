"""Promise: a link says what took effect and only then, and notices a silent peer by the time it is given."""

from __future__ import annotations

from bridge.limits import DEAD_SECONDS, HELLO_SECONDS, PING_SECONDS
from bridge.link import Answered, Closed, Link, State, Taken
from bridge.messages import (
    Ack,
    FromDaemon,
    Ping,
    Pong,
    ResyncBegin,
    ResyncEnd,
    Title,
)
from tests.bridge.linking import DAEMON, START, give, ready, said

# ---- acknowledgements ------------------------------------------------------------------------------------------------


def test_nothing_is_acknowledged_before_it_took_effect() -> None:
    link = ready()
    give(link, ResyncBegin(seq=2), Title(seq=3, title="x"), ResyncEnd(seq=4))
    assert said(link) == []
    link.acknowledge()
    assert said(link) == [Ack(seq=2, up_to=4)]


def test_an_acknowledgement_is_said_once_and_covers_everything_before_it() -> None:
    link = ready()
    link.acknowledge()
    link.acknowledge()
    assert said(link) == [Ack(seq=2, up_to=1)]
    give(link, Title(seq=2, title="x"), Title(seq=3, title="y"))
    link.acknowledge()
    assert said(link) == [Ack(seq=3, up_to=3)]


# ---- liveness --------------------------------------------------------------------------------------------------------


def test_a_peer_that_never_says_hello_is_closed_at_the_deadline_and_not_before() -> None:
    link = Link(DAEMON, START)
    assert link.deadline == START + HELLO_SECONDS
    assert link.tick(START + HELLO_SECONDS - 0.001) is None
    expired = link.tick(START + HELLO_SECONDS)
    assert expired is not None
    assert expired.why == "expired"
    assert link.state is State.CLOSED


def test_bytes_that_are_no_message_yet_do_not_put_the_deadline_off() -> None:
    link = Link(DAEMON, START)
    link.receive(b'{"type"', START + 4, 1)
    assert link.tick(START + HELLO_SECONDS) is not None


def test_a_silent_peer_is_pinged_twice_and_then_given_up() -> None:
    link = ready()
    pings: list[tuple[float, FromDaemon]] = []
    for tenths in range(round(DEAD_SECONDS * 10)):
        now = START + tenths / 10
        assert link.tick(now) is None
        pings += [(now - START, message) for message in said(link)]
    assert pings == [(PING_SECONDS, Ping(seq=2, n=1)), (2 * PING_SECONDS, Ping(seq=3, n=2))]
    expired = link.tick(START + DEAD_SECONDS)
    assert expired is not None
    assert expired.why == "expired"


def test_any_message_keeps_a_link_alive() -> None:
    link = ready()
    now = START
    for seq in range(2, 12):
        now += PING_SECONDS - 0.1
        assert link.tick(now) is None
        give(link, Title(seq=seq, title="x"), now=now)
    assert said(link) == []
    give(link, Pong(seq=12, n=1), now=now + DEAD_SECONDS - 0.1)
    assert link.tick(now + DEAD_SECONDS) is None


def test_the_deadline_is_when_a_tick_has_something_to_do() -> None:
    link = ready()
    for _ in range(2):
        deadline = link.deadline
        assert deadline is not None
        assert link.tick(deadline - 0.001) is None
        assert said(link) == []
        assert link.tick(deadline) is None
        assert [type(message) for message in said(link)] == [Ping]
    assert link.deadline == START + DEAD_SECONDS


def test_a_ping_is_answered_with_its_number_and_shown_to_nobody() -> None:
    link = ready()
    assert give(link, Ping(seq=2, n=42), Pong(seq=3, n=1)) == []
    assert said(link) == [Pong(seq=2, n=42)]


# ---- the end ---------------------------------------------------------------------------------------------------------


def test_the_peer_closes_between_two_lines_or_within_one() -> None:
    link = ready()
    assert link.end() == Closed("ended", "")
    link = ready()
    link.receive(b'{"type":"pi', START, 1)
    assert link.end() == Closed("ended", "in the middle of a line")


# ---- a link that is asked --------------------------------------------------------------------------------------------


def test_a_link_that_is_asked_tells_the_answer_after_everything_that_was_said_before_it() -> None:
    link = ready()
    link.ask(7, START)
    assert said(link) == [Ping(seq=2, n=1)]
    title = Title(seq=2, title="x")
    assert give(link, title, Pong(seq=3, n=1)) == [Taken(title), Answered(7)]
    assert give(link, Pong(seq=4, n=1)) == []


def test_the_answer_to_an_ordinary_ping_is_not_told_and_a_second_question_takes_the_place_of_the_first() -> None:
    link = ready()
    link.tick(START + PING_SECONDS)
    link.ask(1, START + PING_SECONDS)
    link.ask(2, START + PING_SECONDS)
    assert said(link) == [Ping(seq=2, n=1), Ping(seq=3, n=2), Ping(seq=4, n=3)]
    answers = [give(link, Pong(seq=1 + n, n=n), now=START + PING_SECONDS + 1) for n in (1, 2, 3)]
    assert answers == [[], [], [Answered(2)]]


def test_a_link_that_is_asked_and_says_nothing_is_given_up_as_any_silent_one() -> None:
    link = ready()
    link.ask(1, START)
    assert link.unanswered(START + 3) == 0.0
    link.ask(2, START + 1)
    assert link.unanswered(START + 3) == 2.0
    assert link.tick(START + DEAD_SECONDS) is not None
