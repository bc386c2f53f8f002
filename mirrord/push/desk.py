"""The commands of devices about notifications: what they want to be told, and where to push it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import anyio.to_thread
import msgspec

from mirrord import crypto, logs
from mirrord.crypto import from_text, to_text
from mirrord.errors import MirrordError
from mirrord.push import vapid
from mirrord.push.endpoints import endpoint
from mirrord.store.notify import NotifyTable, Subscription
from mirrord.wire.attention import NoArgs, NotifySetArgs, PushInfo, PushSubscribeArgs

NOTIFY_COMMANDS: Final = frozenset(("push_info", "push_subscribe", "push_unsubscribe", "notify_settings", "notify_set"))

AT_ONCE: Final = 32
"""Commands of one device that run at the same time: a browser with ten pages asks for so many when it comes back. More would have everybody
else wait for the disk."""

AUTH_BYTES: Final = 16
"""The secret that a browser makes for a subscription (RFC 8291, 3.2)."""

_Arguments = TypeVar("_Arguments", bound=msgspec.Struct)


class NoDevice(MirrordError):
    """The control socket has no settings."""

    def __init__(self) -> None:
        super().__init__("Notifications belong to a paired device; the control socket is none.")


class PushUnavailable(MirrordError):
    """The packages are missing."""


class TooMany(MirrordError):
    """A device asks faster than it is answered."""

    def __init__(self) -> None:
        super().__init__("This device asks for too much at once; wait for the answers.")


class Malformed(MirrordError):
    """The arguments are wrong."""


@dataclass(frozen=True, slots=True)
class NotifyDesk:
    """`changed` is told the id of each device of which something is different now."""

    table: NotifyTable
    changed: Callable[[str], None]
    _running: Counter[str] = field(default_factory=Counter)

    async def run(self, device: str, name: str, args: dict[str, Any]) -> Any:  # noqa: ANN401 - as the command has it
        """The data of the command's result. `device` is empty on the control socket. Raises MirrordError."""
        if self._running[device] >= AT_ONCE:
            raise TooMany
        self._running[device] += 1
        try:
            return await self._run(device, name, args)
        finally:
            self._running.subtract((device,))
            if not self._running[device]:
                del self._running[device]

    async def _run(self, device: str, name: str, args: dict[str, Any]) -> Any:  # noqa: ANN401
        if name == "push_info":
            _read(args, NoArgs, "push_info takes no arguments")
            return msgspec.to_builtins(await anyio.to_thread.run_sync(self._info))
        if not device:
            raise NoDevice
        match name:
            case "push_subscribe":
                return await self._subscribe(device, _read(args, PushSubscribeArgs, "push_subscribe needs endpoint, p256dh and auth"))
            case "push_unsubscribe":
                _read(args, NoArgs, "push_unsubscribe takes no arguments")
                await self.table.unsubscribe(device)
                self.changed(device)
                return None
            case "notify_settings":
                _read(args, NoArgs, "notify_settings takes no arguments")
            case _:
                asked = _read(args, NotifySetArgs, "notify_set needs a kind, on, and may name a session")
                if asked.kind == "titles" and asked.session_id is not None:
                    raise Malformed("titles are switched for all sessions of a device, not for one.")
                await self.table.switch(device, asked)
                self.changed(device)
        return msgspec.to_builtins(self.table.settings(device))

    def _info(self) -> PushInfo:
        reason = vapid.missing()
        if reason is not None:
            return PushInfo(available=False, reason=reason)
        crypto.load()
        return PushInfo(available=True, public_key=to_text(self.table.key.public))

    async def _subscribe(self, device: str, asked: PushSubscribeArgs) -> None:
        where = endpoint(asked.endpoint)
        reason = await anyio.to_thread.run_sync(vapid.missing)
        if reason is not None:
            raise PushUnavailable(reason)
        p256dh, auth = from_text(asked.p256dh, crypto.PUBLIC_KEY_BYTES), from_text(asked.auth, AUTH_BYTES)
        await anyio.to_thread.run_sync(crypto.load)
        if p256dh is None or auth is None or not crypto.is_public_key(p256dh):
            raise Malformed("The keys of the subscription are none that a browser makes.")
        for lost in await self.table.subscribe(device, Subscription(asked.endpoint, p256dh, auth)):
            self.changed(lost)
        self.changed(device)
        logs.note("push: a device subscribed", device=device, host=where.host)


def _read(args: dict[str, Any], kind: type[_Arguments], sentence: str) -> _Arguments:
    try:
        return msgspec.convert(args, kind)
    except msgspec.ValidationError:
        raise Malformed(f"{sentence}.") from None
