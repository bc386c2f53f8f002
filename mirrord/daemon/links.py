"""Connected extensions: what they say becomes core events, what the core wants told goes to their links.

Here is also what the daemon knows of Pi processes: which ones were ever linked and still run, or left something running. A
tool that one of them started is not the person at this machine (design FIXED 8).
"""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup

from bridge import messages as said
from bridge.link import Closed, State
from bridge.listener import LinkConnection
from bridge.process import Doubt, ProcessInfo, Suspect, descent, is_alive, left_something, look, note, start_time, wait_for_exit
from mirrord import intake, logs
from mirrord.clock import Clock, moment
from mirrord.core import events
from mirrord.core.commands import CloseLink, Forward, ForwardStop, TellScreen
from mirrord.core.model import LinkId, TerminalId
from mirrord.core.wake import AskLink, LinkAnswered
from mirrord.daemon.chat_links import ChatLinks
from mirrord.daemon.ticks import next_second
from mirrord.wire.units import in_frames
from sanitize import label

PING_PATIENCE_SECONDS: Final = 2.0
"""A Pi that runs answers a ping within milliseconds, even while it streams."""

REFUSALS: Final = 16
"""Refused links that `mirrord status` still shows: one for each Pi that waits for an upgrade."""

FOREIGN_PEER: Final = "The process that asks is not the Pi of that terminal, so it cannot pair a device."
STARTED_BY_PI: Final = "This Pi was started by another Pi, and what an agent starts cannot pair a device."
UNKNOWN_ORIGIN: Final = "The system does not tell who started this Pi, so it cannot pair a device."

ENDED: Final = 64
"""Pis that have ended and left something running: each is one agent's forgotten job, and of more the oldest are forgotten."""

_ELSEWHERE: Final = ""
"""The start time of a process that the kernel does not name: none here has it."""

PATH_CLUSTERS: Final = 200
"""Longest path of an extension as status shows it."""


@dataclass(frozen=True, slots=True)
class LinkInfo:
    """A link as `mirrord status` shows it. `refused` is the sentence when it does not stand."""

    pid: int
    bridge_version: str
    path: str
    protocol: int | None
    refused: str | None = None


@dataclass(frozen=True, slots=True)
class Process:
    """A Pi as this machine knows it, and who was at the other end of its socket."""

    noted: Suspect
    peer_pid: int | None

    @property
    def pid(self) -> int:
        """As the system counts here."""
        return self.noted.pid

    @property
    def start(self) -> str | None:
        """When it started."""
        return self.noted.start

    @property
    def had_terminal(self) -> bool:
        """Whether it had a controlling terminal when it was linked; one that has none later lost it."""
        return self.noted.info is not None and self.noted.info.terminal != ""


def identify(told: said.TerminalInfo, peer_pid: int | None) -> Process:
    """The process that speaks: the one it says it is, if that descends from the one that the kernel names; else the latter.

    They differ when Pi runs in a pid namespace of its own, or somebody stands between. Nobody may name a process that is not its own
    child: everything that descends from it would be taken for Pi's. Blocks for milliseconds on macOS.
    """
    if peer_pid is None:
        return Process(Suspect(told.pid, _ELSEWHERE), None)
    start = told.start_time if told.start_time is not None else start_time(told.pid)
    if peer_pid != told.pid and not (is_alive(told.pid, start) and descent(told.pid, [Suspect(peer_pid, None)]) == "pi"):
        return Process(note(peer_pid), peer_pid)
    return Process(note(told.pid, start), peer_pid)


def outgoing(command: Forward) -> Iterator[said.ResponsePart | said.Response]:
    """An answer as messages: a text that is too long for one frame goes ahead in pieces."""
    reply = command.reply
    text, parts = in_frames(reply.text)
    for part, piece in enumerate(parts):
        yield said.ResponsePart(seq=0, response_id=command.response, part=part, parts=len(parts), text=piece)
    yield said.Response(
        seq=0,
        response_id=command.response,
        id=command.prompt,
        by=said.By(name=command.name, kind=command.kind),
        index=reply.index,
        confirmed=reply.confirmed,
        text=text,
        parts=len(parts) or None,
        answers=dict(reply.answers) if reply.answers is not None else None,
        unchanged=True if reply.unchanged else None,
        cancelled=True if reply.cancelled else None,
    )


@dataclass(slots=True)
class Links:
    """The `LinkHandler` of the daemon. `tasks` runs the watches over processes; `pair` answers who asks for a code.

    `knocked` is told of a connection that ends before a word was said, `linked` of a terminal and its process once its session is there.
    """

    clock: Clock
    happen: Callable[[events.Event], None]
    tasks: TaskGroup
    pair: Callable[[LinkConnection, said.PairCodeRequest], Coroutine[Any, Any, None]]
    knocked: Callable[[], None] = lambda: None
    linked: Callable[[TerminalId, int, str | None], None] = lambda terminal, pid, start: None
    unknown: int = 0
    """Messages of an unknown type, all links together."""
    broken: int = 0
    """Links that broke the protocol."""
    daemon: Suspect | None = None
    """This process, when what it starts is not the person either."""
    chat: ChatLinks = field(init=False)
    _open: dict[LinkId, LinkConnection] = field(default_factory=dict)
    _intakes: dict[LinkId, intake.Intake] = field(default_factory=dict)
    _terminals: dict[LinkId, TerminalId] = field(default_factory=dict)
    _processes: dict[TerminalId, Process] = field(default_factory=dict)
    _begun: anyio.Event = field(default_factory=anyio.Event)
    """Set once there is a process to look at."""
    _watched: set[TerminalId] = field(default_factory=set)
    _closed: set[TerminalId] = field(default_factory=set)
    """Terminals that were closed, while the process of their Pi lasts."""
    _ended: tuple[Suspect, ...] = ()
    """Pis that have ended, as long as something may run that they left behind."""
    _looking: bool = False
    """Whether it is being found out which of them."""
    _refused: OrderedDict[int, LinkInfo] = field(default_factory=OrderedDict)

    def __post_init__(self) -> None:
        """Conversations go over the same links."""
        self.chat = ChatLinks(lambda number: self._open.get(number), self.clock, self.happen)

    def infos(self) -> tuple[LinkInfo, ...]:
        """Links that stand, then those that were refused and have not come back."""
        standing = tuple(_info(link) for link in self._open.values())
        return standing + tuple(self._refused.values())

    def doubt(self, pid: int) -> Doubt | None:
        """Why the process is not taken for the person at this machine: a mirrored Pi or the daemon may have started it.

        May be called from another thread.
        """
        if self.daemon is not None and pid != self.daemon.pid and descent(pid, [self.daemon]) == "pi":
            return "daemon"
        return descent(pid, self._suspects())

    def _suspects(self) -> list[Suspect]:
        return [*(process.noted for process in tuple(self._processes.values())), *self._ended]

    def pairing_obstacle(self, link: LinkConnection) -> str | None:
        """Why who speaks on this link may not pair a device: only the Pi itself may, and only one that no agent started. Blocks."""
        terminal = self._terminals.get(LinkId(link.id))
        process = self._processes.get(terminal) if terminal is not None else None
        if process is None or process.pid != link.peer.pid or not is_alive(process.pid, process.start):
            return FOREIGN_PEER
        doubt = descent(process.pid, [other for other in self._suspects() if other.pid != process.pid])
        return None if doubt is None else STARTED_BY_PI if doubt == "pi" else UNKNOWN_ORIGIN

    def terminal_of(self, pid: int, start: str | None) -> TerminalId | None:
        """The terminal whose Pi is this process, if it is linked or was."""
        return next((terminal for terminal, process in self._processes.items() if (process.pid, process.start) == (pid, start)), None)

    async def watch_processes(self) -> None:
        """For ever: tell the core when a Pi stands still and when it goes on, and when its terminal was closed under it.

        Looks once a second, which a person does not notice, and only while there is a Pi.
        """
        paused: set[TerminalId] = set()
        while True:
            if not self._processes and not paused:
                self._begun = anyio.Event()
                await self._begun.wait()
            await next_second()
            infos = await self._look()
            for terminal in self._without_terminal(infos):
                self._closed.add(terminal)
                logs.note("link: the terminal is gone, its Pi is not", terminal=terminal)
                self.happen(events.TerminalGone(at=moment(self.clock), terminal=terminal))
            now = self._paused(infos)
            # Told again while it lasts: a link that comes or goes meanwhile counts as a Pi that goes on.
            for terminal in now | paused:
                self.happen(events.ProcessPaused(at=moment(self.clock), terminal=terminal, paused=terminal in now))
            paused = now

    async def _look(self) -> dict[TerminalId, ProcessInfo]:
        """Every process that runs."""
        processes = dict(self._processes)

        def look_at_all() -> dict[TerminalId, ProcessInfo | None]:
            return {terminal: look(process.pid) for terminal, process in processes.items()}

        # Where it takes microseconds a thread would cost more, and two more wake-ups a second.
        infos = look_at_all() if sys.platform == "linux" else await anyio.to_thread.run_sync(look_at_all)
        return {terminal: info for terminal, info in infos.items() if info is not None and processes[terminal].start in (None, info.start)}

    def _without_terminal(self, infos: Mapping[TerminalId, ProcessInfo]) -> list[TerminalId]:
        """Terminals that are newly seen to be closed. Their Pi may live on for seconds, or for ever if it heeds no SIGHUP."""
        return [
            terminal
            for terminal, info in infos.items()
            if terminal not in self._closed
            and not info.ended
            and info.terminal == ""
            and terminal in self._processes
            and self._processes[terminal].had_terminal
        ]

    def _paused(self, infos: Mapping[TerminalId, ProcessInfo]) -> set[TerminalId]:
        """Terminals whose process is stopped (Ctrl+Z), or lets a ping wait: an editor runs in Pi's place (Ctrl+G)."""
        silent = {self._terminals[number] for number, link in self._open.items() if link.unanswered > PING_PATIENCE_SECONDS}
        return silent | {terminal for terminal, info in infos.items() if info.stopped}

    # ---- from the listener -------------------------------------------------------------------------------------------

    def vet(self, link: LinkConnection, hello: said.Hello) -> str | None:
        """A terminal that is linked speaks from one process: another one may not take its place."""
        terminal = intake.terminal(hello).id
        if terminal in self._closed:
            return "the terminal of this Pi was closed"
        process = self._processes.get(terminal)
        if terminal not in self._terminals.values() or process is None or process.peer_pid == link.peer.pid:
            return None
        return f"another process speaks for terminal {terminal} already; close it, or type /reload in that Pi"

    def opened(self, link: LinkConnection, hello: said.Hello) -> None:
        """The link stands."""
        number, terminal = LinkId(link.id), intake.terminal(hello)
        self._open[number] = link
        self._intakes[number] = intake.Intake(number)
        self._terminals[number] = terminal.id
        self._processes[terminal.id] = identify(hello.terminal, link.peer.pid)
        self._begun.set()
        self._refused.pop(link.peer.pid or 0, None)
        self.chat.heard(terminal.id, hello)
        logs.note("link: up", id=link.id, terminal=terminal.id, generation=hello.bridge.generation, reason=hello.reason, peer=link.peer.pid)
        self.happen(events.TerminalLinked(at=moment(self.clock), link=number, terminal=terminal))
        process = self._processes[terminal.id]
        self.linked(terminal.id, process.pid, process.start)

    def received(self, link: LinkConnection, message: said.FromExtension) -> None:
        """A message in its turn."""
        if isinstance(message, said.PairCodeRequest):
            self.tasks.start_soon(self.pair, link, message)
            return
        self.chat.heard(self._terminals[LinkId(link.id)], message)
        event = self._intakes[LinkId(link.id)].event(message, moment(self.clock))
        if event is not None:
            self.happen(event)

    def answered(self, link: LinkConnection, question: int) -> None:
        """It is there."""
        self.happen(LinkAnswered(at=moment(self.clock), link=LinkId(link.id), question=question))

    async def closed(self, link: LinkConnection, closed: Closed) -> None:
        """The link is over: refused, or its process has to be looked at."""
        number = LinkId(link.id)
        if closed.why == "ended" and not link.link.heard_anything:
            self.knocked()
            return
        self.unknown += link.link.unknown
        if closed.why == "broken":
            self.broken += 1
        report = logs.warn if closed.why in ("broken", "refused", "expired") else logs.note
        report("link: down", id=link.id, why=closed.why, detail=closed.detail, peer=link.peer.pid)
        if number not in self._open:
            self._note_refusal(link)
            return
        del self._open[number]
        del self._intakes[number]
        terminal = self._terminals.pop(number)
        alive = await self._is_alive(terminal)
        self.happen(events.LinkLost(at=moment(self.clock), link=number, alive=alive))
        if alive:
            self.watch(terminal)
        elif terminal not in self._terminals.values():
            self._forget(terminal)

    def _note_refusal(self, link: LinkConnection) -> None:
        if link.link.refusal is None:
            return
        pid = link.peer.pid or 0
        self._refused[pid] = _info(link)
        self._refused.move_to_end(pid)
        if len(self._refused) > REFUSALS:
            self._refused.popitem(last=False)

    # ---- from the core -----------------------------------------------------------------------------------------------

    def forward(self, command: Forward) -> None:
        """Give an answer to the terminal. When its link is just closing nothing is lost: it goes out again on the next one."""
        link = self._open.get(command.link)
        if link is None or link.link.state is not State.READY:
            return
        if not all(link.send(message) for message in outgoing(command)):
            # Also one that was too much for all that waits already: it would be too much for the next link again.
            logs.warn("link: an answer fits in no frame, or behind no others", id=link.id)
            self.happen(
                events.ResponseRejected(
                    at=moment(self.clock), link=command.link, prompt=command.prompt, response=command.response, reason="invalid"
                )
            )

    def forward_stop(self, command: ForwardStop) -> None:
        """Ask the terminal to stop its turn. When its link is just closing, the core hears of that."""
        link = self._open.get(command.link)
        if link is not None:
            link.send(said.Stop(seq=0, request_id=command.request, by=said.By(name=command.name, kind=command.kind)))

    def tell_screen(self, command: TellScreen) -> None:
        """Tell the extension how it stands with its screen."""
        link = self._open.get(command.link)
        if link is not None:
            link.send(said.ScreenView(seq=0, followed=command.followed, shared=command.shared, watchers=command.watchers))

    def close(self, command: CloseLink) -> None:
        """Close a link that was replaced."""
        link = self._open.get(command.link)
        if link is not None:
            link.close()

    def ask(self, command: AskLink) -> None:
        """Have a link say that it is there."""
        link = self._open.get(command.link)
        if link is not None:
            link.ask(command.question)

    def watch(self, terminal: TerminalId) -> None:
        """Report ProcessGone once the terminal's process has ended. Watching twice is watching once."""
        if terminal in self._processes and terminal not in self._watched:
            self._watched.add(terminal)
            self.tasks.start_soon(self._watch, terminal)

    def close_all(self) -> None:
        """The daemon stops; extensions look for the next one."""
        for link in tuple(self._open.values()):
            link.close()

    async def _watch(self, terminal: TerminalId) -> None:
        process = self._processes[terminal]
        await wait_for_exit(process.pid, process.start)
        self._watched.discard(terminal)
        if terminal not in self._terminals.values():
            self._forget(terminal)
        self.happen(events.ProcessGone(at=moment(self.clock), terminal=terminal))

    def _forget(self, terminal: TerminalId) -> None:
        process = self._processes.pop(terminal, None)
        if process is not None:
            # Suspected at once: what it left behind is nobody's child any more.
            self._ended = (*self._ended, process.noted)[-ENDED:]
            if not self._looking:
                self._looking = True
                self.tasks.start_soon(self._look_for_what_is_left)
        self._closed.discard(terminal)
        self.chat.forget(terminal)

    async def _look_for_what_is_left(self) -> None:
        """Of Pis that left nothing running nothing need be remembered."""
        seen: set[Suspect] = set()
        while not seen.issuperset(self._ended):
            seen = set(self._ended)
            innocent = seen - await anyio.to_thread.run_sync(left_something, seen)
            self._ended = tuple(ended for ended in self._ended if ended not in innocent)
        self._looking = False

    async def _is_alive(self, terminal: TerminalId) -> bool:
        process = self._processes.get(terminal)
        return process is not None and await anyio.to_thread.run_sync(is_alive, process.pid, process.start)


def _info(link: LinkConnection) -> LinkInfo:
    hello = link.link.hello
    return LinkInfo(
        pid=hello.terminal.pid if hello else link.peer.pid or 0,
        bridge_version=label(hello.bridge.version, limit=PATH_CLUSTERS).text if hello else "unknown",
        path=label(hello.bridge.path, limit=PATH_CLUSTERS).text if hello else "unknown",
        protocol=link.link.protocol,
        refused=link.link.refusal.message if link.link.refusal else None,
    )
