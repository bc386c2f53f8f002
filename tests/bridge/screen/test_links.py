"""Promise: both ends of the screen wire agree, a mistake of the other ends the link and raises nothing, silence is noticed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.framing import FrameError
from bridge.limits import DEAD_SECONDS, FRAME_BYTES, HELLO_SECONDS, PING_SECONDS
from bridge.messages import DaemonInfo, ProtocolRange
from bridge.screen.link import Closed, FollowerLink, State, Taken
from bridge.screen.messages import Screen, ScreenHello, ScreenProgram, ScreenState, ScreenWanted, ScreenWelcome
from bridge.screen.peer import Peer
from sanitize.spans import Line, Span

HELLO = ScreenHello(ProtocolRange(1, 1), "0.1.0", 4242, False, 100, 30)
DAEMON = DaemonInfo("0.1.0", "run", 7)
MENU = ScreenState("menu", 1_750_000_000_000, "model")


def linked(peer: Peer | None = None) -> tuple[FollowerLink, Peer]:
    """Both ends of a link that stands, with nothing under way."""
    follower, peer = FollowerLink(HELLO, 0), peer or Peer(DAEMON, 0)
    assert peer.receive(follower.take_outgoing(), 0) == [Taken(HELLO)]
    assert follower.receive(peer.take_outgoing(), 0) == [Taken(ScreenWelcome(1, DAEMON))]
    return follower, peer


def test_a_link_stands_after_hello_and_welcome() -> None:
    follower, peer = linked()
    assert (follower.state, peer.state) == (State.READY, State.READY)
    assert peer.hello == HELLO


def test_what_the_follower_says_arrives_in_order() -> None:
    follower, peer = linked()
    said = (MENU, ScreenProgram("idle"), Screen(100, 30, (Line((Span("hi", "primary"),)),)), ScreenProgram(None))
    for message in said:
        follower.send(message)
    assert peer.receive(follower.take_outgoing(), 1) == [Taken(message) for message in said]


def test_the_follower_says_nothing_but_hello_before_the_welcome() -> None:
    follower = FollowerLink(HELLO, 0)
    follower.take_outgoing()
    follower.send(MENU)
    assert follower.outgoing == 0


def test_a_screen_is_asked_for_only_when_that_changes() -> None:
    follower, peer = linked()
    for on in (False, True, True, False):
        peer.want(on)
    assert follower.receive(peer.take_outgoing(), 1) == [Taken(ScreenWanted(True)), Taken(ScreenWanted(False))]


@pytest.mark.parametrize(
    ("theirs", "code"),
    [(ProtocolRange(0, 0), "protocol_too_old"), (ProtocolRange(2, 9), "protocol_too_new")],
)
def test_a_follower_of_another_time_is_told_what_to_do(theirs: ProtocolRange, code: str) -> None:
    follower = FollowerLink(ScreenHello(theirs, "9", 1, False, 80, 24), 0)
    peer = Peer(DAEMON, 0)
    assert peer.receive(follower.take_outgoing(), 0) == [Closed("refused", code)]
    told = peer.take_outgoing()
    assert b"start" in told
    assert follower.receive(told, 0) == [Closed("refused", code)]
    assert (follower.state, peer.state) == (State.CLOSED, State.CLOSED)


def test_a_hello_so_new_that_it_cannot_be_read_is_refused_as_new() -> None:
    peer = Peer(DAEMON, 0)
    assert peer.receive(b'{"type":"screen_hello","protocol":{"min":7,"max":8}}\n', 0) == [Closed("refused", "protocol_too_new")]


def test_a_peer_that_may_not_speak_for_this_terminal_is_refused() -> None:
    follower, peer = FollowerLink(HELLO, 0), Peer(DAEMON, 0, lambda hello: f"no {hello.pid}")
    assert peer.receive(follower.take_outgoing(), 0) == [Closed("refused", "peer")]
    assert b"no 4242" in peer.take_outgoing()
    assert peer.hello is None


@pytest.mark.parametrize(
    "line",
    [
        b"{}",
        b"nonsense",
        b"[" * 5000,
        b'{"type":"screen_state","state":"none","since":1}',
        b'{"type":"screen_hello"}',
        b'{"type":"screen_hello","protocol":{"min":2,"max":1}}',
        b'{"type":"screen_hello","protocol":{"min":1,"max":1},"pid":"x"}',
    ],
)
def test_a_first_line_that_is_no_hello_ends_the_link(line: bytes) -> None:
    peer = Peer(DAEMON, 0)
    (closed,) = peer.receive(line + b"\n", 0)
    assert isinstance(closed, Closed)
    assert closed.why == "broken"
    assert peer.receive(b"more\n", 0) == []


@pytest.mark.parametrize("line", [b"{}", b'{"type":"screen_state","state":"maybe","since":1}', b'{"type":"screen_hello"}'])
def test_a_broken_message_ends_a_link_that_stands(line: bytes) -> None:
    _, peer = linked()
    (closed,) = peer.receive(line + b"\n", 0)
    assert isinstance(closed, Closed)
    assert closed.why == "broken"


def test_a_second_hello_or_welcome_ends_the_link() -> None:
    _, peer = linked()
    assert peer.receive(FollowerLink(HELLO, 0).take_outgoing(), 0) == [Closed("broken", "a second screen_hello")]
    follower, again = linked()
    assert follower.receive(b'{"type":"screen_refused","code":"busy","message":""}\n', 0) == [Closed("broken", "a second welcome")]
    assert again.state is State.READY


def test_messages_of_a_newer_build_are_counted_and_ignored() -> None:
    follower, peer = linked()
    line = b'{"type":"screen_smell","of":"coffee"}\n'
    assert peer.receive(line, 0) == []
    assert follower.receive(line, 0) == []
    assert (peer.unknown, follower.unknown) == (1, 1)


def test_a_line_without_end_is_not_collected_for_ever() -> None:
    _, peer = linked()
    assert peer.receive(b"x" * (FRAME_BYTES - 1), 0) == []
    (closed,) = peer.receive(b"x", 0)
    assert isinstance(closed, Closed)


def test_a_screen_that_fits_in_no_frame_raises_and_is_not_sent() -> None:
    follower, _ = linked()
    with pytest.raises(FrameError):
        follower.send(Screen(300, 200, (Line((Span("x" * FRAME_BYTES, "primary"),)),)))
    assert follower.outgoing == 0


def test_silence_is_asked_about_and_then_ends_the_link() -> None:
    follower, peer = linked()
    for end in (follower, peer):
        assert end.deadline == PING_SECONDS
        assert end.tick(PING_SECONDS) is None
    asked = follower.take_outgoing()
    assert peer.receive(asked, PING_SECONDS) == []
    assert follower.receive(peer.take_outgoing(), PING_SECONDS) == []
    assert follower.deadline == 2 * PING_SECONDS
    closed = peer.tick(PING_SECONDS + DEAD_SECONDS)
    assert closed is not None
    assert closed.why == "expired"
    assert peer.deadline is None


@pytest.mark.parametrize("end", [Peer(DAEMON, 0), FollowerLink(HELLO, 0)], ids=["daemon", "follower"])
def test_an_end_that_is_not_introduced_expires(end: Peer | FollowerLink) -> None:
    assert end.deadline == HELLO_SECONDS
    assert end.tick(HELLO_SECONDS - 0.01) is None
    assert end.tick(HELLO_SECONDS) == Closed("expired", "nothing came within 5 s")


def test_a_link_that_was_closed_says_and_hears_nothing() -> None:
    follower, peer = linked()
    assert follower.close("done") == Closed("closed", "done")
    follower.send(MENU)
    peer.receive(b'{"type":', 0)
    assert peer.end() == Closed("ended", "in the middle of a line")
    peer.want(True)
    assert (follower.outgoing, peer.outgoing) == (0, 0)
    assert peer.tick(99) is None


@given(st.lists(st.binary(max_size=60), max_size=6))
def test_no_bytes_make_an_end_raise(chunks: list[bytes]) -> None:
    _, peer = linked()
    follower, _ = linked()
    for chunk in chunks:
        peer.receive(chunk + b"\n", 0)
        follower.receive(chunk, 0)
