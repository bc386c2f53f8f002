"""A daemon's end of the screen socket for tests: accepts followers and keeps what they say."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from bridge.messages import DaemonInfo
from bridge.screen.link import Closed
from bridge.screen.messages import FromFollower
from bridge.screen.peer import Peer

PATIENCE = 15.0
"""How long anything may take that takes some tenths of a second on an idle machine, in seconds."""


class Listening:
    """Listens at `path` until it is closed; a context manager. Everything happens in `wait`."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._path = path
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(os.fsencode(path))
        path.chmod(0o600)
        self._listener.listen()
        self._listener.settimeout(PATIENCE)
        self._sock: socket.socket | None = None
        self.peer = Peer(DaemonInfo("0.1.0", "test", os.getpid()), 0)
        self.said: list[FromFollower] = []

    def accept(self) -> None:
        """Returns once a follower has connected; the one before is forgotten."""
        self.cut()
        self._sock, _ = self._listener.accept()
        self._sock.settimeout(0.05)
        self.peer = Peer(DaemonInfo("0.1.0", "test", os.getpid()), 0)
        self.said.clear()

    def hold(self) -> socket.socket:
        """The connection, for what no daemon of ours would do with it."""
        assert self._sock is not None
        self._sock.settimeout(PATIENCE)
        return self._sock

    def cut(self) -> None:
        """Close the connection."""
        if self._sock is not None:
            self._sock.close()
            self._sock = None

    def wait(self, holds: Callable[[], bool], meanwhile: Callable[[], None] = lambda: None, patience: float = PATIENCE) -> float:
        """Returns once it holds, after how many seconds; TimeoutError, with what was said, when it does not come."""
        start = time.monotonic()
        while not holds():
            if time.monotonic() > start + patience:
                raise TimeoutError(f"said so far: {self.said}")
            meanwhile()
            self._exchange()
        return time.monotonic() - start

    def _exchange(self) -> None:
        assert self._sock is not None
        self._sock.sendall(self.peer.take_outgoing())
        with suppress(TimeoutError):
            for event in self.peer.receive(self._sock.recv(1 << 16), 0):
                assert not isinstance(event, Closed), event
                self.said.append(event.message)

    def close(self) -> None:
        """Nobody listens any more."""
        self.cut()
        self._listener.close()
        self._path.unlink()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
