"""Promise: receipts are on disk all together or not at all, without any text, and only so many for so long."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import anyio.to_thread
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mirrord.clock import moment
from mirrord.core.receipts import REASON_CHARS, RECEIPTS, ROW_BYTES, Receipt, Receipts, retained
from mirrord.core.retention import USUAL, Prune, Retention
from mirrord.errors import StoreNotWritable
from mirrord.store import FILE_NAME, Store, open_store
from mirrord.store.formats import _RECEIPTS
from mirrord.store.receipts import _GIVE_WAY, _PLACES, _read, _row
from mirrord.testing import FakeClock
from mirrord.wire.roles import Role

TEXT = "my mother's maiden name is Tulip"


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def store(tmp_path: Path, clock: FakeClock) -> Iterator[Store]:
    opened = open_store(tmp_path, clock)
    yield opened
    opened.close()


def receipt(number: int, at: int, text: str = TEXT, key: bytes = b"k") -> Receipt:
    return Receipt(f"turn-{number:05}", "phone", "4242-1", "prompt", Receipts(key=key).digest(text), "sent", at)


def everything_in(directory: Path) -> bytes:
    """All bytes of all files there."""
    return b"".join(file.read_bytes() for file in directory.iterdir())


async def opened_again(store: Store, clock: FakeClock) -> tuple[Receipt, ...]:
    """What another daemon would find there."""
    again = await anyio.to_thread.run_sync(open_store, store.path.parent, clock)
    again.close()
    return again.receipts.earlier


async def test_a_receipt_comes_back_as_it_was_after_a_restart(store: Store, clock: FakeClock) -> None:
    assert store.receipts.earlier == ()
    now = clock.wall()
    first, second = (
        receipt(1, now),
        replace(receipt(2, now + 1), stage="rejected", code="unsupported", reason="This Pi cannot run slash commands."),
    )
    await store.receipts.keep([first, second])
    assert await opened_again(store, clock) == (first, second)


async def test_a_later_stage_takes_the_place_of_the_earlier_one(store: Store, clock: FakeClock) -> None:
    await store.receipts.keep([receipt(1, clock.wall())])
    later = replace(receipt(1, clock.wall() + 5), stage="consumed", row_id="e7")
    await store.receipts.keep([later])
    assert await opened_again(store, clock) == (later,)


async def test_digests_survive_a_restart_and_belong_to_one_daemon(store: Store, tmp_path: Path, clock: FakeClock) -> None:
    again = await anyio.to_thread.run_sync(open_store, tmp_path, clock)
    assert again.receipts.key == store.receipts.key
    again.close()
    (tmp_path / "other").mkdir()
    other = await anyio.to_thread.run_sync(open_store, tmp_path / "other", clock)
    assert other.receipts.key != store.receipts.key
    assert store.identity.secret not in (store.receipts.key, other.receipts.key)
    other.close()


async def test_neither_the_text_nor_its_length_is_on_disk(store: Store, tmp_path: Path, clock: FakeClock) -> None:
    await store.receipts.keep([receipt(1, clock.wall(), TEXT, store.receipts.key), receipt(2, clock.wall(), TEXT * 9, store.receipts.key)])
    files = everything_in(tmp_path)
    assert b"turn-00001" in files
    assert b"Tulip" not in files
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as db:
        rows = db.execute("SELECT * FROM receipts ORDER BY client_turn_id").fetchall()
    assert [len(column) if isinstance(column, str | bytes) else column for column in rows[0]] == [
        len(column) if isinstance(column, str | bytes) else column for column in rows[1]
    ]


async def test_only_the_newest_are_kept(store: Store, clock: FakeClock) -> None:
    now = clock.wall()
    await store.receipts.keep([receipt(number, now + number) for number in range(RECEIPTS)])
    assert len(await opened_again(store, clock)) == RECEIPTS
    await store.receipts.keep([receipt(RECEIPTS, now + RECEIPTS)])
    kept = await opened_again(store, clock)
    assert (len(kept), kept[0].client_turn_id, kept[-1].client_turn_id) == (RECEIPTS, "turn-00001", f"turn-{RECEIPTS:05}")


def on_disk(store: Store) -> int:
    with closing(sqlite3.connect(store.path)) as db:
        return int(db.execute("SELECT count(*) FROM receipts").fetchone()[0])


def prune(clock: FakeClock, retention: Retention = USUAL, *, believed: bool = True) -> Prune:
    now = moment(clock)
    return Prune(at=now, retention=retention, before=now.wall - retention.ms if believed else None)


async def test_what_is_on_disk_is_never_much_more_than_what_is_kept(store: Store, clock: FakeClock) -> None:
    now = clock.wall()
    for start in range(0, 2 * RECEIPTS, 100):
        await store.receipts.keep([receipt(start + number, now) for number in range(100)])
        assert on_disk(store) <= RECEIPTS * 1.1
    await store.receipts.prune(prune(clock))
    assert on_disk(store) == RECEIPTS


async def test_a_receipt_goes_when_it_is_too_old_also_while_no_daemon_runs(store: Store, clock: FakeClock) -> None:
    await store.receipts.keep([receipt(1, clock.wall()), receipt(2, clock.wall() + 1)])
    clock.advance((USUAL.ms + 1) / 1000)
    assert [each.client_turn_id for each in await opened_again(store, clock)] == ["turn-00002"]
    await store.receipts.prune(prune(clock, believed=False))
    assert on_disk(store) == 2
    await store.receipts.prune(prune(clock))
    assert on_disk(store) == 1


async def test_one_device_that_floods_takes_no_receipt_of_another(store: Store, clock: FakeClock) -> None:
    now = clock.wall()
    quiet = [replace(receipt(90_000 + number, now), credential="tablet") for number in range(50)]
    await store.receipts.keep(quiet)
    for start in range(0, 2 * RECEIPTS, 256):
        await store.receipts.keep([receipt(start + number, now + 1) for number in range(256)])
    kept = await opened_again(store, clock)
    assert [each for each in kept if each.credential == "tablet"] == quiet
    assert len(kept) == RECEIPTS


async def test_a_clock_that_was_set_back_makes_no_new_receipt_old(store: Store, clock: FakeClock) -> None:
    now = clock.wall()
    await store.receipts.keep([receipt(number, now) for number in range(RECEIPTS)])
    clock.set_wall(now - 3_600_000)
    await store.receipts.keep([receipt(RECEIPTS, clock.wall())])
    await store.receipts.prune(prune(clock))
    kept = await opened_again(store, clock)
    assert (kept[-1].client_turn_id, len(kept)) == (f"turn-{RECEIPTS:05}", RECEIPTS)


@pytest.mark.parametrize("rows", [0, 1, 7])
async def test_bytes_are_counted_on_disk_as_in_memory(store: Store, clock: FakeClock, rows: int) -> None:
    made = [
        replace(receipt(number, clock.wall()), reason="Zu gro\u00df, sagt Pi.", credential="Ad\u00e4s phone", row_id="e1")
        for number in range(9)
    ]
    await store.receipts.keep(made)
    limit = Retention(bytes=sum(each.size for each in made[9 - rows :]))
    await store.receipts.prune(prune(clock, limit))
    assert await opened_again(store, clock) == retained(made, limit, None) == tuple(made[9 - rows :])
    assert made[0].size > ROW_BYTES


@settings(max_examples=50)
@given(st.lists(st.integers(0, 30), max_size=40), st.integers(100, 3_000))
def test_the_disk_keeps_what_memory_keeps_whoever_sends_what(turns: list[int], most: int) -> None:
    """In one step here, one by one there."""
    made = [replace(receipt(number, 1), credential="aaabbc"[number % 6]) for number in turns]
    limit = Retention(bytes=most)
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        db.executescript(_RECEIPTS)
        db.executemany(f"INSERT OR REPLACE INTO receipts VALUES ({_PLACES})", [_row(each) for each in made])
        db.execute(_GIVE_WAY, (RECEIPTS, most))
        assert tuple(_read(db)) == retained(made, limit, None)


async def test_a_long_reason_is_cut(store: Store, clock: FakeClock) -> None:
    await store.receipts.keep([replace(receipt(1, clock.wall()), reason="r" * (REASON_CHARS + 1))])
    assert (await opened_again(store, clock))[0].reason == "r" * REASON_CHARS


@pytest.mark.parametrize("damage", ["stage = 'eaten'", "digest = 'text'", "at = 'noon'"])
async def test_a_row_that_makes_no_sense_is_one_lost_receipt_and_no_lost_device(store: Store, clock: FakeClock, damage: str) -> None:
    minted = await store.mint("phone", Role.CONTROLLER)
    await store.receipts.keep([receipt(1, clock.wall()), receipt(2, clock.wall())])
    with closing(sqlite3.connect(store.path)) as db, db:
        db.execute(f"UPDATE receipts SET {damage} WHERE client_turn_id = 'turn-00001'")
    again = await anyio.to_thread.run_sync(open_store, store.path.parent, clock)
    again.close()
    assert [each.client_turn_id for each in again.receipts.earlier] == ["turn-00002"]
    assert [each.name for each in again.devices] == [minted.name]


async def test_a_batch_that_the_disk_refuses_leaves_nothing_and_the_next_one_is_kept(store: Store, clock: FakeClock) -> None:
    first = receipt(1, clock.wall())
    await store.receipts.keep([first])
    with closing(sqlite3.connect(store.path, timeout=0)) as other:
        other.execute("BEGIN IMMEDIATE")
        store._db.execute("PRAGMA busy_timeout = 0")
        with pytest.raises(StoreNotWritable):
            await store.receipts.keep([replace(first, stage="consumed"), receipt(2, clock.wall())])
        other.rollback()
    assert await opened_again(store, clock) == (first,)
    await store.receipts.keep([replace(first, stage="consumed")])
    assert [each.stage for each in await opened_again(store, clock)] == ["consumed"]
