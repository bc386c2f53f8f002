"""A real daemon for the tests of the command line, in a process of its own on a free port."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bridge.daemon_lock import read_holder
from tests.cli.commands import MIRRORD, PATIENCE, environment, run

PAUSE = 0.05


@contextmanager
def daemon(root: Path) -> Iterator[subprocess.Popen[str]]:
    """Answers while the block runs, and has ended afterwards."""
    with subprocess.Popen(
        [*MIRRORD, "serve", "--port", "0"], env=environment(root), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            wait_until_it_answers(root, process)
            yield process
        finally:
            process.terminate()
            process.communicate(timeout=PATIENCE)


def wait_until_it_answers(root: Path, process: subprocess.Popen[str] | None = None) -> None:
    deadline = time.monotonic() + PATIENCE
    while run(root, "status").returncode != 0:
        assert process is None or process.poll() is None, "the daemon ended"
        assert time.monotonic() < deadline, "the daemon does not answer"


def stop(root: Path) -> None:
    """End the detached daemon of this root, if there is one."""
    lock = root / "mirrord" / "daemon.lock"
    ended = threading.Event()
    for _ in range(round(PATIENCE / PAUSE)):
        holder = read_holder(lock)
        if holder is None:
            return
        os.kill(holder.pid, signal.SIGTERM)
        ended.wait(PAUSE)
    raise AssertionError("the daemon does not end")
