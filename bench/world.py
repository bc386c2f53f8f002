"""What the measurements run in: folders of their own, a scripted model, a daemon, and the real Pi with the extensions it needs."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import anyio
from anyio.abc import Process

from bridge.paths import Paths, locate
from mirrord.client import DaemonNotRunning, Local, Paired, Remote, connect
from mirrord.demo.pi_home import PiHome, temporary_pi_home
from mirrord.demo.scripted_model import ScriptedModel
from mirrord.demo.stage import end_process
from tests.harness.pi import ROOT, PiKind, command, environment

EXTENSION: Final = ROOT / "bridge" / "extension" / "index.ts"
ASKING: Final = ROOT / "bench" / "asking.ts"
PROFILED_DAEMON: Final = ROOT / "bench" / "profiled_daemon.py"

START_SECONDS: Final = 30.0
"""How long a daemon or Pi may take to start: 0.3 to 0.7 s, more on a busy machine."""

PATIENCE_SECONDS: Final = 10.0
"""How long anything may take that takes milliseconds."""

LOOK_SECONDS: Final = 0.02
"""Pause between two looks at something that tells nobody when it changes."""


class NotMeasured(Exception):
    """What was to be measured did not happen; the message says what."""


@dataclass(frozen=True, slots=True)
class Start:
    """How a Pi is started, and the files that its asking extension writes: what became of its questions, and timed.ts's times."""

    argv: list[str]
    env: dict[str, str]
    cwd: Path
    asked: Path
    times: Path


@dataclass(frozen=True, slots=True)
class World:
    """Everything one daemon serves. `profile` is the folder that profiles go to, if any are taken."""

    home: PiHome
    base_url: str
    daemon: Process
    profile: Path | None

    @property
    def paths(self) -> Paths:
        """Where its sockets are."""
        env = environment(self.home)
        return locate(env, sys.platform, os.getuid(), env["HOME"])

    async def paired(self, name: str) -> Remote:
        """A controller on the network. To be called before a process of ours speaks as Pi: what Pi starts may pair nobody."""
        async with connect(Local(self.paths.control_socket), name="bench", kind="bench") as owner:
            paired = await owner.request("pair", Paired, {"name": name, "role": "controller"})
        return Remote(paired.url, paired.token)

    def pi(self, kind: PiKind, *, mode: Literal["tui", "rpc"] = "tui", extensions: Sequence[Path] = (), name: str = "") -> Start:
        """A Pi with the asking extension and these. Each has settings of its own, and all find the same daemon. `name` tells those apart
        that are of one kind and mode.
        """
        name = "-".join(filter(None, (str(kind), mode, name)))
        home = PiHome.make(self.home.root / name, self.base_url)
        asked, times = home.root / "asked", home.root / "times"
        places = {"XDG_RUNTIME_DIR": self.home.runtime, "BENCH_ASKED": asked, "BENCH_TIMES": times}
        env = environment(home, {variable: str(path) for variable, path in places.items()})
        named = [word for extension in (ASKING, *extensions) for word in ("--extension", str(extension))]
        argv = command(kind, *named, *(("--mode", "rpc", "--no-session") if mode == "rpc" else ()))
        if self.profile is not None:
            argv[1:1] = ["--cpu-prof", f"--cpu-prof-dir={self.profile}", f"--cpu-prof-name={name}.cpuprofile"]
        return Start(argv, env, home.work, asked, times)


@asynccontextmanager
async def world(profile: Path | None = None) -> AsyncIterator[World]:
    """A world whose daemon answers; nothing of it is left after the block."""
    with ScriptedModel() as model, temporary_pi_home(model.base_url) as home:
        argv = [sys.executable, "-m", "mirrord"] if profile is None else [sys.executable, str(PROFILED_DAEMON), str(profile)]
        log = home.root / "daemon.out"
        with log.open("wb") as output:
            process = await anyio.open_process(
                [*argv, "serve", "--port", "0"], stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment(home), cwd=ROOT
            )
        here = World(home, model.base_url, process, profile)
        try:
            await _until_it_answers(here, log)
            yield here
        finally:
            with anyio.CancelScope(shield=True):
                await end_process(process)


async def _until_it_answers(here: World, log: Path) -> None:
    async def answers() -> bool:
        with suppress(DaemonNotRunning):
            async with connect(Local(here.paths.control_socket), name="bench", kind="bench"):
                return True
        if here.daemon.returncode is not None:
            raise NotMeasured(f"the daemon did not start: {await anyio.Path(log).read_text()}")
        return False

    await until(answers, "the daemon does not answer", START_SECONDS)


async def until(holds: Callable[[], Awaitable[bool]], otherwise: str, seconds: float = PATIENCE_SECONDS) -> None:
    """Returns once it holds. NotMeasured, with `otherwise`, when that takes longer than `seconds`."""
    with anyio.move_on_after(seconds):
        while True:
            if await holds():
                return
            await anyio.sleep(LOOK_SECONDS)
    raise NotMeasured(f"{otherwise}, {seconds:.0f} s long")
