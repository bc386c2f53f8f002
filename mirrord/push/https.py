"""One POST to a push service: at a public address that was judged, no redirects, a short answer, all of it within a time.

The name is looked up once, and what it stands for is judged and connected to; TLS then checks the certificate for the name. So a name
that changes its meaning in between changes nothing. A proxy is not used: it would look the name up itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import io
import socket
import ssl
import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol, cast

import anyio
import anyio.to_thread
from anyio.abc import ByteStream

from mirrord.push.endpoints import PORT, Endpoint, is_public

SEND_SECONDS: Final = 15.0
"""For all of a request, names and TLS included: a push service answers in less than one."""

ADDRESSES: Final = 4
"""Of one name that are tried; services have some of both families."""

ANSWER_BYTES: Final = 16 * 1024
"""Of an answer that are read: its head. What it says besides is for nobody."""

_HEAD_END: Final = b"\r\n\r\n"


class Unreachable(Exception):
    """No answer came. `str()` says why, without the address."""


class NotPublic(Exception):
    """The name stands for an address that is not sent to."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a push service said. `retry_after` in seconds, where it is a number."""

    status: int
    retry_after: float | None = None


class Transport(Protocol):
    """Sends one request."""

    async def post(self, endpoint: Endpoint, headers: Mapping[str, str], body: bytes) -> Answer:
        """Raises Unreachable, NotPublic."""


Dial = Callable[[str], Awaitable[ByteStream]]
"""An encrypted connection to the host of this name, whose certificate was checked. Raises Unreachable, NotPublic."""


@dataclass(frozen=True, slots=True)
class Https:
    """The transport. `dial` connects."""

    dial: Dial
    seconds: float = SEND_SECONDS

    async def post(self, endpoint: Endpoint, headers: Mapping[str, str], body: bytes) -> Answer:
        """Raises Unreachable, NotPublic."""
        head = [f"POST {endpoint.target} HTTP/1.1", f"Host: {endpoint.host}", f"Content-Length: {len(body)}", "Connection: close"]
        head += [f"{name}: {value}" for name, value in headers.items()]
        try:
            with anyio.fail_after(self.seconds):
                stream = await self.dial(endpoint.host)
                try:
                    await stream.send("\r\n".join(head).encode("ascii") + _HEAD_END + body)
                    return _answer(await _head(stream))
                finally:
                    await anyio.aclose_forcefully(stream)
        except TimeoutError:
            raise Unreachable(f"no answer within {self.seconds:.0f} s") from None
        except (OSError, ssl.SSLError, anyio.BrokenResourceError, anyio.EndOfStream) as error:
            raise Unreachable(type(error).__name__) from error


@dataclass(slots=True)
class PublicDial:
    """Connects to names that stand for public addresses alone. `resolve` gives the addresses of a name, `judge` says which are public."""

    resolve: Callable[[str], Awaitable[list[str]]] = field(default_factory=lambda: addresses_of)
    judge: Callable[[str], bool] = is_public
    port: int = PORT
    context: ssl.SSLContext | None = None
    """Made at the first use: reading the system's certificates takes tens of milliseconds and some MB."""

    async def __call__(self, host: str) -> ByteStream:
        """Raises NotPublic, Unreachable, OSError."""
        addresses = await self.resolve(host)
        if not all(self.judge(address) for address in addresses):
            raise NotPublic
        if self.context is None:
            self.context = await anyio.to_thread.run_sync(ssl.create_default_context)
        failure: Exception = Unreachable("the name stands for no address")
        for address in addresses[:ADDRESSES]:
            try:
                return await anyio.connect_tcp(address, self.port, tls=True, ssl_context=self.context, tls_hostname=host)
            except (OSError, ssl.SSLError, anyio.BrokenResourceError) as error:
                failure = error
        raise failure


async def addresses_of(host: str) -> list[str]:
    """The addresses of a name. Raises Unreachable.

    In a thread that is left alone when this is cancelled: a resolver that hangs does not keep the daemon from ending.
    """
    loop, done = asyncio.get_running_loop(), anyio.Event()
    found: list[str] = []

    def look_up() -> None:
        with contextlib.suppress(OSError, UnicodeError):
            answers = socket.getaddrinfo(host, PORT, type=socket.SOCK_STREAM)
            found.extend(dict.fromkeys(str(answer[4][0]) for answer in answers))
        with contextlib.suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(done.set)

    threading.Thread(target=look_up, name="look-up of a push service", daemon=True).start()
    await done.wait()
    if not found:
        raise Unreachable("the name is not known")
    return found


async def _head(stream: ByteStream) -> bytes:
    received = b""
    while _HEAD_END not in received:
        received += await stream.receive()
        if len(received) > ANSWER_BYTES:
            raise Unreachable("the answer has no end")
    return received


class _Received:
    """What `http.client` reads an answer from."""

    def __init__(self, received: bytes) -> None:
        self._received = received

    def makefile(self, mode: str) -> io.BytesIO:
        return io.BytesIO(self._received)


def _answer(received: bytes) -> Answer:
    response = http.client.HTTPResponse(cast(socket.socket, _Received(received)), method="POST")
    try:
        response.begin()
    except (http.client.HTTPException, ValueError):
        raise Unreachable("the answer is no HTTP") from None
    after = (response.getheader("Retry-After") or "").strip()
    return Answer(response.status, float(after) if after.isascii() and after.isdigit() and len(after) < 10 else None)
