"""What systemd is told of its service: one datagram a message to the socket in NOTIFY_SOCKET (sd_notify(3)).

A manager that is gone or does not listen is no reason for the daemon to stop, so nothing here fails.
"""

from __future__ import annotations

import socket
import time
from collections.abc import MutableMapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import anyio

TELL_SECONDS: Final = 5.0
"""How long a message may wait for room in the manager's queue, which holds hundreds."""

STATUS_CHARS: Final = 200


@dataclass(frozen=True, slots=True)
class Notifier:
    """Tells one manager. `address` as a socket takes it: a path, or a name in the abstract namespace that begins with a null."""

    address: bytes
    watchdog: float | None = None
    """Seconds after which the manager kills us unless it hears that we live; None when it does not watch."""

    async def ready(self, status: str) -> None:
        """The daemon answers: now, or again after a reload."""
        await self._tell("READY=1", _status(status))

    async def alive(self, status: str) -> None:
        """The loop turns."""
        await self._tell("WATCHDOG=1", _status(status))

    async def stopping(self) -> None:
        """The orderly end has begun."""
        await self._tell("STOPPING=1", _status("says farewell to its clients"))

    async def reloading(self) -> None:
        """Settings are read anew; `ready` follows."""
        await self._tell("RELOADING=1", f"MONOTONIC_USEC={time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000}")

    async def _tell(self, *lines: str) -> None:
        message = "\n".join(lines).encode()
        with suppress(OSError), anyio.move_on_after(TELL_SECONDS), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
            sock.setblocking(False)
            sock.connect(self.address)
            while True:
                try:
                    sock.send(message)
                    return
                except BlockingIOError:
                    await anyio.wait_writable(sock)


def notifier(environ: MutableMapping[str, str], pid: int) -> Notifier | None:
    """The manager that started the process `pid`, None where none waits to be told. Its variables are taken out of `environ`."""
    name = environ.pop("NOTIFY_SOCKET", "")
    watchdog = _watchdog(environ.pop("WATCHDOG_USEC", ""), environ.pop("WATCHDOG_PID", ""), pid)
    if name.startswith("@"):
        return Notifier(b"\0" + name[1:].encode(errors="surrogateescape"), watchdog)
    return Notifier(name.encode(errors="surrogateescape"), watchdog) if name.startswith("/") else None


def _watchdog(microseconds: str, watched: str, pid: int) -> float | None:
    if watched not in ("", str(pid)) or not microseconds.isdecimal() or int(microseconds) == 0:
        return None
    return int(microseconds) / 1_000_000


def _status(text: str) -> str:
    return f"STATUS={' '.join(text[:STATUS_CHARS].split())}"
