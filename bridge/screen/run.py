"""The follower's process: a pipe from the copy loop, a socket to the daemon, and the machine between them.

    python -P -m bridge.screen.run PI_PID COLUMNS ROWS SHARED VERSION

It reads the pipe on its standard input and ends when that ends. It writes to nothing but the daemon's socket.
"""

from __future__ import annotations

import os
import selectors
import socket
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from bridge.limits import FRAME_BYTES
from bridge.messages import ProtocolRange
from bridge.paths import paths_here
from bridge.screen.follower import Follower
from bridge.screen.messages import PROTOCOL_MAX, PROTOCOL_MIN, ScreenHello
from bridge.screen.place import is_ours
from bridge.screen.records import RecordReader

_CHUNK: Final = 4 * 1024
"""Blocks of 64 KiB that come and go between a screen's rows, which stay, leave holes: after floods the process held 4 MB more, so none."""
_CONNECT_SECONDS: Final = 0.2
"""A unix socket takes a connection at once, or its daemon is so busy that we come again."""

_MOST_UNSENT: Final = 4 * FRAME_BYTES
"""More never waits for a daemon that reads: a screen, and what was said since. One that only asks is none."""

_NICE: Final = 5
"""How much the copy loop and Pi come first."""


class Process:
    """Carries out what the follower decides."""

    def __init__(self, follower: Follower, pipe: int, path: Path) -> None:
        self._follower = follower
        self._pipe = pipe
        self._path = path
        self._reader = RecordReader()
        self._socket: socket.socket | None = None
        self._unsent = b""
        self._selector = selectors.DefaultSelector()
        os.set_blocking(pipe, False)
        self._selector.register(pipe, selectors.EVENT_READ)

    def run(self) -> None:
        """Returns when the copy loop has closed the pipe."""
        while True:
            now = time.monotonic()
            if self._follower.wants_link(now):
                self._connect(now)
            self._follower.tick(now, time.time_ns() // 1_000_000, len(self._unsent))
            self._write(now)
            deadline = self._follower.deadline(now)
            for key, events in self._selector.select(None if deadline is None else max(deadline - time.monotonic(), 0)):
                if key.fd == self._pipe:
                    if not self._read():
                        return
                elif events & selectors.EVENT_READ:
                    self._hear()

    def _read(self) -> bool:
        """Take what the pipe has; False at its end."""
        try:
            data = os.read(self._pipe, _CHUNK)
        except BlockingIOError:
            return True
        now = time.monotonic()
        for record in self._reader.receive(data):
            self._follower.record(record, now)
        return bool(data)

    def _connect(self, now: float) -> None:
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        sock.settimeout(_CONNECT_SECONDS)
        try:
            if not is_ours(self._path):
                raise ConnectionRefusedError
            sock.connect(os.fsencode(self._path))
        except OSError:
            sock.close()
            self._follower.lost(now)
            return
        sock.setblocking(False)
        self._socket, self._unsent = sock, b""
        self._selector.register(sock, selectors.EVENT_READ)
        self._follower.connected(now)

    def _hear(self) -> None:
        if self._socket is None:
            return
        now = time.monotonic()
        try:
            self._follower.receive(self._socket.recv(_CHUNK), now)
        except BlockingIOError:
            pass
        except OSError:
            self._follower.lost(now)

    def _write(self, now: float) -> None:
        """Write what the socket takes, and close one that is over."""
        sock = self._socket
        if sock is None:
            return
        self._unsent += self._follower.take_outgoing()
        try:
            while self._unsent:
                self._unsent = self._unsent[sock.send(self._unsent) :]
        except BlockingIOError:
            if len(self._unsent) > _MOST_UNSENT and self._follower.linked:
                self._follower.lost(now)
        except OSError:
            if self._follower.linked:
                self._follower.lost(now)
        if self._follower.linked:
            self._selector.modify(sock, selectors.EVENT_READ | (selectors.EVENT_WRITE if self._unsent else 0))
        else:
            self._selector.unregister(sock)
            sock.close()
            self._socket = None


def main(arguments: Sequence[str]) -> None:
    """The process, from its arguments to the end of its pipe."""
    pid, columns, rows, shared, version = arguments
    os.chdir("/")
    os.nice(_NICE)
    hello = ScreenHello(ProtocolRange(PROTOCOL_MIN, PROTOCOL_MAX), version, int(pid), shared == "1", int(columns), int(rows))
    follower = Follower(hello, time.monotonic(), time.time_ns() // 1_000_000)
    Process(follower, sys.stdin.fileno(), paths_here().screen_socket).run()


if __name__ == "__main__":
    main(sys.argv[1:])
