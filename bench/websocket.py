"""A WebSocket to the daemon without a client library's tasks and queues: what is timed here is the socket, not the client."""

from __future__ import annotations

import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

import anyio
from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.http11 import Response
from websockets.typing import Subprotocol
from websockets.uri import parse_uri

from bench.world import PATIENCE_SECONDS, NotMeasured
from mirrord.client import Remote
from mirrord.client.frames import decode, encode
from mirrord.wire import messages as wire
from mirrord.wire.capabilities import SERVER_CAPABILITIES

_CHUNK: Final = 65536


@dataclass(frozen=True, slots=True)
class WebSocket:
    """An open connection. One task may read, any may write."""

    _socket: socket.socket
    _protocol: ClientProtocol

    def frame(self, message: wire.ClientMessage) -> bytes:
        """The bytes that say this; to be written at once and in the order they were made."""
        self._protocol.send_text(encode(message).encode())
        return b"".join(self._protocol.data_to_send())

    def write(self, frame: bytes) -> None:
        """They are with the system when this returns; they are few, and the daemon reads."""
        if self._socket.send(frame) != len(frame):
            raise NotMeasured("the daemon does not read")

    def say_hello(self, name: str, capabilities: tuple[str, ...] = SERVER_CAPABILITIES) -> None:
        """What a client that shows so much says first."""
        info, protocol = wire.ClientInfo(name, "bench"), wire.ProtocolRange(wire.PROTOCOL_MIN, wire.PROTOCOL_MAX)
        self.write(self.frame(wire.Hello(client=info, protocol=protocol, capabilities=capabilities)))

    async def read(self) -> tuple[int, list[wire.ServerMessage]]:
        """What came next, and when it had come, in ns of CLOCK_MONOTONIC. NotMeasured when the daemon ends the connection."""
        now, texts = await self.read_texts()
        messages = (decode(text).message for text in texts)
        return now, [message for message in messages if message is not None]

    async def read_texts(self, most: int = _CHUNK) -> tuple[int, list[str]]:
        """The same as it came, of at most so many bytes."""
        await anyio.wait_readable(self._socket)
        data = self._socket.recv(most)
        now = time.monotonic_ns()
        if not data:
            raise NotMeasured("the daemon closed the connection")
        self._protocol.receive_data(data)
        for pong in self._protocol.data_to_send():
            self.write(pong)
        events = self._protocol.events_received()
        return now, [bytes(event.data).decode() for event in events if isinstance(event, Frame) and event.opcode is Opcode.TEXT]

    async def shake_hands(self, token: str) -> None:
        """Opens the connection."""
        request = self._protocol.connect()
        request.headers["Authorization"] = f"Bearer {token}"
        self._protocol.send_request(request)
        self.write(b"".join(self._protocol.data_to_send()))
        # The daemon says nothing before our hello, so what comes now is the response alone.
        with anyio.move_on_after(PATIENCE_SECONDS):
            while not (events := self._protocol.events_received()):
                await anyio.wait_readable(self._socket)
                self._protocol.receive_data(self._socket.recv(_CHUNK))
            if isinstance(events[0], Response) and self._protocol.handshake_exc is None:
                return
        raise NotMeasured(f"no WebSocket to the daemon: {self._protocol.handshake_exc or 'no answer'}")


@asynccontextmanager
async def websocket(remote: Remote, receive_buffer: int | None = None) -> AsyncIterator[WebSocket]:
    """A connection for the length of the block; nothing was said on it yet. The system holds so many bytes of what is not read."""
    uri = parse_uri(remote.address)
    with socket.socket() as connection:
        if receive_buffer is not None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        connection.connect((uri.host, uri.port))
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        opened = WebSocket(connection, ClientProtocol(uri, subprotocols=[Subprotocol(wire.SUBPROTOCOL)]))
        await opened.shake_hands(remote.token)
        yield opened
