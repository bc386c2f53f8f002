"""Promise: the daemon, however it is started, takes no core from a Pi that tells it something."""

from __future__ import annotations

import os
import sys

import pytest

from mirrord.daemon.scheduling import go_after_pi
from mirrord.detached import spawn_detached
from mirrord.settings import Settings

if sys.platform != "linux":
    pytest.skip("there are no such policies elsewhere", allow_module_level=True)


def test_one_that_mirrord_pi_started(at_home: Settings) -> None:
    assert os.sched_getscheduler(spawn_detached(at_home).pid) == os.SCHED_BATCH


def test_where_it_is_forbidden_the_daemon_runs_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "sched_setscheduler", refuse)
    go_after_pi()
