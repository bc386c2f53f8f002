"""The agent of launchd, as the text of a property list. Pure.

launchd hands sockets over by a C call (`launch_activate_socket`) alone, so the agent has none: the daemon runs from login on, binds its
sockets itself, and is started again when it fails.
"""

from __future__ import annotations

import plistlib
from typing import Any, Final

from mirrord.service.launch import Launch
from mirrord.service_manager import LAUNCHD_LABEL

STOP_SECONDS: Final = 5
"""An orderly end takes two at most."""

UMASK: Final = 0o077

START_LOG: Final = "service.log"
"""In the state directory: what the daemon says before it has a log of its own. launchd only appends to it."""


def plist(launch: Launch) -> bytes:
    """`pi.mirrord.plist`."""
    log = str(launch.paths.state_dir / START_LOG)
    agent: dict[str, Any] = {
        "Label": LAUNCHD_LABEL,
        "ProgramArguments": list(launch.command),
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "EnvironmentVariables": {name: value for name, value in launch.places.items() if value is not None},
        "ExitTimeOut": STOP_SECONDS,
        "ProcessType": "Interactive",
        "StandardOutPath": log,
        "StandardErrorPath": log,
        "Umask": UMASK,
        "WorkingDirectory": "/",
    }
    return plistlib.dumps(agent, sort_keys=True)
