"""Stores as earlier versions of mirrord wrote them, from `fixtures/store/`: text, of which the file is made anew."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from mirrord.store import FILE_NAME

FOLDER: Final = Path(__file__).parents[2] / "fixtures" / "store"


def number_of(golden: Path) -> int:
    """The format in a fixture's name."""
    return int(re.sub(r"\D", "", golden.stem))


GOLDENS: Final = sorted(FOLDER.glob("format-*.sql"), key=number_of)


def restore(golden: Path, directory: Path) -> Path:
    """Make the store of a fixture in a directory; returns its path."""
    path = directory / FILE_NAME
    with closing(sqlite3.connect(path)) as db:
        db.executescript(golden.read_text())
    return path


def tables(path: Path) -> dict[str, str]:
    """What another program sees of a store's tables and indexes: name → how it was made, white space aside."""
    with closing(sqlite3.connect(path)) as db:
        made = db.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
        return {name: " ".join(sql.split()) for name, sql in made}
