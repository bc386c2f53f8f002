"""The other side of `bench.crowd`: starts such a process, and asks it what its clients got."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final, TypeVar

import anyio
import msgspec
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream
from websockets.uri import parse_uri

from bench.crowd import Arrived, Order, Report
from bench.world import NotMeasured
from mirrord.client import Remote
from mirrord.demo.stage import end_process
from tests.harness.pi import ROOT

COME_SECONDS: Final = 120.0
"""How long all of a thousand clients may take to come: eight times what they are to take."""

_LINE_BYTES: Final = 1 << 26

_Said = TypeVar("_Said", Arrived, Report)


@dataclass(frozen=True, slots=True)
class Gathered:
    """Clients that are there. `took`: ms in which they came."""

    took: float
    clients: int
    _process: Process
    _lines: BufferedByteReceiveStream

    async def report(self) -> Report:
        """What they got since it was asked last."""
        assert self._process.stdin is not None
        await self._process.stdin.send(b"\n")
        return await _line(self._process, self._lines, Report)


@asynccontextmanager
async def crowd(remotes: Sequence[Remote], clients: int, session: str | None = None) -> AsyncIterator[Gathered]:
    """So many clients that follow the session, or that just listen; they leave at the end of the block. Raises NotMeasured.

    `remotes` are devices at one address, which share the connections.
    """
    uri = parse_uri(remotes[0].address)
    order = Order(uri.host, uri.port, uri.path, [remote.token for remote in remotes], clients, session)
    process = await anyio.open_process(
        [sys.executable, "-m", "bench.crowd", msgspec.json.encode(order).decode()], stderr=subprocess.PIPE, cwd=ROOT
    )
    assert process.stdout is not None
    lines = BufferedByteReceiveStream(process.stdout)
    try:
        with anyio.move_on_after(COME_SECONDS) as patience:
            arrived = await _line(process, lines, Arrived)
        if patience.cancelled_caught:
            raise NotMeasured(f"not all of {clients} clients came in {COME_SECONDS:.0f} s")
        yield Gathered(arrived.took, clients, process, lines)
    finally:
        with anyio.CancelScope(shield=True):
            await end_process(process)


async def _line(process: Process, lines: BufferedByteReceiveStream, kind: type[_Said]) -> _Said:
    try:
        return msgspec.json.decode(await lines.receive_until(b"\n", _LINE_BYTES), type=kind)
    except anyio.IncompleteRead as ended:
        assert process.stderr is not None
        why = (await process.stderr.receive()).decode(errors="replace").strip()
        raise NotMeasured(f"the clients are gone: {why}") from ended
