"""What one session asks of the core that holds it: publish to its followers, tell one client, act on its link."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mirrord.core.commands import CloseLink, Forward, WatchProcess, WatchScreen
from mirrord.core.model import ClientId, Importance
from mirrord.wire.messages import ResponseResult, Screen, ServerMessage

Audience = Literal["all", "controllers", "observers"]
"""Clients of which roles; an owner is a controller too."""


@dataclass(frozen=True, slots=True)
class Publish:
    """To every client that follows the session, as far as it is of the audience."""

    message: ServerMessage
    importance: Importance = "must"
    key: str | None = None
    durable: bool = True
    """Whether it goes into the journal, for who comes back; what is `may` never does."""
    after: str | None = None
    """A key of which no newer value follows: one that waits for its turn goes out before this."""
    audience: Audience = "all"


@dataclass(frozen=True, slots=True)
class Tell:
    """To one client: what became of its answer."""

    client: ClientId
    message: ResponseResult


@dataclass(frozen=True, slots=True)
class Show:
    """To one client that watches the session's screen: the newest stands for all before it."""

    client: ClientId
    screen: Screen


Effect = Publish | Tell | Show | WatchScreen | Forward | CloseLink | WatchProcess
