"""Promise: a device is on disk before it counts, and a token is nowhere."""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from mirrord.core.receipts import Receipt
from mirrord.crypto import SigningKey
from mirrord.errors import BadName, NameTaken, NoSuchDevice, StoreNotWritable
from mirrord.server.gate import Credential, digest_of
from mirrord.store import FILE_NAME, SEEN_MS, TOKEN_PREFIX, Store, open_store
from mirrord.testing import FakeClock
from mirrord.wire.roles import Role

KEY = SigningKey.generate().public


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
        return db.execute("SELECT name, role, digest, created_at, last_seen_at FROM devices ORDER BY name").fetchall()


def names_in(store: Store) -> list[str]:
    """Who may connect."""
    return [each.name for each in store.devices]


def size_of(directory: Path) -> int:
    """Of all files there."""
    return sum(file.stat().st_size for file in directory.iterdir())


def everything_in(directory: Path) -> bytes:
    """All bytes of all files there."""
    return b"".join(file.read_bytes() for file in directory.iterdir())


async def test_a_minted_token_opens_as_its_name_and_role_and_again_after_a_restart(store: Store, tmp_path: Path, clock: FakeClock) -> None:
    minted = await store.mint("phone", Role.CONTROLLER)
    (device,) = store.devices
    assert store.credentials == (Credential("phone", Role.CONTROLLER, digest_of(minted.token), device.id),)
    assert device.kind == "token"
    assert minted.token.startswith(TOKEN_PREFIX)
    assert rows(tmp_path / FILE_NAME) == [("phone", "CONTROLLER", digest_of(minted.token), clock.wall(), None)]


def test_credentials_are_read_when_the_store_is_opened(tmp_path: Path, clock: FakeClock) -> None:
    open_store(tmp_path, clock).close()
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as db, db:
        db.execute("INSERT INTO devices VALUES ('00ff', 'wall', 'OBSERVER', ?, NULL, 1, NULL)", (digest_of("t"),))
    store = open_store(tmp_path, clock)
    assert store.credentials == (Credential("wall", Role.OBSERVER, digest_of("t"), "00ff"),)
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


async def test_a_revoked_credential_is_gone_at_once_and_from_disk(store: Store, tmp_path: Path) -> None:
    await store.mint("phone", Role.CONTROLLER)
    assert (await store.revoke("phone")).name == "phone"
    assert store.credentials == ()
    assert rows(tmp_path / FILE_NAME) == []
    with pytest.raises(NoSuchDevice):
        await store.revoke("phone")
    await store.mint("phone", Role.CONTROLLER)


async def test_a_paired_device_is_known_by_its_key_and_has_no_token(store: Store, tmp_path: Path, clock: FakeClock) -> None:
    device = await store.pair("Chrome on Android", Role.OBSERVER, KEY)
    assert (device.name, device.role, device.public_key, device.kind) == ("Chrome on Android", Role.OBSERVER, KEY, "paired")
    assert store.credentials == ()
    again = await anyio.to_thread.run_sync(open_store, tmp_path, clock)
    assert again.devices == (device,)
    assert again.device(device.id) == device
    again.close()


async def test_tokens_and_devices_share_their_names_and_a_device_takes_the_next_free_one(store: Store) -> None:
    await store.mint("phone", Role.CONTROLLER)
    names = [(await store.pair("phone", Role.CONTROLLER, SigningKey.generate().public)).name for _ in range(2)]
    assert names == ["phone 2", "phone 3"]
    with pytest.raises(NameTaken):
        await store.mint("phone 2", Role.CONTROLLER)


async def test_many_devices_of_one_name_at_once_all_get_in(store: Store) -> None:
    names: list[str] = []

    async def pair() -> None:
        names.append((await store.pair("phone", Role.CONTROLLER, SigningKey.generate().public)).name)

    async with anyio.create_task_group() as tasks:
        for _ in range(8):
            tasks.start_soon(pair)
    assert sorted(names) == ["phone", *(f"phone {number}" for number in range(2, 9))]


async def test_a_key_that_pairs_again_is_the_same_device_with_the_new_role(store: Store) -> None:
    first = await store.pair("phone", Role.OBSERVER, KEY)
    await store.rename("phone", "Ada's phone")
    again = await store.pair("phone", Role.CONTROLLER, KEY)
    assert (again.id, again.name, again.role) == (first.id, "Ada's phone", Role.CONTROLLER)
    assert len(store.devices) == 1


async def test_a_new_name_is_cleaned_and_free_and_on_disk(store: Store, tmp_path: Path) -> None:
    await store.mint("script", Role.CONTROLLER)
    await store.pair("phone", Role.CONTROLLER, KEY)
    await store.rename("script", " Ada's\u200b script ")
    assert [row[0] for row in rows(tmp_path / FILE_NAME)] == ["Ada's script", "phone"]
    assert store.credentials[0].name == "Ada's script"
    with pytest.raises(NameTaken):
        await store.rename("phone", "Ada's script")
    with pytest.raises(BadName):
        await store.rename("phone", "local")
    with pytest.raises(NoSuchDevice):
        await store.rename("nobody", "x")
    await store.rename("phone", "phone")


def test_the_daemons_own_key_stays_the_same_and_is_in_no_repr(store: Store, tmp_path: Path, clock: FakeClock) -> None:
    again = open_store(tmp_path, clock)
    assert again.identity.public == store.identity.public
    assert store.identity.secret.hex() not in repr(store.identity) + repr(vars(store))
    again.close()


async def test_tries_of_a_code_are_counted_on_disk_and_a_new_code_begins_anew(store: Store, tmp_path: Path, clock: FakeClock) -> None:
    await store.begin_tries("first")
    assert [await store.count_try("first") for _ in range(3)] == [1, 2, 3]
    again = await anyio.to_thread.run_sync(open_store, tmp_path, clock)
    assert await again.count_try("first") == 4
    await again.begin_tries("second")
    assert await again.count_try("second") == 1
    assert await again.count_try("first") is None
    again.close()


async def test_the_last_use_is_noted_to_the_minute(store: Store, tmp_path: Path, clock: FakeClock) -> None:
    await store.mint("phone", Role.CONTROLLER)
    (device,) = store.devices
    first = clock.wall()
    await store.seen(device.id)
    clock.advance(SEEN_MS / 1000 - 0.001)
    await store.seen(device.id)
    assert rows(tmp_path / FILE_NAME)[0][4] == store.devices[0].last_seen_at == first
    clock.advance(0.001)
    await store.seen(device.id)
    assert rows(tmp_path / FILE_NAME)[0][4] == store.devices[0].last_seen_at == first + SEEN_MS
    await store.seen("nobody")


async def test_a_disk_that_takes_nothing_makes_no_credential_and_the_store_goes_on(store: Store, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / FILE_NAME, timeout=0)) as other:
        other.execute("BEGIN IMMEDIATE")
        store._db.execute("PRAGMA busy_timeout = 0")
        with pytest.raises(StoreNotWritable):
            await store.mint("phone", Role.CONTROLLER)
        with pytest.raises(StoreNotWritable):
            await store.pair("phone", Role.CONTROLLER, KEY)
        with pytest.raises(StoreNotWritable):
            await store.begin_tries("offer")
        assert names_in(store) == []
        other.rollback()
    await store.mint("phone", Role.CONTROLLER)
    with closing(sqlite3.connect(tmp_path / FILE_NAME, timeout=0)) as other:
        other.execute("BEGIN IMMEDIATE")
        (device,) = store.devices
        await store.seen(device.id)
        with pytest.raises(StoreNotWritable):
            await store.rename("phone", "tablet")
        assert names_in(store) == ["phone"]
        with pytest.raises(StoreNotWritable):
            await store.revoke("phone")
        assert names_in(store) == [], "who is revoked stays out, whatever the disk says"


async def test_who_was_revoked_while_the_disk_refused_can_be_revoked_again_and_is_nobody_on_disk_then(store: Store, tmp_path: Path) -> None:
    await store.pair("phone", Role.CONTROLLER, KEY)
    await refused_revocation(store, tmp_path)
    with pytest.raises(NoSuchDevice):
        store.named("phone")
    assert store.revocable("phone").public_key == KEY
    await store.revoke("phone")
    assert rows(tmp_path / FILE_NAME) == []
    with pytest.raises(NoSuchDevice):
        await store.revoke("phone")


async def test_who_was_revoked_while_the_disk_refused_may_pair_again_and_leaves_its_name_to_others(store: Store, tmp_path: Path) -> None:
    first = await store.pair("phone", Role.CONTROLLER, KEY)
    await refused_revocation(store, tmp_path)
    again = await store.pair("phone", Role.OBSERVER, KEY)
    assert (again.name, again.role) == ("phone", Role.OBSERVER)
    assert again.id != first.id
    await refused_revocation(store, tmp_path)
    minted = await store.mint("phone", Role.CONTROLLER)
    assert [row[0] for row in rows(tmp_path / FILE_NAME)] == [minted.name] == ["phone"]


async def refused_revocation(store: Store, tmp_path: Path) -> None:
    """The device called phone is revoked, and the disk says no."""
    with closing(sqlite3.connect(tmp_path / FILE_NAME, timeout=0)) as other:
        other.execute("BEGIN IMMEDIATE")
        store._db.execute("PRAGMA busy_timeout = 0")
        with pytest.raises(StoreNotWritable):
            await store.revoke("phone")
        other.rollback()


async def test_the_report_says_what_is_there_and_names_nobody(store: Store, tmp_path: Path, clock: FakeClock) -> None:
    (tmp_path / f"{FILE_NAME}.corrupt-20231114T221320Z").write_bytes(b"")
    empty = await store.report()
    assert (empty.devices, empty.receipts, empty.oldest_receipt_at, empty.took_the_place_of) == (0, 0, None, None)
    assert [Path(each).name for each in empty.set_aside] == [f"{FILE_NAME}.corrupt-20231114T221320Z"]
    await store.pair("Ada's phone", Role.CONTROLLER, KEY)
    await store.receipts.keep([Receipt(f"turn-{number}", "phone", "4242-1", "prompt", bytes(16), "sent", number) for number in (7, 5)])
    told = await store.report()
    assert (told.devices, told.receipts, told.oldest_receipt_at) == (1, 2, 5)
    assert told.bytes == size_of(tmp_path)
    assert "Ada" not in repr(told)
