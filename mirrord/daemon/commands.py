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
from mirrord.clock import Clock
from mirrord.core.commands import RunCommand, Send
from mirrord.core.core import Core
from mirrord.core.held import SESSION_BYTES
from mirrord.daemon.clients import Clients
from mirrord.daemon.device_commands import DEVICE_COMMANDS, CommandRefused, DeviceCommands
from mirrord.daemon.hooks import Hook
from mirrord.daemon.idle import Idle
from mirrord.daemon.links import Links
from mirrord.daemon.metrics import exposition, metrics_of
from mirrord.daemon.movement import Movement
from mirrord.errors import MirrordError, StoreNotWritable
from mirrord.push import NOTIFY_COMMANDS, NotifyDesk
from mirrord.server.socket import ClientServer
from mirrord.store import Store
from mirrord.wire import messages as wire
from mirrord.wire.limits import OUTBOX_BYTES, SESSIONS_BYTES

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
    notify: NotifyDesk
    movement: Movement
    hook: Hook
    store: Store
    paths: Paths
    url: str
    port: int
    stop: Callable[[], None]
    started: float
    started_at: int
    """The same on the wall clock, ms since the epoch."""
    idle: Idle | None = None
    managed: bool = False
    """Whether a service manager started it."""

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

    async def _data(self, command: RunCommand) -> Any:  # noqa: ANN401 - as the command has it
        match command.name:
            case "status":
                return self.status() | {"store": await self._store()}
            case name if name in DEVICE_COMMANDS:
                return await self.devices.run(name, command.args)
            case name if name in NOTIFY_COMMANDS:
                return await self.notify.run(self.clients.device(command.client), name, command.args)
            case "stop":
                return None
            case _:
                raise CommandRefused("this daemon does not know that command; upgrade it")

    def metrics(self) -> str:
        """What a monitor reads."""
        return exposition(metrics_of(self.status()))

    def status(self) -> dict[str, Any]:
        """What `mirrord status --json` prints, without what only the disk knows."""
        return {
            "version": __version__,
            "pid": os.getpid(),
            "url": self.url,
            "port": self.port,
            "socket": str(self.paths.control_socket),
            "bridgeSocket": str(self.paths.bridge_socket),
            "uptime": round(self.clock.boot() - self.started, 3),
            "startedAt": self.started_at,
            "managed": self.managed,
            "idleExit": self._idle_exit(),
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
            "moved": self.movement.as_object(),
            "memory": {
                "rss": resident_bytes(),
                "held": self.held(),
                "mostPerSession": SESSION_BYTES,
                "mostOfSessions": SESSIONS_BYTES,
                "mostPerClient": OUTBOX_BYTES,
            },
            "counters": {
                "gateRefused": self.server.refused,
                "clientsEvicted": self.clients.evicted,
                "notificationsDropped": self.clients.notifications_dropped + self.core.notifications_dropped,
                "surfacesGivenWay": self.core.given_way,
                "memoryGivenWay": self.core.memory_given_way,
                "linksBroken": self.links.broken,
                "unknownMessages": self.links.unknown,
            },
            "retention": {"days": self.core.retention.days, "bytes": self.core.retention.bytes},
            "hook": {"runs": self.hook.runs, "failures": self.hook.failures, "dropped": self.hook.dropped},
        }

    def held(self) -> dict[str, int]:
        """Bytes that are held for others, by kind: of sessions as JSON, of clients as frames."""
        return self.core.held() | {"outboxes": self.clients.pending}

    async def _store(self) -> Any:  # noqa: ANN401 - as the command has it
        """None while the disk does not say."""
        try:
            return msgspec.to_builtins(await self.store.report())
        except StoreNotWritable:
            return None

    def _idle_exit(self) -> dict[str, Any] | None:
        """`{seconds, at}`: how long it stays with nobody there, and when it ends if nobody comes (ms), None while somebody is there."""
        if self.idle is None:
            return None
        ends_at = self.idle.ends_at
        at = None if ends_at is None else self.clock.wall() + round((ends_at - self.clock.boot()) * 1000)
        return {"seconds": self.idle.limit, "at": at}


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
