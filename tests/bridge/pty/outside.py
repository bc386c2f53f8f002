"""The person's terminal in these tests: no screen, just the bytes, as many as there are."""

from __future__ import annotations

import fcntl
import os
import pty
import random
import select
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from bridge.process import look
from bridge.pty.outer import Attributes
from bridge.pty.size import Size, read_size

ROOT: Final = Path(__file__).resolve().parents[3]
WRAP: Final = (sys.executable, "-P", str(Path(__file__).with_name("wrap.py")))
PYTHON: Final = (sys.executable, "-I", "-S", "-c")
"""Runs a program's text, and starts in a hundredth of a second."""

PATIENCE: Final = 20.0
"""A hundred times what anything here takes on an idle machine, unless it says otherwise."""
GONE: Final = 6.0
"""What is promised: Pi is gone so many seconds after its terminal."""

SEED: Final = int(os.environ.get("MIRRORD_PTY_SEED", "0")) or random.SystemRandom().getrandbits(32)
"""Of the random moments. A failure says it, so that the same can be had again."""

# The child makes its standard input its controlling terminal, then becomes the program.
_LAUNCH: Final = "import fcntl,os,sys,termios; fcntl.ioctl(0,termios.TIOCSCTTY,0); os.execvp(sys.argv[1],sys.argv[1:])"
_READ: Final = 1 << 18


class Outside:
    """A terminal with a program in it. It keeps its own side open, so that its attributes can be looked at whoever lives."""

    def __init__(
        self, argv: Sequence[str], *, env: Mapping[str, str] | None = None, size: Size | None = None, stderr: int | None = None
    ) -> None:
        self.master, self.slave = pty.openpty()
        self.resize(size or Size(30, 100, 1000, 600))
        self.before = self.attributes()
        self.output = bytearray()
        self.process = subprocess.Popen(
            [*PYTHON, _LAUNCH, *argv],
            stdin=self.slave,
            stdout=self.slave,
            stderr=self.slave if stderr is None else stderr,
            env={"PATH": os.environ["PATH"], "TERM": "xterm-256color", "LANG": "C.UTF-8", "PYTHONPATH": str(ROOT), **(env or {})},
            start_new_session=True,
        )

    @property
    def pid(self) -> int:
        return self.process.pid

    def attributes(self) -> Attributes:
        return termios.tcgetattr(self.slave)

    def resize(self, size: Size) -> None:
        packed = struct.pack("HHHH", size.rows, size.columns, size.width, size.height)
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, packed)

    def size(self) -> Size:
        return read_size(self.master)

    def read(self, seconds: float = PATIENCE) -> bytes:
        """What comes next; nothing when nothing comes in time, or the other side is gone."""
        if not select.select([self.master], [], [], seconds)[0]:
            return b""
        try:
            data = os.read(self.master, _READ)
        except OSError:
            return b""
        self.output += data
        return data

    def until(self, wanted: bytes, seconds: float = PATIENCE, since: int = 0) -> int:
        """The position after the first `wanted` from `since` on."""
        deadline = time.monotonic() + seconds
        looked = since
        while (found := self.output.find(wanted, looked)) < 0:
            looked = max(since, len(self.output) - len(wanted) + 1)
            left = deadline - time.monotonic()
            assert left > 0, f"{wanted!r} did not come; what came ends with {bytes(self.output[-2000:])!r}"
            self.read(left)
        return found + len(wanted)

    def until_holds(self, holds: Callable[[], bool], what: str, seconds: float = PATIENCE) -> None:
        """Read on until it holds."""
        deadline = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < deadline, f"{what}; what came ends with {bytes(self.output[-2000:])!r}"
            self.read(0.01)

    def type(self, data: bytes) -> None:
        """All of it, while what comes is read."""
        rest = memoryview(data)
        os.set_blocking(self.master, False)
        try:
            while rest:
                readable, writable, _ = select.select([self.master], [self.master], [], PATIENCE)
                assert readable or writable, f"the terminal takes no more; {len(rest)} bytes are left"
                if readable:
                    self.read(0)
                if writable:
                    with suppress(BlockingIOError):
                        rest = rest[os.write(self.master, rest[:4096]) :]
        finally:
            os.set_blocking(self.master, True)

    def ended(self, seconds: float = PATIENCE) -> int:
        """The exit code, negative for a signal, once the program has ended and all that it wrote was read."""
        self.until_holds(lambda: self.process.poll() is not None, "the program does not end", seconds)
        while self.read(0):
            pass
        return self.process.returncode

    def children(self) -> list[int]:
        """Of the program."""
        return children(self.pid)

    def worker(self) -> int:
        """The child in the same group; the other one leads a session of its own."""
        return self._child(lambda pid: os.getpgid(pid) == self.pid)

    def leader(self) -> int:
        return self._child(lambda pid: os.getpgid(pid) != self.pid)

    def pi(self) -> int:
        """What runs in the inner terminal."""
        self.until_holds(lambda: bool(children(self.leader())), "nothing runs")
        return children(self.leader())[0]

    def close(self) -> None:
        """The window is closed."""
        for fd in (self.master, self.slave):
            with suppress(OSError):
                os.close(fd)

    def _child(self, wanted: Callable[[int], bool]) -> int:
        self.until_holds(lambda: any(map(wanted, self.children())), "there is no such process")
        return next(filter(wanted, self.children()))


@contextmanager
def outside(*argv: str, env: Mapping[str, str] | None = None, size: Size | None = None, stderr: int | None = None) -> Iterator[Outside]:
    """These words in a terminal; nothing of it is left at the end."""
    terminal = Outside(argv, env=env, size=size, stderr=stderr)
    try:
        yield terminal
    finally:
        known = descendants(terminal.pid)
        terminal.close()
        if terminal.process.poll() is None:
            terminal.process.kill()
        terminal.process.wait()
        for pid in known:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


@contextmanager
def wrapped(*argv: str, env: Mapping[str, str] | None = None, size: Size | None = None, stderr: int | None = None) -> Iterator[Outside]:
    """These words in a terminal of ours in a terminal."""
    with outside(*WRAP, *argv, env=env, size=size, stderr=stderr) as terminal:
        yield terminal


def children(pid: int) -> list[int]:
    """Its children now."""
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def descendants(pid: int) -> list[int]:
    """Its children and theirs."""
    found = children(pid)
    for child in found:
        found = [*found, *descendants(child)]
    return found


def lives(pid: int) -> bool:
    """Whether it runs, or could; a zombie does not."""
    info = look(pid)
    return info is not None and not info.ended


def soon(holds: Callable[[], bool], seconds: float = PATIENCE) -> None:
    """Returns once it holds."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        threading.Event().wait(0.01)


def stopped(pid: int) -> bool:
    info = look(pid)
    return info is not None and info.stopped
