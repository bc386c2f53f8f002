"""A daemon, a link and a connection without an event loop: every byte goes where a test lets it go.

What decides and what encodes is the product's: the composition root's queue of events, core, intake, links, outbox, WebSocket framing.
Of the edges only the sockets, the disk and the clock are a test's.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, cast

from anyio.abc import TaskGroup
from websockets.frames import Frame, Opcode
from websockets.protocol import Protocol, Side, State

from bridge.link import Closed, Link, Taken
from bridge.link import State as LinkState
from bridge.listener import LinkConnection
from bridge.messages import DaemonInfo, Hello, ToExtension
from bridge.process import Peer
from mirrord.clock import moment
from mirrord.core import events
from mirrord.core.core import Core
from mirrord.core.model import ClientId, Importance, LinkId, TerminalId
from mirrord.core.outbox import Outbox
from mirrord.core.receipts import KeepReceipt, Receipt, ReceiptKept, ReceiptsLoaded
from mirrord.daemon.clients import Clients
from mirrord.daemon.daemon import Daemon
from mirrord.daemon.links import Links
from mirrord.daemon.movement import Movement
from mirrord.daemon.processes import Processes
from mirrord.daemon.receipts import ReceiptKeeper
from mirrord.daemon.wake import WakeWatch
from mirrord.daemon.waking import Waker
from mirrord.place import Place
from mirrord.server.client import ClientConnection
from mirrord.server.frames import Mistake, decode
from mirrord.settings import Settings
from mirrord.testing import FakeClock
from mirrord.wire.limits import CHAT_CAUGHT_UP_BYTES, CLIENT_FRAME_BYTES
from mirrord.wire.messages import ServerInfo
from mirrord.wire.roles import Role
from mirrord.workspace import Workspaces

EPOCH: Final = "0123456789abcdef"


@dataclass(slots=True)
class Pipe:
    """One way of a hop. Bytes go through in order; after `limit` of them nothing more does."""

    limit: int | None = None
    through: int = 0
    waiting: bytearray = field(default_factory=bytearray)

    @property
    def ready(self) -> int:
        """Bytes that may go through now."""
        return len(self.waiting) if self.limit is None else min(len(self.waiting), self.limit - self.through)

    @property
    def is_cut(self) -> bool:
        """So many bytes went through that the wire is cut."""
        return self.limit is not None and self.through >= self.limit

    def take(self, most: int) -> bytes:
        """What goes through now."""
        piece = bytes(self.waiting[: min(most, self.ready)])
        del self.waiting[: len(piece)]
        self.through += len(piece)
        return piece


@dataclass(slots=True)
class Hop:
    """Both ways of one connection; `up` leads to the daemon."""

    up: Pipe = field(default_factory=Pipe)
    down: Pipe = field(default_factory=Pipe)

    @property
    def is_cut(self) -> bool:
        """One of its ways is."""
        return self.up.is_cut or self.down.is_cut

    @property
    def is_to_be_cut(self) -> bool:
        """One of its ways has a last byte."""
        return self.up.limit is not None or self.down.limit is not None

    def is_cut_within(self, count: int) -> bool:
        """The wire breaks after so many bytes more, or fewer."""
        return any(pipe.limit is not None and pipe.limit - pipe.through <= count for pipe in (self.up, self.down))


def text_frames(protocol: Protocol, data: bytes) -> Iterator[str]:
    """The texts that arrived whole."""
    protocol.receive_data(data)
    for event in protocol.events_received():
        assert isinstance(event, Frame)
        assert event.opcode is Opcode.TEXT
        yield bytes(event.data).decode()
    assert protocol.parser_exc is None


def websocket(side: Side) -> Protocol:
    """One end of a WebSocket after the handshake, as daemon and clients set it up."""
    return Protocol(side, state=State.OPEN, max_size=CLIENT_FRAME_BYTES if side is Side.SERVER else None)


class Linked:
    """A `LinkConnection` whose socket is a hop."""

    unanswered: Final = 0.0

    def __init__(self, number: int, hop: Hop, daemon: FakeDaemon) -> None:
        self.id: Final = number
        self.peer: Final = Peer(os.getpid(), os.getuid())
        self.hop = hop
        self._daemon = daemon
        self.link: Final = Link(
            DaemonInfo("0", EPOCH, os.getpid()), daemon.clock.boot(), lambda hello: daemon.links.vet(self.handle, hello)
        )
        self.over = False

    @property
    def handle(self) -> LinkConnection:
        return cast(LinkConnection, self)

    def receive(self, data: bytes) -> None:
        """Bytes of the extension arrive."""
        for event in self.link.receive(data, self._daemon.clock.boot(), self._daemon.clock.wall()):
            match event:
                case Taken(message=Hello() as hello):
                    self._daemon.links.opened(self.handle, hello)
                case Taken(message=message):
                    self._daemon.links.received(self.handle, message)
                case Closed():
                    raise AssertionError(f"the link broke: {event}")
            if self.over:
                return
        if self.link.state is LinkState.READY:
            self.link.acknowledge()
        self._write()

    def send(self, message: ToExtension) -> bool:
        """As the listener's: False when the link is closed."""
        if self.link.state is not LinkState.READY:
            return False
        self.link.send(message)
        self._write()
        return True

    def close(self) -> None:
        """The daemon closes it, because the next one is there."""
        self._end(self.link.close)

    def ended(self) -> None:
        """The daemon sees that it is cut."""
        self._end(self.link.end)

    def _end(self, how: Callable[[], Closed]) -> None:
        if not self.over:
            self.over = True
            self._daemon.runs(self._daemon.links.closed(self.handle, how()))

    def _write(self) -> None:
        self.hop.down.waiting += self.link.take_outgoing()


class _Client:
    """A `ClientConnection` without its tasks: what is put waits in the outbox."""

    role: Final = Role.CONTROLLER
    credential: Final = "phone"
    device: Final = ""
    notice: Final = None
    pid: Final = None
    evicted: Final = None

    def __init__(self, number: int) -> None:
        self.id: Final = ClientId(number)
        self.outbox: Final = Outbox()
        self.when_caught_up: Callable[[], None] | None = None

    def put(self, frame: bytes, importance: Importance, key: str | None = None) -> None:
        """Let a frame wait."""
        assert self.outbox.push(frame, importance, key) is None, "the phone reads"


class Served:
    """A client's connection whose socket is a hop."""

    def __init__(self, number: int, hop: Hop, daemon: FakeDaemon) -> None:
        self.hop = hop
        self._daemon = daemon
        self._protocol = websocket(Side.SERVER)
        self.client: Final = _Client(number)
        self.handle: Final = cast(ClientConnection, self.client)
        self.over = False
        daemon.clients.connected(self.handle)

    def receive(self, data: bytes) -> None:
        """Bytes of the client arrive."""
        for text in text_frames(self._protocol, data):
            message = decode(text)
            assert not isinstance(message, Mistake), message
            self._daemon.clients.said(self.handle, message)

    def write(self, frames: int) -> None:
        """So many frames leave the outbox, as the writer task takes them."""
        for _ in range(frames):
            frame = self.client.outbox.take()
            if self.client.when_caught_up is not None and self.client.outbox.pending <= CHAT_CAUGHT_UP_BYTES:
                caught_up, self.client.when_caught_up = self.client.when_caught_up, None
                caught_up()
            if frame is None:
                break
            self._protocol.send_text(frame)
        for data in self._protocol.data_to_send():
            self.hop.down.waiting += data

    def ended(self) -> None:
        """The daemon sees that it is cut."""
        if not self.over:
            self.over = True
            self._daemon.clients.gone(self.handle)


class _Processes(Processes):
    """The terminal's process runs, whatever this machine says of its number."""

    async def is_alive(self, terminal: TerminalId) -> bool:
        return True


class _Nothing:
    """An edge that is not there: nothing comes of what it is told."""

    def start_soon(self, *_: object) -> None: ...
    def look(self, *_: object) -> None: ...
    def leave(self, *_: object) -> None: ...
    def expect(self, *_: object) -> None: ...


@dataclass(slots=True)
class _Disk:
    writing: deque[Receipt] = field(default_factory=deque)

    def keep(self, command: KeepReceipt) -> None:
        self.writing.append(command.receipt)


class FakeDaemon:
    """The composition root with a disk and a clock that do what they are told, and without sockets."""

    def __init__(self) -> None:
        self.clock: Final = FakeClock()
        self.core: Final = Core(ServerInfo("mirrord", "0", EPOCH), EPOCH)
        nothing = _Nothing()
        self._root: Final = Daemon(cast(Place, None), cast(Settings, None), self.clock, cast(TaskGroup, nothing), self.core)
        self.clients: Final = Clients(self.clock, self._root.happen, lambda _: None)
        self.links: Final = Links(self.clock, self._root.happen, cast(TaskGroup, nothing), cast(Any, None))
        self.links.processes = _Processes(cast(TaskGroup, nothing))
        self._disk: Final = _Disk()
        self._root.clients, self._root.links = self.clients, self.links
        self._root.receipts, self._root.waker = cast(ReceiptKeeper, self._disk), cast(Waker, nothing)
        self._root.wake = cast(WakeWatch, nothing)
        self._root.workspaces, self._root.idle = cast(Workspaces, nothing), None
        self._root.movement = Movement(self.clock)
        self._numbers = 0
        self.core.begin(ReceiptsLoaded(key=b"k", receipts=()))

    def link(self, hop: Hop) -> Linked:
        """An extension connects."""
        self._numbers += 1
        return Linked(LinkId(self._numbers), hop, self)

    def serve(self, hop: Hop) -> Served:
        """A client connects."""
        self._numbers += 1
        return Served(self._numbers, hop, self)

    def runs(self, coroutine: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine that waits for nothing."""
        try:
            coroutine.send(None)
        except StopIteration:
            return
        raise AssertionError("it waits")

    @property
    def writes(self) -> int:
        """Receipts that wait for the disk."""
        return len(self._disk.writing)

    def write(self) -> None:
        """The disk takes what waits."""
        while self._disk.writing:
            self._root.happen(ReceiptKept(at=moment(self.clock), receipt=self._disk.writing.popleft()))

    def passes(self, seconds: float) -> None:
        """Time passes; the core is woken when it wants to be."""
        self.clock.advance(seconds)
        if (wake_at := self.core.wake_at) is not None and self.clock.boot() >= wake_at:
            self._root.happen(events.TimeIs(at=moment(self.clock)))
