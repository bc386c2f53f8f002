"""Promise: no daemon leaves a dump of its memory, in which conversations are, however it is started and whatever its starter allows."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

from mirrord.detached import spawn_detached
from mirrord.settings import Settings
from tests.places import may_dump
from tests.service.supervisor import Supervisor

SOFT, HARD = resource.getrlimit(resource.RLIMIT_CORE)

pytestmark = [
    pytest.mark.skipif(not Path("/proc/self/coredump_filter").exists(), reason="what a process may dump is read from /proc"),
    pytest.mark.skipif(HARD == 0, reason="no process may dump its memory here"),
]


@pytest.fixture(autouse=True)
def dumps_allowed() -> Iterator[None]:
    """Whoever starts the daemon would leave a dump."""
    resource.setrlimit(resource.RLIMIT_CORE, (HARD, HARD))
    assert may_dump("self")
    yield
    resource.setrlimit(resource.RLIMIT_CORE, (SOFT, HARD))


def test_one_that_mirrord_pi_started(at_home: Settings) -> None:
    assert not may_dump(spawn_detached(at_home).pid)


def test_one_that_a_service_manager_started(own_settings: Settings) -> None:
    with Supervisor(own_settings) as manager:
        process = manager.start()
        manager.until("READY")
        assert not may_dump(process.pid)
