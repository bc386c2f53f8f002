"""The store's file, and one question that is asked of it without opening the store: Pi's start waits for the answer."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final
from urllib.parse import quote

FILE_NAME: Final = "mirrord.db"


def may_have_paired_device(state_dir: Path) -> bool:
    """False when the store in this directory certainly knows no paired device. Changes nothing, never raises, takes milliseconds."""
    path = state_dir / FILE_NAME
    if not path.exists():
        return False
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True, timeout=0)) as db:
            return db.execute("SELECT 1 FROM devices WHERE public_key IS NOT NULL LIMIT 1").fetchone() is not None
    except sqlite3.Error:
        return True
