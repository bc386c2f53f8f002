"""Promise: of a Pi that has turns since an earlier daemon it is told whether it runs, and its end; a number alone proves nothing."""

from __future__ import annotations

import os
import signal

import anyio
import anyio.lowlevel

from bridge.process import start_time
from mirrord.core.events import Event, ProcessGone
from mirrord.core.model import TerminalId
from mirrord.core.receipts import EarlierSeen
from mirrord.daemon.earlier import follow_earlier
from mirrord.testing import FakeClock


async def test_who_runs_is_told_at_once_and_that_it_ended_when_it_has(pi_pid: int) -> None:
    events: list[Event] = []
    pi = TerminalId(f"{pi_pid}-{start_time(pi_pid)}")
    others = [
        f"{pi_pid}-1",  # another process had its number
        f"{pi_pid}-0123456789ab",  # where nobody can tell when it started
        f"{2**31}-1",
        f"{'9' * 5000}-1",
        f"{pi_pid}",
        f"-{start_time(pi_pid)}",
        "",
    ]
    clock = FakeClock()
    with anyio.fail_after(10):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(follow_earlier, [pi, *map(TerminalId, others)], clock, events.append)
            while not events:
                await anyio.lowlevel.checkpoint()
            (seen,) = events
            assert isinstance(seen, EarlierSeen)
            assert (seen.running, seen.at.boot) == (frozenset((pi,)), clock.boot())
            clock.advance(5)
            os.kill(pi_pid, signal.SIGKILL)
    (_, gone) = events
    assert isinstance(gone, ProcessGone)
    assert (gone.terminal, gone.at.boot) == (pi, clock.boot())


async def test_where_there_was_none_the_core_is_told_so() -> None:
    events: list[Event] = []
    await follow_earlier((), FakeClock(), events.append)
    assert [event.running for event in events if isinstance(event, EarlierSeen)] == [frozenset()]
