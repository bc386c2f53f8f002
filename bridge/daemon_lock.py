"""At most one daemon per runtime directory: a `flock` that dies with its holder, and a note of who that is.

The lock is the truth and the JSON in the file only a note, so an empty, broken or outdated note is no obstacle. The
file is never removed: whoever removed it could let two daemons each lock a file of their own.
"""

from __future__ import annotations

import fcntl
import os
import stat
from typing import TYPE_CHECKING, Annotated, Final, Self

import msgspec

from bridge.pause import pause_thread
from bridge.process import is_alive, start_time
from bridge.refusal import Refusal

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from bridge.pause import Pause

_MODE: Final = 0o600

_NOTE_BYTES: Final = 4096
"""Most that is read of a note: a pid, a start time, a socket path (at most 107 bytes) and a port are far below."""

_LAST_PORT: Final = 65_535

_REPLACED_TRIES: Final = 10
"""How often the file may be replaced between opening and locking it before we give up."""

_NOTE_WAIT_SECONDS: Final = 1.0
"""How long the loser of a race waits for the winner's note, which is written right after the lock is taken."""

_NOTE_PAUSE_SECONDS: Final = 0.01


class Holder(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Who holds the lock. `start_time` tells a process from a later one with the same pid.

    `port` is where devices reach it; None until it listens, and of an older version, which did not note it.
    """

    pid: int
    start_time: str | None
    socket: str
    port: Annotated[int, msgspec.Meta(ge=1, le=_LAST_PORT)] | None = None


class DaemonRunning(Refusal):
    """Another daemon holds the lock; `holder` is None when its note could not be read in time."""

    def __init__(self, path: Path, holder: Holder | None) -> None:
        self.holder = holder
        if holder is None:
            super().__init__(f"another mirrord holds {path}; stop it, or use it with `mirrord attach`")
        else:
            super().__init__(
                f"mirrord is already running (pid {holder.pid}, socket {holder.socket}); "
                f"stop it with `kill {holder.pid}`, or use it with `mirrord attach`"
            )


class LockNotUsable(Refusal):
    """The lock file cannot be opened, is no plain file, or belongs to somebody else."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"the lock file {path} cannot be used ({reason}); remove it and start again")


class DaemonLock:
    """Held from `acquire` until `release`, the end of the `with` block, or the end of the process."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._fd: int | None = None
        self._holder: Holder | None = None

    @property
    def held(self) -> bool:
        """Whether this object holds the lock."""
        return self._fd is not None

    def acquire(self, socket: Path, pause: Pause = pause_thread) -> None:
        """Take the lock and note who we are, or raise `DaemonRunning` at once when it is held.

        The loser of a race waits up to a second with `pause` for the winner's note, so that it can name the winner.
        It blocks, so call it before a loop runs.
        """
        if self.held:
            raise AssertionError("this lock is held already")
        fd = self._open_locked()
        if fd is None:
            raise DaemonRunning(self._path, _wait_for_holder(self._path, pause))
        self._fd = fd
        self._note(Holder(os.getpid(), start_time(os.getpid()), str(socket)))

    def note_port(self, port: int) -> None:
        """Add to the note where devices reach the holder: whoever replaces one that does not answer cannot ask it."""
        if self._holder is None:
            raise AssertionError("a port is noted only while the lock is held")
        self._note(msgspec.structs.replace(self._holder, port=port))

    def release(self) -> None:
        """Clear the note and give the lock up. Does nothing when it is not held."""
        fd, self._fd, self._holder = self._fd, None, None
        if fd is not None:
            os.ftruncate(fd, 0)
            os.close(fd)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.release()

    def _note(self, holder: Holder) -> None:
        assert self._fd is not None
        # As long without a port as with any: in a file that grew, whoever reads at that moment would find half a note.
        length = len(msgspec.json.encode(msgspec.structs.replace(holder, port=_LAST_PORT)))
        os.pwrite(self._fd, msgspec.json.encode(holder).ljust(length), 0)
        os.ftruncate(self._fd, length)
        self._holder = holder

    def _open_locked(self) -> int | None:
        """A descriptor that holds the lock on the file which is at the path now, or None when another holds it."""
        for _ in range(_REPLACED_TRIES):
            fd = self._open()
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(fd)
                return None
            if _is_at(fd, self._path):
                return fd
            os.close(fd)
        raise LockNotUsable(self._path, "it is being replaced again and again")

    def _open(self) -> int:
        try:
            fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, _MODE)
        except OSError as error:
            raise LockNotUsable(self._path, error.strerror or str(error)) from error
        found = os.fstat(fd)
        problem = None
        if not stat.S_ISREG(found.st_mode):
            problem = "it is no plain file"
        elif found.st_uid != os.getuid():
            problem = f"it belongs to user {found.st_uid}"
        if problem is not None:
            os.close(fd)
            raise LockNotUsable(self._path, problem)
        return fd


def read_holder(path: Path) -> Holder | None:
    """The living process that noted itself as holder of the lock at `path`. None: there is none, or the note is broken.

    It does not touch the lock, so asking never gets in the way of a daemon that starts.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        holder = msgspec.json.decode(os.read(fd, _NOTE_BYTES), type=Holder)
    except (OSError, msgspec.DecodeError):
        return None
    finally:
        os.close(fd)
    return holder if is_alive(holder.pid, holder.start_time) else None


def _wait_for_holder(path: Path, pause: Pause) -> Holder | None:
    for _ in range(round(_NOTE_WAIT_SECONDS / _NOTE_PAUSE_SECONDS)):
        holder = read_holder(path)
        if holder is not None:
            return holder
        pause(_NOTE_PAUSE_SECONDS)
    return None


def _is_at(fd: int, path: Path) -> bool:
    try:
        there = path.lstat()
    except FileNotFoundError:
        return False
    here = os.fstat(fd)
    return (there.st_dev, there.st_ino) == (here.st_dev, here.st_ino)
