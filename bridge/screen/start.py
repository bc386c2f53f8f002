"""Start a follower beside the copy loop."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from typing import Final

from bridge.screen.feed import Feed

_DEFAULTED: Final = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGCHLD, signal.SIGCONT, signal.SIGTSTP, signal.SIGWINCH)
"""Signals that whoever copies may catch or ignore."""


class Followed(Feed):
    """The feed of a follower that was started here."""

    def __init__(self, fd: int, pid: int) -> None:
        super().__init__(fd)
        self.pid: Final = pid

    def close(self) -> None:
        """As ever; a follower that has ended already leaves no zombie, and any other outlives this process by a moment."""
        super().close()
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.pid, os.WNOHANG)


def start(pi_pid: int, *, shared: bool, columns: int, rows: int, version: str = "") -> Followed:
    """A follower of Pi's screen, in a process and a session of its own, and the feed for it; returns at once.

    It inherits nothing but its pipe and ends with that. Raises OSError when no process can be made.
    """
    arguments = (str(pi_pid), str(columns), str(rows), "1" if shared else "0", version)
    reading, writing = os.pipe()
    try:
        pid = os.posix_spawn(
            sys.executable,
            [sys.executable, "-P", "-m", "bridge.screen.run", *arguments],
            os.environ,
            file_actions=(
                (os.POSIX_SPAWN_DUP2, reading, 0),
                (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
            ),
            setsid=True,
            setsigmask=(),
            setsigdef=_DEFAULTED,
        )
    except BaseException:
        os.close(writing)
        raise
    finally:
        os.close(reading)
    return Followed(writing, pid)
