"""One link of the screen wire as a state machine without I/O; what both ends have in common, and the follower's end.

Bytes and the time go in; messages of the peer and bytes for it come out. A mistake of the peer never raises; it ends the link with a
`Closed` that says what was wrong. Times are seconds of one clock that never goes back.
"""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from bridge.framing import FrameError, LineReader
from bridge.limits import DEAD_SECONDS, HELLO_SECONDS, PING_SECONDS
from bridge.screen.messages import FromDaemon, FromFollower, Ping, Pong, ScreenHello, ScreenRefused, ScreenWelcome
from bridge.screen.wire import Unknown, decode_from_daemon, encode

_M = TypeVar("_M", FromDaemon, FromFollower)


class State(enum.Enum):
    """Where a link stands."""

    OPENING = "is being opened"
    READY = "is ready"
    CLOSED = "is closed"


@dataclass(frozen=True, slots=True)
class Taken(Generic[_M]):
    """A message that came, in its turn. Pings and pongs are dealt with in here and never shown."""

    message: _M


@dataclass(frozen=True, slots=True)
class Closed:
    """The link is closed; nothing follows. `detail` is for a log and holds no text of the peer.

    `refused`: by a `screen_refused`. `broken`: the peer broke the protocol. `expired`: it was silent too long. `ended`: it closed.
    `closed`: we did.
    """

    why: Literal["refused", "broken", "expired", "ended", "closed"]
    detail: str


class End(ABC, Generic[_M]):
    """One end of a link. Once it is closed it takes no more bytes and gives out only what was to be sent before."""

    def __init__(self, now: float) -> None:
        self._state = State.OPENING
        self._lines = LineReader()
        self._outgoing = bytearray()
        self._opened = now
        self._heard = now
        self._pinged = now
        self._pings = 0
        self.unknown = 0
        """Messages of a type that this build does not know."""

    @property
    def state(self) -> State:
        """Where the link stands."""
        return self._state

    @property
    def outgoing(self) -> int:
        """Bytes that `take_outgoing` would give."""
        return len(self._outgoing)

    def receive(self, data: bytes, now: float) -> list[Taken[_M] | Closed]:
        """Take bytes; returns what they say, in order. A `Closed` is the last event."""
        events: list[Taken[_M] | Closed] = []
        if self._state is State.CLOSED:
            return events
        self._lines.receive(data)
        try:
            while self._state is not State.CLOSED and (line := self._lines.next_line()) is not None:
                event = self._first(line) if self._state is State.OPENING else self._next(line)
                self._heard = now
                if event is not None:
                    events.append(event)
        except FrameError as error:
            self._state = State.CLOSED
            events.append(Closed("broken", str(error)))
        return events

    def end(self) -> Closed:
        """The peer closed its side."""
        self._state = State.CLOSED
        return Closed("ended", "in the middle of a line" if self._lines.pending else "")

    def close(self, detail: str = "") -> Closed:
        """We are done with this link."""
        self._state = State.CLOSED
        return Closed("closed", detail)

    def tick(self, now: float) -> Closed | None:
        """Look at the time: pings a silent peer, and closes a link that has been silent too long. See `deadline`."""
        if self._state is State.OPENING and now - self._opened >= HELLO_SECONDS:
            self._state = State.CLOSED
            return Closed("expired", f"nothing came within {HELLO_SECONDS:.0f} s")
        if self._state is not State.READY:
            return None
        if now - self._heard >= DEAD_SECONDS:
            self._state = State.CLOSED
            return Closed("expired", f"nothing came for {DEAD_SECONDS:.0f} s")
        if now - max(self._heard, self._pinged) >= PING_SECONDS:
            self._pings += 1
            self._pinged = now
            self._put(Ping(self._pings))
        return None

    @property
    def deadline(self) -> float | None:
        """When `tick` has something to do at the earliest; None when never again."""
        match self._state:
            case State.OPENING:
                return self._opened + HELLO_SECONDS
            case State.READY:
                return min(self._heard + DEAD_SECONDS, max(self._heard, self._pinged) + PING_SECONDS)
            case State.CLOSED:
                return None

    def take_outgoing(self) -> bytes:
        """Bytes for the peer, in order; they count as sent."""
        data = bytes(self._outgoing)
        self._outgoing.clear()
        return data

    def _put(self, message: FromDaemon | FromFollower) -> None:
        self._outgoing += encode(message)

    def _next(self, line: bytes) -> Taken[_M] | Closed | None:
        message = self._decode(line)
        if isinstance(message, Unknown):
            self.unknown += 1
        elif isinstance(message, Ping):
            self._put(Pong(message.n))
        elif not isinstance(message, Pong):
            return self._take(message)
        return None

    @abstractmethod
    def _decode(self, line: bytes) -> _M | Unknown: ...

    @abstractmethod
    def _first(self, line: bytes) -> Taken[_M] | Closed | None:
        """The first line of a link; raises FrameError when it does not begin one."""

    @abstractmethod
    def _take(self, message: _M) -> Taken[_M]:
        """A message of a link that stands; raises FrameError when it may not come there."""


class FollowerLink(End[FromDaemon]):
    """The follower's end: says hello at once, and anything else only after the daemon's welcome."""

    def __init__(self, hello: ScreenHello, now: float) -> None:
        super().__init__(now)
        self._put(hello)

    def send(self, message: FromFollower) -> None:
        """Let a message go out; on a link that does not stand it is dropped. Raises FrameError when it fits in no frame."""
        if self._state is State.READY:
            self._put(message)

    def _decode(self, line: bytes) -> FromDaemon | Unknown:
        return decode_from_daemon(line)

    def _first(self, line: bytes) -> Taken[FromDaemon] | Closed | None:
        message = self._decode(line)
        if isinstance(message, ScreenRefused):
            self._state = State.CLOSED
            return Closed("refused", message.code)
        if not isinstance(message, ScreenWelcome):
            raise FrameError("the first message is no welcome")
        self._state = State.READY
        return Taken(message)

    def _take(self, message: FromDaemon) -> Taken[FromDaemon]:
        if isinstance(message, ScreenWelcome | ScreenRefused):
            raise FrameError("a second welcome")
        return Taken(message)
