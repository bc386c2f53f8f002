"""The built-in web client in a real browser: what it weighs, how soon it is of use, and what it adds to a bare socket."""

from __future__ import annotations

import gzip
import re
import time
import urllib.request
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import anyio
import anyio.to_thread
from playwright.async_api import Browser, BrowserContext, Error, Page, async_playwright

from bench.phone import phone
from bench.pi import OPTIONS, REMOTE, Asked, Tui, asked, number_of, tui_pi
from bench.report import Goal, Row
from bench.world import EXTENSION, PATIENCE_SECONDS, NotMeasured, World, until, world
from mirrord.client import Local, PairingCode, connect
from tests.harness.pi import FULLSCREEN, ROOT
from tests.web.browser import CHROMIUM, FLAGS, PHONE

PAGE_SCRIPT: Final = ROOT / "bench" / "page.js"

LOADS: Final = 10
QUICK_LOADS: Final = 3
QUESTIONS: Final = 64
QUICK_QUESTIONS: Final = 12

PAUSE_MS: Final = 1500
"""Between two questions: the page has said how the one before ended, and its card was dismissed."""

WARM_UP: Final = 4
"""First questions that do not count: code that runs for the first time is being compiled."""

SLOWDOWN: Final = 4
"""What stands for a phone of the middle class on a desktop's processor, as in the browsers' own tools."""

CALIBRATIONS: Final = 40
"""Looks at the page's clock; the one with the quickest reply tells the clocks' difference best, to about half a millisecond."""

BYTES_GOAL: Final = Goal("p50", 60)
USABLE_GOAL: Final = Goal("p50", 1500)

_ASSET: Final = re.compile(r'(?:src|href)="(/assets/[^"]+)"')


async def measure(quick: bool, profile: Path | None = None) -> list[Row]:
    """All rows. Raises NotMeasured."""
    loads, questions = (QUICK_LOADS, QUICK_QUESTIONS) if quick else (LOADS, QUESTIONS)
    try:
        async with AsyncExitStack() as stack:
            here = await stack.enter_async_context(world(profile))
            device = await stack.enter_async_context(phone(await here.paired("bare socket")))
            code = await _code(here)
            tui = await stack.enter_async_context(tui_pi(here, FULLSCREEN, device, [EXTENSION]))
            browser = await stack.enter_async_context(_browser())
            context = await _paired_browser(browser, code)
            origin = code.page.rstrip("/")
            size = await anyio.to_thread.run_sync(transferred, origin)
            cold = [await _usable(context, origin, cold=True) for _ in range(loads)]
            warm = [await _usable(context, origin, cold=False) for _ in range(loads)]
            return [_weight(size), *_loads(cold, warm), *await _questions(context, origin, tui, questions)]
    except Error as error:
        raise NotMeasured(f"the browser: {error.message}") from error


# ---- weight ---------------------------------------------------------------------------------------------------------------


def transferred(origin: str) -> int:
    """Bytes of the bodies of the page and of what it names, as the daemon sends them to a browser."""
    page, size = _get(f"{origin}/")
    return size + sum(_get(f"{origin}{path}")[1] for path in _ASSET.findall(page))


def _get(url: str) -> tuple[str, int]:
    """The text, where it is not packed, and the bytes that were sent."""
    with urllib.request.urlopen(urllib.request.Request(url, headers={"Accept-Encoding": "gzip"}), timeout=PATIENCE_SECONDS) as response:
        body: bytes = response.read()
        packed = response.headers.get("Content-Encoding") == "gzip"
    return (gzip.decompress(body) if packed else body).decode(), len(body)


def _weight(size: int) -> Row:
    return Row(
        "page, gzipped",
        "bodies of index.html and the scripts and styles it names, as the daemon sends them",
        (size / 1000,),
        "kB",
        goal=BYTES_GOAL,
    )


# ---- loading --------------------------------------------------------------------------------------------------------------


async def _usable(context: BrowserContext, origin: str, *, cold: bool) -> float:
    """ms from the navigation to the list of sessions on screen, with the processor slowed down."""
    page = await context.new_page()
    try:
        devtools = await context.new_cdp_session(page)
        if cold:
            await devtools.send("Network.clearBrowserCache")
        await devtools.send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
        await page.goto(origin)
        return await _usable_at(page)
    finally:
        await page.close()


async def _usable_at(page: Page) -> float:
    """When the page had the list on screen, in ms of its clock. NotMeasured when it never has."""
    usable = 0.0

    async def there() -> bool:
        nonlocal usable
        usable = float(await page.evaluate("window.mirrordBench?.usable ?? 0"))
        return usable > 0

    await until(there, "the page never showed the list of sessions")
    return usable


def _loads(cold: list[float], warm: list[float]) -> list[Row]:
    what = f"navigation → the list of sessions is on screen, paired already, the processor {SLOWDOWN} times slower"
    return [
        Row("list usable, cold", f"{what}; nothing in the browser's cache", tuple(cold), "ms", goal=USABLE_GOAL),
        Row("list usable, warm", f"{what}; its files in the browser's cache", tuple(warm), "ms", goal=USABLE_GOAL),
    ]


# ---- questions ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Seen:
    """When a question came to each device and when it was answered, in ns of CLOCK_MONOTONIC by its number."""

    card: dict[int, int]
    socket: dict[int, int]
    tapped: dict[int, int]
    written: dict[int, int]


async def _questions(context: BrowserContext, origin: str, tui: Tui, count: int) -> list[Row]:
    """Pi asks `count` times; the page answers the even ones, the bare socket the others. Both see all."""
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


# ---- the browser ----------------------------------------------------------------------------------------------------------


async def _code(here: World) -> PairingCode:
    async with connect(Local(here.paths.control_socket), name="bench", kind="bench") as owner:
        return await owner.request("pair_code", PairingCode, {"role": "controller"})


@asynccontextmanager
async def _browser() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=[*FLAGS])
        try:
            yield browser
        finally:
            await browser.close()


async def _paired_browser(browser: Browser, code: PairingCode) -> BrowserContext:
    """A phone's profile that holds a key of its own; its worker is off, so that cold is cold."""
    context = await browser.new_context(
        viewport={"width": PHONE.width, "height": PHONE.height}, is_mobile=True, has_touch=True, service_workers="block"
    )
    await context.add_init_script(path=PAGE_SCRIPT)
    page = await context.new_page()
    await page.goto(code.url)
    await page.get_by_role("button", name="Pair this browser").click()
    await page.get_by_role("heading", level=1, name="Sessions").wait_for()
    await page.close()
    return context
