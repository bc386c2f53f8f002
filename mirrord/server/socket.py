"""The two listeners of the daemon and the handshake: every request passes the gate before anything else is done with it.

The network listener is TCP on 127.0.0.1, where a credential is needed for anything but pairing and the web client's
files. The control socket is owner-only; who connects there is the person at this machine, unless the process descends
from a mirrored Pi (design FIXED 8).
"""

from __future__ import annotations

import logging
import os
import socket
import weakref
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from email.utils import formatdate
from http import HTTPStatus
from types import MappingProxyType
from typing import Any, Final, cast

import anyio
import anyio.to_thread
from websockets.asyncio.server import Server, ServerConnection, serve, unix_serve
from websockets.datastructures import Headers
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from bridge.process import Doubt, Peer, peer_of
from mirrord import logs
from mirrord.clock import Clock
from mirrord.core.model import ClientId
from mirrord.server.arrival import Arrival
from mirrord.server.client import CLOSE_SECONDS, POLICY, ClientConnection, ClientHandler, hang_up
from mirrord.server.gate import (
    Admitted,
    Credential,
    FileAdmitted,
    GateRequest,
    MetricsAdmitted,
    PairingAdmitted,
    Refused,
    admit,
    admit_local,
    policy_for,
)
from mirrord.server.pages import SECURITY_HEADERS, Page, Pages
from mirrord.server.pairing import PairingDesk, converse
from mirrord.server.rate import FailureRate, RefusalLines
from mirrord.wire.limits import CLIENT_FRAME_BYTES, CLIENTS
from mirrord.wire.messages import SUBPROTOCOL
from mirrord.wire.pairing import PAIR_FRAME_BYTES, PAIR_SUBPROTOCOL, REVOKED
from mirrord.wire.roles import Role

OPEN_SECONDS: Final = 5.0
"""How long a connection may take to send its request."""

PING_SECONDS: Final = 20.0
"""Silence after which a client is pinged, and how long its pong may take: a phone that left is noticed within a minute."""

CLIENT_QUEUE: Final = 4
"""Frames of one client that wait to be read: with the largest frames, 4 MiB."""

WRITE_LIMIT: Final = 1_024
"""Bytes that the system has not taken, past which a writer waits: what waits in an outbox can still give way to something newer. Pings fit,
so that who takes nothing is noticed by them when nothing else is written."""

LOCAL_PLACES: Final = 16
"""Of CLIENTS, places that neither the network nor what an agent started can take, so that the person at this machine always gets in."""

DEVICE_PLACES: Final = 32
"""Connections of one device at once, so that none of them keeps the others out: many tabs of a browser, an attach or two, and for each what
it left behind when its network changed and the daemon has not noticed yet."""

PAIRING_PLACES: Final = 16
"""Connections on which somebody pairs, at once: they cost little, last ten seconds at most, and anybody on this machine may open one."""

BACKLOG: Final = 128
"""Connections the kernel keeps while the daemon is busy: all devices come back at once after a restart."""

AT_ONCE: Final = 1
"""Connections that the event loop accepts before it looks at anything else. Without descriptors it logs an error for each of them and
comes back as often: with its usual hundred that was a hundred tracebacks a second."""

STOP_SECONDS: Final = 0.5
"""How long the tasks of aborted connections may take to end; they wait for nothing but themselves."""

METRICS_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
"""Prometheus' text format: what every monitor reads."""

OBSERVER_NOTICE: Final = (
    "This program runs inside a mirrored Pi, so it may look but not answer: what an agent asks is not for the agent to approve."
)
UNKNOWN_PEER_NOTICE: Final = "The system does not tell which process this is or who started it, so it may look but not answer."
HELPER_NOTICE: Final = "The daemon started this program, so it may look but not answer."

_NOTICES: Final[Mapping[Doubt, str]] = {"pi": OBSERVER_NOTICE, "unknown": UNKNOWN_PEER_NOTICE, "daemon": HELPER_NOTICE}

LATE_DOUBT: Final = "a Pi may have started it"
"""Why a connection is cut that had more rights before that Pi was linked."""

_BODIES: Final[dict[HTTPStatus, str]] = {
    HTTPStatus.NOT_FOUND: "there is nothing here",
    HTTPStatus.UPGRADE_REQUIRED: "this is a WebSocket endpoint",
    HTTPStatus.BAD_REQUEST: "the request is malformed",
    HTTPStatus.FORBIDDEN: "this address or web page may not use this daemon",
    HTTPStatus.TOO_MANY_REQUESTS: "too many failed attempts; wait a moment",
    HTTPStatus.UNAUTHORIZED: "a valid credential is needed",
    HTTPStatus.SERVICE_UNAVAILABLE: "too many clients are connected",
}

# The library logs what peers do wrong as errors, and whole requests at debug level: neither belongs into our log.
_quiet: Final = logging.getLogger("mirrord.websockets")
_quiet.setLevel(logging.CRITICAL)

PROTOCOL_OPTIONS: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "compression": None,
        "server_header": None,
        "open_timeout": OPEN_SECONDS,
        "ping_interval": PING_SECONDS,
        "ping_timeout": PING_SECONDS,
        "close_timeout": CLOSE_SECONDS,
        "max_size": CLIENT_FRAME_BYTES,
        "max_queue": CLIENT_QUEUE,
        "write_limit": WRITE_LIMIT,
        "logger": _quiet,
    }
)
"""How this daemon speaks WebSocket; `tests/server/test_autobahn.py` holds it to RFC 6455."""


class _Socket(Arrival):
    """A connection that remembers what the gate said."""

    admitted: Admitted | PairingAdmitted | None = None
    peer: Peer | None = None
    """Who connected to the control socket."""
    doubt: Doubt | None = None
    """Why that is not the person at this machine."""
    client: ClientConnection | None = None
    leave: Callable[[], None] | None = None
    """Gives back the place that it holds."""
    is_lost: bool = False

    def connection_lost(self, exc: Exception | None) -> None:
        """The event loop's word that nothing goes over it any more."""
        super().connection_lost(exc)
        self.is_lost = True
        if self.leave is not None:
            self.leave()


@dataclass(slots=True)
class ClientServer:
    """Serves clients on both listeners. `fail` is told of a bug of ours that a connection's task met."""

    clock: Clock
    handler: ClientHandler
    credentials: Callable[[], Sequence[Credential]]
    pages: Pages
    desk: PairingDesk
    doubt: Callable[[int], Doubt | None]
    """Why the process with this pid is not the person at this machine; called from a thread too."""
    fail: Callable[[BaseException], None]
    metrics: Callable[[], str] = lambda: ""
    """What a monitor reads, in Prometheus' text format."""
    rate: FailureRate = field(default_factory=FailureRate)
    refused: int = 0
    """Requests that the gate turned away."""
    open: int = 0
    """Places that clients hold now, each from the gate until its connection is lost."""
    pairing: int = 0
    """Connections on which somebody pairs now."""
    _lines: RefusalLines = field(default_factory=RefusalLines)
    _last: int = 0
    _held: Counter[str] = field(default_factory=Counter)
    """Of these places, those of each device; those of the control socket, which are bounded together, are nobody's ("")."""
    _servers: list[Server] = field(default_factory=list)
    _sockets: weakref.WeakSet[_Socket] = field(default_factory=weakref.WeakSet)

    @asynccontextmanager
    async def listening(self, network: socket.socket, control: socket.socket) -> AsyncIterator[None]:
        """Accept on both sockets until the block ends; then connections that are left are aborted."""
        port = network.getsockname()[1]
        options: dict[str, Any] = {
            "subprotocols": [Subprotocol(SUBPROTOCOL), Subprotocol(PAIR_SUBPROTOCOL)],
            "select_subprotocol": _select_subprotocol,
            "create_connection": self._remember,
            "backlog": AT_ONCE,
            **PROTOCOL_OPTIONS,
        }

        def check(connection: ServerConnection, request: Request) -> Response | None:
            return self._check_network(_ours(connection), request, port)

        async def check_local(connection: ServerConnection, request: Request) -> Response | None:
            return await self._check_local(_ours(connection), request)

        async with AsyncExitStack() as stack:
            stack.push_async_callback(self._stop)
            self._servers.append(await serve(self._serve, sock=network, process_request=check, **options))
            self._servers.append(await unix_serve(self._serve, sock=control, process_request=check_local, **options))
            for listener in (network, control):
                listener.listen(BACKLOG)  # the event loop told the kernel its own number
            yield

    def stop_accepting(self) -> None:
        """Let nobody in from now on; who is connected stays."""
        for server in self._servers:
            server.close(close_connections=False)

    def look_again(self) -> None:
        """A Pi was linked: cut what it started and had connected before, also what is just connecting. Blocks for milliseconds on macOS."""
        for connection in tuple(self._sockets):
            if connection.peer is None or connection.doubt is not None:
                continue
            connection.doubt = self._doubt(connection)
            if connection.doubt is not None and connection.client is not None:
                connection.client.cut(POLICY, LATE_DOUBT)

    def _doubt(self, connection: _Socket) -> Doubt | None:
        """Why who connected is not the person at this machine. Who has ended by then may be another than was judged."""
        peer = connection.peer
        if peer is None or peer.pid is None:
            return "unknown"
        doubt = self.doubt(peer.pid)
        if doubt is None:
            try:
                same = peer_of(cast(socket.socket, connection.transport.get_extra_info("socket"))) == peer
            except OSError:
                same = False
            doubt = None if same else "unknown"
        return doubt

    def _remember(self, *arguments: Any, **options: Any) -> _Socket:  # noqa: ANN401 - passed on to the library's constructor
        connection = _Socket(*arguments, **options)
        self._sockets.add(connection)
        return connection

    async def _stop(self) -> None:
        """Abort what is left, handshakes included, and wait until its tasks have ended."""
        self.stop_accepting()
        with anyio.move_on_after(STOP_SECONDS, shield=True):
            for connection in tuple(self._sockets):
                connection.transport.abort()
            for server in self._servers:
                await server.wait_closed()

    def _check_network(self, connection: _Socket, request: Request, port: int) -> Response | None:
        address, now = str(connection.remote_address[0]), self.clock.boot()
        policy = policy_for(
            port,
            tuple(self.credentials()),
            files=self.pages.paths,
            throttled=self.rate.exhausted(address, now),
            full=self.open >= CLIENTS - LOCAL_PLACES,
            pairing_full=self.pairing >= PAIRING_PLACES,
            crowded=frozenset(device for device, places in self._held.items() if places >= DEVICE_PLACES),
        )
        verdict = admit(_gate_request(request), policy)
        if isinstance(verdict, Refused) and verdict.status is HTTPStatus.UNAUTHORIZED:
            # And nothing else: any web page can have itself refused by its Origin, from the address that all devices share.
            self.rate.failed(address, now)
        if isinstance(verdict, FileAdmitted):
            return _page(self.pages.answer(verdict.path, ", ".join(request.headers.get_all("Accept-Encoding"))))
        response = self._answer(connection, verdict)
        if response is not None:
            response.headers.update(SECURITY_HEADERS)
        return response

    async def _check_local(self, connection: _Socket, request: Request) -> Response | None:
        connection.peer = peer = peer_of(cast(socket.socket, connection.transport.get_extra_info("socket")))
        doubt = await anyio.to_thread.run_sync(self._doubt, connection)
        # A Pi may have been linked meanwhile.
        connection.doubt = doubt = doubt or connection.doubt
        role = Role.OWNER if doubt is None else Role.OBSERVER
        places = CLIENTS if role is Role.OWNER else CLIENTS - LOCAL_PLACES
        verdict = admit_local(_gate_request(request), same_user=peer.uid == os.getuid(), full=self.open >= places, role=role)
        if isinstance(verdict, MetricsAdmitted):
            return _page(Page(HTTPStatus.OK, (("Content-Type", METRICS_TYPE), ("Cache-Control", "no-store")), self.metrics().encode()))
        return self._answer(connection, verdict)

    def _answer(self, connection: _Socket, verdict: Admitted | PairingAdmitted | Refused) -> Response | None:
        if not isinstance(verdict, Refused):
            connection.admitted = verdict
            if isinstance(verdict, PairingAdmitted):
                connection.protocol.max_message_size = PAIR_FRAME_BYTES
            else:
                self._hold(connection, verdict.device)
            return None
        self.refused += 1
        left_out = self._lines.due(verdict.reason, self.clock.boot())
        if left_out is not None:
            logs.warn("gate: refused", status=verdict.status.value, reason=verdict.reason, leftOut=left_out or None)
        response = connection.respond(verdict.status, f"{_BODIES[verdict.status]}\n")
        if verdict.status is HTTPStatus.UPGRADE_REQUIRED:
            response.headers["Upgrade"] = "websocket"
        if verdict.status is HTTPStatus.UNAUTHORIZED:
            response.headers["WWW-Authenticate"] = "Bearer"
        return response

    def _hold(self, connection: _Socket, device: str) -> None:
        """A place is taken at once: between the gate and the first word of a client others pass the gate."""
        if connection.is_lost:
            return  # while it was found out who it is

        self.open += 1
        self._held[device] += 1
        connection.leave = lambda: self._let_go(device)

    def _let_go(self, device: str) -> None:
        self.open -= 1
        self._held[device] -= 1
        if not self._held[device]:
            del self._held[device]

    async def _serve(self, connection: ServerConnection) -> None:
        """A task boundary: the library would log an error of ours and go on."""
        ours = _ours(connection)
        try:
            match ours.admitted:
                case Admitted() as admitted:
                    await self._serve_client(ours, admitted)
                case PairingAdmitted(host):
                    await self._serve_pairing(ours, host)
                case None:
                    raise AssertionError("a connection is open that did not pass the gate")
        except Exception as error:
            self.fail(error)

    async def _serve_client(self, connection: _Socket, admitted: Admitted) -> None:
        if admitted.device and not self.desk.admits(admitted.device, admitted.role):
            # Revoked after the gate had let it in: nobody knew of this connection yet, so nobody cut it.
            await hang_up(connection, POLICY, REVOKED)
            return
        if connection.doubt is not None and admitted.role is Role.OWNER:
            await hang_up(connection, POLICY, LATE_DOUBT)
            return
        self._last += 1
        notice = None if connection.doubt is None else _NOTICES[connection.doubt]
        pid = None if connection.peer is None else connection.peer.pid
        connection.client = ClientConnection(ClientId(self._last), connection, admitted, notice, pid)
        await connection.client.drive(self.handler)

    async def _serve_pairing(self, connection: _Socket, host: str) -> None:
        address = str(connection.remote_address[0])
        self.pairing += 1
        try:
            await converse(connection, self.desk, host, lambda: self.rate.failed(address, self.clock.boot()))
        finally:
            self.pairing -= 1


def _ours(connection: ServerConnection) -> _Socket:
    if not isinstance(connection, _Socket):
        raise AssertionError("the server makes connections of our class only")
    return connection


def _gate_request(request: Request) -> GateRequest:
    return GateRequest(request.method, request.path, tuple(request.headers.raw_items()))


def _page(page: Page) -> Response:
    headers = Headers([("Date", formatdate(usegmt=True)), ("Connection", "close"), ("Content-Length", str(len(page.body)))])
    headers.update((*page.headers, *SECURITY_HEADERS))
    return Response(page.status.value, page.status.phrase, headers, page.body)


def _select_subprotocol(connection: ServerConnection, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    """The door's own when it was offered; a `bearer.…` is never repeated to anybody."""
    ours = PAIR_SUBPROTOCOL if isinstance(_ours(connection).admitted, PairingAdmitted) else SUBPROTOCOL
    return Subprotocol(ours) if ours in offered else None
