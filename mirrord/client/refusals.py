"""Why the daemon refuses what somebody of our role asks for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mirrord.client.clean import one_line
from mirrord.client.connection import Connection
from mirrord.client.errors import CommandRefused


@contextmanager
def refused_by(connection: Connection) -> Iterator[None]:
    """In the block, a command that our role may not run is refused with the daemon's notice, which says why we have it."""
    try:
        yield
    except CommandRefused as refused:
        if refused.code == "forbidden" and connection.welcome.notice:
            raise CommandRefused(refused.code, one_line(connection.welcome.notice)) from None
        raise
