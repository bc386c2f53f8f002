"""Promise: this daemon speaks WebSocket as RFC 6455 asks, but for what the library that it uses says of itself, and for its own limit."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import Any, Final

import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from mirrord.server.socket import PROTOCOL_OPTIONS

kosoku = pytest.importorskip("kosoku", reason="`make soak` installs requirements/autobahn.txt", exc_type=ImportError)

pytestmark = [
    pytest.mark.soak,
    # Autobahn's own scripts leave their data files to the garbage collector.
    pytest.mark.filterwarnings("ignore:.*autobahntestsuite/testdata:pytest.PytestUnraisableExceptionWarning"),
]

ATONCE: Final = 4
PATIENCE: Final = 300.0

SENT_TOO_LATE: Final = frozenset(("3.2", "3.3", "3.4", "4.1.3", "4.1.4", "4.1.5", "4.2.3", "4.2.4", "4.2.5", "5.15"))
"""Where a good frame and a bad one come together, the answer to the good one may be lost with the connection (`websockets` says so)."""
LATE_UTF8: Final = frozenset(("6.4.1", "6.4.2", "6.4.3", "6.4.4"))
"""Text of several frames is judged when it is whole, not at the byte that spoils it."""
OPEN_FRAGMENT: Final = "7.1.5"
"""A close in the middle of a fragmented message is answered with 1002, not with the peer's own code."""
UNSPECIFIED: Final = frozenset(("7.1.6", "7.13.1", "7.13.2"))
TOO_BIG: Final = 1009


async def echo(connection: ServerConnection) -> None:
    """Autobahn asks for what it sent. What it breaks on purpose is the end of that connection and nothing else."""
    with suppress(ConnectionClosed):
        async for message in connection:
            await connection.send(message)


@contextmanager
def echoing() -> Iterator[str]:
    """The address of a server in a thread of its own, as the daemon's is set up."""
    found: list[str] = []
    ready = Event()

    async def run() -> None:
        async with serve(echo, "127.0.0.1", 0, **PROTOCOL_OPTIONS) as server:
            found.append(f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}")
            stopping.append((asyncio.get_running_loop(), asyncio.current_task()))
            ready.set()
            await server.serve_forever()

    def main() -> None:
        with suppress(asyncio.CancelledError):
            asyncio.run(run())

    stopping: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any] | None]] = []
    thread = Thread(target=main)
    thread.start()
    try:
        assert ready.wait(PATIENCE)
        yield found[0]
    finally:
        loop, task = stopping[0]
        assert task is not None
        loop.call_soon_threadsafe(task.cancel)
        thread.join(PATIENCE)


def played(*cases: str) -> dict[str, Any]:
    """The verdicts, by case."""

    async def run(url: str) -> Sequence[Any]:
        try:
            results: Sequence[Any] = await kosoku.run_fuzzingclient(url, cases=list(cases), concurrency=ATONCE)
        except kosoku.FailureError as error:
            results = error.results
        return results

    with echoing() as url:
        return {result.case_id: result for result in asyncio.run(run(url))}


def test_the_protocol_is_spoken_but_for_what_the_library_documents() -> None:
    results = played("1.*", "2.*", "3.*", "4.*", "5.*", "6.*", "7.*", "10.*")
    assert len(results) > 240
    judged = {case: result.behavior.value for case, result in results.items() if result.behavior.value != "OK"}
    assert {case for case, verdict in judged.items() if verdict == "NON-STRICT"} <= SENT_TOO_LATE | LATE_UTF8
    assert {case for case, verdict in judged.items() if verdict == "INFORMATIONAL"} <= UNSPECIFIED
    assert {case for case, verdict in judged.items() if verdict not in ("NON-STRICT", "INFORMATIONAL")} <= {OPEN_FRAGMENT}


def test_large_messages_are_echoed_or_refused_as_too_big() -> None:
    results = played("9.*")
    assert len(results) == 54
    refused = {case: result for case, result in results.items() if result.behavior.value != "OK"}
    assert {result.remote_close_code for result in refused.values()} == {TOO_BIG}
    assert len(refused) < len(results) / 2


def test_no_compression_is_agreed_to() -> None:
    results = played("12.*", "13.*")
    assert len(results) > 200
    assert {result.behavior.value for result in results.values()} == {"UNIMPLEMENTED"}
