"""Promise: a link says what took effect and only then, and notices a silent peer by the time it is given."""

from __future__ import annotations

from bridge.limits import DEAD_SECONDS, HELLO_SECONDS, PING_SECONDS
from bridge.link import Closed, Link, State
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
