"""Promise: the guard against a blocked event loop can fail a test, and leaves everything else alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from blockbuster import BlockingError

import bridge


def blocking_call_in(folder: Path) -> Callable[[], None]:
    """A function that blocks, from a source file that would lie in `folder`."""
    names: dict[str, Callable[[], None]] = {}
    exec(compile("import time\ndef block(): time.sleep(0)", str(folder / "made_up.py"), "exec"), names)
    return names["block"]


PRODUCT = blocking_call_in(Path(bridge.__file__).parent)
TEST = blocking_call_in(Path(__file__).parent)


async def test_a_blocking_call_of_the_product_fails_an_async_test() -> None:
    with pytest.raises(BlockingError):
        PRODUCT()


async def test_a_blocking_call_of_a_test_is_let_through() -> None:
    TEST()


def test_a_blocking_call_outside_a_loop_is_let_through() -> None:
    PRODUCT()
