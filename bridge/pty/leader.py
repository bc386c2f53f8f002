"""The leader of the session in Pi's terminal: what a shell is for a program that runs in the foreground.

Without it Pi's group would have nobody to wake it, and the kernel would not let it be stopped by Ctrl+Z. It is Pi's parent, so it knows
how Pi ends; it holds Pi's terminal open, so nothing is lost while Pi itself does not; and it ends Pi when the guard has gone.
"""

from __future__ import annotations

import os
import resource
import select
import signal
import time
from contextlib import suppress
from typing import Final, NoReturn

from bridge.pty.ending import Ending
from bridge.pty.fate import share
from bridge.pty.reports import Kind, Report, write_report
from bridge.pty.signals import Signals, ignore

_FAILED: Final = 70
"""sysexits(3): an error of ours."""
_MOST_DESCRIPTORS: Final = 1 << 20

_NOT_FOR_US: Final = (
    *(signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGPIPE),
    *(signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU, signal.SIGUSR1, signal.SIGUSR2),
)


def lead(pid: int, reports: int, leash: int) -> NoReturn:
    """Be the leader for the child `pid`, in a process that was just forked in its terminal; 0 is that terminal."""
    try:
        ignore(*_NOT_FOR_US)
        _close_all_but(reports, leash)
        share(_watch(pid, reports, leash))
    finally:
        os._exit(_FAILED)


def _watch(pid: int, reports: int, leash: int) -> int:
    """Pi's wait status, once it has one."""
    signals = Signals([signal.SIGCHLD])
    _tell(reports, Report(Kind.STARTED, pid))
    poll = select.poll()
    poll.register(signals.fileno(), select.POLLIN)
    poll.register(leash, 0)
    ending: Ending | None = None
    while True:
        found, status = os.waitpid(pid, os.WNOHANG | os.WUNTRACED)
        if found and not os.WIFSTOPPED(status):
            # Who hangs up, the worker or we by our end, hangs up on the group in front. What Pi left running is not meant to end by that.
            with suppress(OSError):
                os.tcsetpgrp(0, os.getpgrp())
            _tell(reports, Report(Kind.ENDED, status))
            return status
        if found:
            _tell(reports, Report(Kind.STOPPED, os.WSTOPSIG(status)))
            continue
        if ending is not None and (number := ending.due(time.monotonic())):
            end_group(pid, number)
        left = None if ending is None else ending.seconds_left(time.monotonic())
        for ready, _ in poll.poll(None if left is None else left * 1000):
            if ready == leash:
                poll.unregister(leash)
                ending = Ending(time.monotonic())
        signals.take()


def end_group(pid: int, number: signal.Signals) -> None:
    """The signal to the group of `pid`, also when it is stopped."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)
        os.killpg(pid, signal.SIGCONT)


def _tell(reports: int, report: Report) -> None:
    # The guard may be gone: Pi is to end all the same.
    with suppress(OSError):
        write_report(reports, report)


def _close_all_but(*kept: int) -> None:
    """What a copy of the guard holds is not ours to hold, but for Pi's terminal as 0; output has nowhere to go."""
    most = min(resource.getrlimit(resource.RLIMIT_NOFILE)[0], _MOST_DESCRIPTORS)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    edges = sorted({2, *kept})
    for below, above in zip(edges, [*edges[1:], most], strict=True):
        if above > below:
            os.closerange(below + 1, above)
