"""A terminal whose output is read and thrown away: to emulate a screen would compete with Pi for the CPU."""

from __future__ import annotations

import fcntl
import os
import pty
import signal
import struct
import subprocess
import termios
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

READ_SIZE = 65536
SIZE = (30, 100)
# How long Pi may take to end after SIGHUP before it is killed.
GRACE = 5.0
# Enough of the last output to see in a failure what Pi showed.
KEPT_CHUNKS = 8


class BenchTerminal:
    """A program in a terminal of SIZE rows and columns, from `running` until its block ends."""

    def __init__(self, process: subprocess.Popen[bytes], master: int) -> None:
        self._process = process
        self._master = master
        self._last: deque[bytes] = deque(maxlen=KEPT_CHUNKS)
        self._changed = time.monotonic()
        self.written = 0
        """Bytes that the program wrote."""
        self._reader = threading.Thread(target=self._drain, name="terminal", daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    @property
    def quiet_for(self) -> float:
        """Seconds since the program drew something."""
        return time.monotonic() - self._changed

    def last_output(self) -> str:
        """The last of what it drew, for a failure message."""
        return b"".join(self._last).decode(errors="replace")[-1000:]

    def send(self, keys: bytes) -> None:
        """The keys in one write; a line's keys end with a carriage return."""
        os.write(self._master, keys)

    def close(self) -> None:
        """Ends the program as a closed window does."""
        if self.alive:
            self._process.send_signal(signal.SIGHUP)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(GRACE)
        if self.alive:
            self._process.kill()
            self._process.wait()
        self._reader.join(GRACE)
        os.close(self._master)

    def _drain(self) -> None:
        # Linux reports an error when the last writer is gone, macOS the end of the file.
        with suppress(OSError):
            while data := os.read(self._master, READ_SIZE):
                self._last.append(data)
                self.written += len(data)
                self._changed = time.monotonic()


@contextmanager
def running(argv: Sequence[str], env: Mapping[str, str], cwd: Path) -> Iterator[BenchTerminal]:
    """The program in a terminal; ended after the block."""
    master, slave = pty.openpty()
    try:
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", *SIZE, 0, 0))
        process = subprocess.Popen(argv, stdin=slave, stdout=slave, stderr=slave, env=dict(env), cwd=cwd, start_new_session=True)
    except BaseException:
        os.close(master)
        raise
    finally:
        os.close(slave)
    terminal = BenchTerminal(process, master)
    try:
        yield terminal
    finally:
        terminal.close()
