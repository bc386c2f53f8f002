"""The screen's socket: accepts followers, checks who connects, and drives a `Peer` for each."""

from __future__ import annotations

import socket
from typing import Final, Protocol

import anyio

from bridge.acceptor import Acceptor, Turned
from bridge.connection import Connection
from bridge.limits import LINKS
from bridge.messages import DaemonInfo
from bridge.process import Peer as Process
from bridge.screen.link import Closed, State, Taken
from bridge.screen.messages import Screen, ScreenHello, ScreenProgram, ScreenState
from bridge.screen.peer import Peer

Said = ScreenState | ScreenProgram | Screen


class ScreenHandler(Protocol):
    """What the composition root does with followers. An exception here is a bug and ends the daemon."""

    async def admit(self, peer: Process) -> str | None:
        """A sentence when this process may say nothing of any screen; None hears it."""

    def vet(self, connection: ScreenConnection, hello: ScreenHello) -> str | None:
        """A sentence when this peer may not speak for that Pi's screen, which refuses it; None lets it in."""

    def opened(self, connection: ScreenConnection, hello: ScreenHello) -> None:
        """The link stands."""

    def said(self, connection: ScreenConnection, message: Said) -> None:
        """What is true now."""

    def closed(self, connection: ScreenConnection, closed: Closed) -> None:
        """The link is over; called once for every link that said hello or tried to."""


class ScreenConnection:
    """One accepted follower: what the handler holds on to. `id` is unique among all of a listener."""

    def __init__(self, number: int, sock: socket.socket, peer: Process, link: Peer) -> None:
        self.id: Final = number
        self.peer: Final = peer
        self.link: Final = link
        self._connection = Connection(sock, link)

    def want(self, on: bool) -> None:
        """Ask for the screen, or no longer."""
        self.link.want(on)
        self._connection.wake()

    def close(self) -> None:
        """End the link; `closed` follows."""
        if self.link.state is not State.CLOSED:
            self._connection.stop(self.link.close())

    async def drive(self, handler: ScreenHandler) -> Closed:
        """Run the link until it is closed, and close its socket. Returns how it ended."""
        return await self._connection.run(lambda data: self._take(data, handler))

    def _take(self, data: bytes, handler: ScreenHandler) -> None:
        for event in self.link.receive(data, anyio.current_time()):
            if self._connection.is_over():
                return  # the handler closed it meanwhile
            match event:
                case Taken(message=ScreenHello() as hello):
                    handler.opened(self, hello)
                case Taken(message=ScreenState() | ScreenProgram() | Screen() as message):
                    handler.said(self, message)
                case Closed():
                    self._connection.over(event)


class ScreenListener(Acceptor):
    """Serves the screen's socket."""

    def __init__(self, sock: socket.socket, daemon: DaemonInfo, handler: ScreenHandler) -> None:
        super().__init__(sock, LINKS, f"{LINKS} screens are followed already; end some `mirrord pi` first")
        self._daemon = daemon
        self._handler = handler

    def farewell(self, code: Turned, sentence: str) -> bytes:
        """A `screen_refused`."""
        link = Peer(self._daemon, anyio.current_time())
        link.refuse(code, sentence)
        return link.take_outgoing()

    async def drive(self, number: int, accepted: socket.socket, peer: Process) -> None:
        """A follower, from its first byte to its last."""
        try:
            obstacle = await self._handler.admit(peer)
            if obstacle is not None:
                self.turn_away(accepted, "peer", obstacle)
                return
            link = Peer(self._daemon, anyio.current_time(), lambda hello: self._handler.vet(connection, hello))
            connection = ScreenConnection(number, accepted, peer, link)
            closed = await connection.drive(self._handler)
        finally:
            self.left()
        self._handler.closed(connection, closed)
