"""The demo's private world: folders, a scripted model, a daemon. Nothing of the person's is read or changed, nothing stays."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

import anyio
import anyio.to_thread
from anyio.abc import Process

from bridge.paths import Paths, locate
from mirrord.client import DaemonNotRunning, Local, connect
from mirrord.demo.pi_home import PiHome, temporary_pi_home
from mirrord.demo.scripted_model import ScriptedModel
from mirrord.errors import DaemonNotStarted

EXTENSION: Final = Path(__file__).with_name("extension.ts")
"""What the demo's Pi asks."""

START_SECONDS: Final = 15.0
"""How long the daemon may take to answer: it needs under a second, a busy machine more."""

STOP_SECONDS: Final = 5.0
"""How long it may take to end after SIGTERM before it is killed."""

_PAUSE_SECONDS: Final = 0.05
_LOG_LINES: Final = 5

# The terminal that Pi really runs in; the rest of the environment is the home's own.
_OF_THE_TERMINAL: Final = ("LANG", "LC_ALL", "LC_CTYPE", "TERM", "COLORTERM", "TERM_PROGRAM", "TZ")


_Made = TypeVar("_Made")


@dataclass(frozen=True, slots=True)
class Stage:
    """A world that stands: its folders exist, its model and its daemon answer."""

    home: PiHome
    env: Mapping[str, str]
    """For everything that runs on this stage."""
    pi_command: tuple[str, ...]
    """Runs Pi there, mirrored, with the demo's extension. To be started in `home.work`."""

    @property
    def daemon(self) -> Local:
        """Where its daemon is."""
        return Local(_paths(self.env).control_socket)


@asynccontextmanager
async def stage(pi: Path, terminal: Mapping[str, str] | None = None) -> AsyncIterator[Stage]:
    """A stage for this Pi program; `terminal` is the environment of the terminal that Pi will be shown in, if it is a real one.

    At the end of the block everything started here has ended and the folders are gone.

    Raises:
        DaemonNotStarted: with the last lines of its log.
    """
    async with AsyncExitStack() as stack:
        model = await stack.enter_async_context(_in_thread(ScriptedModel))
        home = await stack.enter_async_context(_in_thread(partial(temporary_pi_home, model.base_url)))
        env = home.environment() | {name: terminal[name] for name in _OF_THE_TERMINAL if terminal and name in terminal}
        async with _daemon(home, env):
            yield Stage(home, env, (*_mirrord(), "pi", "--no-pair", "--pi", str(pi), "-e", str(EXTENSION)))


def attach_line(here: Stage) -> str:
    """A line for another terminal's shell that follows this stage's session."""
    names = ("XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")
    return " ".join(["env", *(f"{name}={here.env[name]}" for name in names), *_mirrord_for_people(), "attach"])


def _mirrord() -> tuple[str, ...]:
    # -P: a folder `mirrord` in the working directory must not be imported instead.
    return (sys.executable, "-P", "-m", "mirrord")


def _mirrord_for_people() -> tuple[str, ...]:
    """`mirrord` where that is this very program, else the long form."""
    found = shutil.which("mirrord")
    ours = Path(sys.executable).with_name("mirrord")
    return ("mirrord",) if found is not None and Path(found) == ours else _mirrord()


def _paths(env: Mapping[str, str]) -> Paths:
    return locate(env, sys.platform, os.getuid(), env["HOME"])


@asynccontextmanager
async def _in_thread(make: Callable[[], AbstractContextManager[_Made]]) -> AsyncIterator[_Made]:
    """What `make` makes, entered and left in a thread because that waits; left also when the block is cancelled."""
    # Shielded: what was made while a cancellation arrived would have no owner.
    with anyio.CancelScope(shield=True):
        manager = await anyio.to_thread.run_sync(make)
        made = await anyio.to_thread.run_sync(manager.__enter__)
    try:
        yield made
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(manager.__exit__, None, None, None)


@asynccontextmanager
async def _daemon(home: PiHome, env: Mapping[str, str]) -> AsyncIterator[None]:
    log = home.root / "daemon.out"
    async with await anyio.open_file(log, "wb") as output:
        process = await anyio.open_process(
            [*_mirrord(), "serve", "--port", "0"],
            stdin=subprocess.DEVNULL,
            stdout=output.wrapped,
            stderr=output.wrapped,
            env=env,
            cwd=home.work,
            # Ctrl+C in the person's terminal is for the demo, which then ends the daemon.
            start_new_session=True,
        )
    try:
        await _until_it_answers(process, Local(_paths(env).control_socket), log)
        yield
    finally:
        with anyio.CancelScope(shield=True):
            await end_process(process)


async def _until_it_answers(process: Process, daemon: Local, log: Path) -> None:
    with anyio.move_on_after(START_SECONDS):
        while process.returncode is None:
            with suppress(DaemonNotRunning):
                async with connect(daemon, name="mirrord demo", kind="cli"):
                    return
            await anyio.sleep(_PAUSE_SECONDS)
    last = (await anyio.Path(log).read_text(errors="replace")).strip().splitlines()[-_LOG_LINES:]
    raise DaemonNotStarted("; ".join(last) or f"no answer within {START_SECONDS:.0f} s")


async def end_process(process: Process) -> None:
    """Let it end by SIGTERM, or kill it; it has ended when this returns. Does nothing when it has already."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            process.terminate()
        with anyio.move_on_after(STOP_SECONDS):
            await process.wait()
    if process.returncode is None:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
