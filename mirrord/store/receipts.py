"""Receipts on disk: what became of each turn that a client sent, so that a daemon that starts again sends none of them twice."""

from __future__ import annotations

import hashlib
import hmac
import sqlite3
from collections.abc import Sequence
from dataclasses import astuple, fields, replace
from typing import Final

from mirrord.core.receipts import REASON_CHARS, RECEIPTS, ROW_BYTES, STAGES, Receipt, retained
from mirrord.core.retention import Prune, Retention
from mirrord.crypto import SigningKey
from mirrord.store.writer import Writer

_NAMES: Final = [field.name for field in fields(Receipt)]
"""The columns are called as the fields are."""
_COLUMNS: Final = ", ".join(_NAMES)
_PLACES: Final = ", ".join("?" for _ in _NAMES)
_STAGE: Final = _NAMES.index("stage")

_WORDS: Final = ("client_turn_id", "credential", "session_id", "kind", "digest", "stage", "code", "reason", "row_id")
_SIZE: Final = f"{ROW_BYTES} + " + " + ".join(f"ifnull(length(CAST({word} AS BLOB)), 0)" for word in _WORDS)
"""`Receipt.size`."""

_FITS: Final = f"SELECT count(*) <= ? AND ifnull(sum({_SIZE}), 0) <= ? FROM receipts"

_GIVE_WAY: Final = f"""
WITH ranked AS (
    SELECT rowid AS row, {_SIZE} AS size, row_number() OVER (PARTITION BY credential ORDER BY rowid DESC) AS place FROM receipts
), ordered AS (
    SELECT row, row_number() OVER fair AS number, sum(size) OVER fair AS bytes FROM ranked
    WINDOW fair AS (ORDER BY place, row DESC ROWS UNBOUNDED PRECEDING)
)
DELETE FROM receipts WHERE rowid IN (SELECT row FROM ordered WHERE number > ? OR bytes > ?)
"""
"""The rule of `mirrord.core.receipts.Receipts`: of every device its newest one first, then of every device the next, until it is enough.

Which is newer is told by the rowid, and not by the time: somebody may set the clock back.
"""

_SLACK: Final = 32
"""One part of so many more than is kept may lie there until it is cut: cutting takes ten milliseconds, and somebody waits for each turn."""

_PURPOSE: Final = b"mirrord: digests of turns"
"""Makes the key of digests another one than the key that signs."""


class ReceiptTable:
    """The receipts of an open store."""

    def __init__(self, db: sqlite3.Connection, writer: Writer, identity: SigningKey, retention: Retention, now: int) -> None:
        """`now` in ms since the epoch."""
        self.key: Final = hmac.digest(identity.secret, _PURPOSE, hashlib.sha256)
        """Of this daemon alone: without it a digest does not even confirm a guess at a short text."""
        self.earlier: Final = retained(_read(db), retention, now - retention.ms)
        """What was there when the store was opened, the one that was put longest ago first."""
        self._writer = writer
        self._bytes = retention.bytes

    async def keep(self, receipts: Sequence[Receipt]) -> None:
        """Put these on disk, each in place of an earlier one of its id, all of them or none; what is too much goes.

        Raises StoreNotWritable, and the table is what it was.
        """
        rows = [_row(receipt) for receipt in receipts]

        def write(db: sqlite3.Connection) -> None:
            db.executemany(f"INSERT OR REPLACE INTO receipts ({_COLUMNS}) VALUES ({_PLACES})", rows)
            most = RECEIPTS, self._bytes
            (fits,) = db.execute(_FITS, [number + number // _SLACK for number in most]).fetchone()
            if not fits:
                db.execute(_GIVE_WAY, most)

        await self._writer.change(write)

    async def prune(self, prune: Prune) -> None:
        """Forget what is too old, and what is too much by limits that may be new. Raises StoreNotWritable, and nothing changed."""
        self._bytes = prune.retention.bytes

        def write(db: sqlite3.Connection) -> None:
            if prune.before is not None:
                db.execute("DELETE FROM receipts WHERE at < ?", (prune.before,))
            db.execute(_GIVE_WAY, (RECEIPTS, self._bytes))

        await self._writer.change(write)


def _row(receipt: Receipt) -> tuple[object, ...]:
    return astuple(receipt if receipt.reason is None else replace(receipt, reason=receipt.reason[:REASON_CHARS]))


def _read(db: sqlite3.Connection) -> list[Receipt]:
    # A row that makes no sense is one lost receipt; it is no reason to set aside who may connect.
    rows = db.execute(f"SELECT {_COLUMNS} FROM receipts WHERE typeof(digest) = 'blob' AND typeof(at) = 'integer' ORDER BY rowid")
    return [Receipt(*row) for row in rows if row[_STAGE] in STAGES]
