"""The open store. A token itself is never stored, only its SHA-256; of a device that signs, only its public key.

What the gate and the pairing endpoint ask is in memory. Changes go to a thread (`writer.py`), one at a time, and are on disk before
they count.
"""

from __future__ import annotations

import contextlib
import secrets
import sqlite3
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Literal

from mirrord import logs
from mirrord.clock import Clock
from mirrord.core.retention import Retention
from mirrord.errors import NameTaken, NoSuchDevice, StoreNotWritable
from mirrord.server.gate import Credential, digest_of
from mirrord.store.formats import read_identity
from mirrord.store.names import clean_name, free_name
from mirrord.store.notify import NotifyTable
from mirrord.store.receipts import ReceiptTable
from mirrord.store.report import StoreReport, report
from mirrord.store.writer import Writer
from mirrord.wire.roles import Role

TOKEN_PREFIX: Final = "mrd_"
"""Makes a token recognisable to people and to scanners for leaked secrets."""

TOKEN_BYTES: Final = 32
"""Randomness of a token: guessing is out of the question, so it needs no slow hash."""

ID_BYTES: Final = 8
"""Of a device's id, which is no secret: enough that no two devices of a person ever have the same."""

SEEN_MS: Final = 60_000
"""How exact `lastSeenAt` is: a device that reconnects all the time costs one write a minute."""


@dataclass(frozen=True, slots=True)
class Device:
    """Somebody who may connect: with a token whose digest is here, or with a signature of the key that is here. Times in ms."""

    id: str
    name: str
    role: Role
    digest: bytes | None
    public_key: bytes | None
    created_at: int
    last_seen_at: int | None = None

    @property
    def kind(self) -> Literal["token", "paired"]:
        """How it came to be: `mirrord pair --token`, or by a code."""
        return "token" if self.public_key is None else "paired"


@dataclass(frozen=True, slots=True)
class Minted:
    """A new credential: its name as it was cleaned, and the token, which is in no repr."""

    name: str
    token: str = field(repr=False)


class Store:
    """An open store; made by `open_store`, closed by `close`."""

    def __init__(self, path: Path, db: sqlite3.Connection, clock: Clock, retention: Retention) -> None:
        """Raises sqlite3.Error when what is in it makes no sense."""
        self.path = path
        self.took_the_place_of: Path | None = None
        """Where the store is now that could not be used when this one was opened."""
        self.identity: Final = read_identity(db)
        """The daemon's own key."""
        self._db = db
        self._clock = clock
        self._writer = Writer(path, db)
        self.receipts: Final = ReceiptTable(db, self._writer, self.identity, retention, clock.wall())
        rows = db.execute(f"SELECT {_COLUMNS} FROM devices ORDER BY created_at, name")
        self._devices = {row[0]: _device(row) for row in rows}
        self._leaving: dict[str, Device] = {}
        """Those that were revoked while the disk refused: nobody can use them, and they are still there."""
        self.notify: Final = NotifyTable(db, self._writer, clock, self._devices.__contains__)

    @property
    def devices(self) -> tuple[Device, ...]:
        """Everybody who may connect, the oldest first."""
        return tuple(self._devices.values())

    @property
    def credentials(self) -> tuple[Credential, ...]:
        """Those who have a token, as the gate wants them."""
        return tuple(Credential(each.name, each.role, each.digest, each.id) for each in self.devices if each.digest is not None)

    def device(self, device_id: str) -> Device | None:
        """The device of this id."""
        return self._devices.get(device_id)

    def named(self, name: str) -> Device:
        """The device of this name. Raises NoSuchDevice."""
        device = next((each for each in self.devices if each.name == name), None)
        if device is None:
            raise NoSuchDevice(name)
        return device

    def revocable(self, name: str) -> Device:
        """As `named`, and those that the disk refused to forget, which are no devices any more. Raises NoSuchDevice."""
        leaving = next((each for each in self._leaving.values() if each.name == name), None)
        return leaving if leaving is not None else self.named(name)

    async def report(self) -> StoreReport:
        """What is in it, for who looks after the daemon. Raises StoreNotWritable when it cannot be read."""
        return await self._writer.change(lambda db: report(db, self.path, self.took_the_place_of))

    # ---- who may connect ---------------------------------------------------------------------------------------------

    async def mint(self, name: str, role: Role) -> Minted:
        """Make a credential; its token is returned here and nobody can ask for it again.

        Raises:
            NameTaken, BadName: choose another name.
            StoreNotWritable: nothing was made.
        """
        await self._forget_leaving()
        token = TOKEN_PREFIX + secrets.token_urlsafe(TOKEN_BYTES)
        device = await self._add(self._new(clean_name(name), role, digest=digest_of(token)))
        return Minted(device.name, token)

    async def pair(self, name: str, role: Role, public_key: bytes) -> Device:
        """Remember a device that signs; `name` is what it calls itself, and is changed until it is free.

        A key that is known already is the same device again: it gets the new role and keeps its name.
        Raises StoreNotWritable, and nothing was made.
        """
        await self._forget_leaving()
        known = next((each for each in self.devices if each.public_key == public_key), None)
        if known is not None:
            return await self._change(replace(known, role=role))
        while True:
            free = free_name(name, {each.name for each in self.devices})
            # Another device may take the name while this one waits for the disk.
            with contextlib.suppress(NameTaken):
                return await self._add(self._new(free, role, public_key=public_key))

    async def rename(self, name: str, to: str) -> Device:
        """Call a device something else. Raises NoSuchDevice, NameTaken, BadName, StoreNotWritable."""
        device, clean = self.named(name), clean_name(to)
        if any(each.name == clean and each.id != device.id for each in self.devices):
            raise NameTaken(clean)
        return await self._change(replace(device, name=clean))

    async def revoke(self, name: str) -> Device:
        """Forget a device: it opens nothing from now on. Raises NoSuchDevice, StoreNotWritable.

        Should the disk refuse, it stays out until the daemon ends, and can be revoked again.
        """
        device = self.revocable(name)
        self._leaving[device.id] = device
        self._devices.pop(device.id, None)
        await self._forget_leaving()
        return device

    async def seen(self, device_id: str) -> None:
        """Note that a device connected, to SEEN_MS. A disk that cannot take it is logged, no more."""
        device, now = self._devices.get(device_id), self._clock.wall()
        # Also one that was seen later than now, before somebody set the clock back.
        if device is None or 0 <= now - (device.last_seen_at or 0) < SEEN_MS:
            return
        self._devices[device_id] = replace(device, last_seen_at=now)
        try:
            await self._writer.execute("UPDATE devices SET last_seen_at = ? WHERE id = ?", now, device_id)
        except StoreNotWritable as error:
            logs.warn("store: last use of a device not noted", why=str(error))

    # ---- how often a code was tried ----------------------------------------------------------------------------------

    async def begin_tries(self, offer: str) -> None:
        """Count the tries of this code from now on, and of no other. Raises StoreNotWritable."""

        def begin(db: sqlite3.Connection) -> None:
            db.execute("DELETE FROM pairing_tries")
            db.execute("INSERT INTO pairing_tries (offer, tries) VALUES (?, 0)", (offer,))

        await self._writer.change(begin)

    async def count_try(self, offer: str) -> int | None:
        """How often this code was tried, this time included; on disk when it returns. Raises StoreNotWritable.

        None for a code whose tries are not counted (any more): another one took its place.
        """

        def count(db: sqlite3.Connection) -> int | None:
            db.execute("UPDATE pairing_tries SET tries = tries + 1 WHERE offer = ?", (offer,))
            row = db.execute("SELECT tries FROM pairing_tries WHERE offer = ?", (offer,)).fetchone()
            return None if row is None else int(row[0])

        return await self._writer.change(count)

    def close(self) -> None:
        """Fold the write-ahead log into the file and close it."""
        self._db.close()

    # ---- writing -----------------------------------------------------------------------------------------------------

    def _new(self, name: str, role: Role, *, digest: bytes | None = None, public_key: bytes | None = None) -> Device:
        return Device(secrets.token_hex(ID_BYTES), name, role, digest, public_key, self._clock.wall())

    async def _forget_leaving(self) -> None:
        """Before their names and keys are anybody's again."""
        for device_id in tuple(self._leaving):
            await self._writer.execute("DELETE FROM devices WHERE id = ?", device_id)
            self._leaving.pop(device_id, None)

    async def _add(self, device: Device) -> Device:
        if any(each.name == device.name for each in self.devices):
            raise NameTaken(device.name)
        row = (device.id, device.name, device.role.name, device.digest, device.public_key, device.created_at, device.last_seen_at)
        try:
            await self._writer.execute(f"INSERT INTO devices ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)", *row)
        except sqlite3.IntegrityError:
            raise NameTaken(device.name) from None
        self._devices[device.id] = device
        return device

    async def _change(self, device: Device) -> Device:
        """Put this in the place of the device of its id, its name or role changed."""
        try:
            await self._writer.execute("UPDATE devices SET name = ?, role = ? WHERE id = ?", device.name, device.role.name, device.id)
        except sqlite3.IntegrityError:
            raise NameTaken(device.name) from None
        if device.id not in self._devices:
            raise NoSuchDevice(device.name)  # revoked while this waited for the disk
        self._devices[device.id] = device
        return device


_COLUMNS: Final = "id, name, role, digest, public_key, created_at, last_seen_at"
_Row = tuple[str, str, str, bytes | None, bytes | None, int, int | None]
_TYPES: Final = (str, str, str, bytes | None, bytes | None, int, int | None)
"""SQLite keeps in a column whatever is put there."""


def _device(row: _Row) -> Device:
    if not all(isinstance(value, kind) for value, kind in zip(row, _TYPES, strict=True)) or row[2] not in Role.__members__:
        raise sqlite3.DatabaseError("a device that makes no sense")
    return Device(row[0], row[1], Role[row[2]], *row[3:])
