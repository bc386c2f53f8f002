"""Connected extensions: what they say becomes core events, what the core wants told goes to their links."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Coroutine, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from anyio.abc import TaskGroup

from bridge import messages as said
from bridge.link import Closed, State
from bridge.listener import LinkConnection
from bridge.process import ProcessInfo
from mirrord import intake, logs
from mirrord.clock import Clock, moment
from mirrord.core import events
from mirrord.core.commands import CloseLink, Forward, ForwardStop, TellScreen
from mirrord.core.model import LinkId, TerminalId
from mirrord.core.wake import AskLink, LinkAnswered
from mirrord.daemon.chat_links import ChatLinks
from mirrord.daemon.processes import Processes
from mirrord.daemon.ticks import next_second
from mirrord.wire.units import in_frames
from sanitize import label

PING_PATIENCE_SECONDS: Final = 2.0
"""A Pi that runs answers a ping within milliseconds, even while it streams."""

REFUSALS: Final = 16
"""Refused links that `mirrord status` still shows: one for each Pi that waits for an upgrade."""

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
    processes: Processes = field(init=False)
    chat: ChatLinks = field(init=False)
    _open: dict[LinkId, LinkConnection] = field(default_factory=dict)
    _intakes: dict[LinkId, intake.Intake] = field(default_factory=dict)
    _terminals: dict[LinkId, TerminalId] = field(default_factory=dict)
    _closed: set[TerminalId] = field(default_factory=set)
    """Terminals that were closed, while the process of their Pi lasts."""
    _refused: OrderedDict[int, LinkInfo] = field(default_factory=OrderedDict)

    def __post_init__(self) -> None:
        """Conversations go over the same links, and their processes are watched."""
        self.processes = Processes(self.tasks)
        self.chat = ChatLinks(lambda number: self._open.get(number), self.clock, self.happen)

    def infos(self) -> tuple[LinkInfo, ...]:
        """Links that stand, then those that were refused and have not come back."""
        standing = tuple(_info(link) for link in self._open.values())
        return standing + tuple(self._refused.values())

    def pairing_obstacle(self, link: LinkConnection) -> str | None:
        """Why who speaks on this link may not pair a device. Blocks."""
        return self.processes.pairing_obstacle(self._terminals.get(LinkId(link.id)), link.peer.pid)

    async def watch_processes(self) -> None:
        """For ever: tell the core when a Pi stands still and when it goes on, and when its terminal was closed under it.

        Looks once a second, which a person does not notice, and only while there is a Pi.
        """
        paused: set[TerminalId] = set()
        while True:
            if not paused:
                await self.processes.until_one_is_there()
            await next_second()
            infos = await self.processes.look()
            for terminal in self.processes.without_terminal(infos):
                if terminal not in self._closed:
                    self._closed.add(terminal)
                    logs.note("link: the terminal is gone, its Pi is not", terminal=terminal)
                    self.happen(events.TerminalGone(at=moment(self.clock), terminal=terminal))
            now = self._paused(infos)
            # Told again while it lasts: a link that comes or goes meanwhile counts as a Pi that goes on.
            for terminal in now | paused:
                self.happen(events.ProcessPaused(at=moment(self.clock), terminal=terminal, paused=terminal in now))
            paused = now

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
        process = self.processes.get(terminal)
        if terminal not in self._terminals.values() or process is None or process.peer_pid == link.peer.pid:
            return None
        return f"another process speaks for terminal {terminal} already; close it, or type /reload in that Pi"

    def opened(self, link: LinkConnection, hello: said.Hello) -> None:
        """The link stands."""
        number, terminal = LinkId(link.id), intake.terminal(hello)
        self._open[number] = link
        self._intakes[number] = intake.Intake(number)
        self._terminals[number] = terminal.id
        process = self.processes.linked(terminal.id, hello.terminal, link.peer.pid)
        self._refused.pop(link.peer.pid or 0, None)
        self.chat.heard(terminal.id, hello)
        logs.note("link: up", id=link.id, terminal=terminal.id, generation=hello.bridge.generation, reason=hello.reason, peer=link.peer.pid)
        self.happen(events.TerminalLinked(at=moment(self.clock), link=number, terminal=terminal))
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
        alive = await self.processes.is_alive(terminal)
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
        self.processes.watch(terminal, lambda: self._gone(terminal))

    def close_all(self) -> None:
        """The daemon stops; extensions look for the next one."""
        for link in tuple(self._open.values()):
            link.close()

    def _gone(self, terminal: TerminalId) -> None:
        if terminal not in self._terminals.values():
            self._forget(terminal)
        self.happen(events.ProcessGone(at=moment(self.clock), terminal=terminal))

    def _forget(self, terminal: TerminalId) -> None:
        self.processes.forget(terminal)
        self._closed.discard(terminal)
        self.chat.forget(terminal)


def _info(link: LinkConnection) -> LinkInfo:
    hello = link.link.hello
    return LinkInfo(
        pid=hello.terminal.pid if hello else link.peer.pid or 0,
        bridge_version=label(hello.bridge.version, limit=PATH_CLUSTERS).text if hello else "unknown",
        path=label(hello.bridge.path, limit=PATH_CLUSTERS).text if hello else "unknown",
        protocol=link.link.protocol,
        refused=link.link.refusal.message if link.link.refusal else None,
    )
