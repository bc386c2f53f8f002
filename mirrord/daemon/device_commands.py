"""What the owner can have the daemon do about devices: make a code, wait what becomes of it, list, rename, revoke, make a token."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import msgspec

from mirrord import logs
from mirrord.errors import MirrordError
from mirrord.pairing.code import pairing_url
from mirrord.pairing.desk import Desk, role_name
from mirrord.store import Device
from mirrord.wire import messages as wire
from mirrord.wire.pairing import DeviceRole
from mirrord.wire.roles import Role

DEVICE_COMMANDS: Final = frozenset(("pair", "pair_code", "pair_wait", "devices", "device_rename", "device_revoke"))

_Arguments = TypeVar("_Arguments", bound=msgspec.Struct)


class CommandRefused(MirrordError):
    """The command cannot be carried out as it was asked for."""


class _Pair(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    role: wire.RoleName = "controller"


class _Code(msgspec.Struct, forbid_unknown_fields=True):
    role: DeviceRole = "controller"


class _Wait(msgspec.Struct, forbid_unknown_fields=True):
    offer: str


class _Nothing(msgspec.Struct, forbid_unknown_fields=True):
    pass


class _Rename(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    to: str


class _Revoke(msgspec.Struct, forbid_unknown_fields=True):
    name: str


@dataclass(frozen=True, slots=True)
class DeviceCommands:
    """`page` is the address of the web client, `url` that of the WebSocket; `connections` of a device's id, how many it has now."""

    desk: Desk
    page: str
    url: str
    connections: Callable[[str], int]

    async def run(self, name: str, args: dict[str, Any]) -> dict[str, Any] | None:
        """The data of the command's result. Raises MirrordError with the sentence for the person."""
        match name:
            case "pair":
                return await self._pair(_read(args, _Pair, "pair needs a name, and a role that is observer or controller"))
            case "pair_code":
                return await self._code(_read(args, _Code, "pair_code takes a role that is observer or controller"))
            case "pair_wait":
                return await self._wait(_read(args, _Wait, "pair_wait needs the offer that pair_code named"))
            case "devices":
                _read(args, _Nothing, "devices takes no arguments")
                return {"devices": [self._shown(device) for device in self.desk.store.devices]}
            case "device_rename":
                asked = _read(args, _Rename, "device_rename needs a name, and what to call it")
                device = await self.desk.store.rename(asked.name, asked.to)
                logs.note("device: renamed", device=device.id, name=device.name)
                return self._shown(device)
            case _:
                await self.desk.revoke(_read(args, _Revoke, "device_revoke needs a name").name)
                return None

    async def _pair(self, asked: _Pair) -> dict[str, Any]:
        if asked.role == "owner":
            raise CommandRefused("only the control socket makes an owner; pair an observer or a controller")
        minted = await self.desk.store.mint(asked.name, Role[asked.role.upper()])
        logs.note("pair: credential made", name=minted.name, role=asked.role)
        return {"token": minted.token, "name": minted.name, "role": asked.role, "url": self.url}

    async def _code(self, asked: _Code) -> dict[str, Any]:
        made = await self.desk.offer(asked.role)
        return {
            "offer": made.offer,
            "code": made.code,
            "role": made.role,
            "page": self.page,
            "url": pairing_url(self.page, made.code),
            "expiresAt": made.expires_at,
        }

    async def _wait(self, asked: _Wait) -> dict[str, Any]:
        ended = await self.desk.wait(asked.offer)
        if ended is None:
            raise CommandRefused("this code is not known; make a new one with `mirrord pair`")
        told = {"outcome": ended.fate, "role": ended.offer.role}
        return told if ended.device is None else told | {"device": ended.device}

    def _shown(self, device: Device) -> dict[str, Any]:
        told: dict[str, Any] = {
            "id": device.id,
            "name": device.name,
            "role": role_name(device.role),
            "kind": device.kind,
            "createdAt": device.created_at,
            "connections": self.connections(device.id),
        }
        return told if device.last_seen_at is None else told | {"lastSeenAt": device.last_seen_at}


def _read(args: dict[str, Any], kind: type[_Arguments], sentence: str) -> _Arguments:
    try:
        return msgspec.convert(args, kind)
    except msgspec.ValidationError:
        raise CommandRefused(sentence) from None
