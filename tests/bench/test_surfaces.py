"""Promise: a process's CPU is read in ms and goes up as it works, and what no Pi draws has the colours of a theme."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from bench.surfaces import LINES, PALETTE, coloured, cpu_ms
from bench.world import NotMeasured


def test_what_this_process_uses_is_counted() -> None:
    before, begun = cpu_ms(os.getpid()), time.process_time()
    while time.process_time() - begun < 0.1:
        pass
    assert 80 <= cpu_ms(os.getpid()) - before <= 1000


def test_a_process_that_is_gone_is_not_measured() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    with pytest.raises(NotMeasured, match=str(process.pid)):
        cpu_ms(process.pid)


def test_each_line_is_coloured_as_the_terminal_would() -> None:
    drawn = [coloured(line) for line in LINES]
    assert all(colour in line for line in drawn for colour in PALETTE.values())
    assert not [line for line in drawn if "{" in line]
