"""The daemon: takes its place on this machine, builds everything, carries out what the core commands, and stops in order.

Everything runs in one task group. A peer's mistake ends that peer's connection; a mistake of ours is logged with its
traceback and ends the daemon with exit status 1.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import secrets
import signal
import socket
import sys
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, assert_never

import anyio
import msgspec
from anyio.abc import TaskGroup

from bridge.daemon_lock import DaemonRunning
from bridge.listener import Listener
from bridge.messages import DaemonInfo as BridgeDaemonInfo
from bridge.paths import paths_here
from bridge.refusal import Refusal
from mirrord import __version__, logs
from mirrord.clients import Clients
from mirrord.clock import Clock, SystemClock
from mirrord.commands import Commands
from mirrord.core import commands, events
from mirrord.core.core import Core
from mirrord.detached import DaemonInfo, Report, spawn_detached
from mirrord.device_commands import DeviceCommands
from mirrord.errors import MirrordError
from mirrord.links import Links
from mirrord.pairing.desk import Desk
from mirrord.pi_pairing import PiPairing
from mirrord.place import Place, taking_place
from mirrord.server.socket import ClientServer
from mirrord.settings import Settings
from mirrord.wire.messages import ENDPOINT, ServerInfo
from sanitize import label

HOST_CLUSTERS: Final = 64
"""Length of the machine's name; a host name's label has at most 63 characters."""

FAREWELL_SECONDS: Final = 1.0
"""How long clients may take their farewell when the daemon stops; with the rest of the end it stays below 2 s."""

__all__ = ["DaemonInfo", "serve", "spawn_detached"]


def serve(settings: Settings, ready: Callable[[DaemonInfo], None] | None = None, *, quiet: bool = False) -> int:
    """Run the daemon until it is told to stop; returns the exit status. `ready` is called when it answers.

    Raises MirrordError or Refusal, each one sentence, when it cannot take its place. `quiet`: no log on stderr.
    """
    clock = SystemClock()
    with taking_place(settings, clock, quiet=quiet) as place:
        return anyio.run(run, place, settings, clock, ready)


async def run(place: Place, settings: Settings, clock: Clock, ready: Callable[[DaemonInfo], None] | None = None) -> int:
    """Serve until SIGTERM, SIGINT, SIGHUP, the command `stop` or a failure; returns the exit status."""
    daemon: Daemon | None = None
    try:
        async with anyio.create_task_group() as tasks:
            daemon = Daemon.build(place, settings, clock, tasks)
            await daemon.serve(ready)
            tasks.cancel_scope.cancel()
    except Exception as error:
        logs.failed("daemon: failed", error)
        return 1
    assert daemon is not None
    logs.note("daemon: stopped", status=daemon.status)
    return daemon.status


def server_info(instance: str) -> ServerInfo:
    """Who clients talk to. The machine's name is shown to people, so it is cleaned like any other text."""
    return ServerInfo("mirrord", __version__, instance, label(socket.gethostname().partition(".")[0], HOST_CLUSTERS).text or None)


@dataclass(slots=True)
class Daemon:
    """All parts of a running daemon and the queue of what happened."""

    place: Place
    settings: Settings
    clock: Clock
    tasks: TaskGroup
    core: Core
    clients: Clients = field(init=False)
    links: Links = field(init=False)
    desk: Desk = field(init=False)
    pi_pairing: PiPairing = field(init=False)
    server: ClientServer = field(init=False)
    listener: Listener = field(init=False)
    runner: Commands = field(init=False)
    status: int = 0
    """The exit status, once it has stopped."""
    _stopping: anyio.Event = field(default_factory=anyio.Event)
    _happened: deque[events.Event] = field(default_factory=deque)
    _handling: bool = False

    @classmethod
    def build(cls, place: Place, settings: Settings, clock: Clock, tasks: TaskGroup) -> Daemon:
        """A daemon whose parts know each other; nothing runs yet."""
        instance = secrets.token_hex(8)
        daemon = cls(place, settings, clock, tasks, Core(server_info(instance), instance))
        daemon.clients = Clients(clock, daemon.happen, daemon.seen)
        port = place.network.getsockname()[1]
        url, page = f"ws://{settings.host}:{port}{ENDPOINT}", f"http://{settings.host}:{port}/"
        daemon.desk = Desk(place.store, clock, daemon.clients.cut)
        daemon.pi_pairing = PiPairing(daemon.desk, page, lambda link: daemon.links.pairing_obstacle(link))
        daemon.links = Links(clock, daemon.happen, tasks, daemon.pi_pairing.answer)
        daemon.server = ClientServer(
            clock=clock,
            handler=daemon.clients,
            credentials=daemon.desk.credentials,
            pages=place.pages,
            desk=daemon.desk,
            descends_from_pi=daemon.links.descends_from_pi,
            fail=daemon.fail,
        )
        bridge = BridgeDaemonInfo(version=__version__, instance=instance, pid=os.getpid())
        daemon.listener = Listener(place.bridge.sock, bridge, daemon.links, clock.wall)
        daemon.runner = Commands(
            core=daemon.core,
            clock=clock,
            clients=daemon.clients,
            links=daemon.links,
            server=daemon.server,
            devices=DeviceCommands(daemon.desk, page, url, daemon.clients.connections),
            paths=settings.paths,
            url=url,
            port=port,
            stop=daemon.stop,
            started=clock.boot(),
        )
        return daemon

    async def serve(self, ready: Callable[[DaemonInfo], None] | None) -> None:
        """Serve until it is told to stop, then say farewell."""
        self.tasks.start_soon(self._obey_signals)
        self.tasks.start_soon(self.listener.serve)
        self.tasks.start_soon(self.links.watch_pauses)
        async with self.server.listening(self.place.network, self.place.control.sock):
            logs.note("daemon: ready", pid=os.getpid(), url=self.runner.url, socket=str(self.settings.paths.control_socket))
            if ready is not None:
                ready(DaemonInfo(os.getpid(), self.settings.paths.control_socket))
            await self._stopping.wait()
            self.server.stop_accepting()
            self.listener.stop_accepting()
            self.links.close_all()
            self.clients.close_all("the daemon stops")
            with anyio.move_on_after(FAREWELL_SECONDS):
                await self.clients.wait_until_gone()
            self.clients.abort_all()

    def stop(self) -> None:
        """Begin the orderly end."""
        self._stopping.set()

    def fail(self, error: BaseException) -> None:
        """A task outside our task group met a bug of ours: log it and end with exit status 1."""
        logs.failed("daemon: a connection's task failed", error)
        self.status = 1
        self.stop()

    def seen(self, device: str) -> None:
        """Note on disk that a device connected; the control socket's clients are none."""
        if device:
            self.tasks.start_soon(self.place.store.seen, device)

    def happen(self, event: events.Event) -> None:
        """Give an event to the core and carry out what it commands. Events that this leads to come after, in order."""
        self._happened.append(event)
        if self._handling:
            return
        self._handling = True
        try:
            while self._happened:
                for command in self.core.handle(self._happened.popleft()):
                    self._carry_out(command)
        finally:
            self._handling = False

    def _carry_out(self, command: commands.Command) -> None:
        match command:
            case commands.Send():
                self.clients.send(command)
            case commands.CloseClient():
                self.clients.close(command)
            case commands.Forward():
                self.links.forward(command)
            case commands.ForwardStop():
                self.links.forward_stop(command)
            case commands.CloseLink():
                self.links.close(command)
            case commands.WatchProcess(terminal=terminal):
                self.links.watch(terminal)
            case commands.RunCommand():
                self.tasks.start_soon(self.runner.run, command)
            case _:
                assert_never(command)

    async def _obey_signals(self) -> None:
        with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT, signal.SIGHUP) as received:
            async for number in received:
                logs.note("daemon: told to stop", signal=number.name)
                self.stop()


def main() -> None:
    """`python -m mirrord.daemon`, which `spawn_detached` starts: forks, and tells on the ready descriptor how it went."""
    parser = argparse.ArgumentParser(prog="mirrord daemon", description="Started by mirrord itself; see `mirrord serve`.")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--ready-fd", type=int, required=True)
    arguments = parser.parse_args()
    if os.fork():
        os._exit(0)
    with os.fdopen(arguments.ready_fd, "wb", buffering=0) as ready:

        def report(**said: object) -> None:
            if ready.closed:
                return
            # Who started this may have given up waiting; the next one finds a daemon.
            with contextlib.suppress(OSError), ready:
                ready.write(msgspec.json.encode(msgspec.convert({"pid": os.getpid(), **said}, Report)) + b"\n")

        try:
            status = serve(Settings(paths_here(), arguments.port), lambda _: report(), quiet=True)
        except (MirrordError, Refusal) as error:
            report(error=str(error), running=isinstance(error, DaemonRunning))
            status = 1
    sys.exit(status)


if __name__ == "__main__":
    main()
