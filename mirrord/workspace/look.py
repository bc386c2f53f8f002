"""One look at a folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import anyio
import anyio.to_thread

from mirrord.core.workspace import Workspace
from mirrord.workspace.git import Changes, Git, GitUnavailable, changes, find_git
from mirrord.workspace.repository import find
from sanitize import label

FOLDER_CLUSTERS: Final = 256
"""Length of a path as it is shown."""

BRANCH_CLUSTERS: Final = 128
"""Length of a branch's name as it is shown; made from titles of issues, they become long."""

FILES_SECONDS: Final = 2.0
"""How long a file system may take for a handful of small files; one that hangs answers never."""


@dataclass(frozen=True, slots=True)
class Look:
    """What was seen; `slow` when it cost so much that the next look should be later."""

    workspace: Workspace | None
    slow: bool = False


async def look(folder: str, trusted: bool, files: anyio.CapacityLimiter) -> Look:
    """Look at a folder; Git is asked only in a `trusted` one. Never raises for what is found there, ends within seconds.

    `files` bounds the threads that read files: one that a file system lets hang keeps its place there.
    """
    read: _Read | None = None
    with anyio.move_on_after(FILES_SECONDS) as limit:
        read = await anyio.to_thread.run_sync(_read_files, folder, trusted, abandon_on_cancel=True, limiter=files)
    if read is None:
        return Look(None, slow=limit.cancelled_caught)
    found: Changes | None = None
    slow = False
    if read.git is not None and read.root is not None:
        try:
            found = await changes(read.git, read.root)
        except GitUnavailable as error:
            slow = error.slow
    branch = None if read.branch is None else label(read.branch, limit=BRANCH_CLUSTERS).text or None
    counts = (None, None) if found is None else (found.additions, found.deletions)
    return Look(Workspace(label(folder, limit=FOLDER_CLUSTERS).text, branch, *counts), slow)


@dataclass(frozen=True, slots=True)
class _Read:
    """What the files say. `git` is there where it may be asked about `root`."""

    branch: str | None = None
    root: Path | None = None
    git: Git | None = None


def _read_files(folder: str, trusted: bool) -> _Read | None:
    """None when there is no such folder."""
    try:
        here = Path(folder).resolve(strict=True)
    except (OSError, ValueError, RuntimeError):
        return None  # among them a null character and a loop of links
    try:
        repository = find(here)
        if repository is None:
            return _Read()
        may_ask = trusted and not repository.uses_filters()
        return _Read(repository.head(), repository.root, find_git(repository.root) if may_ask else None)
    except (OSError, ValueError, RuntimeError):
        return _Read()  # what belongs to somebody else is not for us
