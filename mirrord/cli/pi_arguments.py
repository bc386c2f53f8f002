"""How the words after `mirrord pi` are shared between us and Pi. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

OWN_FLAGS: Final = frozenset({"-h", "--help", "--no-pair", "--share-screen"})
OWN_OPTIONS: Final = frozenset({"--pi"})
"""Ours that take a value."""

_COMMANDS: Final = frozenset({"install", "remove", "uninstall", "update", "list", "config", "auth", "mcp"})
"""Pi's own commands; it takes them only as its first word, and they show no conversation."""

_NOT_INTERACTIVE: Final = frozenset({"-p", "--print", "--mode", "--export", "--list-models", "-h", "--help", "-v", "--version"})
"""Options that make Pi print something and end."""

_NO_EXTENSIONS: Final = frozenset({"-ne", "--no-extensions"})
"""Pi then loads only what -e names."""


def split(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Our options, which come first, and everything else, which is Pi's. One `--` between the two is nobody's."""
    own: list[str] = []
    rest = list(words)
    while rest:
        name = rest[0].partition("=")[0]
        if rest[0] in OWN_FLAGS or (name in OWN_OPTIONS and "=" in rest[0]):
            own.append(rest.pop(0))
        elif rest[0] in OWN_OPTIONS:
            own += rest[:2]
            del rest[:2]
        else:
            break
    if rest and rest[0] == "--":
        rest.pop(0)
    return own, rest


def shows_a_terminal(arguments: Sequence[str]) -> bool:
    """Whether Pi, started with these in a terminal, will hold a conversation there; anything else is not mirrored."""
    if arguments and arguments[0] in _COMMANDS:
        return False
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return not any(word in _NOT_INTERACTIVE for word in options)


def with_extension(arguments: Sequence[str], entry: Path, configured: bool) -> list[str]:
    """Pi's arguments with our extension loaded first, unless Pi's settings load the same file already and are heeded."""
    heeded = not any(word in _NO_EXTENSIONS for word in arguments)
    return list(arguments) if configured and heeded else ["-e", str(entry), *arguments]
