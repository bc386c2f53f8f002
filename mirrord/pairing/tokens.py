"""The tokens that are good now: in memory only, for minutes, each for one device. Pure: times are boot seconds and come as arguments."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from mirrord.server.gate import Credential, digest_of
from mirrord.store import Device

PREFIX: Final = "mrs_"
TOKEN_BYTES: Final = 32
TOKEN_SECONDS: Final = 900.0
"""A token that leaks is good for a quarter of an hour at most; a page gets a new one in a few milliseconds."""

PER_DEVICE: Final = 16
"""Tokens of one device at once: tabs of a browser each take their own. The oldest goes first."""


@dataclass(frozen=True, slots=True)
class _Live:
    device: str
    until: float


@dataclass(slots=True)
class Tokens:
    """What is kept of a token is its digest."""

    _live: OrderedDict[bytes, _Live] = field(default_factory=OrderedDict)

    def __len__(self) -> int:
        """Tokens that have not ended, or whose end was not noticed yet."""
        return len(self._live)

    def issue(self, device: str, now: float) -> str:
        """A new token for the device of this id, good for TOKEN_SECONDS."""
        self._forget(now)
        mine = [digest for digest, live in self._live.items() if live.device == device]
        for digest in mine[: max(0, len(mine) - PER_DEVICE + 1)]:
            del self._live[digest]
        token = PREFIX + secrets.token_urlsafe(TOKEN_BYTES)
        self._live[digest_of(token)] = _Live(device, now + TOKEN_SECONDS)
        return token

    def credentials(self, device: Callable[[str], Device | None], now: float) -> tuple[Credential, ...]:
        """Each token as the gate wants it, with the name and role that its device has now."""
        self._forget(now)
        known = ((digest, device(live.device)) for digest, live in self._live.items())
        return tuple(Credential(each.name, each.role, digest, each.id) for digest, each in known if each is not None)

    def revoke(self, device: str) -> None:
        """No token of this device is good any more."""
        for digest in [digest for digest, live in self._live.items() if live.device == device]:
            del self._live[digest]

    def _forget(self, now: float) -> None:
        while self._live and now >= next(iter(self._live.values())).until:
            self._live.popitem(last=False)
