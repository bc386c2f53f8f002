"""Stands between Pi and the daemon on the bridge socket and can be cut, as a link can."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

CHUNK = 65536

Way = Literal["up", "down"]
"""To the daemon, or from it."""


class Relay:
    """Every connection to `path` goes on to the socket that was there before, until `cut`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._behind = path.with_name("behind")
        self._changed = threading.Lock()
        self._cut = False
        self._left: dict[Way, int] = {}
        """So many bytes more go this way, all connections together, and then the one that they are on is cut."""
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        path.rename(self._behind)
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(os.fsencode(path))
        path.chmod(0o600)
        self._listener.listen()
        self._threads: list[threading.Thread] = []
        self._start(self._accept)

    @property
    def connections(self) -> int:
        """So far."""
        with self._changed:
            return len(self._pairs)

    def cut(self) -> None:
        """Both ends of every connection see its end, and new ones are closed at once, until `mend`."""
        with self._changed:
            self._cut = True
            for pair in self._pairs:
                for end in pair:
                    with suppress(OSError):
                        end.shutdown(socket.SHUT_RDWR)

    def cut_after(self, way: Way, count: int) -> None:
        """Cut the connection on which byte `count` (≥ 1) from now on goes this way, right behind it; new ones are welcome."""
        with self._changed:
            self._left[way] = count

    def mend(self) -> None:
        """New connections are welcome again."""
        with self._changed:
            self._cut = False

    def close(self) -> None:
        """Cut for good; who connects now meets the daemon."""
        # First of all, or a connection that comes meanwhile would be led to where the daemon's socket is not any more.
        self.cut()
        self._behind.rename(self._path)
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        for end in (self._listener, *(end for pair in self._pairs for end in pair)):
            end.close()

    def _start(self, run: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=run, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            with self._changed:
                if self._cut:
                    near.close()
                    continue
                far = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                try:
                    far.connect(os.fsencode(self._behind))
                except OSError:
                    # There is no daemon now: who knocks is told as it would be without us.
                    near.close()
                    far.close()
                    continue
                self._pairs.append((near, far))
            self._start(self._pump, near, far, "up")
            self._start(self._pump, far, near, "down")

    def _pump(self, source: socket.socket, target: socket.socket, way: Way) -> None:
        with suppress(OSError):
            while data := source.recv(CHUNK):
                with self._changed:
                    left = self._left.get(way)
                    if left is not None and left <= len(data):
                        del self._left[way]
                    elif left is not None:
                        self._left[way] = left - len(data)
                is_last = left is not None and left <= len(data)
                target.sendall(data[:left] if is_last else data)
                if is_last:
                    break
        for end in (source, target):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


@contextmanager
def relay(path: Path) -> Iterator[Relay]:
    """A relay in the place of the socket `path`, for the length of the block."""
    standing = Relay(path)
    try:
        yield standing
    finally:
        standing.close()
