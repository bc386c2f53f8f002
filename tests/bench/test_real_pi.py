"""Promise: the measurements reach the real Pi of each generation: every way to answer wins, and the timed extension tells its times."""

from __future__ import annotations

import anyio
import pytest

from bench.answers import WARM_UP, resolved_after
from bench.callbacks import times
from bench.phone import phone
from bench.pi import asked, rpc_pi, tui_pi, whole_file
from bench.timed_extension import timed_extension
from bench.world import world
from tests.harness.pi import GENERATIONS, PiKind

pytestmark = pytest.mark.e2e

THINKING = 0.01


@pytest.mark.parametrize("kind", GENERATIONS, ids=str)
def test_a_terminal_with_the_timed_extension(kind: PiKind) -> None:
    async def play() -> None:
        async with world() as here, phone(await here.paired("phone")) as one:
            extension = await anyio.to_thread.run_sync(timed_extension, here.home.root / "timed")
            async with tui_pi(here, kind, one, [extension]) as pi:
                await pi.ask(4)
                ways = (pi.answer_remotely, pi.answer_at_the_terminal) * 2
                given = [await way(THINKING) for way in ways]
                assert [answer.number for answer in given] == [1, 2, 3, 4]
                assert all(answer.seen is not None and answer.seen > answer.begun for answer in given)
                resolved_after(given, await asked(pi.start))
                await pi.line("/b-times")
                sites = {time.site for time in times(await whole_file(pi.start.times)) if time.outer}
                assert {"factory", "event.session_start", "dialog.prepare", "dialog.offer", "link.data"} <= sites

    anyio.run(play)


@pytest.mark.parametrize("kind", GENERATIONS, ids=str)
def test_rpc_without_us(kind: PiKind) -> None:
    async def play() -> None:
        async with world() as here, rpc_pi(here, kind) as pi:
            await pi.ask(WARM_UP + 1)
            given = [await pi.answer(0) for _ in range(WARM_UP + 1)]
            (elapsed,) = resolved_after(given, await asked(pi.start))
            assert elapsed > 0

    anyio.run(play)
