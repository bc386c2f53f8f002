"""Which tests run one after the other on one worker, when several run at once.

Tests that share a running Pi say so by a parameter whose id is `NAME@START` ("pi-0.73.1@attached"): all of one id make a unit,
so that Pi starts once for all of them. Every other test with the real Pi is a unit, since it takes seconds; elsewhere a file is.
"""

from __future__ import annotations

import re

from xdist.scheduler import LoadScopeScheduling

_SHARED = re.compile(r"\[(?:.*-)?(pi-[\w.-]+@[a-z]+)")


def unit(nodeid: str) -> str:
    """The name of the unit that a test belongs to."""
    if shared := _SHARED.search(nodeid):
        return shared[1]
    file, _, _ = nodeid.partition("::")
    return nodeid if file.startswith("tests/e2e/") else file


class UnitScheduling(LoadScopeScheduling):  # type: ignore[misc] # xdist has no types
    """Gives each worker a unit at a time, those of the most tests first."""

    def _split_scope(self, nodeid: str) -> str:
        return unit(nodeid)
