"""What a daemon needs of this machine before it may run: its directories, the lock, the store, the web client's files and four sockets."""

from __future__ import annotations

import contextlib
import resource
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bridge.daemon_lock import DaemonLock
from bridge.private import PrivateSocket, bind_private_socket, ensure_private_dir
from mirrord import logs
from mirrord.clock import Clock
from mirrord.core.retention import Retention
from mirrord.errors import PortNotUsable
from mirrord.server.pages import Pages, read_pages
from mirrord.server.socket import BACKLOG
from mirrord.service.activation import Activated
from mirrord.settings import Settings
from mirrord.store import Store, open_store

DESCRIPTORS: Final = 4096
"""Enough for CLIENTS and LINKS at once; systems hand out 256 or 1024 unless asked."""

SEND_BUFFER_BYTES: Final = 64 * 1024
"""What the kernel holds for one client, most of it on its way: 100 ms away 600 KB/s still fit."""

UNSENT_BYTES: Final = 1024
"""What the kernel holds of it unsent when it takes more: a reader of 8 KB/s is one frame behind for it. Where the system has no such bound
it is the whole buffer, so some ten seconds."""


@dataclass(frozen=True, slots=True)
class Place:
    """Held by one daemon at a time. The sockets listen and nobody accepts yet."""

    store: Store
    pages: Pages
    network: socket.socket
    bridge: PrivateSocket
    screen: PrivateSocket
    control: PrivateSocket


@contextmanager
def taking_place(settings: Settings, clock: Clock, *, quiet: bool = False, passed: Activated | None = None) -> Iterator[Place]:
    """The place for the length of the block; sockets are unlinked after it, where they are still ours. Blocks.

    The control socket comes last: who can connect to it meets a daemon that has everything it needs. `passed` are sockets that a
    service manager made; they are closed with the place, and the manager keeps them.

    Raises:
        Refusal, MirrordError: one sentence; nothing of another daemon was touched.
    """
    paths, passed = settings.paths, passed or Activated()
    with ExitStack() as stack:
        stack.callback(passed.close)
        ensure_private_dir(paths.runtime_dir)
        lock = stack.enter_context(DaemonLock(paths.lock_file))
        lock.acquire(paths.control_socket)
        ensure_private_dir(paths.state_dir)
        stack.enter_context(logs.logging_to(paths.state_dir, quiet=quiet, level=settings.log_level))
        _raise_descriptor_limit()
        store = open_store(paths.state_dir, clock, Retention(settings.retention_days, settings.retention_bytes))
        stack.callback(store.close)
        network = stack.enter_context(passed.network or _listen_in_turn(settings.host, settings.port, settings.spare_ports))
        lock.note_port(network.getsockname()[1])
        # Accepted sockets have the listening one's bounds. What waits here cannot be replaced by newer state any more.
        network.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
        with contextlib.suppress(AttributeError, OSError):
            network.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, UNSENT_BYTES)

        def private(path: Path) -> PrivateSocket:
            there = passed.unix.get(path)
            bound = bind_private_socket(path, lock) if there is None else PrivateSocket(there, path, None)
            stack.callback(bound.close)
            return bound

        bridge, screen, control = map(private, (paths.bridge_socket, paths.screen_socket, paths.control_socket))
        yield Place(store, read_pages(), network, bridge, screen, control)


def _listen_in_turn(host: str, port: int, spare: int) -> socket.socket:
    """On the first port that can be listened on. Raises PortNotUsable of the first one when none can."""
    try:
        return _listen(host, port)
    except PortNotUsable:
        for other in range(port + 1, port + 1 + spare):
            with contextlib.suppress(PortNotUsable):
                return _listen(host, other)
        raise


def _listen(host: str, port: int) -> socket.socket:
    # Named, the protocol passes to accepted sockets, and asyncio turns Nagle's algorithm off for TCP only: without it a second
    # small frame waits 40 ms for the acknowledgement of the first.
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        # A port that connections of an earlier daemon still linger on can be taken again; one that is listened on cannot.
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((host, port))
        sock.listen(BACKLOG)
    except OSError as error:
        sock.close()
        raise PortNotUsable(port, error.strerror or str(error)) from error
    sock.setblocking(False)
    return sock


def _raise_descriptor_limit() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = DESCRIPTORS if hard == resource.RLIM_INFINITY else min(DESCRIPTORS, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        # A system that refuses leaves us with what we had, and the accept loops live with too few.
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
