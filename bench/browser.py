"""The real Chromium, and what it tells of a page that is measured: its renderer's CPU, its heap."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

import anyio
from playwright.async_api import Browser, BrowserContext, CDPSession, Page, async_playwright

from bench.world import World
from mirrord.client import Local, PairingCode, connect
from tests.harness.pi import ROOT
from tests.web.browser import CHROMIUM, FLAGS, PHONE

SCRIPTS: Final = (ROOT / "bench" / "page.js", ROOT / "bench" / "page_reading.js")
"""What the measured page notes about itself."""

COLLECTIONS: Final = 2
"""Of garbage before the heap is read: what finalizers let go is gone with the second."""


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """Nothing of it is left at the end."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=[*FLAGS])
        try:
            yield browser
        finally:
            await browser.close()


async def pairing_code(here: World) -> PairingCode:
    """A code for a controller. To be asked for before a process of ours speaks as Pi: what Pi starts may pair nobody."""
    async with connect(Local(here.paths.control_socket), name="bench", kind="bench") as owner:
        return await owner.request("pair_code", PairingCode, {"role": "controller"})


async def paired_context(browser: Browser, code: PairingCode) -> BrowserContext:
    """A phone's profile that holds a key of its own; its worker is off, so that cold is cold."""
    context = await browser.new_context(
        viewport={"width": PHONE.width, "height": PHONE.height}, is_mobile=True, has_touch=True, service_workers="block"
    )
    for script in SCRIPTS:
        await context.add_init_script(path=script)
    page = await context.new_page()
    await page.goto(code.url)
    await page.get_by_role("button", name="Pair this browser").click()
    await page.get_by_role("heading", level=1, name="Sessions").wait_for()
    await page.close()
    return context


@dataclass(frozen=True, slots=True)
class Probe:
    """Looks at one page from outside. No other page of its browser may do anything meanwhile."""

    page: Page
    devtools: CDPSession
    browser: CDPSession

    @classmethod
    async def on(cls, page: Page) -> Probe:
        browser = page.context.browser
        assert browser is not None
        return cls(page, await page.context.new_cdp_session(page), await browser.new_browser_cdp_session())

    async def heap(self) -> float:
        """What JavaScript holds, in MB, without garbage."""
        for _ in range(COLLECTIONS):
            await self.devtools.send("HeapProfiler.collectGarbage")
        usage = await self.devtools.send("Runtime.getHeapUsage")
        return float(usage["usedSize"]) / 1e6

    async def cpu(self, seconds: float) -> float:
        """CPU of the renderers over so long, in ms a second."""
        before, begun = await self._cpu_ms(), time.monotonic()
        await anyio.sleep(seconds)
        after = await self._cpu_ms()
        return (after - before) / (time.monotonic() - begun)

    async def _cpu_ms(self) -> float:
        told: dict[str, Any] = await self.browser.send("SystemInfo.getProcessInfo")
        return 1000 * sum(float(process["cpuTime"]) for process in told["processInfo"] if process["type"] == "renderer")
