"""Connected clients: what they say becomes core events, what the core wants said goes into their outboxes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import anyio

from mirrord import logs
from mirrord.clock import Clock, moment
from mirrord.core import events
from mirrord.core.chat.events import ClientBehind, ClientCaughtUp
from mirrord.core.commands import CloseClient, Send
from mirrord.core.model import ClientId
from mirrord.server.client import GOING_AWAY, POLICY, ClientConnection
from mirrord.server.frames import encode
from mirrord.wire import messages as wire
from mirrord.wire.limits import CHAT_BEHIND_BYTES


@dataclass(slots=True)
class Clients:
    """The `ClientHandler` of the daemon. `seen` is told the id of every device that connects."""

    clock: Clock
    happen: Callable[[events.Event], None]
    seen: Callable[[str], None]
    evicted: int = 0
    """Clients that were cut because they did not read."""
    dropped: int = 0
    """Notifications that found no room, of clients that are gone."""
    _open: dict[ClientId, ClientConnection] = field(default_factory=dict)
    _left: anyio.Event = field(default_factory=anyio.Event)
    """Set, and replaced, whenever a client leaves."""
    _frame: tuple[wire.ServerMessage, bytes] | None = None

    def __len__(self) -> int:
        """Clients that are connected."""
        return len(self._open)

    @property
    def notifications_dropped(self) -> int:
        """Notifications that found no room, all clients together."""
        return self.dropped + sum(client.outbox.dropped for client in self._open.values())

    @property
    def pending(self) -> int:
        """Bytes that wait for clients."""
        return sum(client.outbox.pending for client in self._open.values())

    # ---- from the server ---------------------------------------------------------------------------------------------

    def connected(self, client: ClientConnection) -> None:
        """It passed the gate."""
        self._open[client.id] = client
        logs.note("client: connected", id=client.id, credential=client.credential, role=client.role.name.lower(), pid=client.pid)
        self.seen(client.device)
        self.happen(
            events.ClientConnected(
                at=moment(self.clock),
                client=client.id,
                role=client.role,
                credential=client.credential,
                notice=client.notice,
                device=client.device,
            )
        )

    def said(self, client: ClientConnection, message: wire.ClientMessage) -> None:
        """It said something."""
        self.happen(events.ClientSaid(at=moment(self.clock), client=client.id, message=message))

    def gone(self, client: ClientConnection) -> None:
        """The connection is over."""
        del self._open[client.id]
        left, self._left = self._left, anyio.Event()
        left.set()
        self.dropped += client.outbox.dropped
        if client.evicted is not None:
            self.evicted += 1
            logs.warn("client: cut, it does not read", id=client.id, credential=client.credential, why=client.evicted)
        logs.note("client: gone", id=client.id)
        self.happen(events.ClientGone(at=moment(self.clock), client=client.id))

    # ---- from the core -----------------------------------------------------------------------------------------------

    def send(self, command: Send) -> None:
        """Put a message into a client's outbox. One message for many clients is encoded once."""
        client = self._open.get(command.client)
        if client is None:
            return
        if self._frame is None or self._frame[0] is not command.message:
            self._frame = command.message, encode(command.message)
        client.put(self._frame[1], command.importance, command.key)
        if client.when_caught_up is None and client.outbox.pending > CHAT_BEHIND_BYTES:
            client.when_caught_up = lambda: self.happen(ClientCaughtUp(at=moment(self.clock), client=client.id))
            self.happen(ClientBehind(at=moment(self.clock), client=client.id))

    def close(self, command: CloseClient) -> None:
        """Close a client's connection after what waits."""
        client = self._open.get(command.client)
        if client is not None:
            client.close(command.code, command.reason)

    def served(self) -> tuple[ClientConnection, ...]:
        """Every connection that is open now."""
        return tuple(self._open.values())

    # ---- devices -----------------------------------------------------------------------------------------------------

    def device(self, client: ClientId) -> str:
        """Id of a client's device; empty on the control socket, and for one that is gone."""
        connection = self._open.get(client)
        return "" if connection is None else connection.device

    def connections(self, device: str) -> int:
        """How many connections the device of this id has now."""
        return sum(client.device == device for client in self._open.values())

    def cut(self, device: str, reason: str) -> None:
        """Close every connection of the device of this id at once: what still waits for it is not sent."""
        for client in tuple(self._open.values()):
            if client.device == device:
                client.cut(POLICY, reason)

    # ---- the daemon's end --------------------------------------------------------------------------------------------

    def close_all(self, reason: str) -> None:
        """Say farewell to everybody."""
        for client in tuple(self._open.values()):
            client.close(GOING_AWAY, reason)

    async def wait_until_gone(self, but: int = 0) -> None:
        """Return when nobody, or at most `but` clients, are connected."""
        while len(self._open) > but:
            await self._left.wait()

    def abort_all(self) -> None:
        """Drop whoever has not taken the farewell."""
        for client in tuple(self._open.values()):
            client.abort()
