"""Ctrl+C, SIGTERM and SIGHUP end a command in one way: everything it started is ended first.

asyncio's own treatment of Ctrl+C interrupts whatever the main task waits for, shielded or not.
"""

from __future__ import annotations

import signal
from collections.abc import Awaitable, Callable

import anyio
from anyio.abc import TaskStatus

SIGNALLED = 128
"""Exit status of a command that a signal ended, plus the signal's number, as shells report it."""


async def until_signal(run: Callable[[], Awaitable[int]]) -> int:
    """The status of `run`, which is cancelled when a signal arrives; then 128 and the signal's number."""
    status = 0

    async def watch(*, task_status: TaskStatus[None]) -> None:
        nonlocal status
        with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM, signal.SIGHUP) as signals:
            task_status.started()
            async for number in signals:
                status = SIGNALLED + number
                tasks.cancel_scope.cancel()

    async with anyio.create_task_group() as tasks:
        await tasks.start(watch)
        status = await run()
        tasks.cancel_scope.cancel()
    return status
