"""What the page weighs, and how soon its list of sessions is of use."""

from __future__ import annotations

import gzip
import re
import urllib.request
from typing import Final

from playwright.async_api import BrowserContext, Page

from bench.report import Goal, Row
from bench.world import PATIENCE_SECONDS, until

SLOWDOWN: Final = 4
"""What stands for a phone of the middle class on a desktop's processor, as in the browsers' own tools."""

BYTES_GOAL: Final = Goal("p50", 150)
USABLE_GOAL: Final = Goal("p50", 1500)

_ASSET: Final = re.compile(r'(?:src|href)="(/assets/[^"]+)"')


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


def weight(size: int) -> Row:
    """Of the list of sessions."""
    return Row(
        "page, gzipped",
        "bodies of index.html and the scripts and styles it names, as the daemon sends them: all that the list of sessions needs",
        (size / 1000,),
        "kB",
        goal=BYTES_GOAL,
    )


async def usable(context: BrowserContext, origin: str, *, cold: bool) -> float:
    """ms from the navigation to the list of sessions on screen, with the processor slowed down."""
    page = await context.new_page()
    try:
        devtools = await context.new_cdp_session(page)
        if cold:
            await devtools.send("Network.clearBrowserCache")
        await devtools.send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
        await page.goto(origin)
        return await usable_at(page)
    finally:
        await page.close()


async def usable_at(page: Page) -> float:
    """When the page had the list on screen, in ms of its clock. NotMeasured when it never has."""
    at = 0.0

    async def there() -> bool:
        nonlocal at
        at = float(await page.evaluate("window.mirrordBench?.usable ?? 0"))
        return at > 0

    await until(there, "the page never showed the list of sessions")
    return at


def loads(cold: list[float], warm: list[float]) -> list[Row]:
    """Both kinds of load as rows."""
    what = f"navigation → the list of sessions is on screen, paired already, the processor {SLOWDOWN} times slower"
    return [
        Row("list usable, cold", f"{what}; nothing in the browser's cache", tuple(cold), "ms", goal=USABLE_GOAL),
        Row("list usable, warm", f"{what}; its files in the browser's cache", tuple(warm), "ms", goal=USABLE_GOAL),
    ]
