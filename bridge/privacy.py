"""Whether a Pi that is to be started here will be private: decided as its extension will decide it (`extension/privacy.ts`, `glob.ts`)."""

from __future__ import annotations

import os
import re
import stat
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

CONFIG_BYTES: Final = 64 * 1024
"""A larger config.toml is not read, by the extension either."""

_OFF: Final = re.compile(r"\s*(?:0|false|off|no)\s*", re.IGNORECASE)
_ANY: Final = "**"

_FLAGS: Final = ("mirror", "ask", "ask_tool", "terminal_notice")
"""Keys that are true or false. The extension takes none of them from a file in which one is something else."""


def is_switched_off(env: Mapping[str, str]) -> bool:
    """Whether `MIRRORD` keeps the session private."""
    return _OFF.fullmatch(env.get("MIRRORD", "")) is not None


def private_reason(config_file: Path, folder: str, home: str) -> str | None:
    """Why a Pi in `folder` stays private, in a few words; None when it is mirrored. What cannot be read or understood is private.

    Both folders are absolute.
    """
    try:
        mirror, exclude = _configured(config_file)
    except (OSError, ValueError, RecursionError):
        return f"{config_file} cannot be used"
    if not mirror:
        return f"mirror = false in {config_file}"
    pattern = next((entry for entry in exclude if _excludes(entry, folder, home)), None)
    return None if pattern is None else f'the folder is excluded by "{pattern}" in {config_file}'


def covers(pattern: str, folder: str, home: str) -> bool:
    """Whether `pattern` names the folder or one above it. One that starts neither with `/` nor with `~` may begin anywhere."""
    return _matches([*_parts(_rooted(pattern, home)), _ANY], _parts(folder), _ANY.__eq__, _is_name)


def _configured(path: Path) -> tuple[bool, list[str]]:
    """`mirror` and `exclude`. Raises OSError or ValueError."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return True, []
    if not stat.S_ISREG(found.st_mode) or found.st_size > CONFIG_BYTES:
        raise ValueError("it is no file, or too large")
    document = tomllib.loads(path.read_bytes().decode())
    exclude = document.get("exclude", [])
    usable = all(isinstance(document.get(flag, True), bool) for flag in _FLAGS) and isinstance(exclude, list)
    if not usable or not all(isinstance(entry, str) for entry in exclude):
        raise ValueError("a key has a value of another kind")
    return document.get("mirror", True), exclude


def _excludes(pattern: str, folder: str, home: str) -> bool:
    # The pattern, or the folder as Pi knows it, may go through a symbolic link.
    patterns = (pattern, _resolved(pattern, home))
    return any(covers(entry, one, home) for one in (folder, os.path.realpath(folder)) for entry in patterns)


def _resolved(pattern: str, home: str) -> str:
    """`pattern` with the folders at its start, up to the first wildcard, by their real names."""
    parts = _parts(_rooted(pattern, home))
    fixed = next((at for at, part in enumerate(parts) if "*" in part or "?" in part), len(parts))
    return "/".join([os.path.realpath("/" + "/".join(parts[:fixed])), *parts[fixed:]]) if fixed else pattern


def _rooted(pattern: str, home: str) -> str:
    if pattern == "~" or pattern.startswith("~/"):
        return home + pattern[1:]
    return pattern if pattern.startswith("/") else f"/{_ANY}/{pattern}"


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in ("", ".")]


def _is_name(part: str, name: str) -> bool:
    return _matches(part, name, "*".__eq__, lambda wanted, found: wanted in ("?", found))


def _matches(pattern: Sequence[str], subject: Sequence[str], is_wildcard: Callable[[str], bool], fits: Callable[[str, str], bool]) -> bool:
    """A sequence that may hold wildcards for any number of items; takes at most `len(pattern) * len(subject)` steps."""
    at = taken = 0
    # Where to go on when what follows the last wildcard does not fit: the wildcard takes one item more.
    retry: tuple[int, int] | None = None
    while taken < len(subject):
        if at < len(pattern) and is_wildcard(pattern[at]):
            at += 1
            retry = at, taken
        elif at < len(pattern) and fits(pattern[at], subject[taken]):
            at += 1
            taken += 1
        elif retry is not None:
            at, taken = retry = retry[0], retry[1] + 1
        else:
            return False
    return all(map(is_wildcard, pattern[at:]))
