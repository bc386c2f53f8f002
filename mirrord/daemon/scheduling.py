"""Pi goes first: the daemon takes no core from a Pi that is just telling it something."""

from __future__ import annotations

import contextlib
import os
import sys


def go_after_pi() -> None:
    """From now on, for this process and what it starts.

    Linux runs a process that is woken at once where it may, in the place of the one that woke it. So a Pi would stand still within its
    write to us until we have read it: up to 2 ms, measured. One of the batch policy, sched(7), waits for its turn instead, and loses none
    of its share. A policy that somebody chose for the daemon stays, and where this one is forbidden, it is as ever.
    """
    if sys.platform == "linux":  # pragma: no branch
        with contextlib.suppress(OSError):
            if os.sched_getscheduler(0) == os.SCHED_OTHER:
                os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
