"""Async tests run on asyncio, and product code that blocks the event loop fails the test it runs in."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import pytest
from blockbuster import blockbuster_ctx
from hypothesis import settings

# Only blocking calls made below a frame of these packages count: a test itself may read a file.
PRODUCT_PACKAGES = ["mirrord", "bridge", "sanitize"]

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
