"""Credentials on disk: SQLite in the state directory, mode 0600; a token itself is never stored, only its SHA-256.

The gate reads `credentials`, which is in memory. Changes go to a thread, one at a time, and are on disk before they
count. A store that cannot be read is set aside, not repaired: who had a credential pairs again.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeVar

import anyio
import anyio.to_thread

from mirrord import logs
from mirrord.clock import Clock
from mirrord.errors import BadName, NameTaken, NewerStore, StoreNotWritable
from mirrord.server.gate import LOCAL_CREDENTIAL, Credential, digest_of
from mirrord.wire.limits import NAME_CLUSTERS
from mirrord.wire.roles import Role
from sanitize import label

FILE_NAME: Final = "mirrord.db"
TOKEN_PREFIX: Final = "mrd_"
"""Makes a token recognisable to people and to scanners for leaked secrets."""

TOKEN_BYTES: Final = 32
"""Randomness of a token: guessing is out of the question, so it needs no slow hash."""

SEEN_MS: Final = 60_000
"""How exact `lastSeenAt` is: a device that reconnects all the time costs one write a minute."""

_FORMAT: Final = 1
_MODE: Final = 0o600
_SCHEMA: Final = """
CREATE TABLE credentials (
    name TEXT PRIMARY KEY,
    role TEXT NOT NULL,
    digest BLOB NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    last_seen_at INTEGER
);
"""

_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class Minted:
    """A new credential: its name as it was cleaned, and the token, which is in no repr."""

    name: str
    token: str = field(repr=False)


class Store:
    """An open store; made by `open_store`, closed by `close`."""

    def __init__(self, path: Path, db: sqlite3.Connection, clock: Clock) -> None:
        self.path = path
        self._db = db
        self._clock = clock
        self._one_at_a_time = anyio.CapacityLimiter(1)
        self._seen: dict[str, int] = {}
        rows = db.execute("SELECT name, role, digest FROM credentials ORDER BY name")
        self.credentials: tuple[Credential, ...] = tuple(Credential(name, Role[role], digest) for name, role, digest in rows)
        """Everybody who may get in, as the gate wants it."""

    async def mint(self, name: str, role: Role) -> Minted:
        """Make a credential; its token is returned here and nobody can ask for it again.

        Raises:
            NameTaken, BadName: choose another name.
            StoreNotWritable: nothing was made.
        """
        clean = clean_name(name)
        if any(credential.name == clean for credential in self.credentials):
            raise NameTaken(clean)
        token = TOKEN_PREFIX + secrets.token_urlsafe(TOKEN_BYTES)
        credential = Credential(clean, role, digest_of(token))
        row = (clean, role.name, credential.digest, self._clock.wall())

        def insert() -> None:
            with self._db:
                self._db.execute("INSERT INTO credentials (name, role, digest, created_at) VALUES (?, ?, ?, ?)", row)

        try:
            await self._write(insert)
        except sqlite3.IntegrityError:
            raise NameTaken(clean) from None
        self.credentials = (*self.credentials, credential)
        return Minted(clean, token)

    async def revoke(self, name: str) -> bool:
        """Forget a credential: its token opens nothing from now on. False when there was none of that name."""
        before = self.credentials
        self.credentials = tuple(credential for credential in before if credential.name != name)

        def delete() -> None:
            with self._db:
                self._db.execute("DELETE FROM credentials WHERE name = ?", (name,))

        await self._write(delete)
        return len(self.credentials) < len(before)

    async def seen(self, name: str) -> None:
        """Note that a credential was used, to SEEN_MS. A disk that cannot take it is logged, no more."""
        now = self._clock.wall()
        if now - self._seen.get(name, 0) < SEEN_MS:
            return
        self._seen[name] = now

        def update() -> None:
            with self._db:
                self._db.execute("UPDATE credentials SET last_seen_at = ? WHERE name = ?", (now, name))

        try:
            await self._write(update)
        except StoreNotWritable as error:
            logs.warn("store: last use of a credential not noted", why=str(error))

    def close(self) -> None:
        """Fold the write-ahead log into the file and close it."""
        self._db.close()

    async def _write(self, work: Callable[[], _Result]) -> _Result:
        try:
            return await anyio.to_thread.run_sync(work, limiter=self._one_at_a_time)
        except sqlite3.IntegrityError:
            raise
        except sqlite3.Error as error:
            raise StoreNotWritable(self.path, str(error)) from error


def open_store(directory: Path, clock: Clock) -> Store:
    """The store in `directory`, which exists and is private. Blocks; call it before the loop runs.

    Raises:
        NewerStore: a later mirrord wrote it.
        StoreNotWritable: the file cannot be made or opened.
    """
    path = directory / FILE_NAME
    try:
        return _open(path, clock)
    except (sqlite3.OperationalError, OSError) as error:
        raise StoreNotWritable(path, str(error)) from error
    except (sqlite3.DatabaseError, KeyError) as error:
        aside = _set_aside(path, clock.wall())
        logs.warn("store: unreadable and set aside, devices have to pair again", file=str(aside), why=str(error))
        try:
            return _open(path, clock)
        except (sqlite3.Error, OSError) as again:
            raise StoreNotWritable(path, str(again)) from again


def clean_name(name: str) -> str:
    """The name as it is stored and shown. Raises BadName when nothing is left or it is the control socket's own."""
    cleaned = label(name, limit=NAME_CLUSTERS)
    if cleaned.truncated:
        raise BadName(f"it is longer than {NAME_CLUSTERS} characters")
    if not cleaned.text.strip():
        raise BadName("nothing of it can be shown")
    if "/" in cleaned.text:
        raise BadName("it holds a slash, which ends the name inside a response id")
    if cleaned.text == LOCAL_CREDENTIAL:
        raise BadName(f"{LOCAL_CREDENTIAL} means the person at this machine")
    return cleaned.text


def _open(path: Path, clock: Clock) -> Store:
    # Made here with its mode: SQLite follows the umask, and gives its side files the mode of the main one.
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, _MODE))
    db = sqlite3.connect(path, check_same_thread=False)
    try:
        _prepare(db, path)
        return Store(path, db, clock)
    except BaseException:
        db.close()
        raise


def _prepare(db: sqlite3.Connection, path: Path) -> None:
    (found,) = db.execute("PRAGMA user_version").fetchone()
    if found > _FORMAT:
        raise NewerStore(path, found, _FORMAT)
    (verdict,) = db.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise sqlite3.DatabaseError(verdict)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    if found == 0:
        db.executescript(f"BEGIN; {_SCHEMA} PRAGMA user_version = {_FORMAT}; COMMIT;")


def _set_aside(path: Path, wall: int) -> Path:
    aside = path.with_name(f"{path.name}.broken-{wall}")
    for suffix in ("", "-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            os.replace(f"{path}{suffix}", f"{aside}{suffix}")
    return aside
