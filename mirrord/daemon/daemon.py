"""The daemon: takes its place on this machine, builds everything, carries out what the core commands, and stops in order.

Everything runs in one task group. A peer's mistake ends that peer's connection; a mistake of ours is logged with its
traceback and ends the daemon with exit status 1.
"""

from __future__ import annotations

import os
import secrets
import signal
import socket
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, assert_never

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup

from bridge.listener import Listener
from bridge.messages import DaemonInfo
from bridge.process import Suspect, control_group, note
from bridge.screen.listener import ScreenListener
from mirrord import __version__, logs
from mirrord.clock import Clock, SystemClock, moment
from mirrord.config import reload
from mirrord.core import commands, events
from mirrord.core.chat import commands as chat
from mirrord.core.core import Core
from mirrord.core.model import TerminalId
from mirrord.core.receipts import KeepReceipt, under_way
from mirrord.core.wake import AskLink, Woke
from mirrord.core.workspace import LeaveWorkspace, LookAtWorkspace
from mirrord.daemon import dumps, hooks, scheduling
from mirrord.daemon.clients import Clients
from mirrord.daemon.commands import Commands
from mirrord.daemon.device_commands import DeviceCommands
from mirrord.daemon.earlier import follow_earlier
from mirrord.daemon.hooks import Hook
from mirrord.daemon.idle import Idle
from mirrord.daemon.links import Links
from mirrord.daemon.movement import Movement
from mirrord.daemon.notifications import Notifications
from mirrord.daemon.pi_pairing import PiPairing
from mirrord.daemon.receipts import ReceiptKeeper
from mirrord.daemon.retention import RETENTION_SETTINGS, Retainer
from mirrord.daemon.screens import Screens
from mirrord.daemon.wake import WakeWatch
from mirrord.daemon.waking import Waker
from mirrord.detached import RunningDaemon
from mirrord.pairing.desk import Desk
from mirrord.place import Place, taking_place
from mirrord.push import Transport
from mirrord.server.socket import ClientServer
from mirrord.service.managed import Managed
from mirrord.service.supervision import Supervision
from mirrord.settings import Settings
from mirrord.wire.messages import ENDPOINT, ServerInfo
from mirrord.workspace import Workspaces
from sanitize import label

HOST_CLUSTERS: Final = 64
"""Length of the machine's name; a host name's label has at most 63 characters."""

IDLE_LOOK_SECONDS: Final = 30.0
"""How often it is looked at whether the wait for company is over: timers stand still while the machine sleeps, and the wait does not."""

FAREWELL_SECONDS: Final = 1.0
"""How long clients may take their farewell when the daemon stops; with the rest of the end it stays below 2 s."""


def serve(
    settings: Settings,
    ready: Callable[[RunningDaemon], None] | None = None,
    *,
    quiet: bool = False,
    managed: Managed | None = None,
) -> int:
    """Run the daemon until it is told to stop; returns the exit status. `ready` is called when it answers.

    Raises MirrordError or Refusal, each one sentence, when it cannot take its place. `quiet`: no log on stderr. `managed` is what the
    service manager gave it, which is told how it goes.
    """
    dumps.forbid()
    scheduling.go_after_pi()
    clock = SystemClock()
    with taking_place(settings, clock, quiet=quiet, passed=None if managed is None else managed.sockets) as place:
        return anyio.run(run, place, settings, clock, ready, managed)


async def run(
    place: Place,
    settings: Settings,
    clock: Clock,
    ready: Callable[[RunningDaemon], None] | None = None,
    managed: Managed | None = None,
    transport: Transport | None = None,
) -> int:
    """Serve until SIGTERM, SIGINT, the command `stop`, SIGHUP that means no reload, or a failure; returns the exit status.

    `transport` carries pushes; None: over https to public push services.
    """
    daemon: Daemon | None = None
    try:
        async with anyio.create_task_group() as tasks:
            daemon = Daemon.build(place, settings, clock, tasks, managed, transport)
            daemon.links.processes.daemon = itself(managed)
            await daemon.serve(ready)
            tasks.cancel_scope.cancel()
    except Exception as error:
        logs.failed("daemon: failed", error)
        return 1
    assert daemon is not None
    logs.note("daemon: stopped", status=daemon.status)
    return daemon.status


def itself(managed: Managed | None) -> Suspect:
    """This process, whose helpers are not the person either. What they left behind is told where a manager gave us a group of our own."""
    noted = note(os.getpid())
    own_group = managed is not None and noted.group not in ("", control_group(os.getppid()))
    return noted if own_group else Suspect(noted.pid, noted.start)


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
    notifications: Notifications = field(init=False)
    pi_pairing: PiPairing = field(init=False)
    server: ClientServer = field(init=False)
    listener: Listener = field(init=False)
    screens: Screens = field(init=False)
    screen_listener: ScreenListener = field(init=False)
    runner: Commands = field(init=False)
    receipts: ReceiptKeeper = field(init=False)
    workspaces: Workspaces = field(init=False)
    waker: Waker = field(init=False)
    wake: WakeWatch = field(init=False)
    retainer: Retainer = field(init=False)
    hook: Hook = field(init=False)
    movement: Movement = field(init=False)
    idle: Idle | None = field(init=False)
    """None for a daemon that stays when nobody is there."""
    managed: Managed | None = None
    """None for a daemon that no service manager started; SIGHUP then means that its terminal is gone."""
    status: int = 0
    """The exit status, once it has stopped."""
    _stopping: anyio.Event = field(default_factory=anyio.Event)
    _reading_settings: anyio.Lock = field(default_factory=anyio.Lock)
    _happened: deque[events.Event] = field(default_factory=deque)
    _handling: bool = False

    @classmethod
    def build(
        cls,
        place: Place,
        settings: Settings,
        clock: Clock,
        tasks: TaskGroup,
        managed: Managed | None = None,
        transport: Transport | None = None,
    ) -> Daemon:
        """A daemon whose parts know each other; nothing runs yet."""
        instance = secrets.token_hex(8)
        daemon = cls(place, settings, clock, tasks, Core(server_info(instance), instance), managed=managed)
        daemon.clients = Clients(clock, daemon.happen, daemon.seen)
        daemon.waker = Waker(daemon.core, clock, daemon.happen)
        daemon.wake = WakeWatch(clock, daemon.woke)
        port = place.network.getsockname()[1]
        url, page = f"ws://{settings.host}:{port}{ENDPOINT}", f"http://{settings.host}:{port}/"
        daemon.desk = Desk(place.store, clock, daemon.cut)
        daemon.notifications = Notifications(place.store, clock, daemon.happen, tasks, transport, settings.push_contact)
        daemon.pi_pairing = PiPairing(daemon.desk, page, lambda link: daemon.links.pairing_obstacle(link))
        daemon.idle = None if settings.idle_exit is None else Idle(settings.idle_exit, clock.boot())
        daemon.links = Links(clock, daemon.happen, tasks, daemon.pi_pairing.answer, daemon.knocked, daemon.screen_of)
        daemon.screens = Screens(clock, daemon.happen, daemon.links, tasks)
        daemon.server = ClientServer(
            clock=clock,
            handler=daemon.clients,
            credentials=daemon.desk.credentials,
            pages=place.pages,
            desk=daemon.desk,
            doubt=daemon.links.processes.doubt,
            fail=daemon.fail,
        )
        daemon.receipts = ReceiptKeeper(place.store.receipts, clock, daemon.happen)
        daemon.retainer = Retainer(lambda: daemon.settings, place.store.receipts, clock, daemon.happen)
        daemon.core.begin(daemon.receipts.loaded())
        daemon.workspaces = Workspaces(clock, daemon.links.chat.place, daemon.happen)
        bridge = DaemonInfo(version=__version__, instance=instance, pid=os.getpid())
        daemon.listener = Listener(place.bridge.sock, bridge, daemon.links, clock.wall)
        daemon.screen_listener = ScreenListener(place.screen.sock, bridge, daemon.screens)
        daemon.hook, daemon.movement = Hook(clock), Movement(clock)
        daemon.runner = Commands(
            core=daemon.core,
            clock=clock,
            clients=daemon.clients,
            links=daemon.links,
            server=daemon.server,
            devices=DeviceCommands(daemon.desk, page, url, daemon.clients.connections),
            notify=daemon.notifications.desk,
            movement=daemon.movement,
            hook=daemon.hook,
            store=place.store,
            paths=settings.paths,
            url=url,
            port=port,
            stop=daemon.stop,
            started=clock.boot(),
            started_at=clock.wall(),
            idle=daemon.idle,
            managed=managed is not None,
        )
        daemon.server.metrics = daemon.runner.metrics
        return daemon

    async def serve(self, ready: Callable[[RunningDaemon], None] | None) -> None:
        """Serve until it is told to stop, then say farewell."""
        self.notifications.begin()
        self.happen(self.hook.configure(self.settings.notify_command, self.settings.notify_titles))
        self.tasks.start_soon(self._obey_signals)
        self.tasks.start_soon(self.listener.serve)
        for part in (self.receipts, self.workspaces, self.waker, self.wake, self.retainer, self.hook):
            self.tasks.start_soon(part.run)
        self.tasks.start_soon(self.screen_listener.serve)
        self.tasks.start_soon(self.links.watch_processes)
        self.tasks.start_soon(follow_earlier, under_way(self.receipts.loaded().receipts), self.clock, self.happen)
        if self.idle is not None:
            self.tasks.start_soon(self._end_when_deserted, self.idle)
        async with self.server.listening(self.place.network, self.place.control.sock):
            for complaint in self.settings.complaints:
                logs.warn("daemon: a setting cannot be used", why=complaint)
            logs.note("daemon: ready", pid=os.getpid(), url=self.runner.url, socket=str(self.settings.paths.control_socket))
            if ready is not None:
                ready(RunningDaemon(os.getpid(), self.settings.paths.control_socket, self._notice()))
            manager = None if self.managed is None else self.managed.notifier
            if manager is not None:
                self.tasks.start_soon(Supervision(manager, self.describe).run)
            await self._stopping.wait()
            if manager is not None:
                self.tasks.start_soon(manager.stopping)
            self.server.stop_accepting()
            self.listener.stop_accepting()
            self.screen_listener.stop_accepting()
            self.links.close_all()
            self.screens.close_all()
            self.clients.close_all("the daemon stops")
            with anyio.move_on_after(FAREWELL_SECONDS):
                await self.clients.wait_until_gone()
            self.clients.abort_all()
            await self.receipts.flush()

    def stop(self) -> None:
        """Begin the orderly end."""
        self._stopping.set()

    def describe(self) -> str:
        """What it does now, as one line for whoever looks at the service."""
        sessions, clients = self.core.sessions(), self.core.clients()
        waiting = sum(session.open_prompts for session in sessions)
        return f"{self.runner.url}: sessions {len(sessions)}, prompts waiting {waiting}, clients {len(clients)}"

    async def reload(self) -> None:
        """Read the settings anew, one reading after another; what cannot change while it runs is said to wait for the next start."""
        async with self._reading_settings:
            manager = None if self.managed is None else self.managed.notifier
            if manager is not None:
                await manager.reloading()
            found = await anyio.to_thread.run_sync(reload, self.settings, os.environ)
            self.settings = found.settings
            logs.set_level(self.settings.log_level)
            self.happen(self.hook.configure(self.settings.notify_command, self.settings.notify_titles))
            logs.note("daemon: settings read anew", changed=",".join(found.changed), waiting=",".join(found.waiting))
            for problem in found.problems:
                logs.warn("daemon: a setting cannot be used", why=problem.sentence)
            if not RETENTION_SETTINGS.isdisjoint(found.changed):
                await self.retainer.prune()
            if manager is not None:
                await manager.ready(self.describe())

    def screen_of(self, terminal: TerminalId, pid: int, start: str | None) -> None:
        """A terminal's session is there; its screen may have been followed before, and what its Pi started may be here already."""
        self.server.look_again()
        self.screens.look_again()
        self.screens.linked(terminal, pid, start)

    def knocked(self) -> None:
        """Somebody makes sure that a daemon runs, and is about to start a Pi."""
        if self.idle is not None:
            self.idle.knocked(self.clock.boot())

    def fail(self, error: BaseException) -> None:
        """A task outside our task group met a bug of ours: log it and end with exit status 1."""
        logs.failed("daemon: a connection's task failed", error)
        self.status = 1
        self.stop()

    def cut(self, device: str, reason: str) -> None:
        """End the connections of a device that may not be here any more, or not as it was."""
        self.clients.cut(device, reason)
        self.notifications.look(device)

    def seen(self, device: str) -> None:
        """Note on disk that a device connected; the control socket's clients are none."""
        if device:
            self.tasks.start_soon(self.place.store.seen, device)

    def happen(self, event: events.Event) -> None:
        """Give an event to the core and carry out what it commands. Events that this leads to come after, in order."""
        self.wake.look()
        self._happened.append(event)
        if self._handling:
            return
        self._handling = True
        try:
            while self._happened:
                next_ = self._happened.popleft()
                self.movement.happened(next_)
                for command in self.core.handle(next_):
                    self.movement.carried_out(command)
                    self._carry_out(command)
        finally:
            self._handling = False
        self.waker.look()
        self._note_company()

    def woke(self, seconds: float) -> None:
        """The machine slept, or this process stood still: what is due comes first, and who is still there has to show it."""
        logs.note("daemon: slept or stood still", seconds=round(seconds))
        self.happen(Woke(at=moment(self.clock)))
        for client in self.clients.served():
            self.tasks.start_soon(client.prove)

    def _note_company(self) -> None:
        """A screen that is followed is company before Pi's extension is there: its Pi may ask whether it trusts the folder."""
        deserted = self.core.is_deserted()
        self.wake.expect(not deserted)
        if self.idle is not None:
            self.idle.look(deserted and not self.screens, self.clock.boot())

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
            case AskLink():
                self.links.ask(command)
            case commands.CloseLink():
                self.links.close(command)
            case commands.WatchProcess(terminal=terminal):
                self.links.watch(terminal)
            case commands.TellScreen():
                self.links.tell_screen(command)
            case commands.WatchScreen():
                self.screens.watch(command)
            case commands.Push(device=hooks.DEVICE, message=message):
                self.hook.put(message)
            case commands.Push():
                self.notifications.push(command)
            case commands.RunCommand():
                self.tasks.start_soon(self.runner.run, command)
            case chat.ForwardTurn():
                self.links.chat.forward_turn(command)
            case chat.ForwardAction():
                self.links.chat.forward_action(command)
            case chat.AskHistory():
                self.links.chat.ask_history(command)
            case chat.AskChatAgain():
                self.links.chat.ask_again(command)
            case KeepReceipt():
                self.receipts.keep(command)
            case LookAtWorkspace():
                self.workspaces.look(command)
            case LeaveWorkspace():
                self.workspaces.leave(command)
            case _:
                assert_never(command)

    def _notice(self) -> str | None:
        wanted, port = self.settings.port, self.place.network.getsockname()[1]
        return (
            f"port {wanted} is taken by another program, so devices reach this daemon at port {port}" if wanted not in (0, port) else None
        )

    async def _end_when_deserted(self, idle: Idle) -> None:
        while (left := self._time_left(idle)) > 0:  # noqa: ASYNC110 - who comes and goes moves the end
            await anyio.sleep(min(left, IDLE_LOOK_SECONDS))
        logs.note("daemon: nobody is there any more", seconds=round(idle.limit))
        # Nobody is let in between this decision and the end: who comes now has to find that there is no daemon.
        self.listener.stop_accepting()
        self.stop()

    def _time_left(self, idle: Idle) -> float:
        """Seconds until the end at the earliest."""
        self._note_company()
        return idle.limit if idle.ends_at is None else idle.ends_at - self.clock.boot()

    async def _obey_signals(self) -> None:
        with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT, signal.SIGHUP) as received:
            async for number in received:
                if number is signal.SIGHUP and self.managed is not None:
                    self.tasks.start_soon(self.reload)
                    continue
                logs.note("daemon: told to stop", signal=number.name)
                self.stop()
