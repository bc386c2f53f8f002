"""Promise: a session of 20,000 entries opens at its end, with few elements, and pages back under the reader without a jump."""

from __future__ import annotations

import signal
from typing import Any, Final

import pytest
from playwright.sync_api import Page, expect

from bench.chat_session import ENTRIES, write_session
from tests.web.conversation import Working

ENTRY_BYTES: Final = 500
"""A tenth of what the measurement has: what counts here is how many there are."""

PAGES: Final = 4
MOST_ELEMENTS: Final = 500
NOTICEABLE_PX: Final = 2
OPENED_MS: Final = 60_000

TIMELINE: Final = """
const timeline = document.querySelector(".timeline");
let scroller = timeline;
while (scroller.scrollHeight <= scroller.clientHeight + 1) scroller = scroller.parentElement;
const rows = () => [...timeline.querySelectorAll("[data-key]")];
"""
LOOK: Final = f"""() => {{
  {TIMELINE}
  return {{
    elements: document.querySelectorAll("main *").length,
    entries: rows().filter((row) => !row.matches(".msg-day")).map((row) => parseInt(row.dataset.key, 16)),
    left: scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight,
  }};
}}"""

TO_FIRST: Final = f"""async () => {{
  {TIMELINE}
  scroller.scrollTo(0, 0);
  for (let more = 3; more > 0; more -= 1) await new Promise(requestAnimationFrame);
  const reader = scroller.getBoundingClientRect().top + scroller.clientHeight / 3;
  const read = rows().find((row) => row.getBoundingClientRect().bottom > reader);
  window.read = {{ key: read.dataset.key, top: read.getBoundingClientRect().top, height: scroller.scrollHeight }};
}}"""
"""Scrolls to the first row that is there, and notes which row somebody reads then, and where it is."""

# What is painted of a frame is settled after those who observe sizes, so this observes one too; its own changes with each frame.
MOVED: Final = f"""() => new Promise((resolve) => {{
  {TIMELINE}
  const probe = document.createElement("i");
  document.body.append(probe);
  probe.style.cssText = "position: fixed; height: 1px";
  let moved = 0, more = 10;
  const look = () => {{
    const now = rows().find((row) => row.dataset.key === read.key);
    moved = Math.max(moved, now === undefined ? Infinity : Math.abs(now.getBoundingClientRect().top - read.top));
    if (scroller.scrollHeight > read.height) more -= 1;
    if (more > 0) return next();
    observer.disconnect();
    probe.remove();
    resolve(moved);
  }};
  const next = () => requestAnimationFrame(() => void (probe.style.width = probe.style.width === "1px" ? "2px" : "1px"));
  const observer = new ResizeObserver(look);
  observer.observe(probe);
}})"""
"""How far that row moves, seen frame by frame, until some frames after older rows have come."""


def look(page: Page) -> Any:
    return page.evaluate(LOOK)


@pytest.mark.timeout(180)
def test_a_very_long_session_opens_at_its_end_and_pages_back_without_a_jump(work: Working) -> None:
    home = work.stage.home
    # Where Pi looks for its own: the next conversation goes beside it.
    file = home.agent / "sessions" / "long" / "session.jsonl"
    file.parent.mkdir(parents=True)
    ids = write_session(file, home.work, ENTRIES, ENTRY_BYTES)
    work.stage.run("t-switch", text=str(file))
    page, last = work.desk.page, work.desk.page.locator(f"[data-key^='{ids[-1]}']").last
    expect(last).to_be_visible(timeout=OPENED_MS)
    expect(last).to_be_in_viewport()
    seen = look(page)
    assert seen["left"] <= NOTICEABLE_PX
    assert seen["elements"] <= MOST_ELEMENTS
    oldest = min(seen["entries"])
    for _ in range(PAGES):
        # They come only after the place of the row was noted.
        work.stage.daemon.signal(signal.SIGSTOP)
        page.evaluate(TO_FIRST)
        work.stage.daemon.signal(signal.SIGCONT)
        assert page.evaluate(MOVED) <= NOTICEABLE_PX
        now = look(page)
        assert now["elements"] <= MOST_ELEMENTS
        assert now["entries"] == sorted(now["entries"])
        assert now["entries"][0] < oldest
        oldest = now["entries"][0]
    work.desk.press(page.get_by_role("button", name="To the end"))
    expect(last).to_be_in_viewport()
    work.type("/new")
    expect(work.desk.rows).to_have_count(0)
