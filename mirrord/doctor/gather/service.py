"""The service, where one is installed."""

from __future__ import annotations

import plistlib
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from mirrord.doctor.facts import ServiceFound
from mirrord.errors import MirrordError
from mirrord.service.managers import manager_here


def look(env: Mapping[str, str], home: str, platform: str, uid: int) -> ServiceFound:
    """What is written, what it starts, and how the manager says it goes."""
    manager = manager_here(platform, env, home, uid)
    written = tuple(path for path in manager.written() if path.is_file())
    if not written:
        return ServiceFound(manager.name, None)
    command = _command(written[0])
    program, port = command[0] if command else None, _port(command)
    there = program is None or Path(program).is_file()
    found = ServiceFound(manager.name, None, tuple(map(str, written)), program, there, port=port)
    try:
        obstacle = manager.obstacle()
        if obstacle is not None:
            return replace(found, obstacle=obstacle)
        state = manager.state()
        return replace(found, state=state.words, failed=state.failed, pid=state.pid, at_login=manager.at_login(), waits=manager.waits())
    except MirrordError as error:
        return replace(found, obstacle=str(error))


def port_here(env: Mapping[str, str], home: str, platform: str, uid: int) -> int | None:
    """The port that the installed service names."""
    written = next((path for path in manager_here(platform, env, home, uid).written() if path.is_file()), None)
    return None if written is None else _port(_command(written))


def _port(command: list[str]) -> int | None:
    named = command[command.index("--port") + 1 :][:1] if "--port" in command else []
    return next((int(word) for word in named if word.isdecimal()), None)


def _command(file: Path) -> list[str]:
    """What a unit or an agent starts; empty when it cannot be told."""
    try:
        raw = file.read_bytes()
        if file.suffix == ".plist":
            return [str(word) for word in plistlib.loads(raw)["ProgramArguments"]]
    except (OSError, ValueError, KeyError, TypeError, plistlib.InvalidFileException):
        return []
    line = re.search(r"^ExecStart=[@:+!-]*(.*)$", raw.decode(errors="replace"), re.MULTILINE)
    words = re.findall(r'"((?:[^"\\]|\\.)*)"|(\S+)', line[1]) if line is not None else []
    return [(quoted or plain).replace('\\"', '"').replace("\\\\", "\\").replace("%%", "%") for quoted, plain in words]
