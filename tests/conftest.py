"""Async tests run on asyncio, and product code that blocks the event loop fails the test it runs in."""

from __future__ import annotations

import inspect
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from blockbuster import blockbuster_ctx
from hypothesis import settings
from xdist.remote import Producer

from bridge.daemon_lock import read_holder
from mirrord.clock import SystemClock
from mirrord.place import Place, taking_place
from mirrord.settings import Settings
from tests.places import private_settings, stand_in_for_pi, wait_until_dead
from tests.scheduling import UnitScheduling

# Only blocking calls made below a frame of these packages count: a test itself may read a file.
PRODUCT_PACKAGES = ["mirrord", "bridge", "sanitize"]

WEB = Path(__file__).parent / "web"

# A busy machine is no failure; pytest-timeout ends what hangs.
settings.register_profile("mirrord", deadline=None)
settings.load_profile("mirrord")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True)
def loop_never_blocks(request: pytest.FixtureRequest) -> Iterator[None]:
    """In an async test, a blocking call of the product on the event loop's thread raises BlockingError."""
    if not inspect.iscoroutinefunction(getattr(request.node, "obj", None)):
        yield
        return
    with blockbuster_ctx(scanned_modules=PRODUCT_PACKAGES):
        yield


@pytest.fixture
def own_settings() -> Iterator[Settings]:
    """Settings of a daemon of the test's own, on any free port, in a directory that goes away."""
    with private_settings() as made:
        yield made


@pytest.fixture
def at_home(own_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Settings]:
    """Settings that a child finds by itself; whatever daemon runs there at the end is stopped."""
    base = own_settings.paths.runtime_dir.parent.parent
    for name in ("RUNTIME_DIR", "STATE_HOME", "DATA_HOME", "CONFIG_HOME"):
        monkeypatch.setenv(f"XDG_{name}", str(base / name.lower()))
    yield own_settings
    holder = read_holder(own_settings.paths.lock_file)
    if holder is not None:
        os.kill(holder.pid, signal.SIGTERM)
        wait_until_dead(holder.pid, holder.start_time)


@pytest.fixture
def own_place(own_settings: Settings) -> Iterator[Place]:
    """The place for that daemon: lock, store and sockets, which cannot be taken inside a running loop."""
    with taking_place(own_settings, SystemClock(), quiet=True) as taken:
        yield taken


@pytest.fixture
def pi_pid() -> Iterator[int]:
    """The pid of a process that stands for a terminal's Pi."""
    with stand_in_for_pi() as pid:
        yield pid


@pytest.hookimpl(optionalhook=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The browser's tests come last: its driver keeps an event loop in the thread, and no coroutine of a later test could have one."""
    items.sort(key=lambda item: item.path.is_relative_to(WEB))


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> UnitScheduling:
    """Tests that share a running Pi stay together."""
    return UnitScheduling(config, log)
