"""What it costs to have mirrord: how long commands and the daemon take to start, and how often one that has nothing to do wakes up."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import anyio
import anyio.to_thread

from bench.crowds import crowd
from bench.load import stage
from bench.report import Goal, Row
from bench.world import START_SECONDS, NotMeasured, world
from bridge.paths import locate
from mirrord.demo.pi_home import temporary_pi_home
from tests.harness.pi import ROOT, environment

STARTS: Final = 10
QUICK_STARTS: Final = 2
IDLE_SECONDS: Final = 60.0
QUICK_IDLE_SECONDS: Final = 10.0
MINUTE: Final = 60.0

READY_GOAL: Final = Goal("p50", 1000)
"""In ms: `mirrord pi` waits for it before it starts Pi, where no daemon runs."""
VERSION_GOAL: Final = Goal("p50", 100)
"""In ms, the start of Python among them: a shell's prompt may call it."""
ALONE_GOAL: Final = Goal("p50", 5)
"""A daemon that nobody uses leaves the processor asleep."""
COMPANY_GOAL: Final = Goal("p50", 90)
"""One look a second, and the pings of a session and a client."""
PYTHON: Final = "python"
SERVE: Final = "mirrord serve"
COMMANDS: Final[Mapping[str, Sequence[str]]] = {
    PYTHON: ("-c", ""),
    "mirrord --version": ("-m", "mirrord", "--version"),
    "mirrord status": ("-m", "mirrord", "status", "--json"),
}
GOALS: Final[Mapping[str, Goal | None]] = {"mirrord --version": VERSION_GOAL, "mirrord status": None}

LOOK_SECONDS: Final = 0.005
REST_SECONDS: Final = 3.0
"""A daemon that has just started has some things to do yet."""

_ANSWER_BYTES: Final = 64
_MILLI: Final = 1000


async def measure(quick: bool, profile: Path | None = None) -> list[Row]:
    """All rows. Raises NotMeasured."""
    starts, seconds = (QUICK_STARTS, QUICK_IDLE_SECONDS) if quick else (STARTS, IDLE_SECONDS)
    return [*await _starts(starts), *await _wake_ups(seconds, profile)]


# ---- starts ----------------------------------------------------------------------------------------------------------


async def _starts(times: int) -> list[Row]:
    """Each is a process of its own; all by turns, in homes of their own."""
    taken: dict[str, list[float]] = {name: [] for name in (*COMMANDS, SERVE)}
    for _ in range(times):
        with temporary_pi_home("http://127.0.0.1:9/") as home:
            for name, samples in (await anyio.to_thread.run_sync(_started, environment(home))).items():
                taken[name].append(samples)
    bare = Row(PYTHON, "a Python that does nothing, from start to end", tuple(taken[PYTHON]), "ms")
    what = "the command from start to end, beside a daemon that runs"
    return [
        bare,
        *(Row(name, what, tuple(taken[name]), "ms", (bare.name, bare.p50), goal) for name, goal in GOALS.items()),
        Row(SERVE, "its start → it answers on its socket", tuple(taken[SERVE]), "ms", (bare.name, bare.p50), READY_GOAL),
    ]


def _started(env: Mapping[str, str]) -> dict[str, float]:
    """ms of each. Blocks."""
    pause = threading.Event()
    control = locate(env, sys.platform, os.getuid(), env["HOME"]).control_socket
    begun = time.monotonic()
    argv = [sys.executable, "-m", "mirrord", "serve", "--port", "0"]
    with subprocess.Popen(
        argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env, cwd=ROOT
    ) as daemon:
        try:
            while not _answers(control):
                if time.monotonic() - begun > START_SECONDS or daemon.poll() is not None:
                    raise NotMeasured("the daemon does not answer")
                pause.wait(LOOK_SECONDS)
            taken = {SERVE: (time.monotonic() - begun) * _MILLI}
            for name, arguments in COMMANDS.items():
                begun = time.monotonic()
                subprocess.run([sys.executable, *arguments], env=env, cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
                taken[name] = (time.monotonic() - begun) * _MILLI
            return taken
        finally:
            daemon.terminate()


def _answers(control: Path) -> bool:
    """Whether a request on the control socket is answered. Blocks for a moment."""
    with socket.socket(socket.AF_UNIX) as sock:
        sock.settimeout(START_SECONDS)
        try:
            sock.connect(str(control))
            sock.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
            return sock.recv(_ANSWER_BYTES).startswith(b"HTTP/1.1 200")
        except OSError:
            return False


# ---- wake-ups --------------------------------------------------------------------------------------------------------


async def _wake_ups(seconds: float, profile: Path | None) -> list[Row]:
    """Of a daemon that has nothing to do."""
    async with world(profile) as here:
        alone = await _woken(here.daemon.pid, seconds)
    async with stage(profile) as there, crowd(there.remotes, 1, there.session):
        used = await _woken(there.world.daemon.pid, seconds)
    what = "how often its threads went to sleep in a minute in which nothing happens,"
    return [
        Row("idle, nobody there", f"{what} with no session and no client", (alone,), "wake-ups", goal=ALONE_GOAL),
        Row(
            "idle, two there",
            f"{what} with a session, its owner's client and a client on the network",
            (used,),
            "wake-ups",
            goal=COMPANY_GOAL,
        ),
    ]


async def _woken(pid: int, seconds: float) -> float:
    """For each minute, once its start is over."""
    await anyio.sleep(REST_SECONDS)
    before, begun = switches(pid), time.monotonic()
    await anyio.sleep(seconds)
    return (switches(pid) - before) * MINUTE / (time.monotonic() - begun)


def switches(pid: int) -> int:
    """How often all threads of the process gave the processor away because they had nothing to do. NotMeasured where nobody counts."""
    try:
        states = [(task / "status").read_text() for task in Path(f"/proc/{pid}/task").iterdir()]
        return sum(int(line.split()[1]) for state in states for line in state.splitlines() if line.startswith("voluntary_ctxt_switches:"))
    except OSError as error:
        raise NotMeasured(f"the wake-ups of process {pid} could not be counted ({error})") from error
