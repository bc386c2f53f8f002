"""To end as another process ended, so that whoever waits for us sees what it would have seen without us."""

from __future__ import annotations

import os
import resource
import signal
from contextlib import suppress
from typing import NoReturn

SIGNALLED = 128
"""What shells add to the number of the signal that ended a program."""


def share(status: int) -> NoReturn:
    """End this process with that wait status: the same exit code, or the same signal, without a dump of our memory."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [number])
        os.kill(os.getpid(), number)
        os._exit(SIGNALLED + number)
    os._exit(os.WEXITSTATUS(status))
