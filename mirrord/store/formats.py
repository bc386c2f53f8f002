"""The tables on disk, and how a store of an earlier mirrord becomes one of this."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final

from mirrord.crypto import SigningKey
from mirrord.errors import NewerStore

FORMAT: Final = 4
"""`user_version` of a store that this mirrord writes. 1 had credentials alone, 2 no receipts, 3 no notifications."""

_DEVICES: Final = """
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

_RECEIPTS: Final = """
CREATE TABLE receipts (
    client_turn_id TEXT PRIMARY KEY,
    credential TEXT NOT NULL,
    session_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    digest BLOB NOT NULL,
    stage TEXT NOT NULL,
    at INTEGER NOT NULL,
    code TEXT,
    reason TEXT,
    row_id TEXT
);
CREATE INDEX receipts_by_age ON receipts (at);
"""
"""One row for each turn that a client sent, without its text; `mirrord.core.receipts` says what the columns mean."""

_NOTIFY: Final = """
CREATE TABLE push_key (secret BLOB NOT NULL);
CREATE TABLE push_subscriptions (
    device_id TEXT PRIMARY KEY,
    endpoint TEXT NOT NULL UNIQUE,
    p256dh BLOB NOT NULL,
    auth BLOB NOT NULL,
    created_at INTEGER NOT NULL
);
CREATE TABLE notify_switches (
    device_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    is_on INTEGER NOT NULL,
    UNIQUE (device_id, session_id, kind)
);
CREATE TRIGGER device_is_gone AFTER DELETE ON devices BEGIN
    DELETE FROM push_subscriptions WHERE device_id = OLD.id;
    DELETE FROM notify_switches WHERE device_id = OLD.id;
END;
"""
"""`push_key` has one row: the private key that push services know the daemon by. A switch without a session (`''`) is the device's."""

_FROM_CREDENTIALS: Final = f"""
{_DEVICES}
INSERT INTO devices
    SELECT lower(hex(randomblob(8))), name, role, digest, NULL, created_at, last_seen_at FROM credentials;
DROP TABLE credentials;
"""
"""Format 1 had no devices that sign, and no names for keys."""

_STEPS: Final = {1: _FROM_CREDENTIALS, 2: _RECEIPTS, 3: _NOTIFY}
"""From each earlier format to the next one."""

_NEW: Final = _DEVICES + _RECEIPTS + _NOTIFY
"""What an empty file becomes, at once."""

APPLICATION: Final = 0x6D72_7264
"""`application_id` of a store, "mrrd": another program's database in its place is not taken for one. Formats 1 to 3 may have none."""

CHECK_BYTES: Final = 16 * 1024 * 1024
"""The largest file whose pages are all looked at before it is used, which takes some 50 ms: a store has a tenth of it."""


def prepare(db: sqlite3.Connection, path: Path) -> None:
    """Make the file a store of this format, in one step or not at all.

    Raises:
        NewerStore: a later mirrord wrote it; nothing was changed.
        sqlite3.DatabaseError: it cannot be read, or is the database of another program.
    """
    (application,) = db.execute("PRAGMA application_id").fetchone()
    if application not in (0, APPLICATION):
        raise sqlite3.DatabaseError(f"another program's database (application id {application:#x})")
    (found,) = db.execute("PRAGMA user_version").fetchone()
    if found > FORMAT:
        raise NewerStore(path, found, FORMAT)
    if path.stat().st_size <= CHECK_BYTES:
        (verdict,) = db.execute("PRAGMA quick_check(1)").fetchone()
        if verdict != "ok":
            raise sqlite3.DatabaseError(verdict)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    if found < FORMAT or application != APPLICATION:
        db.executescript(f"BEGIN; {_steps_from(db, found)} PRAGMA user_version = {FORMAT}; PRAGMA application_id = {APPLICATION}; COMMIT;")


def _steps_from(db: sqlite3.Connection, found: int) -> str:
    """What has to be done to a store of this format. Raises sqlite3.DatabaseError for what is none."""
    if found > 0:
        return "".join(_STEPS[number] for number in range(found, FORMAT))
    if found < 0 or db.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is not None:
        raise sqlite3.DatabaseError("a database that is no store")
    return _NEW


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
