"""What the owner can have the daemon do: `status`, `stop`, and what concerns devices. The core has checked the role."""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from bridge.paths import Paths
from mirrord import __version__
from mirrord.clients import Clients
from mirrord.clock import Clock
from mirrord.core.commands import RunCommand, Send
from mirrord.core.core import Core
from mirrord.device_commands import DEVICE_COMMANDS, CommandRefused, DeviceCommands
from mirrord.errors import MirrordError
from mirrord.links import Links
from mirrord.server.socket import ClientServer
from mirrord.wire import messages as wire

_STATM: Final = "/proc/self/statm"


@dataclass(slots=True)
class Commands:
    """Carries out commands and answers each with exactly one command_result. `stop` starts the daemon's orderly end."""

    core: Core
    clock: Clock
    clients: Clients
    links: Links
    server: ClientServer
    devices: DeviceCommands
    paths: Paths
    url: str
    port: int
    stop: Callable[[], None]
    started: float

    async def run(self, command: RunCommand) -> None:
        """Carry out one command."""
        try:
            data = await self._data(command)
        except MirrordError as error:
            result = wire.CommandResult(
                request_id=command.request_id, ok=False, error=wire.CommandError(code=_code(error), message=str(error))
            )
        else:
            result = wire.CommandResult(request_id=command.request_id, ok=True, data=data)
        self.clients.send(Send(command.client, result))
        if command.name == "stop" and result.ok:
            self.stop()

    async def _data(self, command: RunCommand) -> dict[str, Any] | None:
        match command.name:
            case "status":
                return self.status()
            case name if name in DEVICE_COMMANDS:
                return await self.devices.run(name, command.args)
            case "stop":
                return None
            case _:
                raise CommandRefused("this daemon does not know that command; upgrade it")

    def status(self) -> dict[str, Any]:
        """What `mirrord status --json` prints."""
        return {
            "version": __version__,
            "pid": os.getpid(),
            "url": self.url,
            "port": self.port,
            "socket": str(self.paths.control_socket),
            "bridgeSocket": str(self.paths.bridge_socket),
            "uptime": round(self.clock.boot() - self.started, 3),
            "sessions": msgspec.to_builtins(self.core.sessions()),
            "clients": [
                {"name": client.name, "kind": client.kind, "role": client.role.name.lower(), "credential": client.credential}
                for client in self.core.clients()
            ],
            "links": [
                {"pid": link.pid, "bridgeVersion": link.bridge_version, "path": link.path, "protocol": link.protocol}
                | ({"refused": link.refused} if link.refused is not None else {})
                for link in self.links.infos()
            ],
            "memory": {"rss": resident_bytes()},
            "counters": {
                "gateRefused": self.server.refused,
                "clientsEvicted": self.clients.evicted,
                "notificationsDropped": self.clients.notifications_dropped,
                "linksBroken": self.links.broken,
                "unknownMessages": self.links.unknown,
            },
        }


def resident_bytes() -> int:
    """Memory of this process that is in RAM; where the system does not tell, the most it ever was."""
    try:
        fd = os.open(_STATM, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024
    try:
        return int(os.read(fd, 256).split()[1]) * os.sysconf("SC_PAGE_SIZE")
    finally:
        os.close(fd)


def _code(error: MirrordError) -> str:
    """`NameTaken` → `name_taken`."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in type(error).__name__).lstrip("_")
