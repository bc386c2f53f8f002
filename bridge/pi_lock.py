"""The lock that Pi takes on its settings file, taken in the same way, so that Pi and we never write at once.

Both generations use the npm package proper-lockfile with its defaults: the lock is a directory beside the file, named
after it with `.lock`, whether or not the file exists and without following links. One that is older than ten seconds was
left behind by a crash and is removed. Pi holds it for the milliseconds of one read or write.
"""

from __future__ import annotations

import os
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bridge.pause import pause_thread
from bridge.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bridge.pause import Pause

_STALE_SECONDS: Final = 10.0
"""proper-lockfile's default, which Pi does not change."""

_PAUSE_SECONDS: Final = 0.02
"""Pi's own pause between two tries."""

_TRIES: Final = 100
"""Two seconds in all; Pi tries ten times, but a person waits for us and nobody's work does."""


class SettingsLocked(Refusal):
    """Somebody holds the lock all the time, or took it away from us."""

    def __init__(self, lock: Path) -> None:
        super().__init__(f"Pi is writing its settings (it holds {lock}); try again in a moment")


class SettingsLockNotMade(Refusal):
    """The directory of the settings does not take the lock."""

    def __init__(self, lock: Path, reason: str) -> None:
        super().__init__(f"Pi's settings cannot be locked: {lock} cannot be made ({reason}); make its directory writable and try again")


@contextmanager
def pi_lock(settings: Path, pause: Pause = pause_thread) -> Iterator[Callable[[], None]]:
    """Hold Pi's lock on `settings`, whose directory exists. Blocks with `pause` for at most two seconds.

    The block is given a check that raises `SettingsLocked` when the lock is no longer ours, because this process stood
    still so long that it passed for crashed; call it right before writing.
    """
    lock = Path(f"{os.path.abspath(settings)}.lock")
    ours = _take(lock, pause)

    def check() -> None:
        if _identity(lock) != ours:
            raise SettingsLocked(lock)

    try:
        yield check
    finally:
        if _identity(lock) == ours:
            with suppress(OSError):
                lock.rmdir()


def _take(lock: Path, pause: Pause) -> tuple[int, int, int] | None:
    for attempt in range(_TRIES):
        if attempt:
            pause(_PAUSE_SECONDS)
        try:
            lock.mkdir()
        except FileExistsError:
            _remove_stale(lock)
        except OSError as error:
            raise SettingsLockNotMade(lock, error.strerror or str(error)) from error
        else:
            return _identity(lock)
    raise SettingsLocked(lock)


def _remove_stale(lock: Path) -> None:
    """Remove a lock that nobody has touched for ten seconds; a directory with something in it is no lock and stays."""
    with suppress(OSError):
        if lock.stat().st_mtime < time.time() - _STALE_SECONDS:
            lock.rmdir()


def _identity(lock: Path) -> tuple[int, int, int] | None:
    """Tells this directory from one made after it, which may get the same inode."""
    try:
        found = lock.lstat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_ctime_ns
