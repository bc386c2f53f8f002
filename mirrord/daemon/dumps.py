"""No dump of the daemon's memory: it holds conversations, and a dump would be a copy on disk that nobody takes away again."""

from __future__ import annotations

import contextlib
import resource
from pathlib import Path
from typing import Final

_MAPPINGS_IN_A_DUMP: Final = Path("/proc/self/coredump_filter")


def forbid() -> None:
    """From now on, and for whatever this process starts. It may crash, or be aborted by a watchdog, as anything else may.

    The limit is what most systems ask. Linux does not where a program takes the dumps: of those some ask it and some do not, and so the
    dump has no memory in it. `PR_SET_DUMPABLE` would forbid as much, and more: our own checks could not see the daemon in /proc any more.
    """
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError):
        _MAPPINGS_IN_A_DUMP.write_text("0")
