"""A WebSocket connection that hands on text where it arrives and text that may go at once, without a turn of the event loop for a task."""

from __future__ import annotations

from collections.abc import Callable

from websockets.asyncio.server import ServerConnection
from websockets.frames import Frame, Opcode
from websockets.protocol import Event, State


class Arrival(ServerConnection):
    """While `take` is set, it is given each text message that arrives in one frame; it must not raise.

    `receive` gives the others, and all that come before one of them was read: the order is kept.
    """

    take: Callable[[str], None] | None = None
    _unread = 0
    """Messages that have begun to arrive and that `receive` has not given."""

    async def receive(self) -> str | bytes:
        """The next message that was not given to `take`; raises as the library's `recv`."""
        message = await self.recv()
        self._unread -= 1
        return message

    @property
    def waiting(self) -> int:
        """Bytes that the system has not taken yet."""
        size: int = self.transport.get_write_buffer_size()
        return size

    @property
    def is_full(self) -> bool:
        """Whether so much is `waiting` that `drain` waits."""
        return self.waiting > self.write_limit_high

    def send_at_once(self, text: bytes) -> bool:
        """Write a text frame now; False, and nothing was written, when bytes before it wait or the connection is ending.

        Whoever calls sees to it when the connection `is_full` then, and does not call while a task is in `send`.
        """
        if self.waiting or self.protocol.state is not State.OPEN or self.transport.is_closing():
            return False
        self.protocol.send_text(text)
        self.send_data()
        return True

    def process_event(self, event: Event) -> None:
        """The library's hook for whatever arrives."""
        text = _whole_text(event) if self.take is not None and not self._unread else None
        if text is not None and self.take is not None:
            self.take(text)
            return
        if isinstance(event, Frame) and event.opcode in (Opcode.TEXT, Opcode.BINARY):
            self._unread += 1
        super().process_event(event)


def _whole_text(event: Event) -> str | None:
    """The text of a message in one frame; None for anything else, text that is not UTF-8 included, which the library refuses."""
    if not isinstance(event, Frame) or event.opcode is not Opcode.TEXT or not event.fin:
        return None
    try:
        return bytes(event.data).decode()
    except UnicodeDecodeError:
        return None
