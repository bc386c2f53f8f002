"""A replay in a place of its own: sockets, store and log in a folder that goes away, so that no daemon of the person's is touched."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import anyio

from bridge.paths import paths_in
from bridge.private import ensure_private_dir
from mirrord.clock import Clock, SystemClock
from mirrord.pairing.desk import Desk
from mirrord.place import Place, taking_place
from mirrord.recording.format import Recording
from mirrord.recording.replay import Replay
from mirrord.server.socket import ClientServer
from mirrord.settings import Settings

_SHORT: Final = "/tmp"
"""Where a socket's path is short enough on every system."""


@dataclass(frozen=True, slots=True)
class Own:
    """A place and its settings."""

    place: Place
    settings: Settings
    clock: Clock

    @property
    def control(self) -> Path:
        """The socket that local clients connect to."""
        return self.settings.paths.control_socket

    @property
    def page(self) -> str:
        """The address of the web client."""
        return f"http://{self.settings.host}:{self.place.network.getsockname()[1]}/"


@contextmanager
def own_place(port: int) -> Iterator[Own]:
    """For the length of the block; nothing of it is left. Raises Refusal and MirrordError. Blocks."""
    with tempfile.TemporaryDirectory(prefix="mirrord-replay-", dir=_SHORT) as folder:
        root = Path(folder)
        settings = Settings(paths_in(root), port)
        clock = SystemClock()
        ensure_private_dir(root)
        with taking_place(settings, clock, quiet=True) as place:
            yield Own(place, settings, clock)


@asynccontextmanager
async def serving(recording: Recording, own: Own, speed: float | None) -> AsyncIterator[Desk]:
    """The recording is served for the length of the block, and told from the moment at which somebody looks. Gives who pairs devices.

    A bug of ours that a connection's task met ends the block, and is raised.
    """
    replay = Replay(recording, own.clock, speed)
    failed: list[BaseException] = []
    async with anyio.create_task_group() as tasks:

        def fail(error: BaseException) -> None:
            failed.append(error)
            tasks.cancel_scope.cancel()

        desk = Desk(own.place.store, own.clock, replay.cut)
        server = ClientServer(
            clock=own.clock,
            handler=replay,
            credentials=desk.credentials,
            pages=own.place.pages,
            desk=desk,
            doubt=lambda _: None,
            fail=fail,
        )
        async with server.listening(own.place.network, own.place.control.sock):
            tasks.start_soon(replay.run)
            yield desk
            tasks.cancel_scope.cancel()
    if failed:
        raise failed[0]
