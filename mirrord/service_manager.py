"""The system's own way to run the daemon, where a unit or agent for it is installed: systemd's user manager, or launchd.

A daemon that it starts has its environment and its limits, and belongs to no terminal or login.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from shutil import which
from typing import Final

SYSTEMD_UNIT: Final = "mirrord.service"
LAUNCHD_LABEL: Final = "pi.mirrord"

REQUEST_SECONDS: Final = 5.0
"""How long the manager may take. One that is busy with something else must not keep Pi waiting: the daemon is then started directly."""

_DATA_DIRS: Final = "/usr/local/share:/usr/share"
"""The XDG specification's default."""

_SYSTEM_FOLDERS: Final = ("/usr/local/lib", "/usr/lib")
_LAUNCHD_FOLDERS: Final = ("Library/LaunchAgents", "/Library/LaunchAgents")
"""The first below the home."""


def start_command(env: Mapping[str, str], platform: str, uid: int, home: str) -> tuple[str, ...] | None:
    """The command that asks the manager to start the daemon; None without a manager that can be reached or an installed unit.

    `platform` as in `sys.platform`. Reads directories only.
    """
    if platform == "darwin":
        installed = any((Path(home) / folder / f"{LAUNCHD_LABEL}.plist").is_file() for folder in _LAUNCHD_FOLDERS)
        program = which("launchctl", path=env.get("PATH"))
        return (program, "kickstart", f"gui/{uid}/{LAUNCHD_LABEL}") if installed and program is not None else None
    program = which("systemctl", path=env.get("PATH"))
    if program is None or not has_user_manager(env) or not _has_unit(env, home):
        return None
    return program, "--user", "--no-ask-password", "start", SYSTEMD_UNIT


def request_start(env: Mapping[str, str], uid: int, home: str) -> bool:
    """Ask the manager to start the daemon; whether it did. `env` is all that its client gets. Blocks up to REQUEST_SECONDS."""
    command = start_command(env, sys.platform, uid, home)
    if command is None:
        return False
    try:
        asked = subprocess.run(
            command,
            env=env,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=REQUEST_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return asked.returncode == 0


def has_user_manager(env: Mapping[str, str]) -> bool:
    """Whether a manager serves the very runtime directory in which our daemon would be; another one's daemon would be of no use."""
    runtime = absolute(env, "XDG_RUNTIME_DIR")
    return runtime is not None and any((runtime / name).exists() for name in ("systemd/private", "bus"))


def _has_unit(env: Mapping[str, str], home: str) -> bool:
    """Whether the first unit file on systemd's path is one; one that is empty or leads to /dev/null is masked."""
    for folder in _unit_folders(env, Path(home)):
        unit = folder / "systemd" / "user" / SYSTEMD_UNIT
        if unit.exists() or unit.is_symlink():
            return unit.is_file() and unit.stat().st_size > 0
    return False


def _unit_folders(env: Mapping[str, str], home: Path) -> Iterator[Path]:
    """In the order of systemd.unit(5), for user units."""
    yield absolute(env, "XDG_CONFIG_HOME") or home / ".config"
    yield Path("/etc")
    if (runtime := absolute(env, "XDG_RUNTIME_DIR")) is not None:
        yield runtime
    yield Path("/run")
    yield absolute(env, "XDG_DATA_HOME") or home / ".local" / "share"
    for folder in (*(env.get("XDG_DATA_DIRS") or _DATA_DIRS).split(":"), *_SYSTEM_FOLDERS):
        if folder.startswith("/"):
            yield Path(folder)


def absolute(env: Mapping[str, str], name: str) -> Path | None:
    """The folder that a variable of the XDG specification names, which ignores a relative one."""
    value = env.get(name, "")
    return Path(value) if value.startswith("/") else None
