"""Promise: a store of an earlier mirrord keeps everybody who may connect, in one step or not at all; a newer one is left alone.

Every earlier format is there as `fixtures/store/format-N.sql`.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import anyio
import pytest

from mirrord.errors import NewerStore
from mirrord.server.gate import digest_of
from mirrord.store import open_store
from mirrord.store.formats import FORMAT, prepare
from mirrord.testing import FakeClock
from mirrord.wire.roles import Role
from tests.store.goldens import GOLDENS, number_of, restore, tables

NAMES = [golden.stem for golden in GOLDENS]


def version(path: Path) -> int:
    with closing(sqlite3.connect(path)) as db:
        return int(db.execute("PRAGMA user_version").fetchone()[0])


def columns(path: Path, table: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as db:
        return db.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall()


def test_there_is_a_store_of_every_earlier_format() -> None:
    assert [number_of(golden) for golden in GOLDENS][: FORMAT - 1] == list(range(1, FORMAT))


@pytest.mark.parametrize("golden", GOLDENS, ids=NAMES)
def test_an_earlier_store_has_the_tables_of_a_new_one_and_everybody_who_could_connect(golden: Path, tmp_path: Path) -> None:
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
    path = restore(golden, tmp_path / "old")
    store = open_store(path.parent, FakeClock())
    store.close()
    fresh = open_store(tmp_path / "new", FakeClock())
    fresh.close()
    assert tables(path) == tables(fresh.path)
    assert version(path) == FORMAT
    script = store.named("script")
    assert (script.role, script.digest, script.created_at, script.last_seen_at, script.kind) == (
        Role.CONTROLLER,
        digest_of("token of the script"),
        1_700_000_000_000,
        1_700_000_060_000,
        "token",
    )
    again = open_store(path.parent, FakeClock())
    assert again.devices == store.devices
    assert again.identity.secret == store.identity.secret
    again.close()


@pytest.mark.parametrize("golden", GOLDENS[1:], ids=NAMES[1:])
def test_paired_devices_tries_of_a_code_and_the_daemons_own_key_stay(golden: Path, tmp_path: Path) -> None:
    path = restore(golden, tmp_path)
    store = open_store(tmp_path, FakeClock())
    phone = store.named("Ada's phone")
    assert (phone.id, phone.role, phone.public_key, phone.created_at, phone.kind) == (
        "0100",
        Role.OBSERVER,
        b"\x04" + b"\x22" * 64,
        1_700_000_001_000,
        "paired",
    )
    assert store.identity.secret == b"\x11" * 32
    assert anyio.run(store.count_try, "a1b2c3d4e5f60718") == 4
    store.close()
    assert version(path) == FORMAT


@pytest.mark.parametrize("golden", GOLDENS[2:], ids=NAMES[2:])
def test_receipts_stay(golden: Path, tmp_path: Path) -> None:
    path = restore(golden, tmp_path)
    before = columns(path, "receipts")
    open_store(tmp_path, FakeClock()).close()
    assert columns(path, "receipts") == before != []


def test_the_first_formats_devices_have_ids_of_their_own(tmp_path: Path) -> None:
    path = restore(GOLDENS[0], tmp_path)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("INSERT INTO credentials VALUES ('wall', 'OBSERVER', ?, 2, NULL)", (digest_of("b"),))
    store = open_store(tmp_path, FakeClock())
    store.close()
    assert [len(each.id) for each in store.devices] == [16, 16]
    assert len({each.id for each in store.devices}) == 2


@pytest.mark.parametrize("golden", [golden for golden in GOLDENS if number_of(golden) < FORMAT], ids=number_of)
def test_a_step_that_fails_changes_nothing(golden: Path, tmp_path: Path) -> None:
    path = restore(golden, tmp_path)
    before = tables(path)
    last = set(tables_of_a_new_store(tmp_path)) - set(before)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(f"CREATE TABLE {sorted(last)[-1]} (other TEXT)")
    between = tables(path)
    with closing(sqlite3.connect(path)) as db, pytest.raises(sqlite3.OperationalError):
        prepare(db, path)
    assert tables(path) == between
    assert version(path) == number_of(golden)


def tables_of_a_new_store(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "new").mkdir()
    store = open_store(tmp_path / "new", FakeClock())
    store.close()
    return tables(store.path)


def test_a_store_of_a_later_format_is_refused_and_left_alone(tmp_path: Path) -> None:
    store = open_store(tmp_path, FakeClock())
    store.close()
    with closing(sqlite3.connect(store.path)) as db, db:
        db.execute(f"PRAGMA user_version = {FORMAT + 1}")
    before = store.path.read_bytes()
    with pytest.raises(NewerStore, match=f"format {FORMAT + 1}, this one knows {FORMAT}"):
        open_store(tmp_path, FakeClock())
    assert store.path.read_bytes() == before
