"""Where mirrord's files are; the extension computes the same places (`fixtures/paths.json` is read by both sides).

A path is made by string rules that are the same in both languages: a join drops the base's trailing slashes, puts one
slash and the name; nothing else is normalised. Byte lengths and the hash are those of the UTF-8 text.
"""

from __future__ import annotations

import hashlib
import os
import pwd
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

SOCKET_PATH_BYTES: Final = 107
"""Longest path of a unix socket on Linux: `sun_path` is 108 bytes with the closing NUL."""

SOCKET_PATH_BYTES_DARWIN: Final = 103
"""Longest path of a unix socket on macOS: `sun_path` is 104 bytes with the closing NUL."""

_APP: Final = "mirrord"
_BRIDGE_SOCKET: Final = "bridge.sock"
_CONTROL_SOCKET: Final = "control.sock"
_SCREEN_SOCKET: Final = "screen.sock"
_LONGEST_SOCKET: Final = max(_BRIDGE_SOCKET, _CONTROL_SOCKET, _SCREEN_SOCKET, key=len)


@dataclass(frozen=True, slots=True)
class Paths:
    """Every place mirrord uses, as absolute paths. Nothing here exists until somebody makes it."""

    runtime_dir: Path
    """Sockets and the lock; private to the user (`bridge/private.py` makes and checks it)."""
    bridge_socket: Path
    """Pi extensions connect here."""
    control_socket: Path
    """Local clients (`mirrord attach`, `mirrord status`) connect here."""
    screen_socket: Path
    """Followers of a terminal's screen connect here (`bridge/screen/`)."""
    lock_file: Path
    """Held by the running daemon (`bridge/daemon_lock.py`)."""
    state_dir: Path
    """The store and logs."""
    data_dir: Path
    """The copy of the extension that Pi loads."""
    config_file: Path


def locate(env: Mapping[str, str], platform: str, uid: int, home: str) -> Paths:
    """The paths for a user: `platform` as in `sys.platform`, `home` an absolute path. Reads no file.

    A relative XDG variable is ignored, as the XDG specification asks. Where a socket's path would be longer than the
    system allows, the runtime directory moves to a short one under `/tmp` that is named after the long one.
    """
    darwin = platform == "darwin"
    library = _join(home, f"Library/Application Support/{_APP}")
    state = _xdg(env, "XDG_STATE_HOME") or (f"{library}/state" if darwin else _join(home, f".local/state/{_APP}"))
    data = _xdg(env, "XDG_DATA_HOME") or (library if darwin else _join(home, f".local/share/{_APP}"))
    config = _xdg(env, "XDG_CONFIG_HOME") or _join(home, f".config/{_APP}")
    runtime = _xdg(env, "XDG_RUNTIME_DIR") or f"{state}/run"
    if len(_utf8(f"{runtime}/{_LONGEST_SOCKET}")) > socket_path_limit(platform):
        runtime = f"/tmp/{_APP}-{uid}/{hashlib.sha256(_utf8(runtime)).hexdigest()[:16]}"
    return Paths(
        runtime_dir=Path(runtime),
        bridge_socket=Path(runtime, _BRIDGE_SOCKET),
        control_socket=Path(runtime, _CONTROL_SOCKET),
        screen_socket=Path(runtime, _SCREEN_SOCKET),
        lock_file=Path(runtime, "daemon.lock"),
        state_dir=Path(state),
        data_dir=Path(data),
        config_file=Path(config, "config.toml"),
    )


def paths_here() -> Paths:
    """The paths of this process."""
    return locate(os.environ, sys.platform, os.getuid(), home_here())


def paths_in(folder: Path) -> Paths:
    """The paths of a daemon of its own, of which nothing is outside of `folder`; that has to have a short path, for the sockets."""
    names = ("RUNTIME_DIR", "STATE_HOME", "DATA_HOME", "CONFIG_HOME")
    return locate({f"XDG_{name}": str(folder / name.lower()) for name in names}, sys.platform, os.getuid(), str(folder))


def home_here() -> str:
    """`$HOME` when that is absolute, else what the user database says."""
    home = os.environ.get("HOME", "")
    return home if home.startswith("/") else pwd.getpwuid(os.getuid()).pw_dir


def socket_path_limit(platform: str) -> int:
    """How many bytes the path of a unix socket may have on this `sys.platform`."""
    return SOCKET_PATH_BYTES_DARWIN if platform == "darwin" else SOCKET_PATH_BYTES


def _xdg(env: Mapping[str, str], name: str) -> str | None:
    base = env.get(name, "")
    return _join(base, _APP) if base.startswith("/") else None


def _join(base: str, name: str) -> str:
    return f"{base.rstrip('/')}/{name}"


def _utf8(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")
