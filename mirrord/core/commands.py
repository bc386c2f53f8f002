"""Everything the core can ask its surroundings to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mirrord.core.model import ClientId, Importance, LinkId, PromptId, Reply, ResponseId, TerminalId
from mirrord.wire.messages import ServerMessage


@dataclass(frozen=True, slots=True)
class Send:
    """Put a message into a client's outbox. `key` is set for `latest`: a waiting message with the same key is replaced."""

    client: ClientId
    message: ServerMessage
    importance: Importance = "must"
    key: str | None = None


@dataclass(frozen=True, slots=True)
class CloseClient:
    """Close a client's connection with this code and reason after what waits has been sent."""

    client: ClientId
    code: int
    reason: str


@dataclass(frozen=True, slots=True)
class Forward:
    """Give an answer to the terminal. `name` and `kind` say who answers, for display."""

    link: LinkId
    prompt: PromptId
    response: ResponseId
    reply: Reply
    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class ForwardStop:
    """Ask the terminal to stop the turn; StopFinished with the same `request` follows."""

    link: LinkId
    request: str
    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class CloseLink:
    """Close an extension's link; it was replaced."""

    link: LinkId


@dataclass(frozen=True, slots=True)
class WatchProcess:
    """Report ProcessGone once this terminal's process is dead."""

    terminal: TerminalId


@dataclass(frozen=True, slots=True)
class RunCommand:
    """Carry out a client's command (its role allows it) and answer with a command_result."""

    client: ClientId
    request_id: str
    name: str
    args: dict[str, Any]


Command = Send | CloseClient | Forward | ForwardStop | CloseLink | WatchProcess | RunCommand
