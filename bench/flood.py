"""A program that writes very much in the terminal of `mirrord pi`, while a client watches the screen: how fast, at what cost, how soon."""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Final

import anyio
import anyio.to_thread

from bench.load import attend
from bench.pty import FOLLOWED, PYTHON, SIZE, candidates
from bench.report import Goal, Row
from bench.websocket import WebSocket, websocket
from bench.world import LOOK_SECONDS, PATIENCE_SECONDS, NotMeasured, World, until, world
from mirrord.client import Remote
from mirrord.testing import fake_extension, hello
from mirrord.wire import messages as wire
from tests.bridge.pty.outside import Outside, children, outside
from tests.harness.pi import ROOT

MEGABYTES: Final = 50
QUICK_MEGABYTES: Final = 5
ROUNDS: Final = 5
QUICK_ROUNDS: Final = 1

SPEED: Final = 20
"""MB/s that the person's terminal gets at least."""
MEMORY_GOAL: Final = Goal("p50", 32)
NEWEST_GOAL: Final = Goal("p99", 1000)

END: Final = b"END-OF-FLOOD"
PATIENCE: Final = 120.0

# For each line that it reads it writes so many MB of a log, then a screen as Pi draws them: text, and an input editor between two borders.
CHILD: Final = """
import os, sys, tty
tty.setraw(0)
columns = int(sys.argv[1])
data = b"".join(b"%06d the quick brown fox jumps over the lazy dog, and a line of a log goes by\\r\\n" % n for n in range(12000))
def write(data):
    while data: data = data[os.write(1, data):]
def draw(text):
    rule = "\\u2500" * columns
    screen = f"\\x1b[?2026h\\x1b[2J\\x1b[H{text}\\r\\n{rule}\\r\\n\\r\\n{rule}\\x1b[3;1H\\x1b[?2026l"
    write(screen.encode())
draw("READY")
number = 0
while (asked := os.read(0, 64)) != b"q":
    left = int(asked) * 1_000_000
    while left > 0:
        write(data[:left])
        left -= len(data)
    number += 1
    draw(f"flood {number} is over")
    write(b"\\x1b[3;1H\\x1b_END-OF-FLOOD\\x1b\\\\")
"""


async def measure(quick: bool, profile: Path | None = None) -> list[Row]:
    """All rows. Raises NotMeasured."""
    megabytes, rounds = (QUICK_MEGABYTES, QUICK_ROUNDS) if quick else (MEGABYTES, ROUNDS)
    return await floods(megabytes, rounds, profile)


async def floods(megabytes: int, rounds: int, profile: Path | None = None) -> list[Row]:
    """Each round writes so many MB."""
    taken: list[float] = []
    late: list[float] = []
    async with world(profile) as here:
        remote = await here.paired("bench")
        with _terminal(here) as terminal:
            first = hello(terminal.pi())
            async with (
                fake_extension(here.paths.bridge_socket, first) as extension,
                _watching(remote, first.terminal.id) as screen,
                anyio.create_task_group() as tasks,
            ):
                tasks.start_soon(attend, extension, extension.say)
                await screen.until_it_has("READY")
                copying = [terminal.pid, terminal.leader(), terminal.worker(), *children(terminal.worker()), here.daemon.pid]
                before = sum(map(_most_megabytes, copying))
                for number in range(1, rounds + 1):
                    ms, over = await anyio.to_thread.run_sync(_flood, terminal, megabytes)
                    taken.append(ms)
                    late.append((await screen.until_it_has(f"flood {number} is over") - over) / 1e6)
                grown = sum(map(_most_megabytes, copying)) - before
                tasks.cancel_scope.cancel()
    what = f"{megabytes} MB of a log written in the terminal of `mirrord pi`, whose screen a client watches"
    speed = Goal("p50", megabytes / SPEED * 1000)
    return [
        Row("flood, terminal", f"{what}, until the person's terminal has all of it", tuple(taken), "ms", goal=speed),
        Row(
            "flood, newest screen",
            "the terminal has all of it → the client has the screen that was drawn last",
            tuple(late),
            "ms",
            goal=NEWEST_GOAL,
        ),
        Row(
            "flood, memory",
            "what its processes and the daemon have more at most than before the first flood",
            (grown,),
            "MB",
            goal=MEMORY_GOAL,
        ),
    ]


def _flood(terminal: Outside, megabytes: int) -> tuple[float, int]:
    """How many ms it took, and when it was over, in ns."""
    tail, begun = b"", time.monotonic_ns()
    os.write(terminal.master, str(megabytes).encode())
    while END not in tail:
        data = terminal.read(PATIENCE)
        if not data:
            raise NotMeasured("the flood stopped")
        tail = (tail + data)[-len(data) - len(END) :]
        terminal.output.clear()
    over = time.monotonic_ns()
    return (over - begun) / 1e6, over


@contextmanager
def _terminal(here: World) -> Iterator[Outside]:
    """The program in a terminal of ours, its screen shared."""
    env = {"PYTHONPATH": str(ROOT), "HOME": str(here.home.root), "XDG_RUNTIME_DIR": str(here.home.runtime)}
    words = [*candidates(here.home.root)[FOLLOWED][:-1], "shared"]
    with outside(*words, *PYTHON, "-c", CHILD, str(SIZE.columns), env=env, size=SIZE) as terminal:
        terminal.until(b"READY", PATIENCE)
        try:
            yield terminal
        finally:
            terminal.type(b"q")
            terminal.until_holds(lambda: terminal.process.poll() is not None, "it does not end")


class _Screen:
    """What a client that watches the screen has seen."""

    def __init__(self, one: WebSocket, wish: wire.Command) -> None:
        self._one = one
        self._wish = wish
        self._seen: dict[str, int] = {}
        self._last: wire.Screen | None = None

    async def read(self) -> None:
        """Until it is cancelled; it asks until the follower is there."""
        self._one.write(self._one.frame(self._wish))
        while True:
            now, messages = await self._one.read()
            for message in messages:
                if isinstance(message, wire.CommandResult) and not message.ok:
                    await anyio.sleep(LOOK_SECONDS)
                    self._one.write(self._one.frame(self._wish))
                if isinstance(message, wire.Screen):
                    self._last = message
                    for line in message.lines:
                        self._seen.setdefault("".join(span.text for span in line).strip(), now)

    async def until_it_has(self, line: str) -> int:
        """When the client had this line first, in ns. NotMeasured when it does not come."""

        async def has() -> bool:
            return line in self._seen

        await until(has, f"no screen has {line!r}; the last one is {self._last!r}", PATIENCE_SECONDS)
        return self._seen[line]


@asynccontextmanager
async def _watching(remote: Remote, session: str) -> AsyncIterator[_Screen]:
    async with websocket(remote) as one, anyio.create_task_group() as tasks:
        one.say_hello("watcher")
        screen = _Screen(one, wire.Command(request_id="watch", name="screen_watch", args={"sessionId": session, "on": True}))
        tasks.start_soon(screen.read)
        yield screen
        tasks.cancel_scope.cancel()


def _most_megabytes(pid: int) -> float:
    """The most memory that the process ever had in RAM. NotMeasured where the system does not tell."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) * 1024 / 1e6
    except (OSError, StopIteration) as error:
        raise NotMeasured(f"the memory of process {pid} could not be read") from error
