"""How this mirrord was installed, and so what removes its package or adds another one. Reads files of its own environment only."""

from __future__ import annotations

import importlib.util
import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from importlib.metadata import Distribution

PACKAGE: Final = "pi-mirrord"
_SOURCES: Final = Path(__file__).resolve().parents[1]


def command_to_add(requirement: str) -> str:
    """The command line that installs one more package into this very environment: one of pipx or uv too, which no `pip` on PATH means."""
    with_pip = importlib.util.find_spec("pip") is not None
    words = (sys.executable, "-m", "pip", "install") if with_pip else ("uv", "pip", "install", "--python", sys.executable)
    return shlex.join((*words, requirement))


def how_to_remove() -> str:
    """What to do, for the end of a sentence that begins with "to remove the package"."""
    # Not for the daemon, which has the rest of this file in memory.
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        installed = distribution(PACKAGE)
    except PackageNotFoundError:
        return f"remove the folder of sources, {_SOURCES}"
    return removal(Path(sys.prefix), sys.executable, installed, has_pip=importlib.util.find_spec("pip") is not None)


def removal(prefix: Path, python: str, installed: Distribution, *, has_pip: bool) -> str:
    """The same for an environment at `prefix`, whose interpreter is `python`."""
    words: tuple[str, ...]
    main = _pipx_main(prefix)
    if main is not None:
        words = ("pipx", "uninstall", prefix.name) if main == PACKAGE else ("pipx", "uninject", prefix.name, PACKAGE)
    elif (prefix / "uv-receipt.toml").is_file():
        words = ("uv", "tool", "uninstall", PACKAGE)
    else:
        installer = (installed.read_text("INSTALLER") or "pip").strip()
        if installer == "uv":
            words = ("uv", "pip", "uninstall", "--python", python, PACKAGE)
        elif installer != "pip":
            return f"use {installer}, which installed {PACKAGE}"
        elif has_pip:
            words = (python, "-m", "pip", "uninstall", PACKAGE)
        else:
            words = ("pip", "--python", python, "uninstall", PACKAGE)
    return f"run: {shlex.join(words)}"


def _pipx_main(prefix: Path) -> str | None:
    """The package that pipx made this environment for; None when it was not pipx."""
    try:
        noted = json.loads((prefix / "pipx_metadata.json").read_bytes())
        return str(noted["main_package"]["package"])
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError):
        return PACKAGE
