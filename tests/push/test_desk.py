"""Promise: a device that asks without end is refused, and neither the disk nor anybody else waits for it."""

from __future__ import annotations

from typing import Any, cast

import anyio
import pytest

from mirrord.push.desk import AT_ONCE, NotifyDesk, TooMany
from mirrord.store.notify import NotifyTable
from mirrord.wire.attention import NotifySetArgs, NotifySettings


class SlowTable:
    """A disk that takes nothing before it is told to."""

    def __init__(self) -> None:
        self.writes = 0
        self.free = anyio.Event()

    async def switch(self, device: str, asked: NotifySetArgs) -> None:
        self.writes += 1
        await self.free.wait()

    def settings(self, device: str) -> NotifySettings:
        return NotifySettings()


async def test_so_many_of_one_device_run_at_once_and_those_of_another_beside_them() -> None:
    table, arguments = SlowTable(), {"kind": "waiting", "on": True}
    desk = NotifyDesk(cast(NotifyTable, table), lambda _: None)
    answers: list[Any] = []

    async def ask(device: str) -> None:
        answers.append(await desk.run(device, "notify_set", arguments))

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            for _ in range(AT_ONCE):
                tasks.start_soon(ask, "phone")
            await anyio.wait_all_tasks_blocked()
            for name in ("notify_set", "notify_settings", "push_info"):
                with pytest.raises(TooMany):
                    await desk.run("phone", name, arguments)
            tasks.start_soon(ask, "tablet")
            await anyio.wait_all_tasks_blocked()
            assert table.writes == AT_ONCE + 1
            table.free.set()
        await ask("phone")
    assert len(answers) == AT_ONCE + 2
