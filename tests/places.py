"""A daemon of its own for a test: short private directories that go away, and how to reach it."""

from __future__ import annotations

import fcntl
import os
import re
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


@contextmanager
def default_port() -> Iterator[None]:
    """The port that `mirrord pi` starts its daemon on, for this test alone: tests of other workers wait their turn."""
    with Path(tempfile.gettempdir(), f"mirrord-test-port-{os.getuid()}.lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def may_dump(pid: int | str) -> bool:
    """Whether this process would leave one that has any of its memory in it."""
    limits = re.search(r"^Max core file size +(\S+) +(\S+)", Path(f"/proc/{pid}/limits").read_text(), re.MULTILINE)
    assert limits is not None
    mappings = int(Path(f"/proc/{pid}/coredump_filter").read_text(), 16)
    return limits.groups() != ("0", "0") or mappings != 0
