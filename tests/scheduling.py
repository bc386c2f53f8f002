"""Which tests run one after the other on one worker, when several run at once.

Tests that share a running Pi say so by a parameter whose id is `NAME+START` ("pi-0.73.1+attached"): all of one id make a unit,
so that Pi starts once for all of them. Every other test with the real Pi is a unit, since it takes seconds; elsewhere a file is.
"""

from __future__ import annotations

import re

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

_SHARED = re.compile(r"\[(?:.*-)?(pi-[\w.-]+\+[a-z]+)")


def unit(nodeid: str) -> str:
    """The name of the unit that a test belongs to."""
    if shared := _SHARED.search(nodeid):
        return shared[1]
    file, _, _ = nodeid.partition("::")
    return nodeid if file.startswith("tests/e2e/") else file


class UnitScheduling(LoadScopeScheduling):  # type: ignore[misc] # xdist has no types
    """Gives each worker a unit at a time, in the order of collection: few quick files come after the tests with the real Pi."""

    def __init__(self, config: pytest.Config, log: Producer | None = None) -> None:
        # By default the units of the most tests come first, and a test that takes a minute last.
        config.option.loadscopereorder = False
        super().__init__(config, log)

    def _split_scope(self, nodeid: str) -> str:
        return unit(nodeid)
