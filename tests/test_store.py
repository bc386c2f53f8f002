"""Promise: a credential is on disk before it counts, its token is nowhere, and an unreadable store is set aside, with a message."""

from __future__ import annotations

import logging
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from mirrord.errors import BadName, NameTaken, NewerStore, StoreNotWritable
from mirrord.server.gate import Credential, digest_of
from mirrord.store import FILE_NAME, SEEN_MS, TOKEN_PREFIX, Store, clean_name, open_store
from mirrord.testing import FakeClock
from mirrord.wire.limits import NAME_CLUSTERS
from mirrord.wire.roles import Role


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def store(tmp_path: Path, clock: FakeClock) -> Iterator[Store]:
    opened = open_store(tmp_path, clock)
    yield opened
    opened.close()


def rows(path: Path) -> list[tuple[object, ...]]:
    """What another program would read."""
    with closing(sqlite3.connect(path)) as db:
        return db.execute("SELECT name, role, digest, created_at, last_seen_at FROM credentials ORDER BY name").fetchall()


def everything_in(directory: Path) -> bytes:
    """All bytes of all files there."""
    return b"".join(file.read_bytes() for file in directory.iterdir())


async def test_a_minted_token_opens_as_its_name_and_role_and_again_after_a_restart(store: Store, tmp_path: Path, clock: FakeClock) -> None:
    minted = await store.mint("phone", Role.CONTROLLER)
    known = (Credential("phone", Role.CONTROLLER, digest_of(minted.token)),)
    assert store.credentials == known
    assert minted.token.startswith(TOKEN_PREFIX)
    assert rows(tmp_path / FILE_NAME) == [("phone", "CONTROLLER", digest_of(minted.token), clock.wall(), None)]


def test_credentials_are_read_when_the_store_is_opened(tmp_path: Path, clock: FakeClock) -> None:
    open_store(tmp_path, clock).close()
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as db, db:
        db.execute("INSERT INTO credentials VALUES ('wall', 'OBSERVER', ?, 1, NULL)", (digest_of("t"),))
    store = open_store(tmp_path, clock)
    assert store.credentials == (Credential("wall", Role.OBSERVER, digest_of("t")),)
    store.close()


async def test_the_token_is_nowhere_on_disk_and_in_no_repr(store: Store, tmp_path: Path) -> None:
    minted = await store.mint("phone", Role.CONTROLLER)
    secret = minted.token.removeprefix(TOKEN_PREFIX)
    assert secret not in repr(minted) + repr(store.credentials)
    assert secret.encode() not in everything_in(tmp_path)


async def test_tokens_differ_and_hold_256_bits(store: Store) -> None:
    tokens = {(await store.mint(f"device {number}", Role.OBSERVER)).token for number in range(20)}
    assert len(tokens) == 20
    assert {len(token) for token in tokens} == {len(TOKEN_PREFIX) + 43}


def test_every_file_of_the_store_is_the_users_alone(store: Store, tmp_path: Path) -> None:
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}
    assert FILE_NAME in modes
    assert set(modes.values()) == {0o600}


async def test_names_are_unique_after_cleaning(store: Store) -> None:
    await store.mint("Ada's phone", Role.CONTROLLER)
    with pytest.raises(NameTaken):
        await store.mint("Ada's\u200b phone", Role.OBSERVER)
    assert len(store.credentials) == 1


@pytest.mark.parametrize("name", ["", " ", "\u200b", "\x1b", "local", "a/b", "n" * (NAME_CLUSTERS + 1)])
def test_a_name_that_shows_nothing_or_means_something_else_is_refused(name: str) -> None:
    with pytest.raises(BadName):
        clean_name(name)


def test_a_name_of_the_greatest_length_is_kept_whole() -> None:
    assert clean_name("n" * NAME_CLUSTERS) == "n" * NAME_CLUSTERS


async def test_a_revoked_credential_is_gone_at_once_and_from_disk(store: Store, tmp_path: Path) -> None:
    await store.mint("phone", Role.CONTROLLER)
    assert await store.revoke("phone")
    assert store.credentials == ()
    assert rows(tmp_path / FILE_NAME) == []
    assert not await store.revoke("phone")
    await store.mint("phone", Role.CONTROLLER)


async def test_the_last_use_is_noted_to_the_minute(store: Store, tmp_path: Path, clock: FakeClock) -> None:
    await store.mint("phone", Role.CONTROLLER)
    first = clock.wall()
    await store.seen("phone")
    clock.advance(SEEN_MS / 1000 - 0.001)
    await store.seen("phone")
    assert rows(tmp_path / FILE_NAME)[0][4] == first
    clock.advance(0.001)
    await store.seen("phone")
    assert rows(tmp_path / FILE_NAME)[0][4] == first + SEEN_MS


@pytest.mark.parametrize("damage", [b"this was never a database" * 100, b"SQLite format 3\x00" + b"\xff" * 4000], ids=["text", "torn"])
def test_a_store_that_cannot_be_read_is_set_aside_with_a_message_and_a_new_one_begins(
    tmp_path: Path, clock: FakeClock, damage: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / FILE_NAME).write_bytes(damage)
    with caplog.at_level(logging.WARNING, "mirrord"):
        store = open_store(tmp_path, clock)
    assert store.credentials == ()
    store.close()
    aside = tmp_path / f"{FILE_NAME}.broken-{clock.wall()}"
    assert aside.read_bytes() == damage
    assert str(aside.name) in caplog.text


def test_a_store_with_a_role_that_nobody_knows_is_set_aside_too(tmp_path: Path, clock: FakeClock) -> None:
    open_store(tmp_path, clock).close()
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as db, db:
        db.execute("INSERT INTO credentials VALUES ('god', 'ALMIGHTY', x'00', 1, NULL)")
    store = open_store(tmp_path, clock)
    assert store.credentials == ()
    store.close()


def test_a_store_of_a_later_mirrord_is_refused_and_left_alone(tmp_path: Path, clock: FakeClock) -> None:
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as db:
        db.execute("PRAGMA user_version = 99")
    before = (tmp_path / FILE_NAME).read_bytes()
    with pytest.raises(NewerStore, match="newer mirrord"):
        open_store(tmp_path, clock)
    assert (tmp_path / FILE_NAME).read_bytes() == before


def test_a_symbolic_link_in_its_place_is_refused(tmp_path: Path, clock: FakeClock) -> None:
    (tmp_path / "elsewhere").write_bytes(b"")
    (tmp_path / FILE_NAME).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreNotWritable):
        open_store(tmp_path, clock)
    assert (tmp_path / "elsewhere").read_bytes() == b""


async def test_a_disk_that_takes_nothing_makes_no_credential_and_the_store_goes_on(store: Store, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / FILE_NAME, timeout=0)) as other:
        other.execute("BEGIN IMMEDIATE")
        store._db.execute("PRAGMA busy_timeout = 0")
        with pytest.raises(StoreNotWritable):
            await store.mint("phone", Role.CONTROLLER)
        assert store.credentials == ()
        await store.seen("phone")
        other.rollback()
    await store.mint("phone", Role.CONTROLLER)
