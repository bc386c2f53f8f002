"""The full seconds at which is looked at what tells nobody when it changes: the process wakes once for all who look."""

from __future__ import annotations

import anyio


async def next_second() -> None:
    """Return at the next full second of the loop's clock."""
    await anyio.sleep(1 - anyio.current_time() % 1)
