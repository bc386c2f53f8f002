"""Accepts the connections of a unix socket that only this user may use, up to a number of them."""

from __future__ import annotations

import errno
import os
import socket
from abc import ABC, abstractmethod
from typing import Final, Literal

import anyio
from anyio.abc import TaskGroup

from bridge.limits import ACCEPT_PAUSE_SECONDS
from bridge.process import Peer, peer_of

FOREIGN_USER: Final = "this socket belongs to another user"

Turned = Literal["peer", "busy"]
"""Of another user, or one too many."""

_NO_ROOM: Final = frozenset((errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM))


class Acceptor(ABC):
    """Serves one listening socket; subclasses say how one connection is driven and how one is turned away."""

    def __init__(self, sock: socket.socket, most: int, crowded: str) -> None:
        """`most`: connections at once; `crowded` is the sentence for one more."""
        self._sock = sock
        self._most = most
        self._crowded = crowded
        self._last = 0
        self._accepting = anyio.CancelScope()
        self.links = 0
        """Connections that are open now."""
        self.turned_away = 0
        """Connections refused because of their uid or because there were too many."""

    async def serve(self) -> None:
        """Accept connections until `stop_accepting`, then wait for the last one to end."""
        async with anyio.create_task_group() as tasks:
            with self._accepting:
                while True:
                    accepted = await self._accept()
                    if accepted is not None:
                        self._admit(accepted, tasks)

    def stop_accepting(self) -> None:
        """Let nobody in from now on; connections that are open stay."""
        self._accepting.cancel()

    @abstractmethod
    async def drive(self, number: int, accepted: socket.socket, peer: Peer) -> None:
        """One connection, from its first byte to its last, and what comes of its end. `number` is unique. Calls `left` once."""

    @abstractmethod
    def farewell(self, code: Turned, sentence: str) -> bytes:
        """What one is told that is not let in."""

    def left(self) -> None:
        """One connection is closed, and makes room for another."""
        self.links -= 1

    def turn_away(self, accepted: socket.socket, code: Turned, sentence: str) -> None:
        """Say why, and close it."""
        self.turned_away += 1
        with accepted:
            try:
                accepted.send(self.farewell(code, sentence))
            except OSError:
                return  # it would not have heard us anyway

    async def _accept(self) -> socket.socket | None:
        await anyio.wait_readable(self._sock)
        try:
            accepted, _ = self._sock.accept()
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
            self.turn_away(accepted, "peer", FOREIGN_USER)
        elif self.links >= self._most:
            self.turn_away(accepted, "busy", self._crowded)
        else:
            self._last += 1
            self.links += 1
            tasks.start_soon(self.drive, self._last, accepted, peer)
