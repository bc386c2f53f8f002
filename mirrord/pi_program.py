"""Where the person's Pi is, and whether the Node that would run it is new enough."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from mirrord.errors import MirrordError

_PACKAGE_DEPTH: Final = 6
"""Folders between Pi's script and its package.json: two in the releases seen so far."""

_NODE_SECONDS: Final = 10.0
"""`node --version` takes 40 ms; past this we let Pi find out itself."""

_FIRST_LINE_BYTES: Final = 256

_SHEBANG: Final = re.compile(rb"^#!\s*(?:/usr/bin/env\s+(?:-S\s+)?node|(?P<path>/\S*/node))(?:\s|$)")
_VERSION: Final = re.compile(r"^v?(\d+)\.(\d+)\.(\d+)")
_COMPARATOR: Final = re.compile(r"^(>=|<|\^)?v?(\d+)(?:\.(\d+))?(?:\.(\d+))?$")

Version = tuple[int, int, int]


class PiNotFound(MirrordError):
    """There is no Pi to run."""


class NodeTooOld(MirrordError):
    """Pi would die at its first import."""


class _Engines(msgspec.Struct):
    node: str | None = None


class _Package(msgspec.Struct):
    name: str
    version: str = "?"
    engines: _Engines = msgspec.field(default_factory=_Engines)


@dataclass(frozen=True, slots=True)
class NodeNeed:
    """What a Pi that is a Node script asks for. `node` is the program its first line names."""

    pi: str
    range: str
    node: str


def find_pi(named: str | None, env: Mapping[str, str]) -> Path:
    """The program to run: `named` (from `--pi`), else `MIRRORD_PI`, else `pi` on PATH. Raises `PiNotFound`."""
    for origin, value in (("--pi", named), ("MIRRORD_PI", env.get("MIRRORD_PI"))):
        if value:
            path = Path(value).expanduser().absolute()
            if not path.is_file():
                raise PiNotFound(f"{origin} names {path}, which is no file; name Pi's program")
            if not os.access(path, os.X_OK):
                raise PiNotFound(f"{origin} names {path}, which cannot be executed; run: chmod +x '{path}'")
            return path
    found = shutil.which("pi", path=env.get("PATH", os.defpath))
    if found is None:
        raise PiNotFound(
            "no `pi` was found on PATH; install it with `npm install -g @earendil-works/pi-coding-agent`, or name it with --pi PATH"
        )
    return Path(found).absolute()


def node_need(pi: Path) -> NodeNeed | None:
    """What this Pi asks of Node; None when it is no Node script or does not say."""
    shebang = _SHEBANG.match(_first_line(pi))
    package = _package_of(pi.resolve())
    if shebang is None or package is None or package.engines.node is None:
        return None
    named = shebang.group("path")
    return NodeNeed(f"{package.name} {package.version}", package.engines.node, os.fsdecode(named) if named else "node")


def pi_package(pi: Path) -> str | None:
    """Name and version of the package that this program belongs to; None when it says neither."""
    package = _package_of(pi.resolve())
    return None if package is None else f"{package.name} {package.version}"


def check_node(pi: Path, env: Mapping[str, str]) -> None:
    """Raise `NodeTooOld` when it is certain that Pi cannot run on the Node it would get; a doubt is no refusal."""
    need = node_need(pi)
    if need is None:
        return
    node = shutil.which(need.node, path=env.get("PATH", os.defpath))
    if node is None:
        raise NodeTooOld(f"{need.pi} needs Node {need.range}, and there is no `{need.node}` on PATH; install Node and try again")
    version = _node_version(node, env)
    if version is not None and satisfies(version, need.range) is False:
        shown = ".".join(map(str, version))
        raise NodeTooOld(f"{need.pi} needs Node {need.range}, and {node} is {shown}; put a newer Node first on PATH and try again")


def satisfies(version: Version, wanted: str) -> bool | None:
    """Whether a version is in an npm range of `>=`, `<`, `^` and plain majors; None when the range has anything else."""
    verdicts = [_all_hold(version, alternative.split()) for alternative in wanted.split("||")]
    if True in verdicts:
        return True
    return None if None in verdicts else False


def _all_hold(version: Version, comparators: list[str]) -> bool | None:
    parsed = [_COMPARATOR.match(each) for each in comparators]
    if not all(parsed):
        return None
    return all(_holds(version, match) for match in parsed if match)


def _holds(version: Version, match: re.Match[str]) -> bool:
    numbers = [int(part) for part in match.groups()[1:] if part is not None]
    bound = (*numbers, 0, 0)[:3]
    match match.group(1):
        case ">=":
            return version >= bound
        case "<":
            return version < bound
        case "^":
            return version >= bound and version[0] == bound[0]
        case _:
            return version[: len(numbers)] == tuple(numbers)


def _node_version(node: str, env: Mapping[str, str]) -> Version | None:
    try:
        done = subprocess.run([node, "--version"], env=dict(env), capture_output=True, text=True, timeout=_NODE_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = _VERSION.match(done.stdout)
    return (int(match[1]), int(match[2]), int(match[3])) if match else None


def _first_line(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.readline(_FIRST_LINE_BYTES)
    except OSError:
        return b""


def _package_of(script: Path) -> _Package | None:
    for folder in list(script.parents)[:_PACKAGE_DEPTH]:
        try:
            return msgspec.json.decode((folder / "package.json").read_bytes(), type=_Package)
        except FileNotFoundError:
            continue
        except (OSError, msgspec.DecodeError):
            return None
    return None
