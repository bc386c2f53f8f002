"""A session of 20,000 entries on the page, told by the real Pi: how soon its end is seen, what it costs, and how it is read back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Final

import anyio.to_thread
import msgspec
from playwright.async_api import BrowserContext

from bench.browser import Probe
from bench.chat import OPENED_SECONDS
from bench.chat_session import ENTRIES, write_session
from bench.page_load import BYTES_GOAL
from bench.pi import QUIET_SECONDS
from bench.report import Goal, Row, Unit
from bench.terminal import running
from bench.world import EXTENSION, World, until
from mirrord.client import Local, connect
from tests.harness.pi import FULLSCREEN

SHORT: Final = 200
QUICK_ENTRIES: Final = ENTRIES // 10

OPENINGS: Final = 8
QUICK_OPENINGS: Final = 2
PAGES: Final = 20
QUICK_PAGES: Final = 3

ELEMENTS_GOAL: Final = Goal("p50", 500)
LENGTH_GOAL: Final = Goal("ratio", 1.5)
"""A session a hundred times as long: what costs as much as it is long would be far above."""

STILL_GOAL: Final = Goal("p99", 0)
"""Of twenty samples, the largest."""


@dataclass(slots=True)
class Opened:
    """One session, opened again and again: ms to its last row, elements and nodes of the page, MB of its heap, kB of its files."""

    entries: int
    ms: list[float] = field(default_factory=list)
    elements: list[float] = field(default_factory=list)
    nodes: list[float] = field(default_factory=list)
    heap: list[float] = field(default_factory=list)
    kilobytes: list[float] = field(default_factory=list)


class Paged(msgspec.Struct, frozen=True):
    """A page that was fetched: after how many ms it was there, and by how many px the row that was read moved."""

    ms: float
    moved: float


async def measure_sessions(here: World, context: BrowserContext, origin: str, quick: bool) -> list[Row]:
    """Both sessions are opened by turns, then the long one is read back."""
    openings, pages = (QUICK_OPENINGS, QUICK_PAGES) if quick else (OPENINGS, PAGES)
    with ExitStack() as pis:
        all_ = [Opened(SHORT), Opened(QUICK_ENTRIES if quick else ENTRIES)]
        ids = [await _session(here, pis, one.entries) for one in all_]
        for _ in range(openings):
            for one, id_ in zip(all_, ids, strict=True):
                await _open(context, origin, id_, one)
        back = await _read_back(context, origin, ids[1], pages)
    return [*opening_rows(*all_), *reading_rows(back)]


async def _session(here: World, pis: ExitStack, entries: int) -> str:
    """A Pi that shows a session of so many entries; the id of the session, once its conversation is there."""
    start = here.pi(FULLSCREEN, extensions=[EXTENSION], name=str(entries))
    file = start.cwd.with_name("session.jsonl")
    await anyio.to_thread.run_sync(write_session, file, start.cwd, entries)
    start = replace(start, argv=[*start.argv, "--session", str(file)])
    terminal = pis.enter_context(running(start.argv, start.env, start.cwd))
    found = ""

    async def there() -> bool:
        nonlocal found
        async with connect(Local(here.paths.control_socket), name="bench", kind="bench") as client:
            found = next((one.session_id for one in client.welcome.sessions if one.pid == terminal.pid), "")
            return found != ""

    await until(there, "Pi did not open the session", OPENED_SECONDS)

    async def rests() -> bool:
        return terminal.quiet_for >= QUIET_SECONDS

    await until(rests, "Pi does not stop drawing", OPENED_SECONDS)
    return found


async def _open(context: BrowserContext, origin: str, session_id: str, opened: Opened) -> None:
    """On a page of its own, from the list of sessions."""
    page = await context.new_page()
    try:
        probe = await Probe.on(page)
        await page.goto(origin)
        found = await page.evaluate("(id) => window.mirrordReading.open(id)", session_id)
        opened.ms.append(found["ms"])
        opened.elements.append(found["elements"])
        opened.nodes.append(found["nodes"])
        opened.kilobytes.append(found["kB"])
        opened.heap.append(await probe.heap())
    finally:
        await page.close()


async def _read_back(context: BrowserContext, origin: str, session_id: str, pages: int) -> list[Paged]:
    page = await context.new_page()
    try:
        await page.goto(origin)
        await page.evaluate("(id) => window.mirrordReading.open(id)", session_id)
        return [msgspec.convert(await page.evaluate("window.mirrordReading.pageBack()"), Paged) for _ in range(pages)]
    finally:
        await page.close()


def opening_rows(short: Opened, long: Opened) -> list[Row]:
    """The long session beside the short one."""
    rows: list[Row] = []
    opened = "a press on it in the list of sessions → the last row of its conversation is on screen"
    shown: tuple[tuple[str, str, Unit, Callable[[Opened], list[float]], Goal | None], ...] = (
        ("opened", opened, "ms", lambda one: one.ms, LENGTH_GOAL),
        ("elements", "elements of the whole page then", "nodes", lambda one: one.elements, ELEMENTS_GOAL),
        ("nodes", "the same, and pieces of text", "nodes", lambda one: one.nodes, None),
        ("heap", "what JavaScript holds then, without garbage", "MB", lambda one: one.heap, LENGTH_GOAL),
    )
    for name, what, unit, of, goal in shown:
        peer = Row(f"{short.entries} entries, {name}", what, tuple(of(short)), unit)
        rows += [peer, Row(f"{long.entries} entries, {name}", what, tuple(of(long)), unit, (f"{short.entries} entries", peer.p50), goal)]
    files = "bodies of all files that the page took until then, gzipped: of a first visit, in the browser's cache or not"
    return [*rows, Row("with a conversation, gzipped", files, tuple(long.kilobytes), "kB", goal=BYTES_GOAL)]


def reading_rows(back: Sequence[Paged]) -> list[Row]:
    """Of each page that was fetched."""
    moved = "by how much the row that is read leaves its place meanwhile"
    return [
        Row("page before", "the first row is scrolled to → the 100 rows before it are there", tuple(one.ms for one in back), "ms"),
        Row("page before, moved", moved, tuple(one.moved for one in back), "px", goal=STILL_GOAL),
    ]
