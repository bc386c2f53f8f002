"""Promise: memory is read in 10^6 bytes of the process that was asked about, and each row stands beside the one before."""

from __future__ import annotations

import os
import subprocess
import sys

import anyio
import pytest

from bench.memory import PEER, resident_megabytes, rollup_kib, rows
from bench.world import NotMeasured

ROLLUP = "5565063aa9000-7ffce795c000 ---p 00000000 00:00 0    [rollup]\nRss:                1612 kB\nPss:                 224 kB\n"


def test_the_resident_part_is_read_from_a_rollup() -> None:
    assert rollup_kib(ROLLUP) == 1612
    with pytest.raises(ValueError, match="no Rss"):
        rollup_kib("Pss: 3 kB\n")


async def test_this_process_has_some_memory() -> None:
    assert 10 < await resident_megabytes(os.getpid()) < 2000


async def test_a_process_that_is_gone_is_not_measured() -> None:
    process = await anyio.open_process([sys.executable, "-c", ""])
    await process.wait()
    with pytest.raises(NotMeasured, match=str(process.pid)):
        await resident_megabytes(process.pid)


def test_the_daemon_has_its_goal_and_both_have_their_peer() -> None:
    bare, idle, linked, each = rows([30, 30, 30], [36, 45, 50], [90, 90, 90])
    assert (bare.met, idle.met, linked.met) == (None, True, None)
    assert (idle.ratio, linked.ratio) == (1.5, 2)
    assert each.samples == (1080, 900, 800)


def test_the_peer_imports_what_the_daemon_needs_from_elsewhere() -> None:
    libraries = {"anyio", "click", "msgspec", "sqlite3", "websockets", "wcwidth", "pyte", "prompt_toolkit", "pexpect"}
    loaded = {name for name in libraries if name in _imported_by("mirrord.daemon.daemon")}
    assert loaded <= {word.strip(",") for word in PEER.replace(".", " ").split()}


def _imported_by(module: str) -> set[str]:
    code = f"import sys, {module}; print(*sys.modules)"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())
