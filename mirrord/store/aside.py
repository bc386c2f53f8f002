"""A store that cannot be used is set aside, whole, and never a reason not to start; so are few of them kept that no disk fills up."""

from __future__ import annotations

import contextlib
import os
import re
import time
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from typing import Final

SET_ASIDE: Final = 3
"""Kept at once: somebody who wants to know what happened looks at the newest, or at the first of a row."""

SIDE_FILES: Final = ("-wal", "-shm", "-journal")
"""What SQLite keeps beside a database. With another database than its own it is dangerous."""

_STAMP: Final = "%Y%m%dT%H%M%SZ"
_NAME: Final = re.compile(r"\.corrupt-(\d{8}T\d{6}Z)(\.\d+)?")


@dataclass(frozen=True, slots=True, order=True)
class Aside:
    """A store that was set aside; `at` is when, as in its name (UTC)."""

    at: str
    path: Path


def set_aside(path: Path, wall: int) -> Path:
    """Move what is at `path`, whatever it is, out of the way, with its side files; returns where it is now. The oldest ones go.

    `wall` is the time in ms since the epoch. Raises OSError, and then everything is where it was, or the side files are left, which
    belong to nothing then (`without_strangers`).
    """
    aside = _free_name(path, wall)
    os.replace(path, aside)
    for suffix in SIDE_FILES:
        with contextlib.suppress(FileNotFoundError):
            os.replace(f"{path}{suffix}", f"{aside}{suffix}")
    # The one that was just made is not among the oldest, whatever somebody did to the clock.
    for old in [each for each in found(path) if each.path != aside][: 1 - SET_ASIDE]:
        _remove(old.path)
    return aside


def size(path: Path) -> int:
    """What a database and its side files take on disk, in bytes."""
    total = 0
    for suffix in ("", *SIDE_FILES):
        with contextlib.suppress(OSError):
            total += os.stat(f"{path}{suffix}").st_size
    return total


def without_strangers(path: Path) -> None:
    """Remove side files that lie beside no database: SQLite would play them into the one that is made next. Raises OSError."""
    if os.path.lexists(path):
        return
    for suffix in SIDE_FILES:
        Path(f"{path}{suffix}").unlink(missing_ok=True)


def found(path: Path) -> list[Aside]:
    """The stores that were set aside from `path`, the oldest first."""
    named = ((_NAME.fullmatch(other.name.removeprefix(path.name)), other) for other in path.parent.glob(f"{path.name}.corrupt-*"))
    return sorted(Aside(match[1], other) for match, other in named if match is not None)


def _free_name(path: Path, wall: int) -> Path:
    stamp = time.strftime(_STAMP, time.gmtime(wall / 1000))
    plain = path.with_name(f"{path.name}.corrupt-{stamp}")
    candidates = chain((plain,), (plain.with_name(f"{plain.name}.{number}") for number in count(2)))
    return next(free for free in candidates if not os.path.lexists(free))


def _remove(path: Path) -> None:
    """A folder that somebody put there is only removed when nothing is in it: it is no work of ours."""
    for each in (path, *(Path(f"{path}{suffix}") for suffix in SIDE_FILES)):
        with contextlib.suppress(OSError):
            each.rmdir() if each.is_dir() and not each.is_symlink() else each.unlink()
