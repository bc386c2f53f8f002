"""A daemon of its own for a test: short private directories that go away, and how to reach it."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bridge.process import is_alive
from mirrord.settings import Settings
from mirrord.testing import settings_in


@contextmanager
def private_settings() -> Iterator[Settings]:
    """Settings in a directory right under /tmp: pytest's own are too long for a socket."""
    with tempfile.TemporaryDirectory(prefix="mirrord-test-", dir="/tmp") as directory:
        for part in ("runtime_dir", "state_home", "data_home", "config_home"):
            Path(directory, part).mkdir(mode=0o700)
        yield settings_in(Path(directory))


@contextmanager
def stand_in_for_pi() -> Iterator[int]:
    """The pid of a process that does nothing and is a child of this one, as a terminal's Pi would be."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        try:
            yield process.pid
        finally:
            process.kill()


def wait_until_dead(pid: int, start: str | None) -> None:
    """Return when the process has ended."""
    deadline = time.monotonic() + 5
    while is_alive(pid, start):
        assert time.monotonic() < deadline
        threading.Event().wait(0.02)
