"""What the terminal of `mirrord pi` costs: throughput, echo and memory, beside none, `script`, `tmux` and a bare copy loop."""

from __future__ import annotations

import gc
import os
import random
import select
import shlex
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Final

import anyio.to_thread
import psutil

from bench.contest import contest
from bench.report import Goal, Row
from bench.world import NotMeasured
from bridge.pty.size import Size
from bridge.screen.limits import FEED_BYTES
from tests.bridge.pty.outside import Outside, children, outside
from tests.harness.pi import ROOT

ROUNDS: Final = 5
QUICK_ROUNDS: Final = 1
MEGABYTES: Final = 50
QUICK_MEGABYTES: Final = 5
KEYS: Final = 2000
QUICK_KEYS: Final = 100
WARM_UP_KEYS: Final = 50
FLOODS: Final = 20
QUICK_FLOODS: Final = 2

SIZE: Final = Size(30, 100)
PAUSE_SECONDS: Final = 0.0005
"""Between two keys: what the one before woke has gone to sleep again."""

LOOP: Final = "bare loop"
OURS: Final = "mirrord pi"
FOLLOWED: Final = "mirrord pi, screen followed"

THROUGHPUT_GOAL: Final = Goal("speed", 0.95)
"""Beside the bare loop: within 5 %."""
ECHO_GOAL: Final = Goal("ratio", 1)
"""Beside tmux."""
MEMORY_GOAL: Final = Goal("p50", FEED_BYTES / 1000)
"""kB: flat, but for what may wait for the follower at one reading and not at the other."""
FOLLOWER_MEMORY_GOAL: Final = Goal("p50", 1000)
"""kB: flat, but for the screen it shows and the pens that drew it."""

PATIENCE: Final = 120.0
SETTLED_SECONDS: Final = 0.3
"""After a flood: the follower has read what it did not skip."""
RECORDINGS: Final = ROOT / "fixtures" / "sanitize" / "recordings"
PYTHON: Final = (sys.executable, "-I", "-S")

_END: Final = b"END-OF-RUN"
# For each "!" it writes the file's bytes again and again up to so many, then a word that also a multiplexer shows.
_CHILD: Final = """
import os, sys, termios, tty
tty.setraw(0); data = open(sys.argv[1], "rb").read()
os.write(1, b"READY")
while (key := os.read(0, 1)) != b"q":
    left = int(sys.argv[2]) if key == b"!" else 0
    while left > 0:
        piece = data[:left]; left -= len(piece)
        for start in range(0, len(piece), 65536):
            part = piece[start:start + 65536]
            while part: part = part[os.write(1, part):]
    if key == b"!": os.write(1, b"\\x1b\\\\\\x1b[?1049l\\x1b[0m\\x1b[2J\\x1b[H" + b"END-OF" + b"-RUN")
"""
_ECHO: Final = """
import os, tty
tty.setraw(0); os.write(1, b"READY")
while (data := os.read(0, 4096)) != b"q": os.write(1, data)
"""


async def measure(quick: bool, profile: Path | None = None) -> list[Row]:
    """The rows of throughput, echo and memory. Raises NotMeasured."""
    return await anyio.to_thread.run_sync(_measure, quick)


def _measure(quick: bool) -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="mirrord-bench-", dir="/tmp") as name:
        folder = Path(name)
        rows: list[Row] = []
        for kind, data in _kinds().items():
            file = folder / "data"
            file.write_bytes(data)
            rows += _throughput(kind, file, folder, quick)
        file.write_bytes(_kinds()["plain lines"])
        return [*rows, *_echo(folder, quick), *_memory(file, quick)]


def _kinds() -> Mapping[str, bytes]:
    """What flows: lines of a log, and all that Pi drew in the recordings, a megabyte or so of each."""
    lines = b"".join(
        b"%06d the quick brown fox jumps over the lazy dog, and a line of a log goes by\r\n" % number for number in range(12000)
    )
    return {"plain lines": lines, "Pi's screens": b"".join(path.read_bytes() for path in sorted(RECORDINGS.glob("*.bin")))}


def candidates(folder: Path) -> Mapping[str, Sequence[str]]:
    """The words that stand before the program in each way; those that are not installed are left out."""
    found: dict[str, Sequence[str]] = {"direct": ()}
    if shutil.which("script"):
        found["script"] = ("script",)
    if tmux := shutil.which("tmux"):
        found["tmux"] = (tmux, "-f", os.devnull, "-S", str(folder / "tmux"), "new-session")
    wrap = (sys.executable, "-P", str(ROOT / "bench" / "pty_wrap.py"))
    return {**found, LOOP: (*PYTHON, str(ROOT / "bench" / "pty_loop.py")), OURS: (*wrap, "plain"), FOLLOWED: (*wrap, "followed")}


@contextmanager
def _running(before: Sequence[str], argv: Sequence[str]) -> Iterator[Outside]:
    """The program in a terminal, behind these words; it has said that it is ready."""
    words = [*before, *argv]
    if before == ("script",):
        words = ["script", "-q", "-e", "-c", shlex.join(argv), os.devnull]
    elif before and before[-1] == "new-session":
        words = [*before, shlex.join(argv)]
    with outside(*words, env={"PYTHONPATH": str(ROOT), "HOME": "/nonexistent", "SHELL": "/bin/sh"}, size=SIZE) as terminal:
        try:
            terminal.until(b"READY", PATIENCE)
            while terminal.read(0.1):
                pass
            yield terminal
        except AssertionError as failed:
            raise NotMeasured(f"{before[0] if before else 'a terminal'}: {failed}") from failed
        finally:
            terminal.type(b"q")
            terminal.until_holds(lambda: terminal.process.poll() is not None, "it does not end")


def _throughput(kind: str, file: Path, folder: Path, quick: bool) -> list[Row]:
    """Milliseconds from the byte that asks for so many megabytes to the word after them."""
    megabytes, rounds = (QUICK_MEGABYTES, QUICK_ROUNDS) if quick else (MEGABYTES, ROUNDS)
    argv = (*PYTHON, "-c", _CHILD, str(file), str(megabytes * 1_000_000))
    who = {name: partial(_flood, before, argv) for name, before in candidates(folder).items()}
    times = {name: tuple(taken / 1000 for taken in samples) for name, samples in contest(who, rounds).items()}
    measured = f"{megabytes} MB written by the program until the terminal has all of it"
    loop = Row(f"{kind}, {LOOP}", measured, times[LOOP], "ms")
    peer = (LOOP, loop.p50)
    others = [
        Row(f"{kind}, {name}", measured, taken, "ms", peer, THROUGHPUT_GOAL if name in (OURS, FOLLOWED) else None)
        for name, taken in times.items()
        if name != LOOP
    ]
    return [loop, *others]


def _flood(before: Sequence[str], argv: Sequence[str]) -> float:
    """µs for one flood."""
    with _running(before, argv) as terminal:
        return _flooded(terminal)


def _flooded(terminal: Outside) -> float:
    tail = b""
    begun = time.perf_counter_ns()
    os.write(terminal.master, b"!")
    while _END not in tail:
        data = terminal.read(PATIENCE)
        assert data, "the flood stopped"
        tail = (tail + data)[-2 * len(_END) :] if len(data) < len(_END) else tail[-len(_END) :] + data
        terminal.output.clear()
    return (time.perf_counter_ns() - begun) / 1000


def _echo(folder: Path, quick: bool) -> list[Row]:
    """µs from a key to its echo; all live at once, and each key goes to all of them in a new order."""
    keys = QUICK_KEYS if quick else KEYS
    chosen = random.Random(1)
    times: dict[str, list[float]] = {}
    with ExitStack() as stack:
        all_of_them = {name: stack.enter_context(_running(before, (*PYTHON, "-c", _ECHO))) for name, before in candidates(folder).items()}
        gc.disable()
        stack.callback(gc.enable)
        for number in range(WARM_UP_KEYS + keys):
            for name, terminal in chosen.sample(sorted(all_of_them.items()), len(all_of_them)):
                taken = _echoed(terminal, b"k")
                if number >= WARM_UP_KEYS:
                    times.setdefault(name, []).append(taken)
                select.select([], [], [], PAUSE_SECONDS)
    measured = "a key is written to the terminal until its echo can be read"
    rows = {name: Row(f"echo, {name}", measured, tuple(taken), "µs") for name, taken in times.items()}
    if "tmux" not in rows:
        return list(rows.values())
    peer = ("tmux", rows["tmux"].p50)
    return [
        row if name == "tmux" else Row(row.name, measured, row.samples, "µs", peer, ECHO_GOAL if name in (OURS, FOLLOWED) else None)
        for name, row in rows.items()
    ]


def _echoed(terminal: Outside, key: bytes) -> float:
    begun = time.perf_counter_ns()
    os.write(terminal.master, key)
    while key not in terminal.read(PATIENCE):
        pass
    taken = (time.perf_counter_ns() - begun) / 1000
    # A multiplexer may go on drawing.
    while terminal.read(0):
        pass
    terminal.output.clear()
    return taken


def _memory(file: Path, quick: bool) -> list[Row]:
    """kB that processes of ours keep more after many floods than after the first."""
    megabytes, floods = (QUICK_MEGABYTES, QUICK_FLOODS) if quick else (MEGABYTES, FLOODS)
    before = candidates(file.parent)[FOLLOWED]
    with _running(before, (*PYTHON, "-c", _CHILD, str(file), str(megabytes * 1_000_000))) as terminal:
        copying = [terminal.pid, terminal.leader(), terminal.worker()]
        following = children(terminal.worker())
        kept: list[tuple[int, int]] = []
        for _ in range(1 + floods):
            _flooded(terminal)
            while terminal.read(SETTLED_SECONDS):
                pass
            kept.append((_private(copying), _private(following)))
    grown = [max(0.0, (after - first) / 1000) for first, after in zip(kept[0], kept[-1], strict=True)]
    measured = f"what they keep more after {floods * megabytes} MB than after the {megabytes} MB before:"
    return [
        Row("memory after a flood", f"{measured} guard, leader and worker", (grown[0],), "kB", goal=MEMORY_GOAL),
        Row("memory after a flood, follower", f"{measured} the follower", (grown[1],), "kB", goal=FOLLOWER_MEMORY_GOAL),
    ]


def _private(pids: Sequence[int]) -> int:
    """Bytes of their memory that no other process has as well."""
    used: int = sum(psutil.Process(pid).memory_full_info().uss for pid in pids)
    return used
