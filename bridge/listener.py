"""The only code that touches the bridge socket: accepts links, checks who connects, and drives a `Link` for each.

Every link has one reader and one writer task. What the reader hands on is handled before anything else is read and
before it is acknowledged, so messages of one link arrive in order and an acknowledged one has had its effect.
"""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Protocol

import anyio
import anyio.lowlevel
from anyio.abc import TaskGroup

from bridge.framing import FrameError
from bridge.limits import ACCEPT_PAUSE_SECONDS, LINK_OUTBOX_BYTES, LINK_WRITE_SECONDS, LINKS, REFUSAL_SECONDS
from bridge.link import Closed, Link, RefusalCode, State, Taken
from bridge.messages import DaemonInfo, FromExtension, Hello, ToExtension
from bridge.process import Peer, peer_of

_CHUNK: Final = 64 * 1024
"""Bytes read at once; a unix socket holds about 200 KiB."""

_NO_ROOM: Final = frozenset((errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM))


class LinkHandler(Protocol):
    """What the composition root does with links. Only `closed` may wait; an exception here is a bug and ends the daemon."""

    def vet(self, link: LinkConnection, hello: Hello) -> str | None:
        """A sentence when this peer may not speak for that terminal, which refuses the link; None lets it in."""

    def opened(self, link: LinkConnection, hello: Hello) -> None:
        """The link stands."""

    def received(self, link: LinkConnection, message: FromExtension) -> None:
        """A message other than hello, ping and pong. It is acknowledged after this returns."""

    async def closed(self, link: LinkConnection, closed: Closed) -> None:
        """The link is over; called once for every link that got past the accept loop, also when it never stood."""


class LinkConnection:
    """One accepted link: what the handler holds on to. `id` is unique among all links of a listener."""

    def __init__(self, number: int, sock: socket.socket, peer: Peer, link: Link) -> None:
        self.id: Final = number
        self.peer: Final = peer
        self.link: Final = link
        self._sock = sock
        self._unsent = b""
        """Bytes that the link has given out and the socket has not taken."""
        self._work = anyio.Event()
        self._closed: Closed | None = None
        self._reading = anyio.CancelScope()
        self._writing = anyio.CancelScope()

    def send(self, message: ToExtension) -> bool:
        """Let a message go out; False when the link is closed or the message fits in no frame."""
        if self.link.state is not State.READY:
            return False
        try:
            self.link.send(message)
        except FrameError:
            return False
        self._wake()
        return True

    @property
    def unanswered(self) -> float:
        """How long the newest ping has waited for an answer, in seconds; 0 when none does."""
        return self.link.unanswered(anyio.current_time())

    def close(self) -> None:
        """End the link; `closed` follows. What was to be sent is still written, for at most REFUSAL_SECONDS."""
        if self.link.state is not State.CLOSED:
            self._end(self.link.close())

    async def drive(self, handler: LinkHandler, wall: Callable[[], int]) -> Closed:
        """Run the link until it is closed, and close its socket. Returns how it ended."""
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._write)
                with self._reading:
                    await self._read(handler, wall)
            assert self._closed is not None
            return self._closed
        finally:
            self._sock.close()

    # ---- reading -----------------------------------------------------------------------------------------------------

    async def _read(self, handler: LinkHandler, wall: Callable[[], int]) -> None:
        while not self._is_over():
            data = await self._next_chunk()
            if self._is_over():
                return  # while it waited; the cancellation did not overtake the bytes
            if data is None:
                self._noted(self.link.tick(anyio.current_time()))
            elif not data:
                self._noted(self.link.end())
            else:
                self._take(data, handler, wall())
            self._wake()

    def _take(self, data: bytes, handler: LinkHandler, wall: int) -> None:
        for event in self.link.receive(data, anyio.current_time(), wall):
            if self._is_over():
                return  # the handler closed it meanwhile
            match event:
                case Taken(message=Hello() as hello):
                    handler.opened(self, hello)
                case Taken(message=message):
                    handler.received(self, message)
                case Closed():
                    self._noted(event)
        if self.link.state is State.READY:
            self.link.acknowledge()

    async def _next_chunk(self) -> bytes | None:
        """Bytes, none at the end of the stream, or None when it is time for a tick and nothing has come."""
        await anyio.lowlevel.checkpoint()
        while True:
            try:
                return self._sock.recv(_CHUNK)
            except BlockingIOError:
                pass
            except OSError:
                return b""
            deadline = self.link.deadline
            assert deadline is not None
            with anyio.move_on_after(deadline - anyio.current_time()) as waiting:
                await anyio.wait_readable(self._sock)
            if waiting.cancelled_caught:
                return None

    # ---- writing -----------------------------------------------------------------------------------------------------

    async def _write(self) -> None:
        """Writes what the socket does not take at once, and says farewell."""
        with self._writing:
            while self._push():
                if self._unsent:
                    with anyio.move_on_after(LINK_WRITE_SECONDS) as waiting:
                        await anyio.wait_writable(self._sock)
                    if waiting.cancelled_caught:
                        break
                elif self._closed is not None:
                    break
                else:
                    await self._work.wait()
                    self._work = anyio.Event()
        if self._closed is None:
            self._end(self.link.close("it takes nothing more"))

    def _push(self) -> bool:
        """Write as much as the socket takes now; False when the peer is gone."""
        try:
            while self._unsent or self.link.outgoing:
                self._unsent = self._unsent or self.link.take_outgoing()
                self._unsent = self._unsent[self._sock.send(self._unsent) :]
        except BlockingIOError:
            pass
        except OSError:
            return False
        return True

    # ---- the end -----------------------------------------------------------------------------------------------------

    def _is_over(self) -> bool:
        return self._closed is not None

    def _noted(self, closed: Closed | None) -> None:
        if closed is not None and self._closed is None:
            self._closed = closed
            self._writing.deadline = anyio.current_time() + REFUSAL_SECONDS

    def _end(self, closed: Closed) -> None:
        self._noted(closed)
        self._reading.cancel()
        self._wake()

    def _wake(self) -> None:
        """Write what there is: here, since a turn of the loop until the writer runs costs an answer as long as all the rest of its way."""
        if not self._push() or self._unsent or self._closed is not None:
            self._work.set()
        if self._closed is None and self.link.outgoing > LINK_OUTBOX_BYTES:
            self._end(self.link.close("too much waits for it"))


@dataclass(slots=True)
class Listener:
    """Serves the bridge socket. `wall` gives ms since the epoch."""

    sock: socket.socket
    daemon: DaemonInfo
    handler: LinkHandler
    wall: Callable[[], int]
    links: int = 0
    """Links that are open now."""
    turned_away: int = 0
    """Connections refused because of their uid or because LINKS were open."""
    _last: int = 0
    _accepting: anyio.CancelScope = field(default_factory=anyio.CancelScope)

    async def serve(self) -> None:
        """Accept links until `stop_accepting`, then wait for the last one to end."""
        async with anyio.create_task_group() as tasks:
            with self._accepting:
                while True:
                    accepted = await self._accept()
                    if accepted is not None:
                        self._admit(accepted, tasks)

    def stop_accepting(self) -> None:
        """Let nobody in from now on; links that are open stay."""
        self._accepting.cancel()

    async def _accept(self) -> socket.socket | None:
        await anyio.wait_readable(self.sock)
        try:
            accepted, _ = self.sock.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return None
        except OSError as error:
            if error.errno not in _NO_ROOM:
                raise
            await anyio.sleep(ACCEPT_PAUSE_SECONDS)
            return None
        accepted.setblocking(False)
        return accepted

    def _admit(self, accepted: socket.socket, tasks: TaskGroup) -> None:
        try:
            peer = peer_of(accepted)
        except OSError:
            accepted.close()
            return
        if peer.uid != os.getuid():
            self._turn_away(accepted, "peer", "this socket belongs to another user")
        elif self.links >= LINKS:
            self._turn_away(accepted, "busy", f"{LINKS} extensions are connected already; close some Pis and type /reload here")
        else:
            self._last += 1
            self.links += 1
            tasks.start_soon(self._drive, self._last, accepted, peer)

    def _turn_away(self, accepted: socket.socket, code: RefusalCode, sentence: str) -> None:
        self.turned_away += 1
        link = Link(self.daemon, anyio.current_time())
        link.refuse(code, sentence)
        with accepted:
            try:
                accepted.send(link.take_outgoing())
            except OSError:
                return  # it would not have heard us anyway

    async def _drive(self, number: int, accepted: socket.socket, peer: Peer) -> None:
        try:
            link = Link(self.daemon, anyio.current_time(), lambda hello: self.handler.vet(connection, hello))
            connection = LinkConnection(number, accepted, peer, link)
            closed = await connection.drive(self.handler, self.wall)
        finally:
            self.links -= 1
        await self.handler.closed(connection, closed)
