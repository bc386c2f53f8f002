"""The tables on disk, and how a store of an earlier mirrord becomes one of this."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final

from mirrord.crypto import SigningKey
from mirrord.errors import NewerStore

FORMAT: Final = 2
"""`user_version` of a store that this mirrord writes. 1 had credentials alone."""

_TABLES: Final = """
CREATE TABLE devices (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL,
    digest BLOB UNIQUE,
    public_key BLOB UNIQUE,
    created_at INTEGER NOT NULL,
    last_seen_at INTEGER,
    CHECK ((digest IS NULL) <> (public_key IS NULL))
);
CREATE TABLE identity (secret BLOB NOT NULL);
CREATE TABLE pairing_tries (offer TEXT PRIMARY KEY, tries INTEGER NOT NULL);
"""
"""A device shows a token, of which the digest is kept, or signs with the key that belongs to `public_key`.

`identity` has one row: the daemon's own private key, by which a device knows it again.
"""

_STEPS: Final = {
    0: _TABLES,
    1: f"""
{_TABLES}
INSERT INTO devices
    SELECT lower(hex(randomblob(8))), name, role, digest, NULL, created_at, last_seen_at FROM credentials;
DROP TABLE credentials;
""",
}
"""From each earlier format to this one; 0 is an empty file."""


def prepare(db: sqlite3.Connection, path: Path) -> None:
    """Make the file a store of this format, in one step or not at all.

    Raises:
        NewerStore: a later mirrord wrote it; nothing was changed.
        sqlite3.DatabaseError: it cannot be read.
    """
    (found,) = db.execute("PRAGMA user_version").fetchone()
    if found > FORMAT:
        raise NewerStore(path, found, FORMAT)
    (verdict,) = db.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise sqlite3.DatabaseError(verdict)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    if found < FORMAT:
        db.executescript(f"BEGIN; {_STEPS[found]} PRAGMA user_version = {FORMAT}; COMMIT;")


def read_identity(db: sqlite3.Connection) -> SigningKey:
    """The daemon's own key, made when there is none. Raises sqlite3.DatabaseError when what is there is no key."""
    row = db.execute("SELECT secret FROM identity").fetchone()
    if row is None:
        made = SigningKey.generate()
        with db:
            db.execute("INSERT INTO identity (secret) VALUES (?)", (made.secret,))
        return made
    try:
        return SigningKey(row[0])
    except (ValueError, TypeError) as error:
        raise sqlite3.DatabaseError("the daemon's own key is damaged") from error
