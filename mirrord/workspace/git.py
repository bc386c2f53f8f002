"""Git, asked in a way that runs nothing a repository names: no monitor, hook, filter, pager, differ, converter, submodule or transport.

What the command line and the environment switch off here wins over every configuration file of a repository. Two things cannot be
switched off, so a repository that has them is not compared: filters, which Git runs to see whether a file changed, and missing
objects, which it fetches. Git itself lists the configuration, includes and all; that runs nothing. Some walls stand behind others:
a repository may be changed between two calls, and another Git may look at more.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import anyio
from anyio.abc import Process

GIT_SECONDS: Final = 2.0
"""How long Git may take for one answer; a repository that needs longer is shown without numbers."""

OUTPUT_BYTES: Final = 4 * 1024 * 1024
"""Most that is read of one answer: some 50,000 changed files."""

_SETTINGS: Final = (
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    # Larger files count as binary: they are not read into memory.
    "core.bigFileThreshold=16m",
    # `git diff` would write the index anew, in spite of GIT_OPTIONAL_LOCKS, and run a hook after that.
    "diff.autoRefreshIndex=false",
    "safe.bareRepository=explicit",
)

_CONFIG: Final = ("config", "--list", "--name-only", "-z")
_DIFF: Final = (
    *("diff", "--numstat", "-z", "--no-ext-diff", "--no-textconv", "--no-renames", "--ignore-submodules=all"),
    *(f"-O{os.devnull}", "HEAD", "--"),
)

_FORBIDDEN: Final = re.compile(
    rb"filter\..*|remote\..*\.(?:promisor|partialclonefilter)|extensions\.partialclone", re.IGNORECASE | re.DOTALL
)
"""Names of settings with which `git diff` could run something all the same."""

_ENTRY: Final = re.compile(rb"(\d+|-)\t(\d+|-)\t")


@dataclass(frozen=True, slots=True)
class Changes:
    """Lines of tracked text files that came and went since the last commit."""

    additions: int
    deletions: int


class GitUnavailable(Exception):
    """Git gave no answer: it is not there, took too long, said too much, or refused."""

    def __init__(self, slow: bool = False) -> None:
        super().__init__()
        self.slow = slow
        """Asking again soon would cost as much again."""


@dataclass(frozen=True, slots=True)
class Git:
    """The program, and the path on which it finds its own parts."""

    program: str
    path: str


def find_git(root: Path) -> Git | None:
    """Git as the daemon's path names it, but none that lies in the repository itself. Blocks."""
    entries = os.environ.get("PATH", os.defpath).split(os.pathsep)
    path = os.pathsep.join(entry for entry in entries if Path(entry).is_absolute() and not Path(entry).resolve().is_relative_to(root))
    program = shutil.which("git", path=path)
    return None if program is None or Path(program).resolve().is_relative_to(root) else Git(program, path)


async def changes(git: Git, root: Path) -> Changes | None:
    """What differs from the last commit in the repository whose working files are in `root`; None when it may not be asked.

    Raises GitUnavailable.
    """
    settings = await _run(git, root, *_CONFIG)
    if any(_FORBIDDEN.fullmatch(name) for name in settings.split(b"\0")):
        return None
    return _sum(await _run(git, root, *_DIFF))


def _sum(output: bytes) -> Changes:
    additions = deletions = 0
    for entry in output.split(b"\0"):
        found = _ENTRY.match(entry)
        if found is not None and found[1] != b"-":
            additions += int(found[1])
            deletions += int(found[2])
    return Changes(additions, deletions)


async def _run(git: Git, root: Path, *arguments: str) -> bytes:
    """Git's output. Raises GitUnavailable. Nothing that it started lives on."""
    settings = [word for setting in _SETTINGS for word in ("-c", setting)]
    try:
        # Cancelled half-way, it would leave a process that nobody ends.
        with anyio.CancelScope(shield=True):
            process = await anyio.open_process(
                [git.program, "--no-pager", *settings, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=root,
                env=_environment(root, git.path),
                start_new_session=True,
            )
    except OSError as error:
        raise GitUnavailable from error
    output: bytes | None = None
    try:
        with anyio.move_on_after(GIT_SECONDS):
            output = await _read(process)
    finally:
        with anyio.CancelScope(shield=True):
            _kill(process)
            status = await process.wait()
            await process.aclose()
    if output is None:
        raise GitUnavailable(slow=True)
    if status != 0:
        raise GitUnavailable
    return output


async def _read(process: Process) -> bytes | None:
    """Everything it says; None when that is too much."""
    assert process.stdout is not None
    output = bytearray()
    async for chunk in process.stdout:
        output += chunk
        if len(output) > OUTPUT_BYTES:
            return None
    await process.wait()
    return bytes(output)


def _kill(process: Process) -> None:
    """End it and whatever it started. One that has ended started nothing, and its number may be another's by now."""
    if process.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _environment(root: Path, path: str) -> dict[str, str]:
    """All that Git is told about its surroundings: no variable of the daemon's own reaches it, and no configuration of a person's."""
    return {
        "PATH": path,
        "HOME": os.devnull,
        "LC_ALL": "C",
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_CEILING_DIRECTORIES": str(root.parent),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_WORK_TREE": str(root),
    }
