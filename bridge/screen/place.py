"""Whether the daemon's socket may be spoken to: the file system is the authentication, so it is looked at before a byte is written."""

from __future__ import annotations

import os
import stat
from pathlib import Path

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def is_ours(path: Path) -> bool:
    """Whether `path` is a socket of this user and of nobody else, in a directory that no other user can enter or exchange."""
    try:
        directory, found = path.parent.lstat(), path.lstat()
        parent = path.parent.parent
        exchangeable = bool(parent.parent.stat().st_mode & stat.S_IWOTH)
        safe = not exchangeable or _is_private(parent.lstat())
    except OSError:
        return False
    return safe and _is_private(directory) and stat.S_ISSOCK(found.st_mode) and _is_own(found)


def _is_private(found: os.stat_result) -> bool:
    return stat.S_ISDIR(found.st_mode) and _is_own(found)


def _is_own(found: os.stat_result) -> bool:
    return found.st_uid == os.getuid() and not found.st_mode & _OTHERS
