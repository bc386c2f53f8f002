"""The race for one prompt: the only code that changes a prompt's phase.

The terminal decides. The daemon forwards the first valid answer, keeps later ones waiting behind it, and calls the prompt settled only when
the terminal says so (design FIXED 2). `TRANSITIONS` is the whole machine; a pair that is not in it raises and changes nothing.
"""

from __future__ import annotations

import enum
from collections import deque
from dataclasses import dataclass, field, replace
from typing import Final

from mirrord.core.model import ClientId, Prompt, Reply, ResponseId
from mirrord.wire.limits import CONTENDERS


class Phase(enum.Enum):
    """Where a prompt stands."""

    OPEN = "open"
    FORWARDED = "forwarded"
    SETTLED = "settled"


class Step(enum.Enum):
    """What can happen to it."""

    RESPOND = "respond"
    REJECT_NEXT = "reject, another waits"
    REJECT_LAST = "reject, none waits"
    SETTLE = "settle"


TRANSITIONS: Final[dict[tuple[Phase, Step], Phase]] = {
    (Phase.OPEN, Step.RESPOND): Phase.FORWARDED,
    (Phase.OPEN, Step.SETTLE): Phase.SETTLED,
    (Phase.FORWARDED, Step.RESPOND): Phase.FORWARDED,
    (Phase.FORWARDED, Step.REJECT_NEXT): Phase.FORWARDED,
    (Phase.FORWARDED, Step.REJECT_LAST): Phase.OPEN,
    (Phase.FORWARDED, Step.SETTLE): Phase.SETTLED,
}


class IllegalStepError(Exception):
    """A step that the phase does not allow: a bug of ours, not of a peer."""

    def __init__(self, phase: Phase, step: Step) -> None:
        super().__init__(f"a prompt that is {phase.value} cannot {step.value}")


@dataclass(frozen=True, slots=True)
class Contender:
    """One valid answer and who gave it. `key` is unique among all clients: the credential's name and the response id."""

    client: ClientId
    name: str
    kind: str
    key: ResponseId
    response_id: ResponseId
    reply: Reply
    device: str = ""
    """Of the client; empty for the control socket."""


@dataclass(slots=True)
class Race:
    """One open prompt with the answers that reached us, in the order they came; the first is with the terminal."""

    prompt: Prompt
    phase: Phase = Phase.OPEN
    _waiting: deque[Contender] = field(default_factory=deque)

    def _step(self, step: Step) -> None:
        after = TRANSITIONS.get((self.phase, step))
        if after is None:
            raise IllegalStepError(self.phase, step)
        self.phase = after

    @property
    def in_flight(self) -> Contender | None:
        """The answer that the terminal has and has not ruled on."""
        return self._waiting[0] if self._waiting else None

    @property
    def full(self) -> bool:
        """Whether no further answer can wait (CONTENDERS)."""
        return len(self._waiting) >= CONTENDERS

    def adopt(self, key: ResponseId, client: ClientId) -> bool:
        """Give the verdict of the answer `key` to this client instead: it is a retry. False when there is no such answer."""
        for place, contender in enumerate(self._waiting):
            if contender.key == key:
                self._waiting[place] = replace(contender, client=client)
                return True
        return False

    def respond(self, contender: Contender) -> Contender | None:
        """Take a valid answer; returns it when it is to be forwarded now, None when it waits behind another."""
        self._step(Step.RESPOND)
        self._waiting.append(contender)
        return contender if len(self._waiting) == 1 else None

    def reject(self, key: ResponseId) -> tuple[Contender, Contender | None] | None:
        """The terminal did not take the answer `key`: returns it and the next one to forward. None when `key` is not with the terminal."""
        if self.in_flight is None or self.in_flight.key != key:
            return None
        self._step(Step.REJECT_NEXT if len(self._waiting) > 1 else Step.REJECT_LAST)
        rejected = self._waiting.popleft()
        return rejected, self.in_flight

    def revoke(self, device: str, *, at_terminal: bool) -> None:
        """This device's answers count no more, but for one that the terminal has already (`at_terminal`: it has the one in flight)."""
        if not device or not self._waiting:
            return
        first = self._waiting[0]
        self._waiting = deque(each for each in self._waiting if each.device != device or (at_terminal and each is first))
        if self.in_flight is not first:
            self._step(Step.REJECT_NEXT if self._waiting else Step.REJECT_LAST)

    def settle(self) -> tuple[Contender, ...]:
        """The terminal has ruled: returns every answer that was given, oldest first; each is owed a result."""
        self._step(Step.SETTLE)
        waiting = tuple(self._waiting)
        self._waiting.clear()
        return waiting
