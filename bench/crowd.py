"""Many clients in a process of their own, so that who measures is not what is measured: `python -m bench.crowd ORDER`, a JSON object.

It prints a line once all are there; for each line that it reads one with what they got since the one before; it ends with its input.
"""

from __future__ import annotations

import os
import re
import resource
import select
import socket
import sys
import time
from base64 import b64encode
from collections import deque
from dataclasses import dataclass, field
from typing import Final

import msgspec

from mirrord.wire import messages as wire
from mirrord.wire.capabilities import SERVER_CAPABILITIES

AT_ONCE: Final = 64
"""Connections that are being made at a time: half of what the daemon's backlog holds."""

CHUNK: Final = 1 << 18

STAMP: Final = re.compile(rb"@(\d{10,20})@")
"""When the text was said, in ns of CLOCK_MONOTONIC, which all processes share."""

_SPARE_DESCRIPTORS: Final = 64
_HEAD_END: Final = b"\r\n\r\n"
_TEXT: Final = 0x81
_PING: Final = 0x89
_CLOSE: Final = 0x88
_PONG: Final = 0x8A
_MASKED: Final = 0x80


class Order(msgspec.Struct, rename="camel"):
    """Whom to connect to, and how many. They follow `session`; without one they say nothing, as a relay's clients.

    They are of as many devices as there are tokens, in turn.
    """

    host: str
    port: int
    path: str
    tokens: list[str]
    clients: int
    session: str | None = None


class Arrived(msgspec.Struct, rename="camel"):
    """All are there. `took`: ms from the first connection until the last has read what there is."""

    took: float


class Report(msgspec.Struct, rename="camel"):
    """What came since the last one. `delays`: µs from each stamp to the moment at which its frame was read, all clients together."""

    delays: list[float]
    frames: int
    bytes: int
    left: int
    """Clients whose connection the other side has closed, since the start."""


def stamp() -> str:
    """Now, for a text that a crowd reads."""
    return f"@{time.monotonic_ns()}@"


def client_frame(opcode: int, body: bytes) -> bytes:
    """A masked frame; the mask is zero, so that the body is itself."""
    size = len(body)
    length = bytes([_MASKED | size]) if size < 126 else bytes([_MASKED | 126]) + size.to_bytes(2, "big")
    return bytes([opcode]) + length + bytes(4) + body


def next_frame(data: bytes | bytearray | memoryview, start: int) -> tuple[int, int, int] | None:
    """Of the server's frame at `start`: its first byte, where its body begins and where it ends. None while it is not all there."""
    if len(data) - start < 2:
        return None
    size, begin = data[start + 1], start + 2
    if size >= 126:
        begin += 2 if size == 126 else 8
        if len(data) < begin:
            return None
        size = int.from_bytes(data[start + 2 : begin], "big")
    return (data[start], begin, begin + size) if len(data) >= begin + size else None


@dataclass(slots=True)
class Member:
    """One client."""

    sock: socket.socket
    there: bool = False
    open: bool = False
    """It has been let in."""
    _unread: bytearray = field(default_factory=bytearray)

    def take(self, data: bytes, order: Order, crowd: Crowd) -> None:
        """What came from the other side, at this moment."""
        now = time.monotonic_ns()
        self._unread += data
        if not self.open and not self._opened(order):
            return
        place = 0
        while (frame := next_frame(self._unread, place)) is not None:
            first, begin, place = frame
            body = bytes(memoryview(self._unread)[begin:place])
            if first == _PING:
                self.sock.send(client_frame(_PONG, body))
            elif first == _CLOSE:
                return
            else:
                self._read(body, now, crowd)
        del self._unread[:place]

    def _opened(self, order: Order) -> bool:
        """Whether the handshake is over; then it is said who this is."""
        head, end, rest = self._unread.partition(_HEAD_END)
        if not end:
            return False
        if not head.startswith(b"HTTP/1.1 101"):
            raise SystemExit(f"a client was not let in: {head.decode(errors='replace')}")
        self._unread, self.open = rest, True
        if order.session is None:
            self.there = True
        else:
            self.sock.send(_introduction(order.session))
        return True

    def _read(self, body: bytes, now: int, crowd: Crowd) -> None:
        crowd.frames += 1
        crowd.bytes += len(body)
        if not self.there and b'"type":"snapshot"' in body:
            self.there = True
        for said in STAMP.findall(body):
            crowd.delays.append((now - int(said)) / 1000)


def _introduction(session: str) -> bytes:
    info, protocol = wire.ClientInfo("crowd", "bench"), wire.ProtocolRange(wire.PROTOCOL_MIN, wire.PROTOCOL_MAX)
    hello = wire.Hello(client=info, protocol=protocol, capabilities=SERVER_CAPABILITIES)
    return b"".join(client_frame(_TEXT, msgspec.json.encode(said)) for said in (hello, wire.Subscribe(session_id=session)))


@dataclass(slots=True)
class Crowd:
    """All of them, served by one loop."""

    order: Order
    delays: list[float] = field(default_factory=list)
    frames: int = 0
    bytes: int = 0
    left: int = 0
    _poll: select.epoll = field(default_factory=select.epoll)
    _members: dict[int, Member] = field(default_factory=dict)

    def run(self) -> None:
        """Until the input ends."""
        begun = time.monotonic_ns()
        self._gather()
        _say(Arrived((time.monotonic_ns() - begun) / 1e6))
        self._poll.register(0, select.EPOLLIN)
        while True:
            for fd, _ in self._poll.poll():
                if fd:
                    self._serve(fd)
                    continue
                if not os.read(0, CHUNK):
                    return
                _say(Report(self.delays, self.frames, self.bytes, self.left))
                self.delays, self.frames, self.bytes = [], 0, 0

    def _gather(self) -> None:
        coming: deque[Member] = deque()
        for number in range(self.order.clients):
            while len(coming) >= AT_ONCE:
                self._until_there(coming)
            coming.append(self._connect(number))
        while coming:
            self._until_there(coming)

    def _until_there(self, coming: deque[Member]) -> None:
        for fd, _ in self._poll.poll():
            self._serve(fd)
        while coming and coming[0].there:
            coming.popleft()

    def _connect(self, number: int) -> Member:
        order = self.order
        token = order.tokens[number % len(order.tokens)]
        sock = socket.create_connection((order.host, order.port))
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        key = b64encode(os.urandom(16)).decode()
        sock.sendall(
            f"GET {order.path} HTTP/1.1\r\nHost: {order.host}:{order.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Protocol: {wire.SUBPROTOCOL}\r\n"
            f"Authorization: Bearer {token}\r\n\r\n".encode()
        )
        sock.setblocking(False)
        self._poll.register(sock, select.EPOLLIN)
        self._members[sock.fileno()] = member = Member(sock)
        return member

    def _serve(self, fd: int) -> None:
        member = self._members[fd]
        try:
            data = member.sock.recv(CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            member.take(data, self.order, self)
            return
        if not member.there:
            raise SystemExit("a client was sent away before it was there")
        self.left += 1
        self._poll.unregister(fd)
        del self._members[fd]
        member.sock.close()


def _say(what: Arrived | Report) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(what) + b"\n")
    sys.stdout.buffer.flush()


def main() -> None:
    """Serves what was ordered."""
    order = msgspec.json.decode(sys.argv[1], type=Order)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = order.clients + _SPARE_DESCRIPTORS
    if soft < needed and hard != resource.RLIM_INFINITY and hard < needed:
        raise SystemExit(f"the system allows {hard} descriptors and not {needed}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, needed), hard))
    Crowd(order).run()


if __name__ == "__main__":
    main()
