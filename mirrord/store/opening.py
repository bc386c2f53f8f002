"""How a store is opened. One that cannot be read is set aside, not repaired: who had access pairs again, and the daemon runs."""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

from mirrord import logs
from mirrord.clock import Clock
from mirrord.core.retention import USUAL, Retention
from mirrord.errors import StoreNotWritable
from mirrord.store.aside import set_aside, without_strangers
from mirrord.store.formats import prepare
from mirrord.store.store import Store
from mirrord.store_file import FILE_NAME

_MODE: Final = 0o600

_PRIMARY: Final = 0xFF
"""The part of SQLite's error codes that says what kind of error it is."""


def open_store(directory: Path, clock: Clock, retention: Retention = USUAL) -> Store:
    """The store in `directory`, which exists and is private. Blocks; call it before the loop runs.

    Raises:
        NewerStore: a later mirrord wrote it.
        StoreNotWritable: the file cannot be made or opened.
    """
    path = directory / FILE_NAME
    opened = _open(path, clock, retention)
    if not isinstance(opened, Store):
        # SQLite also calls malformed what the disk just failed to give it: then it is the disk, or it was for a moment.
        _read_whole(path)
        opened = _open(path, clock, retention)
    if not isinstance(opened, Store):
        aside, why = _set_aside(path, clock.wall()), str(opened)
        logs.warn("store: unreadable and set aside, so every device has to pair again", file=str(aside), why=why)
        opened = _open(path, clock, retention)
        if isinstance(opened, Store):
            opened.took_the_place_of = aside
    if not isinstance(opened, Store):
        raise StoreNotWritable(path, str(opened)) from opened
    return opened


def _open(path: Path, clock: Clock, retention: Retention) -> Store | sqlite3.Error:
    """The store, or what is wrong with the content of its file. Raises as `open_store` does."""
    try:
        damage = _damage(path)
        if damage is not None:
            return sqlite3.DatabaseError(damage)
        without_strangers(path)
        # Made here with its mode: SQLite follows the umask, and gives its side files the mode of the main one.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, _MODE))
        db = sqlite3.connect(path, check_same_thread=False)
        # One byte that is no UTF-8 is one odd name, and not the end of a store.
        db.text_factory = _text
        try:
            prepare(db, path)
            return Store(path, db, clock, retention)
        except BaseException:
            db.close()
            raise
    except sqlite3.OperationalError as error:
        if _is_of_content(error):
            return error
        raise StoreNotWritable(path, str(error)) from error
    except sqlite3.DatabaseError as error:
        return error
    except OSError as error:
        raise StoreNotWritable(path, str(error)) from error


def _damage(path: Path) -> str | None:
    """What can be seen without opening it; what is behind a symbolic link is not looked at, and `_open` refuses it."""
    with suppress(FileNotFoundError):
        found = path.lstat()
        if not stat.S_ISREG(found.st_mode) and not stat.S_ISLNK(found.st_mode):
            return "something that is no file in its place"
        with suppress(FileNotFoundError):
            if found.st_size == 0 and Path(f"{path}-wal").lstat().st_size > 0:
                return "emptied, beside changes that were made to it"
    return None


def _is_of_content(error: sqlite3.OperationalError) -> bool:
    """A table that is not there, or is another one, and no disk that is full, read-only, locked or broken."""
    return bool(error.sqlite_errorcode & _PRIMARY == sqlite3.SQLITE_ERROR)


def _read_whole(path: Path) -> None:
    try:
        if path.is_file():
            path.read_bytes()
    except OSError as error:
        raise StoreNotWritable(path, str(error)) from error


def _set_aside(path: Path, wall: int) -> Path:
    try:
        return set_aside(path, wall)
    except OSError as error:
        raise StoreNotWritable(path, str(error)) from error


def _text(raw: bytes) -> str:
    return raw.decode(errors="replace")
