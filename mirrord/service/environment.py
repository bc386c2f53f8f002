"""What the daemon keeps of the environment that a service manager gave it.

A user's manager passes on whatever was imported into it, which may be everything of a login, secrets and agents among it. As everybody with
the user's rights can read a process's environment, the daemon starts once more with what it needs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Final

from mirrord.detached import daemon_environment
from mirrord.service_manager import LAUNCHD_LABEL

SHED: Final = "MIRRORD_SHED"
"""Set for the second start, so that there is no third one whatever finds its way back into the environment."""

_OF_THE_MANAGER: Final = frozenset(
    ("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "XPC_SERVICE_NAME")
)
_HARMLESS: Final = frozenset(("SHELL", "INVOCATION_ID", "JOURNAL_STREAM", "SYSTEMD_EXEC_PID", "MANAGERPID"))
"""Set by systemd for every service; there is nothing in them that the daemon must not have."""


def is_managed(environ: Mapping[str, str], pid: int) -> bool:
    """Whether a service manager started the process `pid`, whose environment this is."""
    return "NOTIFY_SOCKET" in environ or environ.get("LISTEN_PID") == str(pid) or is_launchds(environ)


def is_launchds(environ: Mapping[str, str]) -> bool:
    """Whether launchd started this, as our agent."""
    return environ.get("XPC_SERVICE_NAME") == LAUNCHD_LABEL


def shed(environ: Mapping[str, str]) -> dict[str, str] | None:
    """The environment to start again with; None when there is nothing in it to leave behind, or it was left behind already."""
    kept = daemon_environment(environ) | {name: value for name, value in environ.items() if name in _OF_THE_MANAGER | _HARMLESS}
    return None if SHED in environ or kept.keys() == environ.keys() else kept | {SHED: "1"}


def start_shed(environ: Mapping[str, str]) -> None:
    """Start this program once more, as the same process and without what it does not need; returns when there is nothing to shed."""
    kept = shed(environ)
    if kept is not None:
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], kept)
