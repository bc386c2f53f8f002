"""Facts of a machine on which everything is as it should be, and ways to spoil them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from bridge.daemon_lock import Holder
from bridge.extension_files import entry_of
from bridge.paths import locate
from mirrord.config.document import parse_document
from mirrord.config.resolve import resolve
from mirrord.doctor.facts import (
    ClockFound,
    DaemonFound,
    ExtensionFound,
    Facts,
    Listener,
    LockFound,
    PiFound,
    PlaceFound,
    PortFound,
    ServiceFound,
    StoreFound,
    Surroundings,
    TerminalFound,
)
from mirrord.words.capabilities import MEANINGS

PATHS = locate({"XDG_RUNTIME_DIR": "/run/user/1000"}, "linux", 1000, "/home/ada")
SETTINGS = Path("/home/ada/.pi/agent/settings.json")
ENTRY = entry_of(PATHS.data_dir)
NOW = 1_800_000_000_000
CAPABLE = [*MEANINGS]


def status(**changed: Any) -> dict[str, Any]:
    """What a daemon of this version says that started a minute ago."""
    flow = {"count": 1, "at": NOW - 3_000}
    return {
        "version": "1.0",
        "pid": 7,
        "port": 17673,
        "uptime": 60.0,
        "startedAt": NOW - 60_000,
        "moved": {"fromTerminals": flow, "toTerminals": {"count": 0, "at": None}},
        "sessions": [{"pid": 9, "status": {"state": "idle"}, "capabilities": CAPABLE}],
        "links": [{"pid": 9, "bridgeVersion": "1.0"}],
    } | changed


def config(text: str = "", **env: str) -> Any:
    return resolve(PATHS.config_file, parse_document(text), env, {})


HEALTHY = Facts(
    paths=PATHS,
    version="1.0",
    uid=1000,
    pi=PiFound(Path("/usr/bin/pi"), "@earendil-works/pi-coding-agent 1.6.0"),
    extension=ExtensionFound(SETTINGS, ENTRY, "installed", True),
    places=(
        PlaceFound("runtime folder", PATHS.runtime_dir, "directory", 0o700, 1000),
        PlaceFound("control socket", PATHS.control_socket, "socket", 0o600, 1000),
        PlaceFound("store", PATHS.state_dir / "mirrord.db", "file", 0o600, 1000),
    ),
    lock=LockFound(True, Holder(7, "4711", str(PATHS.control_socket)), "answers", "answers"),
    daemon=DaemonFound(status(), now=NOW),
    port=PortFound(17673, "default", Listener(1000, ((7, "mirrord"),))),
    clock=ClockFound(NOW / 1000, NOW / 1000 - 1000, "CET (+0100)", True),
    store=StoreFound(PATHS.state_dir / "mirrord.db", 4, 4, 40_960),
    service=ServiceFound(
        "systemd's user manager", None, ("/u/mirrord.service",), "/venv/bin/python", True, "active (running)", False, 7, 17673, waits=True
    ),
    config=config(),
    surroundings=Surroundings(),
    terminal=TerminalFound(True, "xterm-256color", "UTF-8", True, 100, 30, True),
)


def changed(part: str, **values: Any) -> Facts:
    """The healthy facts with this part spoilt."""
    return replace(HEALTHY, **{part: replace(getattr(HEALTHY, part), **values)})


__all__ = ["ENTRY", "HEALTHY", "NOW", "PATHS", "SETTINGS", "changed", "config", "status"]
