"""What the store holds, for who looks after the daemon: numbers and times, no names and no texts."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import msgspec

from mirrord.store.aside import found, size
from mirrord.store.formats import FORMAT


class StoreReport(msgspec.Struct, frozen=True, rename="camel"):
    """As `mirrord status --json` has it. `bytes` of all its files; `oldest_receipt_at` in ms since the epoch, None without one.

    `set_aside`: stores that could not be used, the oldest first. `took_the_place_of`: the one of them that this daemon found when it
    started, so that every device has to pair again.
    """

    file: str
    format: int
    bytes: int
    devices: int
    receipts: int
    oldest_receipt_at: int | None
    set_aside: tuple[str, ...]
    took_the_place_of: str | None


def report(db: sqlite3.Connection, path: Path, took_the_place_of: Path | None) -> StoreReport:
    """Look at an open store and its files. Blocks; raises sqlite3.Error."""
    (devices,) = db.execute("SELECT count(*) FROM devices").fetchone()
    receipts, oldest = db.execute("SELECT count(*), min(at) FROM receipts").fetchone()
    return StoreReport(
        file=str(path),
        format=FORMAT,
        bytes=size(path),
        devices=devices,
        receipts=receipts,
        oldest_receipt_at=oldest,
        set_aside=tuple(str(aside.path) for aside in found(path)),
        took_the_place_of=None if took_the_place_of is None else str(took_the_place_of),
    )
