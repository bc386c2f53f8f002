"""What clients submit, from `chat_action` to `consumed`: on disk before it goes to the terminal, and never twice under one id.

Nobody but the terminal knows whether it took a turn. So one that was given to it without a word back is given to it again under the same
id, over the next link and by the next daemon: an extension that has it says what became of it, another takes it now.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass, field, replace
from typing import Final, get_args

import msgspec

from bridge.limits import CONTENT_BYTES
from mirrord.core.chat.commands import ForwardTurn
from mirrord.core.chat.events import TurnRuled
from mirrord.core.commands import Send
from mirrord.core.model import Client, ClientId, LinkId, Moment, TerminalId
from mirrord.core.receipts import UNDER_WAY, EarlierSeen, KeepReceipt, Receipt, ReceiptKept, Receipts, Stage, under_way
from mirrord.wire import chat as wire
from mirrord.wire.limits import TURN_ID_CHARS

PENDING_TURNS: Final = 64
"""Turns that the terminal has not ruled on, of one session; it rules within milliseconds or is gone."""

PENDING_BYTES: Final = 4 * CONTENT_BYTES
"""Of their texts."""

LINK_SECONDS: Final = 90.0
"""How long a Pi that an earlier daemon gave turns, and that is not seen to run, may take to be linked: its extension tries every five
seconds at most, and once a minute after a refusal. It may run in a container, where its number says nothing here."""

REMEMBERED_TURNS: Final = 256
"""Turns that an extension remembers: past so many newer ones it could take an old one for new."""

RANKS: Final[dict[Stage, int]] = {"sent": 0, "unknown": 0, "accepted": 1, "queued": 2, "consumed": 3, "rejected": 3}
"""Stages only go forward."""

SENTENCES: Final[dict[wire.ReceiptCode, str]] = {
    "detached": "The terminal cannot be reached right now; try again.",
    "ended": "This Pi has quit.",
    "unknown_session": "There is no such session.",
    "forbidden": "This device may look but not send.",
    "busy": "Too much waits for this terminal; try again.",
    "unsupported": "The mirrord extension in this Pi takes no messages: type /reload there.",
    "other_session": "This id was used for another message.",
    "discarded": "You gave this up.",
    "forgotten": "This was sent so long ago that Pi cannot tell any more whether it took it.",
}
PIECES_LOST: Final[tuple[wire.ReceiptCode, str | None]] = ("invalid", "The pieces of this did not come whole.")
BROKEN: Final = "The link to Pi broke before it said whether it took this."
QUIT: Final = "Pi quit before it said whether it took this."
UNDONE: Final = "Pi quit before it was done with this."

Out = list[Send | KeepReceipt | ForwardTurn]


@dataclass(slots=True)
class Pending:
    """A turn with its text, until the terminal has ruled on it."""

    receipt: Receipt
    kind: wire.SubmitKind
    text: str = field(repr=False)
    literal: bool
    excluded: bool
    name: str
    client_kind: str
    kept: bool = False
    """Its receipt is on disk."""
    given: bool = False
    """It was given to a link, whatever became of that."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where a turn goes: its session as it is now. `refuses` is the reason where this Pi cannot take such a turn."""

    session: TerminalId
    link: LinkId | None
    ended: bool
    takes_turns: bool
    refuses: str | None = None


@dataclass(slots=True)
class Turns:
    """Receipts of all sessions, and the turns on which no terminal has ruled. `link_of`: a session's link, None without one."""

    link_of: Callable[[TerminalId], LinkId | None]
    receipts: Receipts = field(default_factory=Receipts)
    _pending: dict[str, Pending] = field(default_factory=dict)
    _watchers: dict[str, set[ClientId]] = field(default_factory=dict)
    """Who is to be told what becomes of a turn."""
    _missed: dict[TerminalId, float] = field(default_factory=dict)
    """Sessions of an earlier daemon whose Pis have turns and are not here, and when they are given up, by the boot clock."""

    # ---- from clients ------------------------------------------------------------------------------------------------

    def submit(self, client: Client, action: wire.ChatAction, text: str | None, target: Target | None, at: Moment) -> Out:
        """A client submits something; `text` is None when its pieces have not come whole."""
        turn, session = action.client_turn_id, TerminalId(action.session_id)
        if not _is_id(turn):
            return [_say(client.id, action, at, "invalid", "clientTurnId is no id.")]
        digest = self.receipts.digest([text, action.literal, action.excluded])
        known = self.receipts.find(turn)
        if known is not None:
            if known.session_id != session or not (known.is_of(session, action.kind, digest) or known.code == "discarded" or text is None):
                return [_say(client.id, action, at, "other_session")]
            self._watch(client.id, turn)
            if turn in self._pending:
                return []
            if not _may_be_tried(known) or text is None:
                return [_tell(client.id, known)]
        obstacle = self._obstacle(target, text)
        tried = known is not None and known.stage != "rejected"
        if obstacle is not None or text is None:
            # To a turn that was tried before this is no verdict: it may have been taken.
            return [_tell(client.id, known) if known is not None and tried else _say(client.id, action, at, *(obstacle or PIECES_LOST))]
        if known is not None and tried and self._is_forgotten(known):
            return self._ruled(known, "unknown", at, "forgotten")
        receipt = Receipt(turn, client.credential, session, action.kind, digest, "sent", at.wall)
        pending = Pending(receipt, action.kind, text, action.literal, action.excluded, client.credential, client.kind, kept=tried)
        self._pending[turn] = pending
        self._watch(client.id, turn)
        self.receipts.put(receipt)
        return self._give(pending) if tried else [KeepReceipt(receipt)]

    def discard(self, client: Client, action: wire.ChatAction, listed: bool, at: Moment) -> Out:
        """A client gives up a turn of which nobody knows what became; one that was ruled on stays what it is.

        `listed`: there is such a session. For one that is none nothing is noted: its name may be anything.
        """
        turn = action.client_turn_id
        if not _is_id(turn):
            return [_say(client.id, action, at, "invalid", "clientTurnId is no id.")]
        known = self.receipts.find(turn)
        if known is not None and known.session_id != action.session_id:
            return [_say(client.id, action, at, "other_session")]
        if known is not None and known.stage not in ("sent", "unknown"):
            return [_tell(client.id, known)]
        if known is None and not listed:
            return [_say(client.id, action, at, "unknown_session")]
        pending = self._pending.pop(turn, None)
        may_have_acted = known is not None and (pending is None or pending.given)
        # One that never came is noted too: it may be on its way still, over a connection that broke.
        base = known or Receipt(turn, client.credential, action.session_id, action.kind, b"", "sent", at.wall)
        stage: Stage = "unknown" if may_have_acted else "rejected"
        given_up = replace(base, stage=stage, at=at.wall, code="discarded", reason=SENTENCES["discarded"])
        self.receipts.put(given_up)
        return [KeepReceipt(given_up), _tell(client.id, given_up)]

    def lookup(self, client: ClientId, session: str, turns: tuple[str, ...]) -> list[wire.Receipt]:
        """What is known of these turns of a session. One on which the terminal has said nothing is `unknown`.

        Who asks is told what becomes of those on which more may be said: it may have sent them over a connection before this one.
        """
        found = (self.receipts.find(turn) for turn in turns)
        ours = [receipt for receipt in found if receipt is not None and receipt.session_id == session]
        for receipt in ours:
            if RANKS[receipt.stage] < RANKS["consumed"]:
                self._watch(client, receipt.client_turn_id)
        return [message(receipt) for receipt in ours]

    def signed(self, session: str, items: tuple[wire.QueuedFollowUp, ...]) -> tuple[wire.QueuedFollowUp, ...]:
        """What waits in a session's Pi, with who sent it where that is known."""
        return tuple(msgspec.structs.replace(item, sender=self._sender(session, item.client_turn_id)) for item in items)

    def gone(self, client: ClientId) -> None:
        """The client is gone; what it sent goes on."""
        for turn, watchers in tuple(self._watchers.items()):
            watchers.discard(client)
            if not watchers:
                del self._watchers[turn]

    # ---- from the store ----------------------------------------------------------------------------------------------

    def kept(self, event: ReceiptKept) -> Out:
        """A receipt is on disk, or cannot be: only one that is there goes to the terminal."""
        turn = event.receipt.client_turn_id
        pending = self._pending.get(turn)
        if pending is None or pending.kept or event.receipt.stage != "sent":
            return []
        if event.error is None:
            pending.kept = True
            return self._give(pending)
        del self._pending[turn]
        return self._ruled(pending.receipt, "rejected", event.at, "store", event.error)

    # ---- from the terminal -------------------------------------------------------------------------------------------

    def ruled(self, session: TerminalId, ruling: TurnRuled) -> Out:
        """The terminal says what became of a turn."""
        known = self.receipts.find(ruling.turn)
        if known is None or known.session_id != session:
            return []
        self._pending.pop(ruling.turn, None)
        if RANKS[ruling.stage] <= RANKS[known.stage] and not (ruling.stage == "unknown" and known.stage in ("sent", "accepted", "queued")):
            return []
        code: wire.ReceiptCode | None = "refused" if ruling.stage == "rejected" else None
        return self._ruled(known, ruling.stage, ruling.at, code, ruling.reason, ruling.row_id)

    def told_all(self, session: TerminalId) -> Out:
        """A new link stands and has told what it knows: what it did not rule on is given to it, under the same ids."""
        return [command for pending in self._of(session) if pending.kept for command in self._give(pending)]

    def link_lost(self, session: TerminalId, at: Moment) -> Out:
        """What was given to the link without a word back is unknown until the next one."""
        out: Out = []
        for pending in self._of(session):
            if pending.given:
                unknown = replace(pending.receipt, stage="unknown", at=at.wall, reason=BROKEN)
                out += [_tell(client, unknown) for client in self._watching(pending.receipt.client_turn_id)]
        return out

    def ended(self, session: TerminalId, at: Moment) -> Out:
        """The Pi is gone: nothing that waits here will be taken any more, and nobody tells what became of what it had."""
        out: Out = []
        for pending in self._of(session):
            del self._pending[pending.receipt.client_turn_id]
            if pending.given:
                out += self._ruled(pending.receipt, "unknown", at, None, QUIT)
            else:
                out += self._ruled(pending.receipt, "rejected", at, "ended")
        for known in tuple(self.receipts):
            if known.session_id == session and known.stage in UNDER_WAY:
                out += self._ruled(known, "unknown", at, None, UNDONE)
        return out

    # ---- of an earlier daemon ----------------------------------------------------------------------------------------

    def earlier_seen(self, event: EarlierSeen, met: Container[TerminalId]) -> None:
        """Which Pis still run that have turns since an earlier daemon; those of `met` were linked since. The others get LINK_SECONDS."""
        missed = under_way(self.receipts) - event.running
        self._missed = {session: event.at.boot + LINK_SECONDS for session in sorted(missed) if session not in met}

    @property
    def wake_at(self) -> float | None:
        """When the first of those that are not here is given up, by the boot clock."""
        return min(self._missed.values(), default=None)

    def woke(self, at: Moment, met: Container[TerminalId]) -> Out:
        """Time has passed: of a Pi that was not linked in it nobody will learn what became of its turns, unless it comes after all."""
        late = [session for session, given_up in self._missed.items() if given_up <= at.boot]
        for session in late:
            del self._missed[session]
        return [command for session in late if session not in met for command in self.ended(session, at)]

    # ---- inside ------------------------------------------------------------------------------------------------------

    def _obstacle(self, target: Target | None, text: str | None) -> tuple[wire.ReceiptCode, str | None] | None:
        """Why a turn cannot be given to its terminal now."""
        if target is None:
            return "unknown_session", None
        if text is None:
            return PIECES_LOST
        if not text.strip():
            return "invalid", "There is nothing in it."
        if len(text.encode()) > CONTENT_BYTES:
            return "invalid", f"A message has at most {CONTENT_BYTES} bytes."
        if target.ended:
            return "ended", None
        if target.link is None:
            return "detached", None
        if not target.takes_turns:
            return "unsupported", None
        if target.refuses is not None:
            return "refused", target.refuses
        waiting = self._of(target.session)
        full = len(waiting) >= PENDING_TURNS or sum(len(pending.text) for pending in waiting) + len(text) > PENDING_BYTES
        return ("busy", None) if full else None

    def _is_forgotten(self, known: Receipt) -> bool:
        """So many turns went to its terminal since that the terminal would take it for a new one."""
        newer = 0
        for receipt in reversed(tuple(self.receipts)):
            if receipt.client_turn_id == known.client_turn_id:
                return False
            newer += receipt.session_id == known.session_id
            if newer >= REMEMBERED_TURNS:
                return True
        return False

    def _sender(self, session: str, turn: str | None) -> str | None:
        known = self.receipts.find(turn) if turn is not None else None
        return known.credential if known is not None and known.session_id == session else None

    def _give(self, pending: Pending) -> Out:
        link = self.link_of(TerminalId(pending.receipt.session_id))
        if link is None:
            return []
        pending.given = True
        turn = pending.receipt.client_turn_id
        return [ForwardTurn(link, turn, pending.kind, pending.text, pending.literal, pending.excluded, pending.name, pending.client_kind)]

    def _ruled(
        self,
        known: Receipt,
        stage: Stage,
        at: Moment,
        code: wire.ReceiptCode | None = None,
        reason: str | None = None,
        row_id: str | None = None,
    ) -> Out:
        receipt = replace(
            known, stage=stage, at=at.wall, code=code, reason=reason or (SENTENCES.get(code) if code else None), row_id=row_id
        )
        self.receipts.put(receipt)
        turn = known.client_turn_id
        out: Out = [KeepReceipt(receipt)]
        out += [_tell(client, receipt) for client in self._watching(turn)]
        if RANKS[stage] == RANKS["consumed"]:
            self._watchers.pop(turn, None)
        return out

    def _of(self, session: TerminalId) -> list[Pending]:
        return [pending for pending in self._pending.values() if pending.receipt.session_id == session]

    def _watch(self, client: ClientId, turn: str) -> None:
        self._watchers.setdefault(turn, set()).add(client)

    def _watching(self, turn: str) -> list[ClientId]:
        return sorted(self._watchers.get(turn, ()))


def _tell(client: ClientId, receipt: Receipt) -> Send:
    return Send(client, message(receipt))


def message(receipt: Receipt) -> wire.Receipt:
    """A receipt as clients get it: one on which the terminal has said nothing yet is `unknown` to them."""
    return wire.Receipt(
        session_id=receipt.session_id,
        client_turn_id=receipt.client_turn_id,
        stage="unknown" if receipt.stage == "sent" else receipt.stage,
        at=receipt.at,
        code=next((code for code in get_args(wire.ReceiptCode) if code == receipt.code), None),
        reason=BROKEN if receipt.stage == "sent" else receipt.reason,
        row_id=receipt.row_id,
    )


def _say(client: ClientId, action: wire.ChatAction, at: Moment, code: wire.ReceiptCode, reason: str | None = None) -> Send:
    """It is rejected, and nothing is kept of it."""
    return Send(client, rejected(action, at, code, reason))


def rejected(action: wire.ChatAction, at: Moment, code: wire.ReceiptCode, reason: str | None = None) -> wire.Receipt:
    """The receipt of a submission that goes nowhere."""
    return wire.Receipt(
        session_id=action.session_id,
        client_turn_id=action.client_turn_id[:TURN_ID_CHARS],
        stage="rejected",
        at=at.wall,
        code=code,
        reason=reason or SENTENCES.get(code),
    )


def _is_id(turn: str) -> bool:
    return 0 < len(turn) <= TURN_ID_CHARS and turn.isascii() and turn.isprintable() and " " not in turn


def _may_be_tried(known: Receipt) -> bool:
    """Nobody knows what became of it, or the disk refused to note it."""
    return known.code == "store" or (known.stage in ("sent", "unknown") and known.code is None)
