"""Everything that can happen to the core. Every event carries its moment; the core never asks a clock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mirrord.core.model import ClientId, LinkId, Moment, Prompt, PromptId, ResponseId, Settlement, Terminal, TerminalId
from mirrord.wire.messages import ClientMessage
from mirrord.wire.roles import Role


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened at a moment."""

    at: Moment


# ---- from the terminal's side ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class TerminalLinked(Event):
    """An extension said hello. A link that the terminal had before is replaced."""

    link: LinkId
    terminal: Terminal


@dataclass(frozen=True, slots=True, kw_only=True)
class FromLink(Event):
    """Base of what arrives on a link; a link that is not the terminal's current one is ignored."""

    link: LinkId


@dataclass(frozen=True, slots=True, kw_only=True)
class ResyncBegan(FromLink):
    """The terminal tells everything again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResyncEnded(FromLink):
    """What was not told again is gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptOpened(FromLink):
    """A dialog is open in the terminal."""

    prompt: Prompt


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptSettled(FromLink):
    """The terminal's verdict. `settlement.winner_name` is filled by the core, from the response it forwarded."""

    settlement: Settlement


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseRejected(FromLink):
    """The terminal did not take a response."""

    prompt: PromptId
    response: ResponseId
    reason: Literal["settled", "unknown", "invalid"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Notified(FromLink):
    """`ctx.ui.notify`."""

    message: str
    level: Literal["info", "warning", "error"] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusSet(FromLink):
    """`ctx.ui.setStatus`; None clears."""

    key: str
    text: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TitleSet(FromLink):
    """`ctx.ui.setTitle`."""

    title: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ActivityChanged(FromLink):
    """The agent started or stopped working. `since` in ms since the epoch, by Pi's clock."""

    working: bool
    cause: str
    since: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationChanged(FromLink):
    """The conversation under the terminal changed or was renamed."""

    conversation_id: str
    cwd: str
    name: str | None
    first_message: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeGiven(FromLink):
    """The extension reports something about itself; one sentence, sanitized."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TerminalBye(FromLink):
    """The extension closes on purpose."""

    reason: Literal["quit", "reload", "new", "resume", "fork", "off"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkLost(FromLink):
    """The link is closed. `alive` says whether the process (pid and start time) still runs."""

    alive: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StopFinished(FromLink):
    """What became of a request to stop the turn; `message` is one sentence when it did not happen."""

    request: str
    ok: bool
    message: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessPaused(Event):
    """The process is stopped (Ctrl+Z) or does not react (an editor runs in its place), or does again."""

    terminal: TerminalId
    paused: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessGone(Event):
    """The Pi process is proven dead."""

    terminal: TerminalId


# ---- from clients ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientConnected(Event):
    """A connection passed the gate. Nothing is sent before its hello."""

    client: ClientId
    role: Role
    credential: str
    notice: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientSaid(Event):
    """A decoded frame of a client."""

    client: ClientId
    message: ClientMessage


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientGone(Event):
    """The connection ended; what it asked for goes on."""

    client: ClientId


__all__ = [
    "ActivityChanged",
    "ClientConnected",
    "ClientGone",
    "ClientSaid",
    "ConversationChanged",
    "Event",
    "FromLink",
    "LinkLost",
    "NoticeGiven",
    "Notified",
    "ProcessGone",
    "ProcessPaused",
    "PromptOpened",
    "PromptSettled",
    "ResponseRejected",
    "ResyncBegan",
    "ResyncEnded",
    "StatusSet",
    "StopFinished",
    "TerminalBye",
    "TerminalLinked",
    "TitleSet",
]
