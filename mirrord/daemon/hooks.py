"""`[notify] command`: a program of the person's that is told what calls them, for whatever no browser can do.

It is a device of its own: what it is told is decided where it is for all others (`core/attention.py`). It runs without a shell, one at a
time, with one JSON object on its standard input; what it prints goes nowhere, and what it leaves running after TIMEOUT_SECONDS is killed.
Of what waits meanwhile, only the newest of each session counts.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import anyio
import msgspec
from anyio.abc import Process

from mirrord import logs
from mirrord.clock import Clock, moment
from mirrord.core.events import DeviceNoted
from mirrord.detached import OF_THE_DESKTOP
from mirrord.redaction import Content
from mirrord.wire.attention import Attention, DeviceSwitches, NotifySettings

DEVICE: Final = "notify.command"
"""Its id as a device: with a dot, it is none that the store makes."""

TIMEOUT_SECONDS: Final = 10.0
"""A program that hands a message on over a slow network needs seconds; one that hangs must not hold the next one up for long."""

PAUSE_SECONDS: Final = 1.0
"""Between two runs: a person notices no more, and a loop costs no processor."""

WAITING: Final = 64
"""Sessions whose newest call waits; more are more than anybody runs."""

PASSED_ON: Final = OF_THE_DESKTOP | {"HOME", "LANG", "PATH", "TZ", "XDG_RUNTIME_DIR"}
"""Of the daemon's environment: what a program needs to reach the person's desktop. It holds no secret of anybody's."""


class Told(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """What the program reads. Times are ms since the epoch. `title` and `body` are as on a phone; see `notify.titles`."""

    session: str
    kind: str
    at: int
    sent_at: int
    title: str
    body: str
    prompt: str | None = None


@dataclass(frozen=True, slots=True)
class _Waiting:
    session: str
    kind: str
    at: int
    title: Content
    body: Content
    prompt: str | None


@dataclass(slots=True)
class Hook:
    """Runs the program, if there is one. `run` is its task; `put` never waits."""

    clock: Clock
    command: tuple[str, ...] = ()
    runs: int = 0
    """How often the program ended well."""
    failures: int = 0
    """How often it could not be started, ended with another status than 0, or was killed."""
    dropped: int = 0
    """What was given up because too many sessions waited."""
    _waiting: OrderedDict[str, _Waiting] = field(default_factory=OrderedDict)
    _woken: anyio.Event = field(default_factory=anyio.Event)

    def configure(self, command: tuple[str, ...], titles: bool) -> DeviceNoted:
        """Run this program from now on, or none; the event says so to the core."""
        self.command = command
        if not command:
            self._waiting.clear()
        settings = NotifySettings(DeviceSwitches(titles=titles))
        return DeviceNoted(at=moment(self.clock), device=DEVICE, settings=settings, subscribed=bool(command))

    def put(self, call: Attention) -> None:
        """Tell the program of this as soon as it can be."""
        if not self.command:
            return
        self._waiting.pop(call.session_id, None)
        self._waiting[call.session_id] = _Waiting(
            call.session_id, call.kind, call.at, Content(call.title), Content(call.body), call.prompt_id
        )
        if len(self._waiting) > WAITING:
            self._waiting.popitem(last=False)
            self.dropped += 1
        self._woken.set()

    async def run(self) -> None:
        """For ever: tell what waits, one after the other."""
        while True:
            await self._woken.wait()
            self._woken = anyio.Event()
            while self._waiting:
                _, next_ = self._waiting.popitem(last=False)
                await self._tell(next_)
                await anyio.sleep(PAUSE_SECONDS)

    async def _tell(self, call: _Waiting) -> None:
        command = self.command
        told = Told(call.session, call.kind, call.at, self.clock.wall(), call.title.reveal(), call.body.reveal(), call.prompt)
        problem = await _run(command, msgspec.json.encode(told) + b"\n")
        if problem is None:
            self.runs += 1
            return
        self.failures += 1
        # Its arguments are the person's, and may hold a secret of theirs.
        logs.warn("hook: not told", program=os.path.basename(command[0]), kind=call.kind, why=problem)


async def _run(command: tuple[str, ...], said: bytes) -> str | None:
    """Run it to its end; why that went wrong, in a few words."""
    try:
        # Cancelled half-way, it would leave a process that nobody ends.
        with anyio.CancelScope(shield=True):
            process = await anyio.open_process(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env=environment(os.environ),
                start_new_session=True,
            )
    except OSError as error:
        return (error.strerror or type(error).__name__).lower()
    status: int | None = None
    try:
        with anyio.move_on_after(TIMEOUT_SECONDS):
            await _feed(process, said)
            status = await process.wait()
    finally:
        with anyio.CancelScope(shield=True):
            _kill(process)
            await process.wait()
            await process.aclose()
    if status is None:
        return f"killed after {TIMEOUT_SECONDS:.0f} s"
    return None if status == 0 else f"ended with status {status}"


async def _feed(process: Process, said: bytes) -> None:
    assert process.stdin is not None
    # It need not read what it is told.
    with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        await process.stdin.send(said)
        await process.stdin.aclose()


def _kill(process: Process) -> None:
    """End it and whatever it started. One that has ended may have left something running on purpose, and its number may be another's."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)


def environment(daemons: Mapping[str, str]) -> dict[str, str]:
    """What the program gets of the daemon's environment."""
    return {name: value for name, value in daemons.items() if name in PASSED_ON or name.startswith("LC_")}
