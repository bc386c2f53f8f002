"""Stands between Pi and the daemon on the bridge socket and can be cut, as a link can."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

CHUNK = 65536


class Relay:
    """Every connection to `path` goes on to the socket that was there before, until `cut`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._behind = path.with_name("behind")
        self._changed = threading.Lock()
        self._cut = False
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        path.rename(self._behind)
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(os.fsencode(path))
        path.chmod(0o600)
        self._listener.listen()
        self._threads: list[threading.Thread] = []
        self._start(self._accept)

    def cut(self) -> None:
        """Both ends of every connection see its end, and new ones are closed at once, until `mend`."""
        with self._changed:
            self._cut = True
            for pair in self._pairs:
                for end in pair:
                    with suppress(OSError):
                        end.shutdown(socket.SHUT_RDWR)

    def mend(self) -> None:
        """New connections are welcome again."""
        with self._changed:
            self._cut = False

    def close(self) -> None:
        """Cut for good; who connects now meets the daemon."""
        self._behind.rename(self._path)
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self.cut()
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
                far.connect(os.fsencode(self._behind))
                self._pairs.append((near, far))
            for source, target in ((near, far), (far, near)):
                self._start(self._pump, source, target)

    def _pump(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(CHUNK):
                target.sendall(data)
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
