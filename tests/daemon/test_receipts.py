"""Promise: the core hears of every receipt whether it is on disk, what waits is written together, and a refusal is tried again."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import anyio
import anyio.lowlevel
import anyio.to_thread
import pytest

from mirrord.core.events import Event
from mirrord.core.receipts import RECEIPTS, KeepReceipt, Receipt, ReceiptKept, Stage
from mirrord.daemon import receipts as module
from mirrord.daemon.receipts import NOT_WRITABLE, ReceiptKeeper
from mirrord.store import Store, open_store
from mirrord.testing import FakeClock

FULL = "PRAGMA max_page_count = 1"
"""SQLite takes the present size for it, so that the file cannot grow: the same refusal as a full disk's."""
ROOM = "PRAGMA max_page_count = 1000000"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(tmp_path, FakeClock())
    yield opened
    opened.close()


def receipt(number: int, stage: Stage = "sent") -> Receipt:
    made = Receipt(f"turn-{number}", "phone", "4242-1", "prompt", bytes(16), "sent", FakeClock().wall(), reason="r" * 250)
    return replace(made, stage=stage)


def on_disk(store: Store) -> dict[str, str]:
    """Stages by id, as another program reads them."""
    with closing(sqlite3.connect(store.path)) as db:
        return dict(db.execute("SELECT client_turn_id, stage FROM receipts"))


class Told:
    """What the core is told."""

    def __init__(self) -> None:
        self.events: list[ReceiptKept] = []
        self.answer: Callable[[ReceiptKept], None] = lambda _: None
        self._more = anyio.Event()

    def __call__(self, event: Event) -> None:
        assert isinstance(event, ReceiptKept)
        self.events.append(event)
        self.answer(event)
        self._more.set()

    async def until(self, count: int) -> list[ReceiptKept]:
        """All events, once there are so many."""
        with anyio.fail_after(10):
            while len(self.events) < count:
                self._more = anyio.Event()
                await self._more.wait()
        return self.events


def fill(keeper: ReceiptKeeper, count: int) -> None:
    """More receipts than fit on a page or two."""
    for number in range(count):
        keeper.keep(KeepReceipt(receipt(number)))


async def test_what_waits_is_written_in_one_transaction_and_told_in_order(store: Store) -> None:
    told = Told()
    keeper = ReceiptKeeper(store.receipts, FakeClock(), told)
    commits: list[str] = []
    store._db.set_trace_callback(lambda statement: commits.append(statement) if statement == "COMMIT" else None)
    fill(keeper, 50)
    await keeper.flush()
    assert commits == ["COMMIT"]
    assert [event.receipt.client_turn_id for event in told.events] == [f"turn-{number}" for number in range(50)]
    assert {event.error for event in told.events} == {None}
    await keeper.flush()
    assert commits == ["COMMIT"]


async def test_of_several_stages_that_wait_the_last_is_written(store: Store) -> None:
    told = Told()
    keeper = ReceiptKeeper(store.receipts, FakeClock(), told)
    stages: tuple[Stage, ...] = ("sent", "accepted", "consumed")
    for stage in stages:
        keeper.keep(KeepReceipt(receipt(1, stage)))
    await keeper.flush()
    assert [event.receipt.stage for event in told.events] == ["consumed"]
    assert on_disk(store) == {"turn-1": "consumed"}


async def test_what_comes_while_the_disk_writes_is_written_after_it(store: Store) -> None:
    told = Told()
    keeper = ReceiptKeeper(store.receipts, FakeClock(), told)
    told.answer = lambda event: keeper.keep(KeepReceipt(receipt(1, "accepted"))) if event.receipt.stage == "sent" else None
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(keeper.run)
        await anyio.lowlevel.checkpoint()
        keeper.keep(KeepReceipt(receipt(1)))
        assert [event.receipt.stage for event in await told.until(2)] == ["sent", "accepted"]
        tasks.cancel_scope.cancel()
    assert on_disk(store) == {"turn-1": "accepted"}


async def test_a_full_disk_is_told_once_and_tried_again_until_there_is_room(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "RETRY_SECONDS", 0.01)
    told = Told()
    keeper = ReceiptKeeper(store.receipts, FakeClock(), told)
    tried = threading.Semaphore(0)
    await anyio.to_thread.run_sync(store._db.execute, FULL)
    store._db.set_trace_callback(lambda statement: tried.release() if statement.startswith("BEGIN") else None)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(keeper.run)
        fill(keeper, 100)
        assert {event.error for event in await told.until(100)} == {NOT_WRITABLE}
        assert on_disk(store) == {}
        for _ in range(3):
            await anyio.to_thread.run_sync(tried.acquire, True, 10)
        assert len(told.events) == 100
        await anyio.to_thread.run_sync(store._db.execute, ROOM)
        events = await told.until(200)
        tasks.cancel_scope.cancel()
    assert {event.error for event in events[100:]} == {None}
    assert len(on_disk(store)) == 100


async def test_a_turn_that_is_sent_again_after_a_refusal_hears_of_its_own_refusal(store: Store) -> None:
    told = Told()
    keeper = ReceiptKeeper(store.receipts, FakeClock(), told)
    await anyio.to_thread.run_sync(store._db.execute, FULL)
    fill(keeper, 100)
    await keeper.flush()
    keeper.keep(KeepReceipt(receipt(0, "rejected")))
    keeper.keep(KeepReceipt(receipt(0)))
    await keeper.flush()
    assert [event.receipt for event in told.events[100:]] == [receipt(0)]


async def test_a_disk_that_refuses_for_long_makes_the_oldest_wait_no_longer(store: Store) -> None:
    told = Told()
    keeper = ReceiptKeeper(store.receipts, FakeClock(), told)
    fill(keeper, RECEIPTS + 3)
    await keeper.flush()
    assert [event.receipt.client_turn_id for event in told.events[:1]] == ["turn-3"]
    assert len(on_disk(store)) == RECEIPTS


async def test_the_first_event_holds_what_earlier_daemons_kept(store: Store) -> None:
    keeper = ReceiptKeeper(store.receipts, FakeClock(), Told())
    keeper.keep(KeepReceipt(receipt(1)))
    await keeper.flush()
    again = await anyio.to_thread.run_sync(open_store, store.path.parent, FakeClock())
    loaded = ReceiptKeeper(again.receipts, FakeClock(), Told()).loaded()
    assert (loaded.receipts, loaded.key) == ((receipt(1),), store.receipts.key)
    again.close()
