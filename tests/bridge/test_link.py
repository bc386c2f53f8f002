"""Promise: a link follows docs/bridge.md whatever comes, a mistake of the peer never raises, and an illegal step changes nothing."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import msgspec
import pytest

from bridge.framing import FrameError, encode
from bridge.limits import FRAME_BYTES
from bridge.link import TRANSITIONS, Closed, IllegalStepError, Link, State, Step, Taken
from bridge.messages import (
    PROTOCOL_MAX,
    PROTOCOL_MIN,
    Ack,
    By,
    Ping,
    Pong,
    ProtocolRange,
    Refused,
    Response,
    Resync,
    ResyncBegin,
    ResyncEnd,
    Status,
    Title,
    Welcome,
)
from tests.bridge.linking import DAEMON, HELLO, START, give, ready, said


def closed() -> Link:
    """A link that we closed."""
    link = Link(DAEMON, START)
    link.close()
    return link


# ---- the machine -----------------------------------------------------------------------------------------------------


STATES: dict[State, Callable[[], Link]] = {State.WAIT_HELLO: lambda: Link(DAEMON, START), State.READY: ready, State.CLOSED: closed}


@pytest.mark.parametrize(("state", "step"), list(itertools.product(State, Step)), ids=lambda part: part.name)
def test_the_table_is_the_machine_and_an_illegal_pair_raises_and_changes_nothing(state: State, step: Step) -> None:
    link = STATES[state]()
    after = TRANSITIONS.get((state, step))
    if after is None:
        with pytest.raises(IllegalStepError):
            link._step(step)
        assert link.state is state
        assert link.take_outgoing() == b""
    else:
        link._step(step)
        assert link.state is after


def test_nothing_leads_out_of_closed() -> None:
    assert not [pair for pair in TRANSITIONS if pair[0] is State.CLOSED]


@pytest.mark.parametrize(
    "do",
    [
        lambda link: link.receive(b"", START, 1),
        lambda link: link.end(),
        lambda link: link.send(Resync(seq=0)),
        lambda link: link.refuse("busy", "later"),
        lambda link: link.close(),
    ],
)
def test_a_closed_link_takes_and_says_nothing(do: Callable[[Link], object]) -> None:
    link = closed()
    with pytest.raises(IllegalStepError):
        do(link)
    assert link.state is State.CLOSED
    assert link.take_outgoing() == b""
    assert link.tick(START + 1e9) is None
    assert link.deadline is None


def test_nothing_can_be_sent_before_the_hello() -> None:
    link = Link(DAEMON, START)
    with pytest.raises(IllegalStepError):
        link.send(Resync(seq=0))
    assert link.state is State.WAIT_HELLO
    assert link.take_outgoing() == b""
    give(link, HELLO)
    assert [message.seq for message in said(link)] == [1]


# ---- hello -----------------------------------------------------------------------------------------------------------


def test_a_hello_is_welcomed_with_the_highest_common_protocol() -> None:
    link = Link(DAEMON, START)
    wide = msgspec.structs.replace(HELLO, protocol=ProtocolRange(0, 99))
    assert give(link, wide) == [Taken(wide)]
    assert said(link) == [Welcome(seq=1, protocol=PROTOCOL_MAX, daemon=DAEMON, now=1_000)]
    assert link.protocol == PROTOCOL_MAX
    assert link.hello == wide


@pytest.mark.parametrize(
    ("theirs", "code", "advice"),
    [
        (ProtocolRange(PROTOCOL_MIN - 1, PROTOCOL_MIN - 1), "protocol_too_old", "/reload"),
        (ProtocolRange(PROTOCOL_MAX + 1, PROTOCOL_MAX + 1), "protocol_too_new", "mirrord serve"),
    ],
)
def test_one_protocol_older_or_newer_is_told_in_one_sentence_what_to_do(theirs: ProtocolRange, code: str, advice: str) -> None:
    link = Link(DAEMON, START)
    assert give(link, msgspec.structs.replace(HELLO, protocol=theirs)) == [Closed("refused", code)]
    (refused,) = said(link)
    assert isinstance(refused, Refused)
    assert refused == link.refusal
    assert (refused.seq, refused.code) == (1, code)
    assert advice in refused.message
    assert "\n" not in refused.message
    assert link.state is State.CLOSED
    assert link.hello is not None


def test_a_hello_from_the_far_future_is_refused_rather_than_broken() -> None:
    link = Link(DAEMON, START)
    line = b'{"type":"hello","seq":1,"protocol":{"min":70,"max":71},"terminal":["all","new"]}\n'
    assert link.receive(line, START, 1) == [Closed("refused", "protocol_too_new")]
    assert link.hello is None


def test_the_wrong_peer_is_refused_with_the_sentence_it_was_given() -> None:
    link = Link(DAEMON, START, lambda hello: f"not {hello.terminal.id}")
    assert give(link, HELLO) == [Closed("refused", "peer")]
    assert said(link) == [Refused(seq=1, code="peer", message="not 4711-99")]


def test_a_link_can_be_refused_before_it_says_a_word() -> None:
    link = Link(DAEMON, START)
    assert link.refuse("busy", "too many") == Closed("refused", "busy")
    assert said(link) == [Refused(seq=1, code="busy", message="too many")]


@pytest.mark.parametrize(
    "line",
    [
        encode(Ping(seq=1, n=1)),
        b'{"type":"telepathy","seq":1}\n',
        b'{"type":"hello","seq":2,"protocol":{"min":1,"max":1}}\n',
        b'{"type":"hello","seq":1,"protocol":{"min":2,"max":1}}\n',
        b'{"type":"hello","seq":1,"protocol":{"min":1,"max":1}}\n',
        b'{"type":"hello","seq":1}\n',
        b"hello\n",
    ],
)
def test_anything_but_a_proper_hello_breaks_a_new_link_without_an_answer(line: bytes) -> None:
    link = Link(DAEMON, START)
    (event,) = link.receive(line, START, 1)
    assert isinstance(event, Closed)
    assert event.why == "broken"
    assert link.take_outgoing() == b""


# ---- order -----------------------------------------------------------------------------------------------------------


def conversation() -> bytes:
    """A link's whole life up to a mistake at its end."""
    messages = (
        HELLO,
        ResyncBegin(seq=2),
        Title(seq=3, title="garden"),
        ResyncEnd(seq=4),
        Ping(seq=5, n=7),
        Status(seq=6, key="k", text=None),
    )
    return b"".join(encode(message) for message in messages) + b'{"type":"later","seq":7}\n' + encode(Title(seq=9, title="x"))


def test_a_link_fed_whole_or_byte_by_byte_gives_the_same_events_and_the_same_answers() -> None:
    whole, bytewise = Link(DAEMON, START), Link(DAEMON, START)
    events = whole.receive(conversation(), START, 1)
    slowly = [event for byte in conversation()[:-1] for event in bytewise.receive(bytes([byte]), START, 1)]
    slowly += bytewise.receive(conversation()[-1:], START, 1)
    assert slowly == events
    assert bytewise.take_outgoing() == whole.take_outgoing()
    assert [type(event).__name__ for event in events] == ["Taken", "Taken", "Taken", "Taken", "Taken", "Closed"]
    assert whole.unknown == bytewise.unknown == 1


@pytest.mark.parametrize("seq", [1, 3, 0, -1, 2**64])
def test_a_gap_or_a_repetition_in_seq_breaks_the_link(seq: int) -> None:
    link = ready()
    assert give(link, Title(seq=seq, title="x")) == [Closed("broken", "seq 2 was due")]
    assert link.state is State.CLOSED


def test_messages_before_a_mistake_still_count() -> None:
    link = ready()
    events = link.receive(encode(Title(seq=2, title="a")) + b"nonsense\n" + encode(Title(seq=3, title="b")), START, 1)
    assert events == [Taken(Title(seq=2, title="a")), Closed("broken", "it is not JSON")]


def test_a_second_hello_breaks_the_link() -> None:
    link = ready()
    assert give(link, msgspec.structs.replace(HELLO, seq=2)) == [Closed("broken", "a second hello")]


def test_a_line_longer_than_a_frame_breaks_the_link() -> None:
    link = ready()
    (event,) = link.receive(b" " * FRAME_BYTES, START, 1)
    assert isinstance(event, Closed)
    assert event.why == "broken"


def test_our_own_messages_count_from_one_without_a_gap() -> None:
    link = ready()
    give(link, Ping(seq=2, n=5))
    link.send(Response(seq=0, response_id="r", id="p", by=By("ada", "phone"), index=1))
    link.send(Resync(seq=0))
    link.acknowledge()
    messages = said(link)
    assert [message.seq for message in messages] == [2, 3, 4, 5]
    assert [type(message) for message in messages] == [Pong, Response, Resync, Ack]


def test_an_answer_that_fits_in_no_frame_is_not_sent_and_leaves_no_gap() -> None:
    link = ready()
    with pytest.raises(FrameError):
        link.send(Response(seq=0, response_id="r", id="p", by=By("ada", "phone"), text="x" * FRAME_BYTES))
    assert link.state is State.READY
    link.send(Resync(seq=0))
    assert said(link) == [Resync(seq=2)]
