"""The store, read without changing a byte of it."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from mirrord.doctor.facts import StoreFound
from mirrord.store.aside import found as set_aside
from mirrord.store.aside import size as size_of
from mirrord.store.formats import FORMAT
from mirrord.store_file import FILE_NAME


def look(state_dir: Path) -> StoreFound:
    """Format, size and whether SQLite finds it whole."""
    path = state_dir / FILE_NAME
    aside = tuple(str(each.path) for each in set_aside(path))
    if not os.path.lexists(path):
        return StoreFound(path, None, FORMAT, set_aside=aside)
    size = size_of(path)
    try:
        with closing(sqlite3.connect(_address(path), uri=True, timeout=0)) as db:
            (found,) = db.execute("PRAGMA user_version").fetchone()
            (verdict,) = db.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.Error as error:
        blocked = path.is_file() and isinstance(error, sqlite3.OperationalError) and error.sqlite_errorcode != sqlite3.SQLITE_ERROR
        return StoreFound(path, 0, FORMAT, size, str(error), aside, blocked)
    return StoreFound(path, int(found), FORMAT, size, None if verdict == "ok" else str(verdict), aside)


def _address(path: Path) -> str:
    """A reader of a write-ahead log makes a file beside it, unless a daemon has made it. Without one, only the database itself is read."""
    in_use = os.path.exists(f"{path}-wal") and os.path.exists(f"{path}-shm")
    return f"file:{quote(str(path))}?{'mode=ro' if in_use else 'immutable=1'}"
