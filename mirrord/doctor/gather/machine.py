"""The machine, the terminal, and what surrounds them."""

from __future__ import annotations

import locale
import os
import shutil
import stat
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

import mirrord
from bridge.paths import Paths
from mirrord.doctor.facts import DATA_FOLDER, ClockFound, PlaceFound, Surroundings, TerminalFound
from mirrord.logs import FILE_NAME as LOG
from mirrord.store_file import FILE_NAME as STORE

_NO_TERMINALS: Final = ("", "dumb")
_CONTAINER_MARKS: Final = {"/.dockerenv": "Docker", "/run/.containerenv": "Podman"}
_CONTAINER_VARIABLES: Final = {
    "container": None,
    "KUBERNETES_SERVICE_HOST": "Kubernetes",
    "CODESPACES": "Codespaces",
    "TOOLBOX_PATH": "Toolbox",
}
_MULTIPLEXERS: Final = {"TMUX": "tmux", "STY": "screen", "ZELLIJ": "zellij"}
_RELEASE: Final = "/proc/sys/kernel/osrelease"


def places(paths: Paths) -> tuple[PlaceFound, ...]:
    """Our folders and what is private in them."""
    named = {
        "runtime folder": paths.runtime_dir,
        "state folder": paths.state_dir,
        DATA_FOLDER: paths.data_dir,
        "control socket": paths.control_socket,
        "bridge socket": paths.bridge_socket,
        "screen socket": paths.screen_socket,
        "store": paths.state_dir / STORE,
        "log": paths.state_dir / LOG,
    }
    return tuple(_place(name, path) for name, path in named.items())


def _place(name: str, path: Path) -> PlaceFound:
    try:
        found = _led_to(path) if name == DATA_FOLDER and path.is_symlink() else path.lstat()
    except OSError:
        return PlaceFound(name, path, None)
    kinds = ((stat.S_ISLNK, "link"), (stat.S_ISDIR, "directory"), (stat.S_ISSOCK, "socket"), (stat.S_ISREG, "file"))
    kind = next((word for is_it, word in kinds if is_it(found.st_mode)), "other")
    return PlaceFound(name, path, kind, stat.S_IMODE(found.st_mode), found.st_uid, os.access(path, os.W_OK))


def _led_to(link: Path) -> os.stat_result:
    """The directory of this user that the link leads to, else the link itself. Only the data folder may be elsewhere: `bridge/private.py`
    wants the folder of the extension in it to be no link, and the runtime and the state folder themselves."""
    with suppress(OSError):
        found = link.stat()
        if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid():
            return found
    return link.lstat()


def clock(env: Mapping[str, str]) -> ClockFound:
    """The wall clock beside the age of our own program."""
    zone = env.get("TZ", "").lstrip(":")
    known = not zone or zone.startswith("/") or _is_zone(zone)
    return ClockFound(time.time(), Path(mirrord.__file__).stat().st_mtime, time.strftime("%Z (%z)"), known)


def _is_zone(name: str) -> bool:
    """Whether the system knows the zone; one that it does not know counts as UTC, without a word. `EST5EDT` needs no file."""
    return (
        any(letter.isdecimal() for letter in name)
        or any((Path(folder) / name).is_file() for folder in ("/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/var/db/timezone/zoneinfo"))
        or name.upper() in ("UTC", "GMT")
    )


def surroundings(env: Mapping[str, str]) -> Surroundings:
    """What we run in."""
    return Surroundings(
        ssh=bool(env.get("SSH_CONNECTION") or env.get("SSH_TTY")),
        multiplexer=next((name for variable, name in _MULTIPLEXERS.items() if env.get(variable)), None),
        container=_container(env),
        wsl=bool(env.get("WSL_DISTRO_NAME")) or "microsoft" in _release(),
        root=os.getuid() == 0,
    )


def terminal(env: Mapping[str, str]) -> TerminalFound:
    """The terminal on our own input and output."""
    size = shutil.get_terminal_size()
    encoding = locale.getpreferredencoding(False)
    return TerminalFound(
        is_terminal=sys.stdin.isatty() and sys.stdout.isatty(),
        name=env.get("TERM", ""),
        encoding=encoding,
        locale_is_utf8=encoding.lower().replace("-", "") == "utf8",
        columns=size.columns,
        rows=size.lines,
        wrappable=env.get("TERM", "") not in _NO_TERMINALS,
    )


def _container(env: Mapping[str, str]) -> str | None:
    for path, name in _CONTAINER_MARKS.items():
        if os.path.exists(path):
            return name
    for variable, word in _CONTAINER_VARIABLES.items():
        if env.get(variable):
            return word or env[variable]
    return None


def _release() -> str:
    try:
        return Path(_RELEASE).read_text("ascii", "replace").lower()
    except OSError:
        return ""
