"""Ask the daemon of this user to do something, over its control socket."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import anyio

from bridge.paths import paths_here
from mirrord.client import CommandRefused, Connection, Local, connect
from mirrord.client.clean import one_line

_Data = TypeVar("_Data")


def ask_daemon(command: str, data: type[_Data], args: Mapping[str, Any] | None = None) -> _Data:
    """The data of the command's result. Raises `MirrordError` or `Refusal` with the sentence for the person."""
    return anyio.run(_ask, command, data, args)


async def _ask(command: str, data: type[_Data], args: Mapping[str, Any] | None) -> _Data:
    async with connect(Local(paths_here().control_socket), name="mirrord", kind="cli") as connection:
        with refused_by(connection):
            return await connection.request(command, data, args)


@contextmanager
def refused_by(connection: Connection) -> Iterator[None]:
    """In the block, a command that our role may not run is refused with the daemon's notice, which says why we have it."""
    try:
        yield
    except CommandRefused as refused:
        if refused.code == "forbidden" and connection.welcome.notice:
            raise CommandRefused(refused.code, one_line(connection.welcome.notice)) from None
        raise
