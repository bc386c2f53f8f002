"""Connected extensions: what they say becomes core events, what the core wants told goes to their links.

Here is also what the daemon knows of Pi processes: which ones were ever linked and still run. A tool that one of them
started is not the person at this machine (design FIXED 8).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import anyio.to_thread
from anyio.abc import TaskGroup

from bridge import messages as said
from bridge.limits import PIECE_BYTES
from bridge.link import Closed, State
from bridge.listener import LinkConnection
from bridge.process import descends_from, is_alive, look, may_be_orphan_of, start_time, wait_for_exit
from mirrord import intake, logs
from mirrord.clock import Clock, moment
from mirrord.core import events
from mirrord.core.commands import CloseLink, Forward, ForwardStop
from mirrord.core.model import LinkId, TerminalId
from sanitize import label

PIECE_CHARACTERS: Final = PIECE_BYTES // 6
"""A character is at most six bytes of JSON, so that many always fit a piece."""

PAUSE_LOOK_SECONDS: Final = 1.0
"""How often it is looked at whether a Pi stands still: a person does not notice a second."""

PING_PATIENCE_SECONDS: Final = 2.0
"""A Pi that runs answers a ping within milliseconds, even while it streams."""

REFUSALS: Final = 16
"""Refused links that `mirrord status` still shows: one for each Pi that waits for an upgrade."""

FOREIGN_PEER: Final = "The process that asks is not the Pi of that terminal, so it cannot pair a device."
STARTED_BY_PI: Final = "This Pi was started by another Pi, and what an agent starts cannot pair a device."

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

    pid: int
    start: str | None
    peer_pid: int | None


def identify(told: said.TerminalInfo, peer_pid: int | None) -> Process:
    """The process that speaks: the one it says it is, if there is such a one; else the one that the kernel names.

    They differ when Pi runs in a pid namespace of its own, or somebody stands between. Blocks for milliseconds on macOS.
    """
    start = told.start_time if told.start_time is not None else start_time(told.pid)
    if peer_pid is None or peer_pid == told.pid or is_alive(told.pid, start):
        return Process(told.pid, start, peer_pid)
    return Process(peer_pid, start_time(peer_pid), peer_pid)


def outgoing(command: Forward) -> Iterator[said.ResponsePart | said.Response]:
    """An answer as messages: a text that is too long for one frame goes ahead in pieces."""
    reply, text = command.reply, command.reply.text
    pieces: list[str] = []
    if text is not None and len(text) > PIECE_CHARACTERS:
        pieces = [text[start : start + PIECE_CHARACTERS] for start in range(0, len(text), PIECE_CHARACTERS)]
        text = None
    for part, piece in enumerate(pieces):
        yield said.ResponsePart(seq=0, response_id=command.response, part=part, parts=len(pieces), text=piece)
    yield said.Response(
        seq=0,
        response_id=command.response,
        id=command.prompt,
        by=said.By(name=command.name, kind=command.kind),
        index=reply.index,
        confirmed=reply.confirmed,
        text=text,
        parts=len(pieces) or None,
        answers=dict(reply.answers) if reply.answers is not None else None,
        unchanged=True if reply.unchanged else None,
        cancelled=True if reply.cancelled else None,
    )


@dataclass(slots=True)
class Links:
    """The `LinkHandler` of the daemon. `tasks` runs the watches over processes; `pair` answers who asks for a code."""

    clock: Clock
    happen: Callable[[events.Event], None]
    tasks: TaskGroup
    pair: Callable[[LinkConnection, said.PairCodeRequest], Coroutine[Any, Any, None]]
    unknown: int = 0
    """Messages of an unknown type, all links together."""
    broken: int = 0
    """Links that broke the protocol."""
    _open: dict[LinkId, LinkConnection] = field(default_factory=dict)
    _intakes: dict[LinkId, intake.Intake] = field(default_factory=dict)
    _terminals: dict[LinkId, TerminalId] = field(default_factory=dict)
    _processes: dict[TerminalId, Process] = field(default_factory=dict)
    _watched: set[TerminalId] = field(default_factory=set)
    _refused: OrderedDict[int, LinkInfo] = field(default_factory=OrderedDict)

    def infos(self) -> tuple[LinkInfo, ...]:
        """Links that stand, then those that were refused and have not come back."""
        standing = tuple(_info(link) for link in self._open.values())
        return standing + tuple(self._refused.values())

    def descends_from_pi(self, pid: int) -> bool:
        """Whether the process is a mirrored Pi or may have been started by one. May be called from another thread."""
        mirrored = [(process.pid, process.start) for process in tuple(self._processes.values())]
        return descends_from(pid, mirrored) or may_be_orphan_of(pid, mirrored)

    def pairing_obstacle(self, link: LinkConnection) -> str | None:
        """Why who speaks on this link may not pair a device: only the Pi itself may, and only one that no agent started. Blocks."""
        terminal = self._terminals.get(LinkId(link.id))
        process = self._processes.get(terminal) if terminal is not None else None
        if process is None or process.pid != link.peer.pid or not is_alive(process.pid, process.start):
            return FOREIGN_PEER
        others = [(other.pid, other.start) for other in tuple(self._processes.values()) if other.pid != process.pid]
        if descends_from(process.pid, others) or may_be_orphan_of(process.pid, others):
            return STARTED_BY_PI
        return None

    async def watch_pauses(self) -> None:
        """For ever: tell the core when a Pi stands still and when it goes on."""
        paused: set[TerminalId] = set()
        while True:
            await anyio.sleep(PAUSE_LOOK_SECONDS)
            now = await self._paused()
            for terminal in now ^ paused:
                self.happen(events.ProcessPaused(at=moment(self.clock), terminal=terminal, paused=terminal in now))
            paused = now

    async def _paused(self) -> set[TerminalId]:
        """Terminals whose process is stopped (Ctrl+Z), or lets a ping wait: an editor runs in Pi's place (Ctrl+G)."""
        silent = {self._terminals[number] for number, link in self._open.items() if link.unanswered > PING_PATIENCE_SECONDS}
        processes = dict(self._processes)
        infos = await anyio.to_thread.run_sync(lambda: {terminal: look(process.pid) for terminal, process in processes.items()})
        return silent | {terminal for terminal, info in infos.items() if info is not None and info.stopped}

    # ---- from the listener -------------------------------------------------------------------------------------------

    def vet(self, link: LinkConnection, hello: said.Hello) -> str | None:
        """A terminal that is linked speaks from one process: another one may not take its place."""
        terminal = intake.terminal(hello).id
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
        self._refused.pop(link.peer.pid or 0, None)
        logs.note("link: up", id=link.id, terminal=terminal.id, generation=hello.bridge.generation, reason=hello.reason, peer=link.peer.pid)
        self.happen(events.TerminalLinked(at=moment(self.clock), link=number, terminal=terminal))

    def received(self, link: LinkConnection, message: said.FromExtension) -> None:
        """A message in its turn."""
        if isinstance(message, said.PairCodeRequest):
            self.tasks.start_soon(self.pair, link, message)
            return
        event = self._intakes[LinkId(link.id)].event(message, moment(self.clock))
        if event is not None:
            self.happen(event)

    async def closed(self, link: LinkConnection, closed: Closed) -> None:
        """The link is over: refused, or its process has to be looked at."""
        number = LinkId(link.id)
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
            self._processes.pop(terminal, None)

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

    def close(self, command: CloseLink) -> None:
        """Close a link that was replaced."""
        link = self._open.get(command.link)
        if link is not None:
            link.close()

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
            self._processes.pop(terminal, None)
        self.happen(events.ProcessGone(at=moment(self.clock), terminal=terminal))

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
