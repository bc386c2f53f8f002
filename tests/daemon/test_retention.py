"""Promise: what is too old or too much is forgotten at the start, every day and on a reload, on disk and in memory; nobody waits for it."""

from __future__ import annotations

import logging
import sqlite3
from contextlib import closing
from dataclasses import replace

import anyio
import anyio.lowlevel
import pytest

from mirrord.clock import SystemClock
from mirrord.core.events import Event
from mirrord.core.receipts import Receipt
from mirrord.core.retention import DAY_SECONDS, Prune, Retention
from mirrord.daemon.retention import Retainer
from mirrord.place import Place
from mirrord.settings import Settings
from mirrord.testing import FakeClock, running_daemon


class Desk:
    """A retainer at a store, and what it told the core."""

    def __init__(self, settings: Settings, place: Place) -> None:
        self.settings = settings
        self.clock = FakeClock()
        self.store = place.store
        self.told: list[Event] = []
        self.retainer = Retainer(lambda: self.settings, place.store.receipts, self.clock, self.told.append)

    async def keep(self, number: int, at: int) -> None:
        await self.store.receipts.keep([Receipt(f"turn-{number}", "phone", "4242-1", "prompt", bytes(16), "sent", at)])

    async def receipts(self) -> int:
        return (await self.store.report()).receipts

    @property
    def last(self) -> Prune:
        prune = self.told[-1]
        assert isinstance(prune, Prune)
        return prune


@pytest.fixture
def desk(own_settings: Settings, own_place: Place) -> Desk:
    return Desk(replace(own_settings, retention_days=3, retention_bytes=100_000), own_place)


async def test_what_is_older_than_the_days_of_the_settings_goes_from_disk_and_memory(desk: Desk) -> None:
    now = desk.clock.wall()
    await desk.keep(1, now - 3 * DAY_SECONDS * 1000 - 1)
    await desk.keep(2, now - 3 * DAY_SECONDS * 1000)
    await desk.retainer.prune()
    assert await desk.receipts() == 1
    assert (desk.last.retention, desk.last.before) == (Retention(3, 100_000), now - 3 * DAY_SECONDS * 1000)


async def test_settings_that_were_read_anew_hold_the_next_time(desk: Desk) -> None:
    await desk.keep(1, desk.clock.wall())
    await desk.retainer.prune()
    desk.settings = replace(desk.settings, retention_bytes=1)
    await desk.retainer.prune()
    assert await desk.receipts() == 0


async def test_a_clock_that_somebody_set_to_another_year_makes_nothing_old(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    await desk.keep(1, desk.clock.wall())
    desk.clock.advance(DAY_SECONDS)
    desk.clock.set_wall(desk.clock.wall() + 400 * DAY_SECONDS * 1000)
    with caplog.at_level(logging.WARNING, "mirrord"):
        await desk.retainer.prune()
    assert await desk.receipts() == 1
    assert desk.last.before is None
    assert "somebody set the clock" in caplog.text


async def test_a_disk_that_says_no_is_logged_and_the_core_has_forgotten_all_the_same(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    with closing(sqlite3.connect(desk.store.path, timeout=0)) as other, caplog.at_level(logging.WARNING, "mirrord"):
        other.execute("BEGIN IMMEDIATE")
        desk.store._db.execute("PRAGMA busy_timeout = 0")
        await desk.retainer.prune()
        other.rollback()
    assert "retention: the store keeps what is too old" in caplog.text
    assert len(desk.told) == 1


async def test_it_is_done_at_the_start_and_again_after_a_day_that_the_machine_slept_through(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mirrord.daemon.retention.LOOK_SECONDS", 0.001)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(desk.retainer.run)
        with anyio.fail_after(10):
            while len(desk.told) < 1:  # noqa: ASYNC110 - the day is a fake clock's
                await anyio.sleep(0.001)
            desk.clock.advance(DAY_SECONDS - 1)
            for _ in range(20):
                await anyio.lowlevel.checkpoint()
            assert len(desk.told) == 1
            desk.clock.sleep(1)
            while len(desk.told) < 2:  # noqa: ASYNC110
                await anyio.sleep(0.001)
        tasks.cancel_scope.cancel()


@pytest.mark.parametrize(("setting", "left"), [("retention_days = 1", 1), ("retention_days = 30", 2), ('log_level = "info"', 2)])
async def test_a_reload_that_shortens_the_days_forgets_at_once(own_settings: Settings, own_place: Place, setting: str, left: int) -> None:
    store, clock, file = own_place.store, SystemClock(), own_settings.paths.config_file
    for number, days in enumerate((0, 2)):
        receipt = Receipt(f"turn-{number}", "phone", "4242-1", "prompt", bytes(16), "sent", clock.wall() - days * DAY_SECONDS * 1000)
        await store.receipts.keep([receipt])
    file.parent.mkdir(exist_ok=True)
    file.write_text(setting)
    async with running_daemon(own_place, own_settings, clock) as daemon:
        assert (await store.report()).receipts == 2
        await daemon.reload()
        assert (await store.report()).receipts == left
        assert daemon.core.retention.days == daemon.settings.retention_days
