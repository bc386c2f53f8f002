"""What is known of the folder that a session works in, and the core's side of finding it out. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from mirrord.core.events import Event
from mirrord.core.model import TerminalId


@dataclass(frozen=True, slots=True)
class Workspace:
    """A folder and its branch, sanitized.

    `additions` and `deletions` are lines of tracked files that differ from the last commit, staged or not; files that Git does not
    track and binary ones count nothing. None where Git may not be asked, or did not answer in time.
    """

    folder: str
    branch: str | None = None
    """Its name; the first seven digits of the commit where no branch is checked out; None without a repository."""
    additions: int | None = None
    deletions: int | None = None


@dataclass(frozen=True, slots=True)
class LookAtWorkspace:
    """Look at the folder of this terminal now and then, and soon: somebody follows it, or something may have changed in it.

    WorkspaceSeen follows, again and again until LeaveWorkspace.
    """

    terminal: TerminalId


@dataclass(frozen=True, slots=True)
class LeaveWorkspace:
    """Nobody follows this terminal any more: look no longer."""

    terminal: TerminalId


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceSeen(Event):
    """What the folder looks like, changed or not; None when it is not there."""

    terminal: TerminalId
    workspace: Workspace | None
