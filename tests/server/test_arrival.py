"""Promise: a text reaches its taker where it arrives, in the order it was sent, whatever comes in pieces or in between."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import anyio
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.frames import CloseCode

from mirrord.server.arrival import Arrival


class Taken:
    """The server's side of one connection: what it got, and which way."""

    def __init__(self) -> None:
        self.got: list[tuple[str, str | bytes]] = []
        self.reads = anyio.Event()
        """Set when it may begin to read."""
        self.closed: ConnectionClosed | None = None
        self._news = anyio.Event()

    def taken(self, text: str) -> None:
        self._note("taken", text)

    async def serve(self, connection: ServerConnection) -> None:
        assert isinstance(connection, Arrival)
        self._note("read", await connection.receive())
        connection.take = self.taken
        await self.reads.wait()
        try:
            while True:
                self._note("read", await connection.receive())
        except ConnectionClosed as closed:
            self.closed = closed
            self._news.set()

    def _note(self, way: str, message: str | bytes) -> None:
        self.got.append((way, message))
        self._news.set()
        self._news = anyio.Event()

    async def has(self, expected: Sequence[tuple[str, str | bytes]]) -> None:
        """Returns once it got exactly this."""
        with anyio.fail_after(5):
            while len(self.got) < len(expected):
                await self._news.wait()
        assert self.got == list(expected)


@asynccontextmanager
async def connected(taken: Taken) -> AsyncIterator[ClientConnection]:
    """A client whose first message, "hello", the server has read; from then on it takes."""
    async with serve(taken.serve, "127.0.0.1", 0, create_connection=Arrival, compression=None) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        async with connect(f"ws://127.0.0.1:{port}", proxy=None, compression=None) as client:
            await client.send("hello")
            await taken.has([("read", "hello")])
            yield client


async def test_texts_are_taken_where_they_arrive_though_nobody_reads() -> None:
    taken = Taken()
    async with connected(taken) as client:
        await client.send("one")
        await client.send("zwei ✓")
        await taken.has([("read", "hello"), ("taken", "one"), ("taken", "zwei ✓")])
        taken.reads.set()


async def test_what_comes_in_pieces_is_read_and_what_follows_waits_for_it() -> None:
    taken = Taken()
    async with connected(taken) as client:
        await client.send(["in ", "pieces"])
        await client.send("after")
        await (await client.ping())
        assert taken.got == [("read", "hello")]
        taken.reads.set()
        await taken.has([("read", "hello"), ("read", "in pieces"), ("read", "after")])
        await client.send("later")
        await taken.has([("read", "hello"), ("read", "in pieces"), ("read", "after"), ("taken", "later")])


async def test_a_text_that_comes_while_another_is_incomplete_does_not_overtake_it() -> None:
    taken = Taken()
    taken.reads.set()
    go_on = anyio.Event()

    async def pieces() -> AsyncIterator[str]:
        yield "first "
        await go_on.wait()
        yield "whole"

    async with connected(taken) as client, anyio.create_task_group() as tasks:
        tasks.start_soon(client.send, pieces())
        await (await client.ping())
        assert taken.got == [("read", "hello")]
        go_on.set()
        await taken.has([("read", "hello"), ("read", "first whole")])


async def test_a_binary_message_is_read() -> None:
    taken = Taken()
    taken.reads.set()
    async with connected(taken) as client:
        await client.send(b"\x00")
        await taken.has([("read", "hello"), ("read", b"\x00")])
        await client.send("text")
        await taken.has([("read", "hello"), ("read", b"\x00"), ("taken", "text")])


async def test_text_that_is_not_utf_8_ends_the_connection_as_the_library_does() -> None:
    taken = Taken()
    taken.reads.set()
    async with connected(taken) as client:
        await client.send(b"\xff", text=True)
        with pytest.raises(ConnectionClosed):
            await client.recv()
        assert client.close_code == CloseCode.INVALID_DATA
    assert taken.got == [("read", "hello")]
