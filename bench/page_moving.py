"""The page while things move: words that stream, a component that is drawn anew, and an hour of work in some minutes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Final

import anyio
import msgspec
from playwright.async_api import BrowserContext, Page

from bench.browser import Probe
from bench.chat_peer import WORDS_EACH, Talker, talker, words
from bench.report import Goal, Row
from bench.world import World
from bridge.limits import UPDATE_MS
from tests.harness.pi import ROOT

BARE: Final = ROOT / "bench" / "bare.js"

STREAM_SECONDS: Final = 60
QUICK_STREAM_SECONDS: Final = 6
ANSWER_SECONDS: Final = 15
"""Of one answer: 3,000 words."""
PER_SECOND: Final = WORDS_EACH * 1000 // UPDATE_MS
BEFORE: Final = 20
"""Turns of the conversation before that."""

READ_SECONDS: Final = 10
QUICK_READ_SECONDS: Final = 3
UP: Final = -1500
"""Where somebody reads on while the answer comes: two screens up."""
GROWS_SECONDS: Final = 0.5

LONG_MS: Final = 200
LONG_GOAL: Final = Goal("p50", 1)
STILL_GOAL: Final = Goal("p50", 0)

FRAME_MS: Final = 33
"""30 frames a second."""
WATCHED_SECONDS: Final = 5.0
QUICK_WATCHED_SECONDS: Final = 1.0
ROUNDS: Final = 3
CPU_GOAL: Final = Goal("p50", 300)
"""In ms of the renderer's CPU for each second: less than a third of a core."""

PIECES: Final = [
    [(f"job {place}", "teal"), (f" {'=' * place}> ", "olive"), (f"{'.' * (20 - place)} running", "grey")] for place in range(10)
]
"""Lines as the component has them: texts and their colours."""

TURNS: Final = 1_800
"""Of an hour: one each two seconds, far more than any model makes."""
QUICK_TURNS: Final = 160
WARM_UP: Final = 200
"""Turns before that, until the daemon's window is full and so is what the page keeps before it."""
IN_STEP: Final = 20
"""Turns after which the page is waited for: less than the daemon's window, so that it sees all of them."""
DELTAS: Final = 6
"""Pieces that the first answer of a turn comes in."""
QUARTERS: Final = 4
HEAP_GOAL: Final = Goal("ratio", 1.1)


async def measure_moving(here: World, context: BrowserContext, origin: str, quick: bool) -> list[Row]:
    """Each in a session and on a page of its own."""
    return [
        *await _words(here, context, origin, quick),
        *await _component(here, context, origin, quick),
        *await _hour(here, context, origin, QUICK_TURNS if quick else TURNS),
    ]


class Noted(msgspec.Struct, frozen=True):
    """What the page noted of itself for so many seconds: ms of each task over 50, frames, px by which the row that is read moved."""

    seconds: float
    tasks: list[float]
    frames: int
    moved: float


@asynccontextmanager
async def _session(here: World, context: BrowserContext, origin: str, name: str, turns: int) -> AsyncIterator[tuple[Talker, Page, Probe]]:
    """A session with so many turns, and a page that is at its end."""
    async with talker(here, name) as told:
        await told.begin(turns)
        page = await context.new_page()
        try:
            await page.goto(f"{origin}/#session={told.session_id}")
            if turns:
                await page.evaluate("(words) => window.mirrordReading.shows(words)", f"turn {turns - 1}.")
            yield told, page, await Probe.on(page)
        finally:
            await page.close()


# ---- words ----------------------------------------------------------------------------------------------------------------


async def _words(here: World, context: BrowserContext, origin: str, quick: bool) -> list[Row]:
    seconds = QUICK_STREAM_SECONDS if quick else STREAM_SECONDS
    async with _session(here, context, origin, "words", BEFORE) as (told, page, probe):
        at_end, cpu = await _streamed(told, page, probe, seconds)
        await page.evaluate("(pixels) => window.mirrordReading.scrollBy(pixels)", UP)
        above = await page.evaluate("window.mirrordReading.answerAbove()")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(told.grow, above, GROWS_SECONDS)
            up, _ = await _streamed(told, page, probe, QUICK_READ_SECONDS if quick else READ_SECONDS)
            tasks.cancel_scope.cancel()
    bare = await _bare(
        context, "bareWords", {"words": list(words(PER_SECOND * ANSWER_SECONDS)), "each": WORDS_EACH, "ms": UPDATE_MS}, seconds
    )
    return word_rows(at_end, up, cpu, bare)


async def _streamed(told: Talker, page: Page, probe: Probe, seconds: int) -> tuple[Noted, float]:
    """What the page noted while answers came one after the other for so long, and the renderer's CPU in ms a second."""
    await page.evaluate("window.mirrordReading.watch()")
    cpu: list[float] = []

    async def look() -> None:
        cpu.append(await probe.cpu(seconds))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(look)
        left = seconds
        while left > 0:
            now = min(left, ANSWER_SECONDS)
            await told.answer(list(words(now * PER_SECOND)), UPDATE_MS / 1000)
            left -= now
    return msgspec.convert(await page.evaluate("window.mirrordReading.watchedSoFar()"), Noted), cpu[0]


def word_rows(at_end: Noted, up: Noted, cpu: float, bare: float) -> list[Row]:
    """What was noted of a reader at the end, and of one who reads above; CPU in ms a second."""
    pace = f"{PER_SECOND} words a second of markdown come in answers of {ANSWER_SECONDS} s"
    tasks = [*at_end.tasks, *up.tasks]
    long = sum(ms > LONG_MS for ms in tasks) * 60 / (at_end.seconds + up.seconds)
    plain = Row("bare page, words", "CPU of a page that does nothing but append the same words to a paragraph", (bare,), "ms")
    return [
        Row("words, long tasks", f"tasks of more than {LONG_MS} ms in a minute in which {pace}", (long,), "tasks", goal=LONG_GOAL),
        Row("words, longest task", "the longest of those tasks", (max([0.0, *tasks]),), "ms"),
        Row("words, frames", "frames painted in each second of it", (at_end.frames / at_end.seconds,), "frames"),
        Row(
            "words, moved",
            "by how much the row that somebody reads leaves its place while words come below and an answer just above it grows",
            (up.moved,),
            "px",
            goal=STILL_GOAL,
        ),
        plain,
        Row("words, renderer", "CPU of the renderer for each second in which words come", (cpu,), "ms", (plain.name, plain.p50)),
    ]


# ---- a component ----------------------------------------------------------------------------------------------------------


async def _component(here: World, context: BrowserContext, origin: str, quick: bool) -> list[Row]:
    seconds = QUICK_WATCHED_SECONDS if quick else WATCHED_SECONDS
    cpu: dict[str, list[float]] = {}

    async def watched(name: str, probe: Probe) -> None:
        cpu[name] = [await probe.cpu(seconds) for _ in range(ROUNDS)]

    async with _session(here, context, origin, "component", BEFORE) as (told, page, probe), anyio.create_task_group() as tasks:
        await watched("at rest", probe)
        tasks.start_soon(told.move, FRAME_MS)
        pill = page.locator(".pill-button")
        await pill.wait_for()
        await watched("closed", probe)
        await pill.click()
        await page.locator(".drawer").wait_for()
        await watched("open", probe)
        tasks.cancel_scope.cancel()
    bare = await _bare(context, "bareLines", {"lines": PIECES, "ms": FRAME_MS}, seconds * ROUNDS)
    return component_rows(cpu, bare)


def component_rows(cpu: Mapping[str, Sequence[float]], bare: float) -> list[Row]:
    """CPU in ms a second, of the page in each state and of a page that does the same and no more."""
    moving = f"CPU of the renderer for each second in which a component of {len(PIECES) + 1} lines says {1000 // FRAME_MS} frames"
    plain = Row("bare page, component", "CPU of a page that does nothing but draw these lines as often", (bare,), "ms")
    return [
        Row("page at rest, renderer", "CPU of the renderer for each second in which nothing comes", tuple(cpu["at rest"]), "ms"),
        Row("component, closed", f"{moving}, its drawer closed", tuple(cpu["closed"]), "ms"),
        plain,
        Row("component, open", f"{moving}, its drawer open", tuple(cpu["open"]), "ms", (plain.name, plain.p50), CPU_GOAL),
    ]


async def _bare(context: BrowserContext, name: str, arguments: Mapping[str, object], seconds: float) -> float:
    """CPU in ms a second of a page with nothing of ours on it."""
    page = await context.new_page()
    try:
        await page.add_script_tag(path=BARE)
        probe = await Probe.on(page)
        await page.evaluate(f"(given) => {name}(given)", arguments)
        return await probe.cpu(seconds)
    finally:
        await page.close()


# ---- an hour --------------------------------------------------------------------------------------------------------------


async def _hour(here: World, context: BrowserContext, origin: str, turns: int) -> list[Row]:
    """As much as happens in an hour, as fast as the page takes it; its heap each time that it was waited for."""
    heap: list[float] = []
    async with _session(here, context, origin, "hour", 0) as (told, page, probe):
        for number in range(WARM_UP + turns):
            await told.turn(f"turn {number}", DELTAS)
            await told.pass_by(number)
            if number % IN_STEP == IN_STEP - 1:
                await page.evaluate("(words) => window.mirrordReading.shows(words)", f"turn {number}.")
                if number >= WARM_UP:
                    heap.append(await probe.heap())
    return hour_rows(heap, turns)


def hour_rows(heap: Sequence[float], turns: int) -> list[Row]:
    """MB, in order and evenly over the hour. It goes up and down, so that a quarter is told by its median."""
    what = f"what JavaScript holds, without garbage, in each quarter of {turns} turns that somebody follows at the end"
    each = len(heap) // QUARTERS
    quarters = [tuple(heap[number * each : (number + 1) * each]) for number in range(QUARTERS)]
    first, *later = (Row(f"heap, quarter {number}", what, megabytes, "MB") for number, megabytes in enumerate(quarters, start=1))
    beside = [replace(row, peer=(first.name, first.p50)) for row in later]
    return [first, *beside[:-1], replace(beside[-1], goal=HEAP_GOAL)]
