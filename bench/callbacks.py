"""How long Pi waits inside our callbacks, on its only thread, while the model streams and prompts are answered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import anyio
import msgspec

from bench.phone import phone
from bench.pi import Tui, asked, tui_pi, whole_file
from bench.report import Goal, Row
from bench.timed_extension import timed_extension
from bench.world import world
from tests.harness.pi import GENERATIONS, PiKind

TURNS: Final = 3
QUICK_TURNS: Final = 1

PROMPTS: Final = 100
"""For each turn; every other one is answered by the remote."""

TELLINGS: Final = 100
"""Statuses, titles and notifications, each, for each turn."""

STREAM: Final = "slow 600 8"
"""Words and the ms between them: about as long as PROMPTS take."""

THINKING_SECONDS: Final = 0.02

STREAMING_SECONDS: Final = 0.3
"""After so long the answer streams in."""

GOAL: Final = Goal("p99", 1000)
"""In µs. Pi draws every 16 ms at most, so a hundredth of all calls may cost a sixteenth of a picture."""


@dataclass(frozen=True, slots=True)
class Time:
    """One guarded call, in µs. `own` is without the guarded calls inside it; an `outer` one was in none."""

    site: str
    total: float
    own: float
    outer: bool


async def measure(quick: bool, profile: Path | None = None) -> list[Row]:
    """The rows of every generation. Raises NotMeasured."""
    rows: list[Row] = []
    async with world(profile) as here:
        extension = timed_extension(here.home.root / "timed")
        remote = await here.paired("phone")
        for kind in GENERATIONS:
            async with phone(remote) as one, tui_pi(here, kind, one, [extension]) as pi:
                rows += _rows(kind, await _session(pi, QUICK_TURNS if quick else TURNS))
    return rows


async def _session(pi: Tui, turns: int) -> list[Time]:
    for _ in range(turns):
        await pi.line(f"/b-tell {TELLINGS}")
        await pi.line(STREAM)
        await anyio.sleep(STREAMING_SECONDS)
        pi.type(f"/b-ask {PROMPTS}")
        for number in range(PROMPTS):
            await (pi.answer_at_the_terminal if number % 2 else pi.answer_remotely)(THINKING_SECONDS)
        await asked(pi.start)
    await pi.line("/b-times")
    return times(await whole_file(pi.start.times))


def times(written: bytes) -> list[Time]:
    """What timed.ts collected, with its ms as µs."""
    calls = msgspec.json.decode(written, type=list[tuple[str, float, float, bool]])
    return [Time(site, total * 1000, own * 1000, outer) for site, total, own, outer in calls]


def _rows(kind: PiKind, calls: Sequence[Time]) -> Iterator[Row]:
    version = f"Pi {kind.version}"
    yield Row(
        f"{version}, all our callbacks",
        "synchronous time of each call from Pi or Node into the extension, from begin to end, while streaming and prompting",
        tuple(call.total for call in calls if call.outer),
        "µs",
        goal=GOAL,
    )
    for site in sorted({call.site for call in calls}):
        own = tuple(call.own for call in calls if call.site == site)
        yield Row(f"{version}, {site}", "the same for one place, without our callbacks inside it", own, "µs")
