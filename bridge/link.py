"""One extension's link as the daemon sees it: a state machine without I/O. `docs/bridge.md` is the specification.

Bytes and the time go in; messages of the extension and bytes for it come out. `TRANSITIONS` is the whole machine and
`_step` the only code that reads it: a pair that is not in it is a bug of ours, raises, and changes nothing. A mistake
of the extension never raises; it ends the link with a `Closed` that says what was wrong.
"""

from __future__ import annotations

import contextlib
import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

import msgspec

from bridge.framing import FrameError, LineReader, Unknown, decode_envelope, decode_from_extension, decode_hello, decode_range, encode
from bridge.limits import DEAD_SECONDS, HELLO_SECONDS, PING_SECONDS
from bridge.messages import (
    Ack,
    DaemonInfo,
    FromDaemon,
    FromExtension,
    Hello,
    Ping,
    Pong,
    Refused,
    ToExtension,
    Welcome,
)
from bridge.negotiation import negotiate

RefusalCode = Literal["protocol_too_old", "protocol_too_new", "peer", "busy"]


class State(enum.Enum):
    """Where a link stands."""

    WAIT_HELLO = "waits for hello"
    READY = "is ready"
    CLOSED = "is closed"


class Step(enum.Enum):
    """What can happen to it."""

    ACCEPT = "accept a hello"
    REFUSE = "refuse"
    TAKE = "take a message"
    SEND = "send"
    BREAK = "be broken by its peer"
    EXPIRE = "expire"
    END = "end"
    CLOSE = "close"


TRANSITIONS: Final[dict[tuple[State, Step], State]] = {
    (State.WAIT_HELLO, Step.ACCEPT): State.READY,
    (State.WAIT_HELLO, Step.REFUSE): State.CLOSED,
    (State.WAIT_HELLO, Step.BREAK): State.CLOSED,
    (State.WAIT_HELLO, Step.EXPIRE): State.CLOSED,
    (State.WAIT_HELLO, Step.END): State.CLOSED,
    (State.WAIT_HELLO, Step.CLOSE): State.CLOSED,
    (State.READY, Step.TAKE): State.READY,
    (State.READY, Step.SEND): State.READY,
    (State.READY, Step.BREAK): State.CLOSED,
    (State.READY, Step.EXPIRE): State.CLOSED,
    (State.READY, Step.END): State.CLOSED,
    (State.READY, Step.CLOSE): State.CLOSED,
}


class IllegalStepError(Exception):
    """A step that the state does not allow: a bug of ours, not of a peer."""

    def __init__(self, state: State, step: Step) -> None:
        super().__init__(f"a link that {state.value} cannot {step.value}")


@dataclass(frozen=True, slots=True)
class Taken:
    """A message that came, in its turn. Pings and pongs are dealt with in here and never shown."""

    message: FromExtension


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer to `ask`: everything that the peer had said before has been taken."""

    question: int


@dataclass(frozen=True, slots=True)
class Closed:
    """The link is closed; nothing follows. `detail` is for a log and holds no text of the peer.

    `refused`: told so in a `Refused`. `broken`: the peer broke the protocol. `expired`: no hello, or silence.
    `ended`: the peer closed. `closed`: we did.
    """

    why: Literal["refused", "broken", "expired", "ended", "closed"]
    detail: str


LinkEvent = Taken | Answered | Closed


class Link:
    """One link, from the first byte to the last. Times are seconds of any one clock that only runs while the machine does."""

    def __init__(self, daemon: DaemonInfo, now: float, vet: Callable[[Hello], str | None] = lambda _: None) -> None:
        """`vet` may refuse a hello as coming from the wrong peer, with a sentence for a person."""
        self._daemon = daemon
        self._vet = vet
        self._state = State.WAIT_HELLO
        self._lines = LineReader()
        self._outgoing = bytearray()
        self._received = 0
        self._sent = 0
        self._acknowledged = 0
        self._opened = now
        self._heard = now
        self._pinged = now
        self._pings = 0
        self._asked: tuple[int, int] | None = None
        """The ping whose pong is told, and the question that it asks."""
        self.unknown = 0
        """Messages of a type that this build does not know."""
        self.protocol: int | None = None
        """What both speak, once the link stands."""
        self.refusal: Refused | None = None
        """What was said instead of a welcome."""
        self.hello: Hello | None = None
        """What the extension said first; None also when it speaks a protocol so new that this build cannot read it."""

    @property
    def state(self) -> State:
        """Where the link stands."""
        return self._state

    @property
    def received(self) -> int:
        """The seq of the newest message that was taken from the extension."""
        return self._received

    @property
    def heard_anything(self) -> bool:
        """Whether as much as a byte came."""
        return self._received > 0 or self._lines.pending > 0

    @property
    def outgoing(self) -> int:
        """Bytes that `take_outgoing` would give."""
        return len(self._outgoing)

    def _step(self, step: Step) -> None:
        after = TRANSITIONS.get((self._state, step))
        if after is None:
            raise IllegalStepError(self._state, step)
        self._state = after

    # ---- what comes in -----------------------------------------------------------------------------------------------

    def receive(self, data: bytes, now: float, wall: int) -> list[LinkEvent]:
        """Take bytes; returns what they say, in order. `wall` is the time in ms since the epoch, for the welcome.

        A `Closed` is the last event; the link must not be given more bytes then.
        """
        if self._state is State.CLOSED:
            raise IllegalStepError(self._state, Step.TAKE)
        self._lines.receive(data)
        events: list[LinkEvent] = []
        try:
            while self.state is not State.CLOSED and (line := self._lines.next_line()) is not None:
                event = self._line(line, now, wall)
                if event is not None:
                    events.append(event)
        except FrameError as error:
            self._step(Step.BREAK)
            events.append(Closed("broken", str(error)))
        return events

    def end(self) -> Closed:
        """The peer closed its side."""
        self._step(Step.END)
        return Closed("ended", "in the middle of a line" if self._lines.pending else "")

    def tick(self, now: float) -> Closed | None:
        """Look at the time: pings a silent peer, and closes a link that has been silent too long. See `deadline`."""
        if self._state is State.WAIT_HELLO and now - self._opened >= HELLO_SECONDS:
            self._step(Step.EXPIRE)
            return Closed("expired", f"no hello within {HELLO_SECONDS:.0f} s")
        if self._state is not State.READY:
            return None
        if now - self._heard >= DEAD_SECONDS:
            self._step(Step.EXPIRE)
            return Closed("expired", f"nothing came for {DEAD_SECONDS:.0f} s")
        if now - max(self._heard, self._pinged) >= PING_SECONDS:
            self._ping(now)
        return None

    def ask(self, question: int, now: float) -> None:
        """Ping now, whenever the peer was heard last; `Answered` follows. A second one before that takes the place of the first."""
        self._ping(now)
        self._asked = self._pings, question

    def _ping(self, now: float) -> None:
        self._pings += 1
        self._pinged = now
        self._send(Ping(seq=0, n=self._pings))

    def unanswered(self, now: float) -> float:
        """How long the newest ping has waited for anything to come, in seconds; 0 when none does."""
        waits = self._state is State.READY and self._pinged > self._heard
        return now - self._pinged if waits else 0.0

    @property
    def deadline(self) -> float | None:
        """When `tick` has something to do at the earliest; None when never again."""
        match self._state:
            case State.WAIT_HELLO:
                return self._opened + HELLO_SECONDS
            case State.READY:
                return min(self._heard + DEAD_SECONDS, max(self._heard, self._pinged) + PING_SECONDS)
            case State.CLOSED:
                return None

    # ---- what goes out -----------------------------------------------------------------------------------------------

    def send(self, message: ToExtension) -> None:
        """Let a message go out; its seq is set here. Raises FrameError, and sends nothing, when it fits in no frame."""
        self._send(message)

    def acknowledge(self) -> None:
        """Every message that was taken has had its effect: say so, unless that was said already."""
        if self._received > self._acknowledged:
            self._send(Ack(seq=0, up_to=self._received))
            self._acknowledged = self._received

    def refuse(self, code: RefusalCode, message: str) -> Closed:
        """Say that the link does not stand, in one sentence, and close it."""
        return self._refuse(Refused(seq=0, code=code, message=message))

    def close(self, detail: str = "") -> Closed:
        """We are done with this link."""
        self._step(Step.CLOSE)
        return Closed("closed", detail)

    def take_outgoing(self) -> bytes:
        """Bytes for the extension, in order; they count as sent."""
        data = bytes(self._outgoing)
        self._outgoing.clear()
        return data

    def _send(self, message: FromDaemon) -> None:
        frame = encode(msgspec.structs.replace(message, seq=self._sent + 1))
        self._step(Step.SEND)
        self._put(frame)

    def _put(self, frame: bytes) -> None:
        self._sent += 1
        self._outgoing += frame

    # ---- one line ----------------------------------------------------------------------------------------------------

    def _line(self, line: bytes, now: float, wall: int) -> LinkEvent | None:
        if self._state is State.WAIT_HELLO:
            return self._hello(line, now, wall)
        message = decode_from_extension(line)
        self._count(message.seq)
        self._step(Step.TAKE)
        self._heard = now
        match message:
            case Unknown():
                self.unknown += 1
            case Ping(n=n):
                self._send(Pong(seq=0, n=n))
            case Pong(n=n):
                if self._asked is not None and n == self._asked[0]:
                    question, self._asked = self._asked[1], None
                    return Answered(question)
            case Hello():
                raise FrameError("a second hello")
            case _:
                return Taken(message)
        return None

    def _hello(self, line: bytes, now: float, wall: int) -> LinkEvent:
        kind, seq = decode_envelope(line)
        if kind != "hello":
            raise FrameError("the first message is no hello")
        self._count(seq)
        theirs = decode_range(line)
        if theirs.min > theirs.max:
            raise FrameError("hello: its protocol range is empty")
        protocol = negotiate(theirs, self._daemon.version)
        if isinstance(protocol, Refused):
            with contextlib.suppress(FrameError):
                self.hello = decode_hello(line)
            return self._refuse(protocol)
        self.hello = hello = decode_hello(line)
        wrong_peer = self._vet(hello)
        if wrong_peer is not None:
            return self.refuse("peer", wrong_peer)
        self._step(Step.ACCEPT)
        self._heard = now
        self.protocol = protocol
        self._send(Welcome(seq=0, protocol=protocol, daemon=self._daemon, now=wall))
        return Taken(hello)

    def _refuse(self, refusal: Refused) -> Closed:
        self._step(Step.REFUSE)
        self.refusal = msgspec.structs.replace(refusal, seq=self._sent + 1)
        self._put(encode(self.refusal))
        return Closed("refused", refusal.code)

    def _count(self, seq: int) -> None:
        if seq != self._received + 1:
            raise FrameError(f"seq {self._received + 1} was due")
        self._received = seq
