"""Receipts of turns that clients sent: what became of each `clientTurnId`, so that none of them ever acts twice.

A receipt holds no text and no length (design FIXED 7), only a digest under the daemon's own key, by which a retry is told from
another text that came under the same id. Pure: `Receipts` is what the core asks, the store keeps the same on disk.
"""

from __future__ import annotations

import hashlib
import hmac
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

import msgspec

from mirrord.core.events import Event
from mirrord.core.model import TerminalId
from mirrord.core.retention import USUAL, Prune, Retention

RECEIPTS: Final = 2048
"""Kept at once, about 1 MB: many times the 256 that a terminal remembers, and what a person sends in weeks."""

ROW_BYTES: Final = 100
"""What a receipt takes on disk besides its words: numbers, lengths, its places in two indexes."""

REASON_CHARS: Final = 300
"""One sentence; a longer one is cut."""

DIGEST_BYTES: Final = 16
"""128 bits: no two texts of a person ever have the same."""

Stage = Literal["sent", "accepted", "queued", "consumed", "rejected", "unknown"]
"""`sent`: noted before it is given to the terminal, which has not said anything yet. The others are the client protocol's."""

UNDER_WAY: Final[frozenset[Stage]] = frozenset(("accepted", "queued"))
"""The terminal has it and is not done with it."""

STAGES: Final[frozenset[Stage]] = frozenset(("sent", "accepted", "queued", "consumed", "rejected", "unknown"))


@dataclass(frozen=True, slots=True)
class Receipt:
    """What is known of one turn. `at` is when it came to this stage, ms since the epoch.

    `code` and `reason` say why, as the client protocol's receipt does; a reason never quotes the text. `row_id` names the message.
    """

    client_turn_id: str
    credential: str
    """Who sent it, as the device was called then."""
    session_id: str
    kind: str
    digest: bytes = field(repr=False)
    stage: Stage
    at: int
    code: str | None = None
    reason: str | None = None
    row_id: str | None = None

    @property
    def size(self) -> int:
        """About how many bytes it takes on disk."""
        words = (self.client_turn_id, self.credential, self.session_id, self.kind, self.stage, self.code, self.reason, self.row_id)
        return ROW_BYTES + len(self.digest) + sum(len(word.encode()) for word in words if word is not None)

    def is_of(self, session_id: str, kind: str, digest: bytes) -> bool:
        """Whether this is a retry of the same turn; otherwise its id was used for another one, which is a conflict.

        The credential is not asked: a device may have been renamed in between, and nobody else knows id and text.
        """
        return (self.session_id, self.kind) == (session_id, kind) and hmac.compare_digest(self.digest, digest)


@dataclass(frozen=True, slots=True)
class KeepReceipt:
    """Have this receipt on disk, in place of an earlier one of its id. ReceiptKept follows.

    Of several for one id that wait for the disk, only the last is written.
    """

    receipt: Receipt


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptsLoaded:
    """What earlier daemons kept, the oldest first, and the key of digests."""

    key: bytes = field(repr=False)
    receipts: tuple[Receipt, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptKept(Event):
    """A receipt is on disk, or is not: `error` is one sentence then. It is tried again by itself; a later one replaces it."""

    receipt: Receipt
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierSeen(Event):
    """Of the Pis that have turns `under_way` since an earlier daemon, these are seen to run; ProcessGone follows when one of them ends.

    One that is not among them has ended, or is where this machine's process numbers mean nothing.
    """

    running: frozenset[TerminalId]


@dataclass(slots=True)
class Receipts:
    """The newest receipts by `clientTurnId`: RECEIPTS at most, and `most_bytes`. The device that has most of them gives way first."""

    key: bytes = field(default=b"", repr=False)
    most_bytes: int = USUAL.bytes
    _kept: OrderedDict[str, Receipt] = field(default_factory=OrderedDict)
    _of: dict[str, OrderedDict[str, None]] = field(default_factory=dict)
    """Credential → ids of its turns, the one that was put longest ago first."""
    _bytes: int = 0

    def load(self, loaded: ReceiptsLoaded) -> None:
        """Begin with these."""
        self.key = loaded.key
        self._kept.clear()
        self._of.clear()
        self._bytes = 0
        for receipt in loaded.receipts:
            self.put(receipt)

    def find(self, client_turn_id: str) -> Receipt | None:
        """What became of this turn; None when it was never sent, or so long ago that it is forgotten."""
        return self._kept.get(client_turn_id)

    def put(self, receipt: Receipt) -> None:
        """Note a receipt in place of an earlier one of its id, and forget what is too much."""
        self._forget(receipt.client_turn_id)
        self._kept[receipt.client_turn_id] = receipt
        self._of.setdefault(receipt.credential, OrderedDict())[receipt.client_turn_id] = None
        self._bytes += receipt.size
        self._give_way()

    def prune(self, prune: Prune) -> None:
        """Forget what is too old, and what is too much by limits that may be new."""
        self.most_bytes = prune.retention.bytes
        if prune.before is not None:
            for old in [receipt.client_turn_id for receipt in self if receipt.at < prune.before]:
                self._forget(old)
        self._give_way()

    def digest(self, payload: object) -> bytes:
        """The digest of a payload: a text, or anything that JSON can hold, structs of the wire included."""
        return hmac.digest(self.key, msgspec.json.encode(payload), hashlib.sha256)[:DIGEST_BYTES]

    def __iter__(self) -> Iterator[Receipt]:
        """All of them, the one that was put longest ago first."""
        return iter(self._kept.values())

    def __len__(self) -> int:
        """How many there are."""
        return len(self._kept)

    def _give_way(self) -> None:
        while len(self._kept) > RECEIPTS or self._bytes > self.most_bytes:
            most = max(map(len, self._of.values()))
            oldest = {next(iter(ids)) for ids in self._of.values() if len(ids) == most}
            if len(oldest) == 1:
                self._forget(oldest.pop())
            else:
                self._forget(next(turn for turn in self._kept if turn in oldest))

    def _forget(self, client_turn_id: str) -> None:
        receipt = self._kept.pop(client_turn_id, None)
        if receipt is None:
            return
        self._bytes -= receipt.size
        ids = self._of[receipt.credential]
        del ids[client_turn_id]
        if not ids:
            del self._of[receipt.credential]


def under_way(receipts: Iterable[Receipt]) -> frozenset[TerminalId]:
    """The sessions whose terminals have turns that they are not done with."""
    return frozenset(TerminalId(receipt.session_id) for receipt in receipts if receipt.stage in UNDER_WAY)


def retained(receipts: Sequence[Receipt], retention: Retention, before: int | None) -> tuple[Receipt, ...]:
    """Those that are kept, the one that was put longest ago first, as they are given: the rule of `Receipts`, for a whole store."""
    kept = Receipts(most_bytes=retention.bytes)
    for receipt in receipts:
        if before is None or receipt.at >= before:
            kept.put(receipt)
    return tuple(kept)
