"""What a client sends into a conversation, until its receipt: when each goes out again, what failed and is kept. Pure; time is passed in.

The same rule as for answers (`mirrord.client.pending`): written to a socket is not sent. A turn goes out again under its
`clientTurnId`, over the next connection too, until a receipt has come; it acts once, however often it arrives. What was rejected,
or may have acted, is kept with its text until somebody sends it again or gives it up.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from typing import Final, Literal

import msgspec

from bridge.limits import PIECE_BYTES
from mirrord.client.pending import RETRY_SECONDS
from mirrord.wire import chat as wire
from mirrord.wire.messages import ContentPart
from mirrord.wire.units import pieces

MESSAGES: Final[frozenset[wire.SubmitKind]] = frozenset(("prompt", "steer", "follow_up"))
"""Kinds that Pi looks at once its extension has them, and may refuse then."""

KEPT_TURNS: Final = 16
"""Texts that failed and wait for a decision; of more the oldest goes."""

SAME_ID: Final[frozenset[wire.ReceiptCode | None]] = frozenset(("detached", "busy", "store"))
"""Rejections of which nothing was kept, so that the same id may be tried again."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One submission and the pieces that go before it."""

    action: wire.ChatAction
    text: str = field(repr=False)
    pieces: tuple[ContentPart, ...] = field(default=(), repr=False)

    @property
    def id(self) -> str:
        """Its `clientTurnId`."""
        return self.action.client_turn_id

    @property
    def frames(self) -> tuple[ContentPart | wire.ChatAction, ...]:
        """What is sent, in order."""
        return *self.pieces, self.action


def turn(session_id: str, kind: wire.SubmitKind, text: str, *, literal: bool = False, excluded: bool = False) -> Turn:
    """A submission of this text: in one frame, or in pieces where it is longer than PIECE_BYTES as JSON."""
    turn_id = str(uuid.uuid4())
    action = wire.ChatAction(
        session_id=session_id, client_turn_id=turn_id, action="submit", kind=kind, text=text, literal=literal, excluded=excluded
    )
    if len(msgspec.json.encode(text)) <= PIECE_BYTES:
        return Turn(action, text)
    texts = pieces(text)
    parts = tuple(ContentPart(response_id=turn_id, part=part, parts=len(texts), text=piece) for part, piece in enumerate(texts))
    return Turn(msgspec.structs.replace(action, text=None, parts=len(texts)), text, parts)


def is_ruled(kind: wire.SubmitKind, stage: wire.Stage | None) -> bool:
    """Whether a turn of this kind has a word of Pi's, or never will. None is the stage of one without a receipt.

    Of a message the extension says `accepted` before Pi has looked at it. A command or a shell command may last: it runs by then.
    """
    return stage is not None and (stage != "accepted" or kind not in MESSAGES)


@dataclass(frozen=True, slots=True)
class Kept:
    """A turn that failed: `rejected` never acted, `unknown` may have."""

    turn: Turn
    stage: Literal["rejected", "unknown"]
    code: wire.ReceiptCode | None


@dataclass(slots=True)
class _Open:
    turn: Turn
    due_at: float = 0.0
    stage: wire.Stage | None = None
    told: bool = False


@dataclass(slots=True)
class Turns:
    """All submissions of one client that are not over."""

    connected: bool = False
    kept: dict[str, Kept] = field(default_factory=dict)
    """By id, the newest last."""
    _open: dict[str, _Open] = field(default_factory=dict)

    @property
    def waiting(self) -> int:
        """How many have no word of Pi's yet: no receipt at all, or that the extension has them."""
        return sum(not is_ruled(one.turn.action.kind, one.stage) for one in self._open.values())

    @property
    def next_at(self) -> float | None:
        """When `tick` has something to do."""
        return min((one.due_at for one in self._open.values() if one.stage is None), default=None)

    def give(self, new: Turn, now: float) -> bool:
        """Submit: True when it is to be sent now. While no connection stands it is not, and kept."""
        self.kept.pop(new.id, None)
        if not self.connected:
            self._keep(Kept(new, "rejected", "detached"))
            return False
        self._open[new.id] = _Open(new, now + RETRY_SECONDS)
        return True

    def back(self, now: float) -> list[Turn]:
        """A new connection stands: all go out again, also to be told over it what becomes of them."""
        self.connected = True
        for one in self._open.values():
            one.due_at = now + RETRY_SECONDS
        return [one.turn for one in self._open.values()]

    def lost(self) -> None:
        """The connection ended."""
        self.connected = False

    def tick(self, now: float) -> tuple[list[Turn], list[Turn]]:
        """Time has passed: what goes out again, and what of it is to be told for the first time to have no receipt."""
        again: list[Turn] = []
        news: list[Turn] = []
        for one in self._open.values():
            if one.stage is not None or now < one.due_at:
                continue
            one.due_at = now + RETRY_SECONDS
            if self.connected:
                again.append(one.turn)
            if not one.told:
                one.told = True
                news.append(one.turn)
        return again, news

    def receipt(self, receipt: wire.Receipt) -> Turn | None:
        """The turn of which something new is told; None when that is nothing new, or it is none of ours."""
        turn_id = receipt.client_turn_id
        one = self._open.get(turn_id)
        known = self.kept.get(turn_id)
        mine = one.turn if one is not None else known.turn if known is not None else None
        before = one.stage if one is not None else known.stage if known is not None else None
        if mine is None or (before == receipt.stage and receipt.code != "discarded"):
            return None
        match receipt.stage:
            case "accepted" | "queued":
                self.kept.pop(turn_id, None)
                self._open.setdefault(turn_id, _Open(mine)).stage = receipt.stage
            case "consumed":
                self.kept.pop(turn_id, None)
                self._open.pop(turn_id, None)
            case "rejected" | "unknown" as stage:
                self._open.pop(turn_id, None)
                if receipt.code == "discarded":
                    self.kept.pop(turn_id, None)
                else:
                    self._keep(Kept(mine, stage, receipt.code))
        return mine

    def retry(self, kind: wire.SubmitKind | None = None) -> Turn | None:
        """The newest that failed, to be given once more; None when there is none.

        One that may have acted keeps its id, so that it acts once. One that was rejected gets a new one, and may become another `kind`.
        """
        if not self.kept:
            return None
        _, kept = self.kept.popitem()
        action = kept.turn.action
        if kept.stage == "unknown" or (kept.code in SAME_ID and kind in (None, action.kind)):
            return kept.turn
        return turn(action.session_id, kind or action.kind, kept.turn.text, literal=action.literal, excluded=action.excluded)

    def discard(self) -> wire.ChatAction | Literal[True] | None:
        """Give up the newest that failed: what is to be sent for it, True when nothing is, None when there is none.

        One that may have acted is forgotten when the daemon says so.
        """
        if not self.kept:
            return None
        turn_id, kept = next(reversed(self.kept.items()))
        if kept.stage == "rejected":
            del self.kept[turn_id]
            return True
        return wire.ChatAction(session_id=kept.turn.action.session_id, client_turn_id=turn_id, action="discard")

    def _keep(self, kept: Kept) -> None:
        self.kept.pop(kept.turn.id, None)
        self.kept[kept.turn.id] = kept
        while len(self.kept) > KEPT_TURNS:
            del self.kept[next(iter(self.kept))]
