"""The daemon's end of a link of the screen wire: a state machine without I/O."""

from __future__ import annotations

from collections.abc import Callable

from bridge.framing import FrameError
from bridge.messages import DaemonInfo
from bridge.screen.link import Closed, End, State, Taken
from bridge.screen.messages import (
    PROTOCOL_MAX,
    PROTOCOL_MIN,
    FromFollower,
    RefusalCode,
    ScreenHello,
    ScreenRefused,
    ScreenWanted,
    ScreenWelcome,
)
from bridge.screen.wire import Unknown, decode_from_follower, decode_range, decode_type


class Peer(End[FromFollower]):
    """A follower as the daemon sees it. The first event of a link that stands is its hello."""

    def __init__(self, daemon: DaemonInfo, now: float, vet: Callable[[ScreenHello], str | None] = lambda _: None) -> None:
        """`vet` may refuse a hello as coming from the wrong peer, with a sentence for a person."""
        super().__init__(now)
        self._daemon = daemon
        self._vet = vet
        self._wanted = False
        self.hello: ScreenHello | None = None
        """What the follower said first, once the link stands."""

    def want(self, on: bool) -> None:
        """Ask for the screen, or no longer; said only where it changes something and the link stands."""
        if self._state is State.READY and on != self._wanted:
            self._wanted = on
            self._put(ScreenWanted(on))

    def refuse(self, code: RefusalCode, message: str) -> Closed:
        """Say that the link does not stand, in one sentence, and close it."""
        self._put(ScreenRefused(code, message))
        self._state = State.CLOSED
        return Closed("refused", code)

    def _decode(self, line: bytes) -> FromFollower | Unknown:
        return decode_from_follower(line)

    def _first(self, line: bytes) -> Taken[FromFollower] | Closed | None:
        if decode_type(line) != "screen_hello":
            raise FrameError("the first message is no screen_hello")
        theirs = decode_range(line)
        if theirs.min > theirs.max:
            raise FrameError("screen_hello: its protocol range is empty")
        if theirs.max < PROTOCOL_MIN:
            sentence = f"the `mirrord pi` of this terminal is too old for the running mirrord {self._daemon.version}; start it again"
            return self.refuse("protocol_too_old", sentence)
        if theirs.min > PROTOCOL_MAX:
            sentence = (
                f"the running mirrord {self._daemon.version} is too old for the `mirrord pi` of this terminal; "
                "stop it and start `mirrord serve` again"
            )
            return self.refuse("protocol_too_new", sentence)
        hello = self._decode(line)
        if not isinstance(hello, ScreenHello):
            raise FrameError("the first message is no screen_hello")
        wrong_peer = self._vet(hello)
        if wrong_peer is not None:
            return self.refuse("peer", wrong_peer)
        self.hello = hello
        self._state = State.READY
        self._put(ScreenWelcome(min(theirs.max, PROTOCOL_MAX), self._daemon))
        return Taken(hello)

    def _take(self, message: FromFollower) -> Taken[FromFollower]:
        if isinstance(message, ScreenHello):
            raise FrameError("a second screen_hello")
        return Taken(message)
