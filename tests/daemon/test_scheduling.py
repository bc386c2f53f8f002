"""Promise: the daemon, however it is started, takes no core from a Pi that tells it something."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from mirrord.daemon.scheduling import go_after_pi
from mirrord.detached import spawn_detached
from mirrord.settings import Settings

if sys.platform != "linux":
    pytest.skip("there are no such policies elsewhere", allow_module_level=True)


def test_one_that_mirrord_pi_started(at_home: Settings) -> None:
    assert os.sched_getscheduler(spawn_detached(at_home).pid) == os.SCHED_BATCH


IDLE = """
import os
from mirrord.daemon.scheduling import go_after_pi
os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
go_after_pi()
print(os.sched_getscheduler(0))
"""


def test_a_policy_that_somebody_chose_stays() -> None:
    said = subprocess.run([sys.executable, "-c", IDLE], capture_output=True, text=True, check=True).stdout
    assert int(said) == os.SCHED_IDLE


def test_where_it_is_forbidden_the_daemon_runs_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "sched_setscheduler", refuse)
    go_after_pi()
