"""One accepted connection of a unix socket: a reader and a writer task around a state machine that does no I/O.

What the reader hands on is handled before anything else is read, so messages of one connection arrive in order.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Final, Generic, Protocol, TypeVar

import anyio
import anyio.lowlevel

from bridge.limits import LINK_OUTBOX_BYTES, LINK_WRITE_SECONDS, REFUSAL_SECONDS

_CHUNK: Final = 64 * 1024
"""Bytes read at once; a unix socket holds about 200 KiB."""

C = TypeVar("C")
"""How such a connection ended."""
C_co = TypeVar("C_co", covariant=True)


class Machine(Protocol[C_co]):
    """What decides about the bytes; times are seconds of anyio's clock."""

    @property
    def outgoing(self) -> int:
        """Bytes that `take_outgoing` would give."""

    @property
    def deadline(self) -> float | None:
        """When `tick` has something to do at the earliest; None once it is over."""

    def take_outgoing(self) -> bytes:
        """Bytes for the peer, in order; they count as sent."""

    def tick(self, now: float) -> C_co | None:
        """Look at the time."""

    def end(self) -> C_co:
        """The peer closed its side."""

    def close(self, detail: str = "") -> C_co:
        """We are done with it."""


class Connection(Generic[C]):
    """Drives a machine. Whoever lets something go out wakes the writer with `wake`, and gives it how it ended with `over`."""

    def __init__(self, sock: socket.socket, machine: Machine[C]) -> None:
        self._sock = sock
        self._machine = machine
        self._unsent = b""
        """Bytes that the machine has given out and the socket has not taken."""
        self._work = anyio.Event()
        self._closed: C | None = None
        self._reading = anyio.CancelScope()
        self._writing = anyio.CancelScope()

    def is_over(self) -> bool:
        """Whether nothing is read any more."""
        return self._closed is not None

    def over(self, closed: C | None) -> None:
        """The machine is closed (None: it is not): nothing is read any more, and what was to be sent is written for REFUSAL_SECONDS."""
        if closed is not None and self._closed is None:
            self._closed = closed
            self._writing.deadline = anyio.current_time() + REFUSAL_SECONDS

    def stop(self, closed: C) -> None:
        """As `over`, from outside of the reader."""
        self.over(closed)
        self._reading.cancel()
        self.wake()

    def wake(self) -> None:
        """Write what there is: here, since a turn of the loop until the writer runs costs an answer as long as all the rest of its way."""
        if not self._push() or self._unsent or self._closed is not None:
            self._work.set()
        if self._closed is None and self._machine.outgoing > LINK_OUTBOX_BYTES:
            self.stop(self._machine.close("too much waits for it"))

    async def run(self, take: Callable[[bytes], None]) -> C:
        """Run until it is closed, and close the socket. `take` gets all bytes, in order. Returns how it ended."""
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._write)
                with self._reading:
                    await self._read(take)
            assert self._closed is not None
            return self._closed
        finally:
            self._sock.close()

    # ---- reading -----------------------------------------------------------------------------------------------------

    async def _read(self, take: Callable[[bytes], None]) -> None:
        while not self.is_over():
            data = await self._next_chunk()
            if self.is_over():
                return  # while it waited; the cancellation did not overtake the bytes
            if data is None:
                self.over(self._machine.tick(anyio.current_time()))
            elif not data:
                self.over(self._machine.end())
            else:
                take(data)
            self.wake()

    async def _next_chunk(self) -> bytes | None:
        """Bytes, none at the end of the stream, or None when it is time for a tick and nothing has come."""
        await anyio.lowlevel.checkpoint()
        while True:
            try:
                return self._sock.recv(_CHUNK)
            except BlockingIOError:
                pass
            except OSError:
                return b""
            deadline = self._machine.deadline
            assert deadline is not None
            with anyio.move_on_after(deadline - anyio.current_time()) as waiting:
                await anyio.wait_readable(self._sock)
            if waiting.cancelled_caught:
                return None

    # ---- writing -----------------------------------------------------------------------------------------------------

    async def _write(self) -> None:
        """Writes what the socket does not take at once, and says farewell."""
        with self._writing:
            while self._push():
                if self._unsent:
                    with anyio.move_on_after(LINK_WRITE_SECONDS) as waiting:
                        await anyio.wait_writable(self._sock)
                    if waiting.cancelled_caught:
                        break
                elif self._closed is not None:
                    break
                else:
                    await self._work.wait()
                    self._work = anyio.Event()
        if self._closed is None:
            self.stop(self._machine.close("it takes nothing more"))

    def _push(self) -> bool:
        """Write as much as the socket takes now; False when the peer is gone."""
        try:
            while self._unsent or self._machine.outgoing:
                self._unsent = self._unsent or self._machine.take_outgoing()
                self._unsent = self._unsent[self._sock.send(self._unsent) :]
        except BlockingIOError:
            pass
        except OSError:
            return False
        return True
