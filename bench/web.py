"""The built-in web client in a real browser: what it weighs, how soon it is of use, what it adds to a bare socket, and how it reads."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import anyio
import anyio.to_thread
from playwright.async_api import BrowserContext, Error, Page

from bench.browser import chromium, paired_context, pairing_code
from bench.page_load import loads, transferred, usable, weight
from bench.page_moving import measure_moving
from bench.page_session import measure_sessions
from bench.phone import phone
from bench.pi import OPTIONS, REMOTE, Asked, Tui, asked, number_of, tui_pi
from bench.report import Row
from bench.world import EXTENSION, NotMeasured, world
from tests.harness.pi import FULLSCREEN

LOADS: Final = 10
QUICK_LOADS: Final = 3
QUESTIONS: Final = 64
QUICK_QUESTIONS: Final = 12

PAUSE_MS: Final = 1500
"""Between two questions: the page has said how the one before ended, and its card was dismissed."""

WARM_UP: Final = 4
"""First questions that do not count: code that runs for the first time is being compiled."""

CALIBRATIONS: Final = 40
"""Looks at the page's clock; the one with the quickest reply tells the clocks' difference best, to about half a millisecond."""


async def measure(quick: bool, profile: Path | None = None) -> list[Row]:
    """All rows. Raises NotMeasured."""
    try:
        async with world(profile) as here, chromium() as browser:
            remote, code = await here.paired("bare socket"), await pairing_code(here)
            context = await paired_context(browser, code)
            origin = code.page.rstrip("/")
            async with phone(remote) as device, tui_pi(here, FULLSCREEN, device, [EXTENSION]) as tui:
                rows = [*await _loads(context, origin, quick), *await _questions(context, origin, tui, quick)]
            rows += await measure_sessions(here, context, origin, quick)
            return rows + await measure_moving(here, context, origin, quick)
    except* Error as errors:
        raise NotMeasured(f"the browser: {errors.exceptions[0]}") from errors


async def _loads(context: BrowserContext, origin: str, quick: bool) -> list[Row]:
    count = QUICK_LOADS if quick else LOADS
    size = await anyio.to_thread.run_sync(transferred, origin)
    cold = [await usable(context, origin, cold=True) for _ in range(count)]
    warm = [await usable(context, origin, cold=False) for _ in range(count)]
    return [weight(size), *loads(cold, warm)]


# ---- questions ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Seen:
    """When a question came to each device and when it was answered, in ns of CLOCK_MONOTONIC by its number."""

    card: dict[int, int]
    socket: dict[int, int]
    tapped: dict[int, int]
    written: dict[int, int]


async def _questions(context: BrowserContext, origin: str, tui: Tui, quick: bool) -> list[Row]:
    """Pi asks; the page answers the even questions, the bare socket the others. Both see all."""
    count = QUICK_QUESTIONS if quick else QUESTIONS
    page = await context.new_page()
    await page.goto(f"{origin}/#session={tui.session_id}")
    await page.evaluate("window.mirrordBench.answersEven = true")
    offset = await _clock(page)
    socket: dict[int, int] = {}
    written: dict[int, int] = {}
    await tui.ask(count, PAUSE_MS)
    for _ in range(count):
        prompt = await tui.phone.prompt(tui.session_id)
        number = number_of(prompt.title)
        socket[number] = tui.phone.came[prompt.id]
        if number % 2:
            # As long as the page looks at a card before it may be pressed.
            await anyio.sleep(0.5)
            written[number] = tui.phone.answer(prompt, REMOTE)
        await tui.phone.settled(prompt, "remote")
    cards, taps = await page.evaluate("[window.mirrordBench.cards, window.mirrordBench.taps]")
    await page.close()
    seen = Seen(_ns(cards, offset), socket, _ns(taps, offset), written)
    return question_rows(seen, await asked(tui.start))


async def _clock(page: Page) -> int:
    """ns of CLOCK_MONOTONIC at which the page's performance.now() was 0."""
    looks: list[tuple[int, int]] = []
    for _ in range(CALIBRATIONS):
        before = time.monotonic_ns()
        shown = await page.evaluate("performance.now()")
        after = time.monotonic_ns()
        looks.append((after - before, (before + after) // 2 - int(shown * 1_000_000)))
    return min(looks)[1]


def _ns(noted: dict[str, float], offset: int) -> dict[int, int]:
    return {int(number): offset + int(ms * 1_000_000) for number, ms in noted.items() if ms}


def question_rows(seen: Seen, asked: Mapping[int, Asked]) -> list[Row]:
    """NotMeasured when an answer was not the one that was given."""
    for number, one in asked.items():
        if one.value != OPTIONS[REMOTE]:
            raise NotMeasured(f"question {number} gave {one.value!r}, and {OPTIONS[REMOTE]!r} was answered")
    begun = {number: int(one.begun) for number, one in asked.items()}
    resolved = {number: int(one.resolved) for number, one in asked.items()}
    shown = Row("dialog → bare socket", "the extension asks → a WebSocket client has read the prompt", _between(begun, seen.socket), "ms")
    gone = Row(
        "bare socket → resolved",
        "the client's answer is written → the extension's promise has resolved",
        _between(seen.written, resolved),
        "ms",
    )
    return [
        shown,
        Row(
            "dialog → card",
            "the extension asks → its card is on the page's screen",
            _between(begun, seen.card),
            "ms",
            ("bare socket", shown.p50),
        ),
        gone,
        Row(
            "tap → dialog gone",
            "Send is pressed in the page → the terminal's dialog is closed and the extension's promise has resolved",
            _between(seen.tapped, resolved),
            "ms",
            ("bare socket", gone.p50),
        ),
    ]


def _between(first: dict[int, int], then: dict[int, int]) -> tuple[float, ...]:
    """ms from one to the other, by question, without the warm-up."""
    return tuple((then[number] - first[number]) / 1_000_000 for number in sorted(first.keys() & then.keys()) if number > WARM_UP)
