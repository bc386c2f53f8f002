"""Pis that an earlier daemon gave turns and that are not done with them: which of them still run, and when those end.

One that quits while no daemon runs says goodbye to nobody. Its turns would count as under way for as long as receipts are kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import Final

import anyio
import anyio.to_thread

from bridge.process import is_alive, wait_for_exit
from mirrord.clock import Clock, moment
from mirrord.core.events import Event, ProcessGone
from mirrord.core.model import TerminalId
from mirrord.core.receipts import EarlierSeen

_ID: Final = re.compile(r"([0-9]{1,10})-([0-9]{1,20})", re.ASCII)
"""A terminal's id where Pi could learn when it started: its pid and that moment. Elsewhere the second half is random and tells nothing."""


async def follow_earlier(terminals: Collection[TerminalId], clock: Clock, happen: Callable[[Event], None]) -> None:
    """Tell the core which of these run, as far as that can be seen, and of each of those when it has ended; return when all have."""
    processes = {terminal: process for terminal in terminals if (process := _process(terminal)) is not None}

    def look() -> dict[TerminalId, tuple[int, str]]:
        return {terminal: process for terminal, process in processes.items() if is_alive(*process)}

    running = await anyio.to_thread.run_sync(look)
    happen(EarlierSeen(at=moment(clock), running=frozenset(running)))

    async def until_it_ends(terminal: TerminalId, pid: int, start: str) -> None:
        await wait_for_exit(pid, start)
        happen(ProcessGone(at=moment(clock), terminal=terminal))

    async with anyio.create_task_group() as tasks:
        for terminal, (pid, start) in running.items():
            tasks.start_soon(until_it_ends, terminal, pid, start)


def _process(terminal: TerminalId) -> tuple[int, str] | None:
    """Pid and start time in a terminal's id."""
    named = _ID.fullmatch(terminal)
    return None if named is None else (int(named[1]), named[2])
