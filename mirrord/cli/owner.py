"""Ask the daemon of this user to do something, over its control socket."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import anyio

from bridge.paths import paths_here
from mirrord.client import Local, connect
from mirrord.client.refusals import refused_by

_Data = TypeVar("_Data")


def ask_daemon(command: str, data: type[_Data], args: Mapping[str, Any] | None = None, *, kind: str = "cli") -> _Data:
    """The data of the command's result. Raises `MirrordError` or `Refusal` with the sentence for the person. `kind` is ours as a client."""
    return anyio.run(_ask, command, data, args, kind)


async def _ask(command: str, data: type[_Data], args: Mapping[str, Any] | None, kind: str) -> _Data:
    async with connect(Local(paths_here().control_socket), name="mirrord", kind=kind) as connection:
        with refused_by(connection):
            return await connection.request(command, data, args)
