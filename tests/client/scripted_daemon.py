"""A server that says what a test tells it to say, on a control socket or on loopback."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any

import msgspec
from websockets.asyncio.server import ServerConnection, serve, unix_serve
from websockets.http11 import Request, Response

from mirrord.client import Local, Remote
from mirrord.wire import messages as wire
from tests.cli.prompts import session

Script = Callable[["Peer"], Awaitable[None]]

WELCOME = wire.Welcome(
    server=wire.ServerInfo("mirrord", "0.1.0", "i"), server_now=1, protocol=1, role="owner", capabilities=(), sessions=(session(),)
)


class Peer:
    """The server's side of one connection."""

    def __init__(self, socket: ServerConnection) -> None:
        self.socket = socket

    async def say(self, *messages: wire.ServerMessage | dict[str, Any] | str) -> None:
        for message in messages:
            await self.socket.send(message if isinstance(message, str) else msgspec.json.encode(message).decode())

    async def hear(self) -> dict[str, Any]:
        heard: dict[str, Any] = msgspec.json.decode(await self.socket.recv())
        return heard

    async def welcome(self) -> dict[str, Any]:
        hello = await self.hear()
        await self.say(WELCOME)
        return hello


@asynccontextmanager
async def control_socket(folder: Path, script: Script, *, subprotocol: bool = True) -> AsyncIterator[Local]:
    """A daemon's control socket in `folder`."""
    path = folder / "control.sock"
    async with unix_serve(_handler(script), os.fspath(path), **_options(subprotocol)):
        yield Local(path)


@asynccontextmanager
async def network(script: Script, refuse: tuple[HTTPStatus, str] | None = None) -> AsyncIterator[Remote]:
    """A daemon on loopback that lets everybody in, or refuses everybody with this status and body."""

    def check(connection: ServerConnection, request: Request) -> Response | None:
        return connection.respond(*refuse) if refuse else None

    async with serve(_handler(script), "127.0.0.1", 0, process_request=check, **_options(True)) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        yield Remote(f"ws://127.0.0.1:{port}", "a-token")


def _handler(script: Script) -> Callable[[ServerConnection], Awaitable[None]]:
    async def handle(socket: ServerConnection) -> None:
        await script(Peer(socket))

    return handle


def _options(subprotocol: bool) -> dict[str, Any]:
    return {"subprotocols": [wire.SUBPROTOCOL] if subprotocol else None, "compression": None, "close_timeout": 0.2}


async def silent(peer: Peer) -> None:
    """Welcomes and then says nothing until the client leaves."""
    await peer.welcome()
    await peer.socket.wait_closed()


def then(script: Script) -> Script:
    """Welcomes, follows the script, and waits until the client leaves."""

    async def follow(peer: Peer) -> None:
        await peer.welcome()
        await script(peer)
        await peer.socket.wait_closed()

    return follow
