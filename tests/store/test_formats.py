"""Promise: a store of an earlier mirrord keeps everybody who may connect, in one step or not at all; a newer one is left alone."""

from __future__ import annotations

import logging
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from mirrord.errors import NewerStore
from mirrord.server.gate import digest_of
from mirrord.store import FILE_NAME, open_store
from mirrord.store.formats import FORMAT, prepare
from mirrord.testing import FakeClock
from mirrord.wire.roles import Role

FORMAT_1 = """
CREATE TABLE credentials (
    name TEXT PRIMARY KEY,
    role TEXT NOT NULL,
    digest BLOB NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    last_seen_at INTEGER
);
PRAGMA user_version = 1;
"""


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A store as the first version wrote it."""
    path = tmp_path / FILE_NAME
    with closing(sqlite3.connect(path)) as db, db:
        db.executescript(FORMAT_1)
        db.execute("INSERT INTO credentials VALUES ('phone', 'CONTROLLER', ?, 1, 7)", (digest_of("a"),))
        db.execute("INSERT INTO credentials VALUES ('wall', 'OBSERVER', ?, 2, NULL)", (digest_of("b"),))
    return path


def version(path: Path) -> int:
    with closing(sqlite3.connect(path)) as db:
        return int(db.execute("PRAGMA user_version").fetchone()[0])


def test_everybody_who_had_a_token_keeps_it(old: Path) -> None:
    store = open_store(old.parent, FakeClock())
    told = [(each.name, each.role, each.digest, each.created_at, each.last_seen_at, each.kind) for each in store.devices]
    assert told == [
        ("phone", Role.CONTROLLER, digest_of("a"), 1, 7, "token"),
        ("wall", Role.OBSERVER, digest_of("b"), 2, None, "token"),
    ]
    assert [len(each.id) for each in store.devices] == [16, 16]
    assert len({each.id for each in store.devices}) == 2
    store.close()
    assert version(old) == FORMAT
    again = open_store(old.parent, FakeClock())
    assert again.devices == store.devices
    again.close()


def test_a_step_that_fails_changes_nothing(old: Path) -> None:
    with closing(sqlite3.connect(old)) as db, db:
        db.execute("CREATE TABLE identity (other TEXT)")
    with closing(sqlite3.connect(old)) as db, pytest.raises(sqlite3.OperationalError):
        prepare(db, old)
    with closing(sqlite3.connect(old)) as db:
        assert db.execute("SELECT count(*) FROM credentials").fetchone() == (2,)
        assert db.execute("SELECT name FROM sqlite_master WHERE name = 'devices'").fetchone() is None
    assert version(old) == 1


def test_a_store_of_a_later_format_is_refused_and_left_alone(old: Path) -> None:
    open_store(old.parent, FakeClock()).close()
    with closing(sqlite3.connect(old)) as db, db:
        db.execute(f"PRAGMA user_version = {FORMAT + 1}")
    before = old.read_bytes()
    with pytest.raises(NewerStore, match=f"format {FORMAT + 1}, this one knows {FORMAT}"):
        open_store(old.parent, FakeClock())
    assert old.read_bytes() == before


@pytest.mark.parametrize("damage", [b"", b"\x00" * 32, b"\xff" * 32, "text"])
def test_a_damaged_key_of_the_daemon_sets_the_store_aside(tmp_path: Path, damage: object, caplog: pytest.LogCaptureFixture) -> None:
    open_store(tmp_path, FakeClock()).close()
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as db, db:
        db.execute("UPDATE identity SET secret = ?", (damage,))
    with caplog.at_level(logging.WARNING, "mirrord"):
        open_store(tmp_path, FakeClock()).close()
    assert "set aside" in caplog.text
