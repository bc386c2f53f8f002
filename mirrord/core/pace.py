"""How fast changes and notifications go to one client: the newest value of each thing waits until it may go, so do the newest
notifications, and prompts wait for nothing.

Cursors stay true all the while: a frame's cursor says up to which event the client has everything, so while a change is held it names the
event before the oldest one that is.
"""

from __future__ import annotations

import math
from collections import OrderedDict, deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from mirrord.core.catchup import Journal
from mirrord.core.model import Importance, TerminalId
from mirrord.wire.messages import ServerMessage
from mirrord.wire.surface_limits import KEY_SECONDS, NOTES_A_SECOND, NOTES_AT_ONCE, NOTES_HELD, STATES_A_SECOND, STATES_AT_ONCE

_TINY = 1e-9
"""What sums of fractions of a second may lack."""


@dataclass(slots=True)
class Bucket:
    """Tokens that come back `rate` a second, up to `most`. Times are seconds of a clock that never goes back."""

    most: int
    rate: float
    _tokens: float = field(init=False)
    _at: float | None = None

    def __post_init__(self) -> None:
        """Full at first."""
        self._tokens = self.most

    def ready_at(self, now: float) -> float:
        """When there is a token."""
        if self._at is not None:
            self._tokens = min(self.most, self._tokens + (now - self._at) * self.rate)
        self._at = now
        return now + max(1 - self._tokens, 0) / self.rate

    def take(self, now: float) -> bool:
        """Take a token if there is one."""
        if self.ready_at(now) > now + _TINY:
            return False
        self._tokens -= 1
        return True


@dataclass(frozen=True, slots=True)
class Held:
    """A change or a notification that waits. `seq` is its event's in the `journal`; None for one that is in none."""

    key: str
    message: ServerMessage
    session: TerminalId | None
    """Whose state it is; None for one that is not part of what a follower of a session knows."""
    journal: Journal
    seq: int | None = None
    importance: Importance = "latest"


@dataclass(slots=True)
class Pace:
    """What one client was sent lately, and what waits for its turn."""

    _states: Bucket = field(default_factory=lambda: Bucket(STATES_AT_ONCE, STATES_A_SECOND))
    _notes: Bucket = field(default_factory=lambda: Bucket(NOTES_AT_ONCE, NOTES_A_SECOND))
    _sent: OrderedDict[str, float] = field(default_factory=OrderedDict)
    """Key → when a value of it went, oldest first; only what is younger than KEY_SECONDS counts."""
    _held: OrderedDict[str, Held] = field(default_factory=OrderedDict)
    _held_notes: deque[Held] = field(default_factory=deque)
    dropped: int = 0
    """Notifications that gave way to newer ones."""

    @property
    def holding(self) -> bool:
        """Whether something waits."""
        return bool(self._held or self._held_notes)

    def note(self, note: Held, now: float) -> bool:
        """Whether a notification may go now; if not, it waits behind the others, and past NOTES_HELD the oldest is dropped."""
        if not self._held_notes and self._notes.take(now):
            return True
        self._held_notes.append(note)
        if len(self._held_notes) > NOTES_HELD:
            self._held_notes.popleft()
            self.dropped += 1
        return False

    def state(self, change: Held, now: float) -> bool:
        """Whether a change may go now; if not, it is held in the place of an older one of its key."""
        if change.key not in self._held and self._ready_at(change.key, now) <= now and self._states.take(now):
            self._went(change.key, now)
            return True
        self._held[change.key] = change
        return False

    def due(self, now: float) -> float:
        """When something that is held may go, or at least the earliest moment that it is worth asking again."""
        note = self._notes.ready_at(now) if self._held_notes else math.inf
        if not self._held:
            return note
        state = self._states.ready_at(now)
        return min(note, state if state > now + _TINY else min(self._ready_at(key, now) for key in self._held))

    def release(self, now: float) -> Iterator[Held]:
        """What may go now, in the order it was held; each is let go when it is taken from the iterator."""
        while self._held_notes and self._notes.take(now):
            yield self._held_notes.popleft()
        for key in [key for key in self._held if self._ready_at(key, now) <= now]:
            if not self._states.take(now):
                return
            self._went(key, now)
            yield self._held.pop(key)

    def take(self, key: str) -> Held | None:
        """What is held of a key, to go at once."""
        return self._held.pop(key, None)

    def forget(self, session: TerminalId) -> None:
        """The client gets, or no longer wants, everything of a session: nothing of it is held any more."""
        for key in [key for key, held in self._held.items() if held.session == session]:
            del self._held[key]
        self._held_notes = deque(note for note in self._held_notes if note.session != session)

    def safe(self, journal: Journal) -> int | None:
        """The event up to which the client has everything of this journal; None while nothing is held.

        Not of the session: one that was removed and is listed again has another journal, whose numbers say nothing of the old one's.
        """
        seqs = [held.seq for held in self._held.values() if held.journal is journal and held.seq is not None]
        return min(seqs) - 1 if seqs else None

    def _ready_at(self, key: str, now: float) -> float:
        while self._sent and next(iter(self._sent.values())) + KEY_SECONDS <= now + _TINY:
            self._sent.popitem(last=False)
        sent = self._sent.get(key)
        return now if sent is None else sent + KEY_SECONDS

    def _went(self, key: str, now: float) -> None:
        self._sent[key] = now
        self._sent.move_to_end(key)
