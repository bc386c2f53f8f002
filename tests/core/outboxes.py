"""The core with its clients behind outboxes: they fill, fall behind and are read as `daemon/clients.py` and `server/client.py` do it."""

from __future__ import annotations

from dataclasses import dataclass, field

from mirrord.core import commands, events
from mirrord.core.chat.events import ClientBehind, ClientCaughtUp
from mirrord.core.model import ClientId
from mirrord.core.outbox import Outbox
from mirrord.server.frames import encode
from mirrord.wire.limits import CHAT_BEHIND_BYTES, CHAT_CAUGHT_UP_BYTES
from tests.core.playbook import Playbook


@dataclass
class Outboxes(Playbook):
    """No outbox ever overflows: whoever feeds an event after which one would has found a client that is cut, and hears of it here."""

    boxes: dict[int, Outbox] = field(default_factory=dict)
    behind: set[int] = field(default_factory=set)
    most: int = 0
    """Bytes that waited for a client at most."""

    def feed(self, event: events.Event) -> list[commands.Command]:
        """One event; what clients get waits for them, and who falls behind is said before anything else happens."""
        out = super().feed(event)
        fell: list[int] = []
        for command in out:
            if isinstance(command, commands.Send):
                box = self.boxes.setdefault(command.client, Outbox())
                assert box.push(encode(command.message), command.importance, command.key) is None, f"client {command.client} is cut"
                self.most = max(self.most, box.pending)
                if command.client not in self.behind and box.pending > CHAT_BEHIND_BYTES:
                    self.behind.add(command.client)
                    fell.append(command.client)
        for client in fell:
            self.feed(ClientBehind(at=self.at, client=ClientId(client)))
        return out

    def reads(self, client: int, least: int = 0, once: bool = False) -> list[bytes]:
        """A client takes frames until no more than so many bytes wait, or `once` until it has caught up for the first time."""
        taken: list[bytes] = []
        box = self.boxes.setdefault(client, Outbox())
        while box.pending > least and (frame := box.take()) is not None:
            taken.append(frame)
            if client in self.behind and box.pending <= CHAT_CAUGHT_UP_BYTES:
                self.behind.discard(client)
                self.feed(ClientCaughtUp(at=self.at, client=ClientId(client)))
                if once:
                    break
        return taken

    def reads_everything(self, client: int) -> list[bytes]:
        """And goes on until nothing more comes."""
        taken: list[bytes] = []
        while len(self.boxes.setdefault(client, Outbox())) or self.core.wake_at is not None:
            taken += self.reads(client)
            self.passes(100)
        return taken

    def leaves(self, client: int) -> None:
        """A client's connection ends, and what waits for it is gone."""
        super().leaves(client)
        self.boxes.pop(client, None)
        self.behind.discard(client)
