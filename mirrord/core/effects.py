"""What one session asks of the core that holds it: publish to its followers, tell one client, act on its link."""

from __future__ import annotations

from dataclasses import dataclass

from mirrord.core.commands import CloseLink, Forward, WatchProcess
from mirrord.core.model import ClientId, Importance
from mirrord.wire.messages import ResponseResult, ServerMessage


@dataclass(frozen=True, slots=True)
class Publish:
    """To every client that follows the session."""

    message: ServerMessage
    importance: Importance = "must"
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Tell:
    """To one client: what became of its answer."""

    client: ClientId
    message: ResponseResult


Effect = Publish | Tell | Forward | CloseLink | WatchProcess
