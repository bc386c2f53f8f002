"""The real Pi in a terminal: each generation and mode we promise to work with, started in a home of its own."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mirrord.demo.pi_home import PiHome
from mirrord.demo.scripted_model import MODEL
from mirrord.demo.terminal import Terminal

ROOT = Path(__file__).resolve().parents[2]
EXERCISER = ROOT / "tests" / "harness" / "exerciser.ts"
ALL = ROOT / "tests" / "harness" / "all.ts"
# Compiled modules are the same for all tests; sharing them saves Pi 0.3 s at each start.
COMPILE_CACHE = ROOT / ".cache" / "node-compile-cache"
# So are extensions that Pi turned into JavaScript, which it keeps in its folder for temporary files: 1.5 s of CPU at each start.
TRANSPILED = ROOT / ".cache" / "transpiled"
# Twenty times what a start takes on an idle machine with two cores.
STARTED = 60.0


@dataclass(frozen=True, slots=True)
class PiKind:
    """One Pi to test with: its entry file and the arguments that choose its mode."""

    name: str
    version: str
    entry: Path
    arguments: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.name


_PI_1 = ROOT / "tools/pi-1.6.0/node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js"
_PI_0 = ROOT / "tools/pi-0.73.1/node_modules/@mariozechner/pi-coding-agent/dist/cli.js"

FULLSCREEN = PiKind("pi-1.6.0-fullscreen", "1.6.0", _PI_1)
REGULAR = PiKind("pi-1.6.0-regular", "1.6.0", _PI_1, ("--tui-mode", "regular"))
OLD = PiKind("pi-0.73.1", "0.73.1", _PI_0)
KINDS = (FULLSCREEN, REGULAR, OLD)
GENERATIONS = (FULLSCREEN, OLD)


@cache
def node() -> Path:
    """Node from 22.19 on: the one that set-up chose."""
    chosen = ROOT / ".cache" / "node" / "bin" / "node"
    if not chosen.exists():
        raise FileNotFoundError("there is no Node yet: run make setup")
    return chosen


def command(kind: PiKind, *arguments: str) -> list[str]:
    """The command line that starts this Pi."""
    if not kind.entry.exists():
        raise FileNotFoundError(f"Pi {kind.version} is not there yet: run make setup")
    return [str(node()), str(kind.entry), *kind.arguments, *arguments]


def examples(kind: PiKind) -> Path:
    """The folder of example extensions in the package that this Pi is of."""
    (package,) = [folder for folder in kind.entry.parents if folder.name == "pi-coding-agent"]
    return package / "examples" / "extensions"


def pi_program(kind: PiKind, folder: Path) -> Path:
    """An executable `pi` in `folder` that is this Pi, for whatever looks for Pi on the path or is told by --pi."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "pi"
    words = " ".join(f"'{word}'" for word in command(kind))
    program.write_text(f'#!/bin/sh\nexec {words} "$@"\n')
    program.chmod(0o755)
    return program


def environment(home: PiHome, extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The home's environment, with our Node and our `mirrord` first on the path, and what `extra` adds."""
    bin_folder = ROOT / ".venv" / "bin"
    _share_transpiled(home)
    return {
        **home.environment(node().parent, bin_folder),
        "NODE_COMPILE_CACHE": str(COMPILE_CACHE),
        **(extra or {}),
    }


def _share_transpiled(home: PiHome) -> None:
    TRANSPILED.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError):
        (home.root / "tmp" / "jiti").symlink_to(TRANSPILED)


@contextmanager
def running_pi(
    kind: PiKind,
    home: PiHome,
    *arguments: str,
    extensions: Sequence[Path] = (),
    env: Mapping[str, str] | None = None,
    columns: int = 100,
    rows: int = 30,
) -> Iterator[Terminal]:
    """Pi in a terminal, ready for keys; ended at the end, by force if need be. No extension but those given."""
    named = [word for extension in extensions for word in ("--extension", str(extension))]
    argv = command(kind, *named, *arguments)
    with Terminal(argv, env=environment(home, env), cwd=home.work, columns=columns, rows=rows) as terminal:
        if named:
            # The newer generation lists them in a later frame than the footer, a tenth of a second after it or more.
            terminal.wait_for(re.compile(r"\[Extension"), STARTED)
        ready(terminal)
        yield terminal


def ready(terminal: Terminal) -> None:
    """Returns once Pi takes keys: its footer names the model, and it has nothing more to draw."""
    terminal.wait_for(re.compile(re.escape(MODEL)), STARTED)
    terminal.settle(0.2, STARTED)


def quit_pi(terminal: Terminal, timeout: float = 10.0) -> int:
    """Ctrl+D on Pi's empty editor; gives the exit code."""
    terminal.keys("ctrl+d")
    return terminal.wait_exit(timeout)


def run_pi(kind: PiKind, home: PiHome, *arguments: str, timeout: float = 30.0) -> subprocess.CompletedProcess[str]:
    """Pi without a terminal (`-p`, `--mode json`), to its end."""
    return subprocess.run(
        command(kind, *arguments),
        env=environment(home),
        cwd=home.work,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
