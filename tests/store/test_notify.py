"""Promise: what devices want to be told and where they are pushed to outlives the daemon, and goes with the device."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import anyio

from mirrord.store import Store, open_store
from mirrord.store.notify import SESSIONS, Subscription
from mirrord.testing import FakeClock
from mirrord.wire.attention import DeviceSwitches, NotifyKind, NotifySetArgs, NotifySettings, SessionSwitches
from mirrord.wire.roles import Role

THERE = Subscription("https://push.example/1", b"\x04" + bytes(64), bytes(16))


@contextmanager
def opened(directory: Path) -> Iterator[Store]:
    store = open_store(directory, FakeClock())
    try:
        yield store
    finally:
        store.close()


def device(store: Store, name: str = "phone") -> str:
    return anyio.run(store.pair, name, Role.CONTROLLER, b"\x04" + name.encode().ljust(64)).id


def switch(kind: NotifyKind, on: bool | None, session: str | None = None) -> NotifySetArgs:
    return NotifySetArgs(kind, on, session)


def rows(directory: Path, table: str) -> int:
    with closing(sqlite3.connect(directory / "mirrord.db")) as db:
        return int(db.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def test_a_new_device_has_the_settings_that_a_device_has(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        assert store.notify.settings(device(store)) == NotifySettings()
        assert store.notify.devices == frozenset()


def test_everything_is_there_after_a_restart(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        phone = device(store)
        anyio.run(store.notify.subscribe, phone, THERE)
        for asked in (switch("waiting", False), switch("titles", True), switch("waiting", True, "1-1"), switch("failed", False, "2-2")):
            anyio.run(store.notify.switch, phone, asked)
        settings, secret = store.notify.settings(phone), store.notify.key.secret
    assert settings == NotifySettings(
        DeviceSwitches(waiting=False, titles=True), {"1-1": SessionSwitches(waiting=True), "2-2": SessionSwitches(failed=False)}
    )
    with opened(tmp_path) as store:
        assert store.notify.settings(phone) == settings
        assert store.notify.subscription(phone) == THERE
        assert store.notify.key.secret == secret != store.identity.secret
        assert store.notify.devices == {phone}


def test_a_switch_that_is_taken_back_is_as_if_it_had_not_been_set(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        phone = device(store)
        for on in (False, None):
            anyio.run(store.notify.switch, phone, switch("yourTurn", on))
            anyio.run(store.notify.switch, phone, switch("yourTurn", on, "1-1"))
        assert store.notify.settings(phone) == NotifySettings()
        assert rows(tmp_path, "notify_switches") == 0


def test_of_too_many_sessions_those_that_were_set_longest_ago_are_forgotten(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        phone = device(store)
        anyio.run(store.notify.switch, phone, switch("waiting", False))
        for number in range(SESSIONS + 3):
            anyio.run(store.notify.switch, phone, switch("waiting", False, f"{number}-1"))
            anyio.run(store.notify.switch, phone, switch("failed", False, "kept-1"))
        kept = store.notify.settings(phone)
    assert len(kept.sessions) == SESSIONS
    assert set(kept.sessions) >= {"kept-1", f"{SESSIONS + 2}-1"}
    with opened(tmp_path) as store:
        assert store.notify.settings(phone) == kept
        assert not kept.device.waiting


def test_a_browser_that_is_paired_again_has_one_subscription(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        old, new = device(store, "old"), device(store, "new")
        assert anyio.run(store.notify.subscribe, old, THERE) == []
        assert anyio.run(store.notify.subscribe, new, THERE) == [old]
        assert (store.notify.subscription(old), store.notify.subscription(new)) == (None, THERE)
    with opened(tmp_path) as store:
        assert (store.notify.subscription(old), store.notify.subscription(new)) == (None, THERE)


def test_only_the_subscription_that_is_meant_is_removed(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        phone = device(store)
        anyio.run(store.notify.subscribe, phone, THERE)
        assert not anyio.run(store.notify.unsubscribe, phone, Subscription("https://push.example/0", b"", b""))
        assert anyio.run(store.notify.unsubscribe, phone, store.notify.subscription(phone))
        assert not anyio.run(store.notify.unsubscribe, phone)
        assert rows(tmp_path, "push_subscriptions") == 0


def test_all_of_it_goes_with_the_device_and_none_comes_after(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        phone, other = device(store), device(store, "other")
        for each, where in ((phone, "1"), (other, "2")):
            anyio.run(store.notify.subscribe, each, Subscription(f"https://push.example/{where}", THERE.p256dh, THERE.auth))
            anyio.run(store.notify.switch, each, switch("waiting", False, "1-1"))
        anyio.run(store.revoke, "phone")
        store.notify.forget(phone)
        # What was on its way to the disk when the device was revoked.
        anyio.run(store.notify.subscribe, phone, THERE)
        anyio.run(store.notify.switch, phone, switch("failed", False))
        assert store.notify.devices == {other}
    assert (rows(tmp_path, "push_subscriptions"), rows(tmp_path, "notify_switches")) == (1, 1)


def test_rows_that_make_no_sense_are_lost_and_nobodys_access_with_them(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        phone = device(store)
        anyio.run(store.notify.switch, phone, switch("failed", False))
    with closing(sqlite3.connect(tmp_path / "mirrord.db")) as db, db:
        db.execute("INSERT INTO notify_switches VALUES (?, '', 'later', 1)", (phone,))
        db.execute("INSERT INTO notify_switches VALUES (?, x'00', 'waiting', 0)", (phone,))
        db.execute("INSERT INTO push_subscriptions VALUES (?, 'https://push.example/1', 'text', 7, 0)", (phone,))
    with opened(tmp_path) as store:
        assert store.device(phone) is not None
        assert store.notify.subscription(phone) is None
        assert store.notify.settings(phone) == NotifySettings(DeviceSwitches(failed=False))


def test_a_subscription_is_in_no_repr() -> None:
    assert "push.example" not in repr(THERE)
