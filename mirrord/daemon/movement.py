"""What moved last, and how much ever did: that data moves is the only proof that a daemon works."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from mirrord.clock import Clock
from mirrord.core import commands, events
from mirrord.core.chat import commands as chat
from mirrord.wire import messages as wire

FLOWS: Final = ("fromTerminals", "toTerminals", "fromClients", "toClients")
"""Seen from the daemon. A terminal is a Pi, through its extension; a client is a device or a program."""

_TO_TERMINALS: Final = (commands.Forward, commands.ForwardStop, chat.ForwardTurn, chat.ForwardAction, chat.AskHistory)


@dataclass(slots=True)
class Flow:
    """One direction. `at`: when something moved last, ms since the epoch."""

    count: int = 0
    at: int | None = None

    def moved(self, now: int) -> None:
        """Something moves."""
        self.count += 1
        self.at = now


@dataclass(slots=True)
class Movement:
    """Told of every event and every command; costs a clock's reading for each that moves something."""

    clock: Clock
    flows: dict[str, Flow] = field(default_factory=lambda: {name: Flow() for name in FLOWS})

    def happened(self, event: events.Event) -> None:
        """An event is handled."""
        if isinstance(event, events.FromLink):
            self.flows["fromTerminals"].moved(event.at.wall)
        elif isinstance(event, events.ClientSaid) and not _only_asks(event.message):
            self.flows["fromClients"].moved(event.at.wall)

    def carried_out(self, command: commands.Command) -> None:
        """A command is carried out."""
        if isinstance(command, commands.Send) and not isinstance(command.message, wire.Welcome | wire.CommandResult):
            self.flows["toClients"].moved(self.clock.wall())
        elif isinstance(command, _TO_TERMINALS):
            self.flows["toTerminals"].moved(self.clock.wall())

    def as_object(self) -> dict[str, Any]:
        """As status tells it."""
        return {name: {"count": flow.count, "at": flow.at} for name, flow in self.flows.items()}


def _only_asks(message: wire.ClientMessage) -> bool:
    """Whether it is how a client comes, or asks how we are: looking at it would be the last thing that moved."""
    return isinstance(message, wire.Hello) or (isinstance(message, wire.Command) and message.name == "status")
