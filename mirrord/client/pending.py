"""Answers that have no verdict yet: when each goes out again, and which result is a verdict. Pure; time is passed in.

An answer is never taken for done because it was written to a socket: the daemon may be gone, or stand still, or its terminal
may. It goes out again, under the same response id, until the terminal's ruling comes; the daemon and the extension know the id,
so however often an answer arrives it counts once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from mirrord.client.content import Answer
from mirrord.wire.messages import RefusalReason, ResponseResult

RETRY_SECONDS: Final = 5.0
"""Without a verdict for so long an answer is called not confirmed, and goes out again; then each time after as long."""

SOON_SECONDS: Final = 1.0
"""The next try after a daemon said that it cannot tell yet: it is waiting for its terminal, which comes back within seconds."""

UNKNOWN_SECONDS: Final = 30.0
"""A daemon that says for so long that it knows no such prompt will not learn of it: extensions come back within 5 s."""

_NOT_YET: Final[frozenset[RefusalReason]] = frozenset(("unknown", "detached", "busy"))
"""Refusals of an attempt. They say nothing about the attempts before it, which an earlier daemon may have passed on."""


@dataclass(frozen=True, slots=True)
class Send:
    """Give these frames to the daemon."""

    answer: Answer


@dataclass(frozen=True, slots=True)
class NotConfirmed:
    """Tell the person, once for each answer: it is not confirmed, and it is tried again."""

    response_id: str
    prompt_id: str


@dataclass(frozen=True, slots=True)
class Decided:
    """The answer's end. Not `certain`: nobody knows any more what became of it."""

    result: ResponseResult
    certain: bool


@dataclass(frozen=True, slots=True)
class Ignored:
    """A result that is no verdict; not to be shown."""


Action = Send | NotConfirmed


@dataclass(slots=True)
class _Waiting:
    """One answer without a verdict."""

    answer: Answer
    given_at: float
    attempts: int = 0
    due_at: float = 0.0
    told: bool = False
    unknown_since: float | None = None


@dataclass(slots=True)
class Pending:
    """All answers of one client that wait for their verdicts."""

    connected: bool = True
    _back_at: float | None = None
    """When the last new connection stood; the daemon behind it may not have met its terminals yet."""
    _waiting: dict[str, _Waiting] = field(default_factory=dict)

    def __len__(self) -> int:
        """How many wait."""
        return len(self._waiting)

    def waits_for(self, prompt_id: str) -> bool:
        """Whether an answer to this prompt has no verdict yet."""
        return any(waiting.answer.prompt_id == prompt_id for waiting in self._waiting.values())

    @property
    def next_at(self) -> float | None:
        """When `tick` has something to do, if nothing else happens."""
        due = [self._told_at(waiting) for waiting in self._waiting.values() if not waiting.told]
        if self.connected:
            due += [waiting.due_at for waiting in self._waiting.values()]
        return min(due, default=None)

    def give(self, answer: Answer, now: float) -> list[Action]:
        """A person or a program answers. A response id that waits already is the same answer once more."""
        waiting = self._waiting.setdefault(answer.response_id, _Waiting(answer, now))
        return [self._send(waiting, now)] if self.connected else []

    def tick(self, now: float) -> list[Action]:
        """Time has passed."""
        actions: list[Action] = []
        for response_id, waiting in self._waiting.items():
            if not waiting.told and now >= self._told_at(waiting):
                waiting.told = True
                actions.append(NotConfirmed(response_id, waiting.answer.prompt_id))
            if self.connected and now >= waiting.due_at:
                actions.append(self._send(waiting, now))
        return actions

    def lost(self) -> None:
        """The connection ended; nothing can be sent until `back`."""
        self.connected = False

    def back(self, now: float) -> list[Action]:
        """A new connection stands: every answer goes out again."""
        self.connected = True
        self._back_at = now
        for waiting in self._waiting.values():
            waiting.unknown_since = None
        return [self._send(waiting, now) for waiting in self._waiting.values()]

    def result(self, result: ResponseResult, now: float) -> Decided | Ignored | None:
        """The daemon said what became of an answer; None when it is none of ours that waits."""
        waiting = self._waiting.get(result.response_id)
        if waiting is None:
            return None
        if result.accepted or result.reason not in _NOT_YET or (waiting.attempts < 2 and not self._too_early(result, now)):
            del self._waiting[result.response_id]
            return Decided(result, certain=True)
        if result.reason == "unknown":
            waiting.unknown_since = now if waiting.unknown_since is None else waiting.unknown_since
            if now - waiting.unknown_since >= UNKNOWN_SECONDS:
                del self._waiting[result.response_id]
                return Decided(result, certain=False)
        else:
            waiting.unknown_since = None
        waiting.due_at = now + SOON_SECONDS
        return Ignored()

    def _too_early(self, result: ResponseResult, now: float) -> bool:
        """A daemon that was just started knows no prompt until the extensions have come back: that it knows none says nothing."""
        return result.reason == "unknown" and self._back_at is not None and now - self._back_at < UNKNOWN_SECONDS

    def _send(self, waiting: _Waiting, now: float) -> Send:
        waiting.attempts += 1
        waiting.due_at = now + RETRY_SECONDS
        return Send(waiting.answer)

    def _told_at(self, waiting: _Waiting) -> float:
        return waiting.given_at + RETRY_SECONDS
