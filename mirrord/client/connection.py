"""One connection to a daemon, from the handshake to the close, as an async context manager."""

from __future__ import annotations

import uuid
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, Literal, TypeVar

import anyio
import anyio.to_thread
import msgspec
from websockets.asyncio.client import ClientConnection, unix_connect
from websockets.asyncio.client import connect as tcp_connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidMessage, InvalidStatus, InvalidURI
from websockets.typing import Subprotocol

from mirrord.client.clean import one_line
from mirrord.client.content import text_answer
from mirrord.client.endpoint import Endpoint, Local, Remote, check_socket
from mirrord.client.errors import (
    BadCredential,
    CommandRefused,
    ConnectionLost,
    DaemonNotRunning,
    NotADaemon,
    ProtocolMismatch,
    Refused,
)
from mirrord.client.frames import Frame, decode, encode
from mirrord.client.replies import read_data
from mirrord.wire import messages as wire
from mirrord.wire.capabilities import PROMPT_NATIVE, TEXT_FALLBACK
from mirrord.wire.limits import OUTBOX_BYTES

OPEN_SECONDS: Final = 10.0
"""How long the handshake may take: a phone's network needs seconds, this machine microseconds."""

CLOSE_SECONDS: Final = 1.0
"""How long a farewell may take before the socket is cut; nothing of ours waits behind it."""

SET_ASIDE: Final = 4096
"""Messages kept while `until` waits for another one: more than one snapshot and a day of prompts."""

Tap = Callable[[Literal["in", "out"], str], None]
"""Told each text frame as it passes, for who looks at the protocol itself."""

_Message = TypeVar("_Message", bound=wire.ServerMessage)
_Data = TypeVar("_Data")


class Connection:
    """A connection that was welcomed. One task at a time may receive; any task may send.

    Every method raises `ConnectionLost` once the connection has ended.
    """

    def __init__(self, socket: ClientConnection, where: str, tap: Tap | None = None) -> None:
        self._socket = socket
        self._where = where
        self._tap = tap
        self._aside: deque[Frame] = deque()
        self.welcome: wire.Welcome
        """What the daemon said first: its version, our role, all sessions."""
        self.welcome_frame: Frame
        """The same as it came."""

    async def send(self, message: wire.ClientMessage) -> None:
        """Give one message to the daemon; it may not have been read when this returns."""
        text = encode(message)
        try:
            await self._socket.send(text)
        except ConnectionClosed as closed:
            raise _lost(closed) from closed
        if self._tap is not None:
            self._tap("out", text)

    async def receive_frame(self) -> Frame:
        """The next frame, also when its type is unknown: first those that `until` set aside, then new ones."""
        return self._aside.popleft() if self._aside else await self._read()

    async def receive(self) -> wire.ServerMessage:
        """The next message of a type that this build knows."""
        while True:
            frame = await self.receive_frame()
            if frame.message is not None:
                return frame.message

    async def until(self, kind: type[_Message], where: Callable[[_Message], bool] = lambda _: True) -> _Message:
        """The first message of this type for which `where` holds; all others stay, in order, for later calls."""
        for place, frame in enumerate(self._aside):
            if isinstance(frame.message, kind) and where(frame.message):
                del self._aside[place]
                return frame.message
        while True:
            frame = await self._read()
            if isinstance(frame.message, kind) and where(frame.message):
                return frame.message
            if len(self._aside) >= SET_ASIDE:
                raise AssertionError(f"{SET_ASIDE} messages came before the {kind.__name__} that was waited for")
            self._aside.append(frame)

    async def request(self, name: str, data: type[_Data], args: Mapping[str, Any] | None = None) -> _Data:
        """The data of the command's result. Raises `CommandRefused` with the daemon's sentence when it says no."""
        request_id = str(uuid.uuid4())
        await self.send(wire.Command(request_id=request_id, name=name, args=dict(args or {})))
        result = await self.until(wire.CommandResult, lambda result: result.request_id == request_id)
        if result.ok:
            return read_data(name, result.data, data)
        refused = result.error or wire.CommandError("unknown", f"the daemon refused `{name}` without a reason")
        raise CommandRefused(one_line(refused.code), one_line(refused.message))

    async def subscribe(self, session_id: str) -> wire.Snapshot:
        """The state of a session; its events follow. Raises `CommandRefused` when there is no such session."""
        await self.send(wire.Subscribe(session_id=session_id))
        return await self._snapshot(session_id)

    async def answer(
        self,
        prompt_id: str,
        *,
        index: int | None = None,
        value: str | None = None,
        confirmed: bool | None = None,
        answers: dict[str, str | tuple[str, ...]] | None = None,
        unchanged: bool | None = None,
        cancelled: bool | None = None,
    ) -> wire.ResponseResult:
        """What became of this answer; waits until the terminal has decided. A long `value` travels in pieces."""
        response_id = str(uuid.uuid4())
        pieces: tuple[wire.ContentPart, ...] = ()
        response = wire.ExtensionUIResponse(
            id=prompt_id,
            response_id=response_id,
            index=index,
            confirmed=confirmed,
            answers=answers,
            unchanged=unchanged,
            cancelled=cancelled,
        )
        if value is not None:
            text = text_answer(prompt_id, response_id, value)
            pieces = text.pieces
            response = msgspec.structs.replace(response, value=text.response.value, parts=text.response.parts)
        for piece in pieces:
            await self.send(piece)
        await self.send(response)
        return await self.until(wire.ResponseResult, lambda result: result.response_id == response_id)

    async def _snapshot(self, session_id: str) -> wire.Snapshot:
        while True:
            frame = await self._read()
            match frame.message:
                case wire.Snapshot() as snapshot if snapshot.session_id == session_id:
                    return snapshot
                case wire.Error() as error if error.code == "unknown_session":
                    raise CommandRefused(error.code, one_line(error.message))
                case _:
                    self._aside.append(frame)

    async def _read(self) -> Frame:
        try:
            text = await self._socket.recv(decode=True)
        except ConnectionClosed as closed:
            raise _lost(closed) from closed
        if self._tap is not None:
            self._tap("in", text)
        return decode(text)

    async def _say_hello(self, hello: wire.Hello) -> None:
        await self.send(hello)
        with anyio.move_on_after(OPEN_SECONDS):
            frame = await self._read()
            match frame.message:
                case wire.Welcome() as welcome if wire.PROTOCOL_MIN <= welcome.protocol <= wire.PROTOCOL_MAX:
                    self.welcome, self.welcome_frame = welcome, frame
                case wire.Welcome() as welcome:
                    raise ProtocolMismatch(f"it chose protocol {welcome.protocol}")
                case wire.Error() as error:
                    raise ProtocolMismatch(one_line(error.message).rstrip("."))
                case _:
                    raise NotADaemon(self._where, "its first message was no welcome")
            return
        raise NotADaemon(self._where, f"no welcome within {OPEN_SECONDS:.0f} s")


@asynccontextmanager
async def connect(
    endpoint: Endpoint,
    *,
    name: str,
    kind: str,
    capabilities: Sequence[str] = (TEXT_FALLBACK, PROMPT_NATIVE),
    resume: Mapping[str, str] | None = None,
    tap: Tap | None = None,
) -> AsyncIterator[Connection]:
    """A welcomed connection that is closed at the end of the block; `name` and `kind` are shown to others.

    `capabilities` are what the caller can show; without PROMPT_NATIVE prompts come as text that cannot be answered. `tap` is told each
    frame.

    Raises:
        MirrordError, Refusal: it cannot be had; `mirrord.client.errors` has the list.
    """
    socket = await _open(endpoint)
    try:
        connection = Connection(socket, str(endpoint), tap)
        await connection._say_hello(
            wire.Hello(
                client=wire.ClientInfo(name, kind),
                protocol=wire.ProtocolRange(wire.PROTOCOL_MIN, wire.PROTOCOL_MAX),
                capabilities=tuple(capabilities),
                resume=dict(resume or {}),
            )
        )
        yield connection
    finally:
        # Also when cancelled: a transport left open would outlive its loop.
        with anyio.move_on_after(CLOSE_SECONDS, shield=True):
            await socket.close()
        socket.transport.abort()


async def _open(endpoint: Endpoint) -> ClientConnection:
    async with opening(str(endpoint)):
        return await _handshake(endpoint)


@asynccontextmanager
async def opening(where: str) -> AsyncIterator[None]:
    """What goes wrong while a connection is opened in the block, as the sentence for it."""
    try:
        yield
    except InvalidStatus as error:
        status = error.response.status_code
        if status == 401:
            raise BadCredential(where) from None
        lines = bytes(error.response.body or b"").decode("utf-8", "replace").strip().splitlines()
        raise Refused(where, status, one_line(lines[0]).rstrip(".") if lines else "it gave no reason") from None
    except (ConnectionRefusedError, FileNotFoundError) as error:
        raise DaemonNotRunning(f"nothing listens on {where}") from error
    except TimeoutError as error:
        raise NotADaemon(where, f"no answer within {OPEN_SECONDS:.0f} s") from error
    except (InvalidHandshake, InvalidMessage, InvalidURI, EOFError) as error:
        raise NotADaemon(where, one_line(str(error)).rstrip(".")) from error
    except OSError as error:
        raise NotADaemon(where, one_line(error.strerror or str(error))) from error


async def _handshake(endpoint: Endpoint) -> ClientConnection:
    subprotocols = [Subprotocol(wire.SUBPROTOCOL)]
    match endpoint:
        case Local(socket=path):
            await anyio.to_thread.run_sync(check_socket, path)
            socket = await unix_connect(
                str(path),
                f"ws://localhost{wire.ENDPOINT}",
                subprotocols=subprotocols,
                compression=None,
                open_timeout=OPEN_SECONDS,
                max_size=OUTBOX_BYTES,
            )
        case Remote():
            socket = await tcp_connect(
                endpoint.address,
                subprotocols=subprotocols,
                additional_headers={"Authorization": f"Bearer {endpoint.token}"},
                compression=None,
                # A proxy from the environment would see the credential.
                proxy=None,
                open_timeout=OPEN_SECONDS,
                max_size=OUTBOX_BYTES,
            )
    if socket.subprotocol != wire.SUBPROTOCOL:
        await socket.close()
        raise NotADaemon(str(endpoint), f"it does not speak {wire.SUBPROTOCOL}")
    return socket


def _lost(closed: ConnectionClosed) -> ConnectionLost:
    if closed.rcvd is None:
        return ConnectionLost(None, "")
    return ConnectionLost(closed.rcvd.code, one_line(closed.rcvd.reason))
