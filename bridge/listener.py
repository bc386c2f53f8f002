"""The bridge socket: accepts links, checks who connects, and drives a `Link` for each.

What a link says is acknowledged after it was handled, so an acknowledged message has had its effect.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Final, Protocol

import anyio

from bridge.acceptor import Acceptor, Turned
from bridge.connection import Connection
from bridge.framing import FrameError
from bridge.limits import LINKS
from bridge.link import Answered, Closed, Link, State, Taken
from bridge.messages import DaemonInfo, FromExtension, Hello, ToExtension
from bridge.process import Peer


class LinkHandler(Protocol):
    """What the composition root does with links. Only `closed` may wait; an exception here is a bug and ends the daemon."""

    def vet(self, link: LinkConnection, hello: Hello) -> str | None:
        """A sentence when this peer may not speak for that terminal, which refuses the link; None lets it in."""

    def opened(self, link: LinkConnection, hello: Hello) -> None:
        """The link stands."""

    def received(self, link: LinkConnection, message: FromExtension) -> None:
        """A message other than hello, ping and pong. It is acknowledged after this returns."""

    def answered(self, link: LinkConnection, question: int) -> None:
        """What `ask` asked for."""

    async def closed(self, link: LinkConnection, closed: Closed) -> None:
        """The link is over; called once for every link that got past the accept loop, also when it never stood."""


class LinkConnection:
    """One accepted link: what the handler holds on to. `id` is unique among all links of a listener."""

    def __init__(self, number: int, sock: socket.socket, peer: Peer, link: Link) -> None:
        self.id: Final = number
        self.peer: Final = peer
        self.link: Final = link
        self._connection = Connection(sock, link)

    def send(self, message: ToExtension) -> bool:
        """Let a message go out; False when the link is closed or the message fits in no frame."""
        if self.link.state is not State.READY:
            return False
        try:
            self.link.send(message)
        except FrameError:
            return False
        self._connection.wake()
        return True

    def ask(self, question: int) -> None:
        """Have the peer say that it is there; the handler's `answered` follows, or its `closed`."""
        if self.link.state is State.READY:
            self.link.ask(question, anyio.current_time())
            self._connection.wake()

    @property
    def unanswered(self) -> float:
        """How long the newest ping has waited for an answer, in seconds; 0 when none does."""
        return self.link.unanswered(anyio.current_time())

    def close(self) -> None:
        """End the link; `closed` follows. What was to be sent is still written, for at most REFUSAL_SECONDS."""
        if self.link.state is not State.CLOSED:
            self._connection.stop(self.link.close())

    async def drive(self, handler: LinkHandler, wall: Callable[[], int]) -> Closed:
        """Run the link until it is closed, and close its socket. Returns how it ended."""
        return await self._connection.run(lambda data: self._take(data, handler, wall()))

    def _take(self, data: bytes, handler: LinkHandler, wall: int) -> None:
        for event in self.link.receive(data, anyio.current_time(), wall):
            if self._connection.is_over():
                return  # the handler closed it meanwhile
            match event:
                case Taken(message=Hello() as hello):
                    handler.opened(self, hello)
                case Taken(message=message):
                    handler.received(self, message)
                case Answered(question=question):
                    handler.answered(self, question)
                case Closed():
                    self._connection.over(event)
        if self.link.state is State.READY:
            self.link.acknowledge()


class Listener(Acceptor):
    """Serves the bridge socket. `wall` gives ms since the epoch."""

    def __init__(self, sock: socket.socket, daemon: DaemonInfo, handler: LinkHandler, wall: Callable[[], int]) -> None:
        super().__init__(sock, LINKS, f"{LINKS} extensions are connected already; close some Pis and type /reload here")
        self._daemon = daemon
        self._handler = handler
        self._wall = wall

    def farewell(self, code: Turned, sentence: str) -> bytes:
        """A `refused`."""
        link = Link(self._daemon, anyio.current_time())
        link.refuse(code, sentence)
        return link.take_outgoing()

    async def drive(self, number: int, accepted: socket.socket, peer: Peer) -> None:
        """A link, from its hello to its end."""
        try:
            link = Link(self._daemon, anyio.current_time(), lambda hello: self._handler.vet(connection, hello))
            connection = LinkConnection(number, accepted, peer, link)
            closed = await connection.drive(self._handler, self._wall)
        finally:
            self.left()
        await self._handler.closed(connection, closed)
