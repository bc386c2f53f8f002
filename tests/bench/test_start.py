"""Promise: a wake-up is counted when a process sleeps and not while it works, and a process that is gone is not measured."""

from __future__ import annotations

import subprocess
import sys

import pytest

from bench.start import switches
from bench.world import NotMeasured

SLEEPS = 20
CODE = f"""
import sys, time
for line in sys.stdin:
    for _ in range({SLEEPS}):
        if line == "sleep\\n": time.sleep(0.001)
        else: sum(range(20_000))
    print(flush=True)
"""


def test_sleeps_are_counted_and_work_is_not() -> None:
    with subprocess.Popen([sys.executable, "-c", CODE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        counted = {}
        for word in ("work", "sleep"):
            before = switches(process.pid)
            process.stdin.write(f"{word}\n")
            process.stdin.flush()
            process.stdout.readline()
            counted[word] = switches(process.pid) - before
        process.stdin.close()
    # What waits for the word and who answers it sleeps a few times as well.
    assert counted["sleep"] >= SLEEPS
    assert counted["work"] < SLEEPS


def test_a_process_that_is_gone_has_no_wake_ups() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    with pytest.raises(NotMeasured, match=str(process.pid)):
        switches(process.pid)
