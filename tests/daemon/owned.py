"""A daemon for the tests of what it knows of extensions and their processes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio

from mirrord.client import Connection, Local, connect
from mirrord.clock import SystemClock
from mirrord.daemon.daemon import Daemon
from mirrord.place import Place
from mirrord.settings import Settings
from mirrord.testing import running_daemon
from mirrord.wire import messages as wire
from mirrord.wire.capabilities import SERVER_CAPABILITIES


@asynccontextmanager
async def daemon_with_owner(settings: Settings, place: Place) -> AsyncIterator[tuple[Daemon, Connection]]:
    """A daemon and the person at this machine, all within ten seconds."""
    with anyio.fail_after(10):
        async with (
            running_daemon(place, settings, SystemClock()) as daemon,
            connect(Local(settings.paths.control_socket), name="me", kind="cli", capabilities=SERVER_CAPABILITIES) as owner,
        ):
            yield daemon, owner


async def becomes(client: Connection, state: wire.State) -> wire.Session:
    """The session once it is in this state."""
    return (await client.until(wire.SessionChanged, lambda message: message.session.status.state == state)).session
