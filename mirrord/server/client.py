"""One connected client: what it says goes to the core where it arrives; an outbox and a writer task stand between the core and it.

While nothing waits a frame is written where it is put: with a thousand clients the turns of their tasks cost more than all else.
A client that does not read costs at most its outbox. Its connection is closed with 1013 and the reason when the outbox
overflows or grows old, and aborted when even that is not taken: `websockets` alone would wait for ever.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, Protocol

import anyio
from websockets.exceptions import ConnectionClosed

from mirrord.core.model import ClientId, Importance
from mirrord.core.outbox import Eviction, Outbox
from mirrord.server.arrival import Arrival
from mirrord.server.frames import Mistake, decode, encode
from mirrord.server.gate import Admitted
from mirrord.wire import messages as wire
from mirrord.wire.limits import CHAT_CAUGHT_UP_BYTES, HELLO_SECONDS, OUTBOX_SECONDS

NORMAL: Final = 1000
"""Close code when there is nothing more to say."""

SLOW: Final = 1013
"""Close code for a client that does not keep up: come back and take a snapshot."""

POLICY: Final = 1008
"""Close code for a client that says something before its hello, or nothing at all, and for one that may not be here any more."""

SILENT: Final = 1011
"""Close code for a client that does not answer a ping, as the library closes it."""

GOING_AWAY: Final = 1001
"""Close code when the daemon stops."""

LOOK_SECONDS: Final = 0.25
"""How often it is looked at whether a client that is behind takes anything."""

PROOF_SECONDS: Final = 10.0
"""How long a client may take to show that it is there after the machine slept: a reader of 8 KB/s has the ping by then."""

CLOSE_SECONDS: Final = 1.0
"""How long a farewell may take before the connection is aborted: two round trips of a bad network."""

LATE_CLOSE_SECONDS: Final = 0.5
"""The same for a client that took nothing for OUTBOX_SECONDS: it hardly begins now."""


@dataclass(frozen=True, slots=True)
class Farewell:
    """How the connection is to be closed."""

    code: int
    reason: str


class ClientHandler(Protocol):
    """What the composition root does with clients. An exception here is a bug and ends the daemon."""

    def connected(self, client: ClientConnection) -> None:
        """It passed the gate; it has not said hello."""

    def said(self, client: ClientConnection, message: wire.ClientMessage) -> None:
        """It said something; the first is a hello."""

    def gone(self, client: ClientConnection) -> None:
        """The connection is over; called once for every one that was connected."""


class ClientConnection:
    """One connection. `id` is unique in this run of the daemon; `pid` is the peer's on the control socket."""

    def __init__(self, number: ClientId, socket: Arrival, admitted: Admitted, notice: str | None, pid: int | None) -> None:
        self.id: Final = number
        self.role: Final = admitted.role
        self.credential: Final = admitted.credential
        self.device: Final = admitted.device
        self.notice: Final = notice
        self.pid: Final = pid
        self.outbox: Final = Outbox()
        self.evicted: str | None = None
        """Why it was cut, when it was."""
        self.when_caught_up: Callable[[], None] | None = None
        """Called once, when no more than CHAT_CAUGHT_UP_BYTES wait."""
        self._socket = socket
        self._work = anyio.Event()
        self._resting = False
        """The writer waits for something to do."""
        self._farewell: Farewell | None = None
        self._bug: Exception | None = None
        self._reading = anyio.CancelScope()
        self._writing = anyio.CancelScope()

    # ---- for the composition root ------------------------------------------------------------------------------------

    def put(self, frame: bytes, importance: Importance, key: str | None = None) -> None:
        """Write a frame, or let it wait for the writer; cuts a client whose outbox is full. Ignored once it is being closed."""
        if self._farewell is not None:
            return
        if self._resting and not len(self.outbox) and self._socket.send_at_once(frame):
            if self._socket.is_full:
                self._work.set()
            return
        eviction = self.outbox.push(frame, importance, key)
        if eviction is not None:
            self._evict(eviction)
        self._work.set()

    def close(self, code: int, reason: str) -> None:
        """Close the connection after what waits has been sent. The first call counts."""
        if self._farewell is None:
            self._end(Farewell(code, reason))

    def cut(self, code: int, reason: str) -> None:
        """Close the connection now: nothing that waits is sent, and nothing that it says is heard."""
        if self._farewell is None:
            self._end(Farewell(code, reason))
            self._writing.cancel()

    def abort(self) -> None:
        """Drop the connection without a word."""
        self._socket.transport.abort()

    async def prove(self) -> None:
        """Ping it at once, and cut it when no answer comes within PROOF_SECONDS, unless it is behind: then `_send` looks at it."""
        with suppress(ConnectionClosed), anyio.move_on_after(PROOF_SECONDS) as patience:
            await (await self._socket.ping())
        if patience.cancelled_caught and not self._socket.waiting:
            self.cut(SILENT, "keepalive ping timeout")

    async def drive(self, handler: ClientHandler) -> None:
        """Serve the connection until it is over, and close it."""
        handler.connected(self)
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._write)
                with self._reading:
                    await self._read(handler)
                if self._bug is not None:
                    raise self._bug
        finally:
            await self._say_farewell()
            handler.gone(self)

    # ---- reading -----------------------------------------------------------------------------------------------------

    async def _read(self, handler: ClientHandler) -> None:
        try:
            if await self._read_hello(handler):
                self._socket.take = lambda text: self._take_arrived(text, handler)
                while True:
                    self._take(decode(await self._socket.receive()), handler)
        except ConnectionClosed:
            self.close(NORMAL, "")

    async def _read_hello(self, handler: ClientHandler) -> bool:
        with anyio.move_on_after(HELLO_SECONDS):
            message = decode(await self._socket.receive())
            if isinstance(message, wire.Hello):
                handler.said(self, message)
                return True
            mistake = message if isinstance(message, Mistake) else Mistake("Say hello first.", POLICY)
            self._take(mistake, handler)
            self.close(mistake.close_code, "no hello")
            return False
        self.close(POLICY, f"no hello within {HELLO_SECONDS:.0f} s")
        return False

    def _take_arrived(self, text: str, handler: ClientHandler) -> None:
        """Called by the library, which would log an error of ours and go on: `drive` raises it instead."""
        try:
            self._take(decode(text), handler)
        except Exception as bug:
            self._bug = bug
            self._stop_reading()

    def _take(self, message: wire.ClientMessage | Mistake, handler: ClientHandler) -> None:
        if isinstance(message, Mistake):
            self.put(encode(wire.Error(code="malformed", message=message.sentence)), "may")
        else:
            handler.said(self, message)

    # ---- writing -----------------------------------------------------------------------------------------------------

    async def _write(self) -> None:
        try:
            with self._writing:
                while self._farewell is None or len(self.outbox):
                    frame = self.outbox.take()
                    if self.when_caught_up is not None and self.outbox.pending <= CHAT_CAUGHT_UP_BYTES:
                        caught_up, self.when_caught_up = self.when_caught_up, None
                        caught_up()
                    if frame is None and not self._socket.is_full:
                        self._resting = True
                        await self._work.wait()
                        self._resting, self._work = False, anyio.Event()
                    elif not await self._send(frame):
                        self._evict("slow: age")
        except ConnectionClosed:
            self.close(NORMAL, "")

    async def _send(self, frame: bytes | None) -> bool:
        """The frame, if there is one, behind what was written before. False when the client took nothing for OUTBOX_SECONDS.

        Looks are counted and not time: when this process or the whole machine stood still, the client had no chance to take anything.
        """
        left, in_vain = self._socket.waiting + len(frame or b""), 0
        while in_vain * LOOK_SECONDS < OUTBOX_SECONDS:
            with anyio.move_on_after(LOOK_SECONDS):
                if frame is None:
                    await self._socket.drain()
                else:
                    # The frame is with the transport before this waits for room, so giving up the wait loses nothing.
                    sent, frame = frame, None
                    await self._socket.send(sent, text=True)
                return True
            in_vain = 0 if self._socket.waiting < left else in_vain + 1
            left = self._socket.waiting
        return False

    # ---- the end -----------------------------------------------------------------------------------------------------

    def _evict(self, reason: Eviction) -> None:
        if self.evicted is None:
            self.evicted = reason
            self._end(Farewell(SLOW, reason))
            self._writing.cancel()

    def _end(self, farewell: Farewell) -> None:
        self._farewell = farewell
        self._stop_reading()
        self._writing.deadline = anyio.current_time() + OUTBOX_SECONDS
        self._work.set()

    def _stop_reading(self) -> None:
        self._socket.take = None
        self._reading.cancel()

    async def _say_farewell(self) -> None:
        farewell = self._farewell or Farewell(NORMAL, "")
        seconds = LATE_CLOSE_SECONDS if self.evicted == "slow: age" else CLOSE_SECONDS
        await hang_up(self._socket, farewell.code, farewell.reason, seconds)


async def hang_up(socket: Arrival, code: int, reason: str, seconds: float = CLOSE_SECONDS) -> None:
    """Close a connection; it is aborted when the farewell is not taken in so many seconds, also while cancelled."""
    with anyio.move_on_after(seconds, shield=True):
        await socket.close(code, reason)
    socket.transport.abort()
