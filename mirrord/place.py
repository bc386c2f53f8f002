"""What a daemon needs of this machine before it may run: its directories, the lock, the store, the web client's files and three sockets."""

from __future__ import annotations

import contextlib
import resource
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Final

from bridge.daemon_lock import DaemonLock
from bridge.private import PrivateSocket, bind_private_socket, ensure_private_dir
from mirrord import logs
from mirrord.clock import Clock
from mirrord.errors import PortNotUsable
from mirrord.server.pages import Pages, read_pages
from mirrord.settings import Settings
from mirrord.store import Store, open_store

BACKLOG: Final = 128
"""Connections the kernel keeps while the daemon is busy: all devices come back at once after a restart."""

DESCRIPTORS: Final = 4096
"""Enough for CLIENTS and LINKS at once; systems hand out 256 or 1024 unless asked."""

SEND_BUFFER_BYTES: Final = 64 * 1024
"""What the kernel holds for one client: a reader of 8 KB/s is at most some ten seconds behind, and 100 ms away 600 KB/s still fit."""


@dataclass(frozen=True, slots=True)
class Place:
    """Held by one daemon at a time. The sockets listen and nobody accepts yet."""

    store: Store
    pages: Pages
    network: socket.socket
    bridge: PrivateSocket
    control: PrivateSocket


@contextmanager
def taking_place(settings: Settings, clock: Clock, *, quiet: bool = False) -> Iterator[Place]:
    """The place for the length of the block; sockets are unlinked after it, where they are still ours. Blocks.

    The control socket comes last: who can connect to it meets a daemon that has everything it needs.

    Raises:
        Refusal, MirrordError: one sentence; nothing of another daemon was touched.
    """
    paths = settings.paths
    with ExitStack() as stack:
        ensure_private_dir(paths.runtime_dir)
        lock = stack.enter_context(DaemonLock(paths.lock_file))
        lock.acquire(paths.control_socket)
        ensure_private_dir(paths.state_dir)
        stack.enter_context(logs.logging_to(paths.state_dir, quiet=quiet))
        _raise_descriptor_limit()
        store = open_store(paths.state_dir, clock)
        stack.callback(store.close)
        network = stack.enter_context(_listen(settings.host, settings.port))
        bridge = bind_private_socket(paths.bridge_socket, lock)
        stack.callback(bridge.close)
        control = bind_private_socket(paths.control_socket, lock)
        stack.callback(control.close)
        yield Place(store, read_pages(), network, bridge, control)


def _listen(host: str, port: int) -> socket.socket:
    # Named, the protocol passes to accepted sockets, and asyncio turns Nagle's algorithm off for TCP only: without it a second
    # small frame waits 40 ms for the acknowledgement of the first.
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        # Accepted sockets have the listening one's buffer. What waits here cannot be replaced by newer state any more.
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
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
