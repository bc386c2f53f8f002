"""Notifications on disk: where each device is pushed to, what it wants to be told, and the key that pushes are signed with."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from mirrord.clock import Clock
from mirrord.crypto import SigningKey
from mirrord.store.writer import Writer
from mirrord.wire.attention import SWITCH_FIELDS, DeviceSwitches, NotifyKind, NotifySetArgs, NotifySettings, SessionSwitches

SESSIONS: Final = 64
"""Sessions of which a device has settings of their own; of more, those that were set longest ago are forgotten."""

_ALL: Final = ""
"""In place of a session: the device."""


_IF_THERE: Final = "WHERE EXISTS (SELECT 1 FROM devices WHERE id = ?)"

_FORGET_OLDEST: Final = """
DELETE FROM notify_switches WHERE device_id = ? AND session_id <> '' AND session_id NOT IN (
    SELECT session_id FROM notify_switches WHERE device_id = ? AND session_id <> '' GROUP BY session_id ORDER BY max(rowid) DESC LIMIT ?)
"""

_Switches = dict[tuple[str, NotifyKind], bool]
"""By session and kind; what was set last is last."""


@dataclass(frozen=True, slots=True)
class Subscription:
    """Where a browser is pushed to, and what for it is encrypted with. Its repr shows nothing: who knows it can send."""

    endpoint: str = field(repr=False)
    p256dh: bytes = field(repr=False)
    auth: bytes = field(repr=False)


class NotifyTable:
    """Subscriptions and switches of an open store; what is asked is in memory."""

    def __init__(self, db: sqlite3.Connection, writer: Writer, clock: Clock, exists: Callable[[str], bool]) -> None:
        """`exists` says whether there is a device of this id. Raises sqlite3.DatabaseError when the key is damaged."""
        self.key: Final = _read_key(db)
        """Of this daemon towards push services; another one than devices know it by."""
        self._writer = writer
        self._clock = clock
        self._exists = exists
        # A row that makes no sense is one lost switch; it is no reason to set aside who may connect.
        rows = db.execute(
            "SELECT device_id, endpoint, p256dh, auth FROM push_subscriptions "
            "WHERE typeof(endpoint) = 'text' AND typeof(p256dh) = 'blob' AND typeof(auth) = 'blob'"
        )
        self._subscriptions = {device: Subscription(*rest) for device, *rest in rows}
        self._switches: dict[str, _Switches] = {}
        for device, session, kind, on in db.execute("SELECT device_id, session_id, kind, is_on FROM notify_switches ORDER BY rowid"):
            if kind in SWITCH_FIELDS and isinstance(session, str):
                self._switches.setdefault(device, {})[session, kind] = bool(on)

    @property
    def devices(self) -> frozenset[str]:
        """Those of which anything is kept."""
        return frozenset(self._subscriptions) | frozenset(self._switches)

    def subscription(self, device: str) -> Subscription | None:
        """Where this device is pushed to."""
        return self._subscriptions.get(device)

    def settings(self, device: str) -> NotifySettings:
        """What it wants to be told."""
        own: dict[str, bool] = {}
        sessions: dict[str, dict[str, bool]] = {}
        for (session, kind), on in self._switches.get(device, {}).items():
            (own if session == _ALL else sessions.setdefault(session, {}))[SWITCH_FIELDS[kind]] = on
        return NotifySettings(DeviceSwitches(**own), {session: SessionSwitches(**each) for session, each in sessions.items()})

    # ---- changes -----------------------------------------------------------------------------------------------------

    async def subscribe(self, device: str, subscription: Subscription) -> list[str]:
        """Push to there from now on. A browser has one subscription: other devices that it was before have none any more.

        Returns those. Raises StoreNotWritable, and nothing has changed.
        """
        await self._writer.execute(
            f"INSERT OR REPLACE INTO push_subscriptions (device_id, endpoint, p256dh, auth, created_at) SELECT ?, ?, ?, ?, ? {_IF_THERE}",
            device,
            subscription.endpoint,
            subscription.p256dh,
            subscription.auth,
            self._clock.wall(),
            device,
        )
        if not self._exists(device):
            return []  # revoked while this waited for the disk
        others = [each for each, its in self._subscriptions.items() if its.endpoint == subscription.endpoint and each != device]
        for each in others:
            del self._subscriptions[each]
        self._subscriptions[device] = subscription
        return others

    async def unsubscribe(self, device: str, only: Subscription | None = None) -> bool:
        """Push there no more; with `only`, if it is still this one. Returns whether there was one. Raises StoreNotWritable."""
        found = self._subscriptions.get(device)
        if found is None or (only is not None and found is not only):
            return False
        # First in memory: should the disk refuse, nothing is sent there until the daemon ends.
        del self._subscriptions[device]
        await self._writer.execute("DELETE FROM push_subscriptions WHERE device_id = ? AND endpoint = ?", device, found.endpoint)
        return True

    async def switch(self, device: str, asked: NotifySetArgs) -> None:
        """Set one switch, or let it be as it is otherwise. Raises StoreNotWritable, and nothing has changed."""
        key = (asked.session_id or _ALL, asked.kind)

        def write(db: sqlite3.Connection) -> None:
            db.execute("DELETE FROM notify_switches WHERE device_id = ? AND session_id = ? AND kind = ?", (device, *key))
            if asked.on is not None:
                insert = f"INSERT INTO notify_switches (device_id, session_id, kind, is_on) SELECT ?, ?, ?, ? {_IF_THERE}"
                db.execute(insert, (device, *key, asked.on, device))
            db.execute(_FORGET_OLDEST, (device, device, SESSIONS))

        await self._writer.change(write)
        if not self._exists(device):
            return  # revoked while this waited for the disk
        switches = self._switches.setdefault(device, {})
        switches.pop(key, None)
        if asked.on is not None:
            switches[key] = asked.on
        newest = list(dict.fromkeys(session for session, _ in reversed(switches) if session != _ALL))[:SESSIONS]
        for old in [each for each in switches if each[0] not in (_ALL, *newest)]:
            del switches[old]

    def forget(self, device: str) -> None:
        """The device was revoked; the store removes what it has of it with the device."""
        self._subscriptions.pop(device, None)
        self._switches.pop(device, None)


def _read_key(db: sqlite3.Connection) -> SigningKey:
    row = db.execute("SELECT secret FROM push_key").fetchone()
    if row is None:
        made = SigningKey.generate()
        with db:
            db.execute("INSERT INTO push_key (secret) VALUES (?)", (made.secret,))
        return made
    try:
        return SigningKey(row[0])
    except (ValueError, TypeError) as error:
        raise sqlite3.DatabaseError("the key for push is damaged") from error
