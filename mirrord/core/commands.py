"""Everything the core can ask its surroundings to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mirrord.core.chat.commands import ChatCommand
from mirrord.core.model import ClientId, Importance, LinkId, PromptId, Reply, ResponseId, TerminalId
from mirrord.core.receipts import KeepReceipt
from mirrord.core.wake import AskLink
from mirrord.core.workspace import LeaveWorkspace, LookAtWorkspace
from mirrord.wire.attention import Attention
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
class WatchScreen:
    """Ask whoever follows this terminal's screen for it, or no longer; ScreenDrawn follows while it is asked for.

    `after` so many seconds, unless another WatchScreen comes before.
    """

    terminal: TerminalId
    on: bool
    after: float = 0.0


@dataclass(frozen=True, slots=True)
class TellScreen:
    """Tell the extension how it stands with its terminal's screen."""

    link: LinkId
    followed: bool
    shared: bool
    watchers: int


@dataclass(frozen=True, slots=True)
class RunCommand:
    """Carry out a client's command (its role allows it) and answer with a command_result."""

    client: ClientId
    request_id: str
    name: str
    args: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Push:
    """Have a device's push service tell it this, in place of what waits there of the same session."""

    device: str
    message: Attention


Command = (
    Send
    | CloseClient
    | Forward
    | ForwardStop
    | CloseLink
    | WatchProcess
    | WatchScreen
    | TellScreen
    | RunCommand
    | Push
    | AskLink
    | ChatCommand
    | KeepReceipt
    | LookAtWorkspace
    | LeaveWorkspace
)
