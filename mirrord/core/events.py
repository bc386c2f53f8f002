"""Everything that can happen to the core. Every event carries its moment; the core never asks a clock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mirrord.core.model import ClientId, LinkId, Moment, Prompt, PromptId, ResponseId, Settlement, Terminal, TerminalId
from mirrord.wire.attention import NotifySettings
from mirrord.wire.messages import ClientMessage, Screen
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
class ActivityChanged(FromLink):
    """The agent started or stopped working. `since` in ms since the epoch, by Pi's clock."""

    working: bool
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
    """The extension reports something about itself; one sentence, sanitized. A later report about the same thing replaces it."""

    text: str
    about: str | None = None
    """What is counted; None for what is told once."""


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
class ScreenShareSet(FromLink):
    """The person at the terminal lets its screen be seen, or no longer."""

    on: bool


# ---- from the screen -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class FromScreen(Event):
    """Base of what is known from the screen of a terminal that `mirrord pi` started; for a terminal without a session it means nothing."""

    terminal: TerminalId


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenLinked(FromScreen):
    """The follower of the terminal's screen is there. `shared`: the terminal was started to be seen. Its state comes after."""

    shared: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenStateChanged(FromScreen):
    """A menu of Pi's own waits on the screen since `since` (ms since the epoch), or none does."""

    menu: str | None
    since: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenProgramSaid(FromScreen):
    """What Pi says of itself (OSC 7501): `idle`, `working`, `blocked`, `done`, `error`; None once it took that back."""

    state: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenDrawn(FromScreen):
    """The screen as it may be shown, asked for by WatchScreen."""

    screen: Screen


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenLost(FromScreen):
    """The follower is gone: nobody sees the screen any more."""


# ---- from the machine ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class TerminalGone(Event):
    """The terminal was closed under its Pi, which still runs: nobody can use it any more."""

    terminal: TerminalId


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeIs(Event):
    """It is as late as the core wanted to know (`Core.wake_at`), or later."""


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
    device: str = ""
    """Id of the device whose credential it is; empty on the control socket."""


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
    "FromScreen",
    "LinkLost",
    "NoticeGiven",
    "ProcessGone",
    "ProcessPaused",
    "PromptOpened",
    "PromptSettled",
    "ResponseRejected",
    "ResyncBegan",
    "ResyncEnded",
    "ScreenDrawn",
    "ScreenLinked",
    "ScreenLost",
    "ScreenProgramSaid",
    "ScreenShareSet",
    "ScreenStateChanged",
    "StopFinished",
    "TerminalBye",
    "TerminalGone",
    "TerminalLinked",
    "TimeIs",
]


# ---- about devices ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceNoted(Event):
    """What a device wants to be told, and whether it can be while it is not connected: all of it, as it is now."""

    device: str
    settings: NotifySettings
    subscribed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceForgotten(Event):
    """A device was revoked."""

    device: str
