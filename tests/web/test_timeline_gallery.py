"""Promise: the timeline opens at the end of a long conversation with few elements, and stays where it is read, whatever comes."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Final

import pytest
from playwright.sync_api import Page, expect

from tests.harness.pi import ROOT
from tests.web.browser import PHONE
from tests.web.conftest import NewTab
from tests.web.test_accessibility import serious_faults

WEB: Final = ROOT / "mirrord" / "web"
NODE: Final = ROOT / ".cache" / "node" / "bin" / "node"
ROWS: Final = "[...document.querySelectorAll('.timeline [data-key]')]"
PANE: Final = "document.querySelector('.pane')"
FROM_END: Final = f"{PANE}.scrollHeight - {PANE}.clientHeight - {PANE}.scrollTop"
READ: Final = f"{ROWS}.find((row) => row.getBoundingClientRect().bottom > 120).dataset.key"
# Where a row stands in each frame, as it is painted: an IntersectionObserver is told of the frame after what observers of sizes did in it,
# as between frames nobody sees.
FOLLOW: Final = """async ([key, frames]) => {
  const tops = [];
  for (let frame = 0; frame < frames; frame += 1) {
    await new Promise((done) => requestAnimationFrame(() => {
      const row = [...document.querySelectorAll("[data-key]")].find((each) => each.dataset.key === key);
      if (row === undefined) { setTimeout(done); return; }
      const painted = new IntersectionObserver(([{ boundingClientRect }]) => {
        painted.disconnect();
        if (row.isConnected) tops.push(boundingClientRect.top);
        done();
      });
      painted.observe(row);
    }));
  }
  return [tops.length, Math.max(...tops) - Math.min(...tops)];
}"""
# A line more in a message above, in each of twenty frames.
GROW: Final = """async (key) => {
  const more = (part) => part.type === "text" ? {...part, text: `${part.text}\\n\\nmore`} : part;
  const longer = (message) => ({...message, parts: message.parts.map(more)});
  for (let time = 0; time < 20; time += 1) {
    window.become((all) => ({...all, rows: all.rows.map((row) => row.key === key ? {...row, message: longer(row.message)} : row)}));
    await new Promise((done) => requestAnimationFrame(done));
  }
}"""
# An answer of 400 paragraphs, still coming or there.
COME: Final = """(state) => {
  const text = Array.from({length: 400}, (_, line) => `line ${line} of a long answer`).join("\\n\\n");
  const row = {key: "answer", message: {id: "answer", kind: "assistant", at: 0, state, display: true, parts: [{type: "text", text}]}};
  window.become((all) => ({...all, rows: [...all.rows.filter(({key}) => key !== "answer"), row]}));
}"""
# To the end, and a while later one step up; the steps that were taken back.
STEP_UP: Final = """async (times) => {
  const pane = document.querySelector(".pane");
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const fromEnd = () => pane.scrollHeight - pane.clientHeight - pane.scrollTop;
  const lost = [];
  for (let time = 0; time < times; time += 1) {
    pane.scrollTop = pane.scrollHeight;
    for (let each = 0; each < 4; each += 1) await frame();
    await new Promise((done) => setTimeout(done, time * 2));
    pane.scrollTop -= 400;
    for (let each = 0; each < 5; each += 1) await frame();
    if (fromEnd() < 390) lost.push([time, fromEnd()]);
  }
  return lost;
}"""
# What stands below the rows goes, as what waited in Pi does when its turn is over, and in the moment after its frame a row comes.
LESS_BELOW: Final = """async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const pane = document.querySelector(".pane");
  const below = document.createElement("div");
  below.style.blockSize = "200px";
  document.querySelector(".timeline").parentElement.append(below);
  for (let each = 0; each < 4; each += 1) await frame();
  pane.scrollTop = pane.scrollHeight;
  for (let each = 0; each < 4; each += 1) await frame();
  await new Promise((done) => requestAnimationFrame(() => { below.remove(); setTimeout(done); }));
  window.become((all) => ({...all, rows: [...all.rows,
    {key: "after", message: {id: "after", kind: "assistant", at: 0, state: "done", display: true,
      parts: [{type: "text", text: Array(40).fill("One thing more.").join("\\n\\n")}]}}]}));
  for (let each = 0; each < 10; each += 1) await frame();
}"""
SAY: Final = """(id) => window.become((all) => ({...all, rows: [...all.rows,
  {key: id, message: {id, kind: "assistant", at: 0, state: "done", display: true, parts: [{type: "text", text: "One thing more."}]}}]}))"""


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def _serving(directory: Path) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(directory))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/index.html"
        server.shutdown()


@pytest.fixture(scope="module")
def gallery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    built = tmp_path_factory.mktemp("gallery")
    vite = (
        NODE,
        "node_modules/vite/bin/vite.js",
        "build",
        "--config",
        "src/chat/gallery/vite.config.ts",
        "--outDir",
        built,
        "--logLevel",
        "error",
    )
    subprocess.run(vite, cwd=WEB, check=True, timeout=120)
    # A browser asks for it by itself.
    (built / "favicon.ico").touch()
    with _serving(built) as address:
        yield address


@pytest.fixture
def page(gallery: str, new_tab: NewTab) -> Page:
    page = new_tab(PHONE).page
    page.goto(gallery)
    return page


def enter(page: Page, gallery: str, state: str) -> None:
    page.goto(f"{gallery}?state={state}")
    expect(page.locator(".timeline")).to_be_visible()
    page.wait_for_function("document.fonts.status === 'loaded'")


def scroll(page: Page, script: str) -> None:
    page.evaluate(f"{PANE}.scrollTop {script}")
    page.evaluate(FOLLOW, ["", 12])


def test_20_000_messages_are_opened_at_their_end_and_read_with_few_elements(page: Page, gallery: str) -> None:
    enter(page, gallery, "long")
    expect(page.locator("[data-key='z4999/0']")).to_be_in_viewport()
    assert page.evaluate(FROM_END) == 0
    for step in ("-= 900", "-= 5000", "= 1000000"):
        scroll(page, step)
        assert page.evaluate("document.querySelectorAll('.timeline *').length") < 500
        assert page.evaluate("document.elementFromPoint(200, 300).closest('[data-key]') !== null"), step
    assert not page.evaluate("window.calls.isAtEnd")
    page.get_by_role("button", name="To the end").click()
    expect(page.locator("[data-key='z4999/0']")).to_be_in_viewport()
    assert page.evaluate("window.calls.isAtEnd")


def test_who_reads_the_end_stays_there_when_what_is_below_goes_and_a_row_comes_in_the_same_moment(page: Page, gallery: str) -> None:
    enter(page, gallery, "long")
    page.evaluate(LESS_BELOW)
    assert (page.evaluate("window.calls.isAtEnd"), page.evaluate(FROM_END)) == (True, 0)


def test_a_page_that_is_full_says_so_and_offers_nothing_that_cannot_help(page: Page, gallery: str) -> None:
    enter(page, gallery, "older-full")
    expect(page.get_by_text("This page holds no more messages. Older ones can be read at the terminal.")).to_be_visible()
    expect(page.get_by_role("button", name="Retry")).to_have_count(0)
    enter(page, gallery, "older-failed")
    expect(page.get_by_role("button", name="Retry")).to_be_visible()


def test_what_is_read_stays_where_it_is(page: Page, gallery: str) -> None:
    enter(page, gallery, "older-more")
    for top in ("= 500", "= 0", "= 0"):
        scroll(page, top)
        key = page.evaluate(READ)
        seen, moved = page.evaluate(FOLLOW, [key, 40])
        assert (seen > 30, moved) == (True, 0), f"an earlier page came while {key} was read"
    assert page.evaluate("window.calls.older") == 3
    enter(page, gallery, "long")
    scroll(page, "-= 1500")
    key = page.evaluate(READ)
    above = page.evaluate(f"{ROWS}.find((row) => row.matches('.msg-text') && row.getBoundingClientRect().bottom < 0).dataset.key")
    before = page.evaluate(f"{PANE}.scrollTop")
    page.evaluate(f"void ({GROW})('{above.split('/')[0]}')")
    assert page.evaluate(FOLLOW, [key, 30])[1] == 0
    assert page.evaluate(f"{PANE}.scrollTop") > before + 200


def test_the_end_is_followed_by_who_is_there_and_by_nobody_else(page: Page, gallery: str) -> None:
    enter(page, gallery, "streaming")
    height = page.evaluate(f"{PANE}.scrollHeight")
    page.wait_for_function(f"(height) => {PANE}.scrollHeight > height + 300", arg=height)
    assert page.evaluate(FROM_END) <= 1
    scroll(page, "-= 400")
    key = page.evaluate(READ)
    seen, moved = page.evaluate(FOLLOW, [key, 40])
    assert (seen, moved) == (40, 0)
    enter(page, gallery, "long")
    scroll(page, "-= 900")
    for name in ("new1", "new2"):
        page.evaluate(SAY, name)
    page.get_by_role("button", name="2 new messages").click()
    expect(page.locator("[data-key='new2/0']")).to_be_in_viewport()
    expect(page.get_by_role("status").filter(has_text="Pi: One thing more.")).to_have_count(1)


def test_a_single_step_up_leaves_the_end_in_whichever_moment_it_comes(page: Page, gallery: str) -> None:
    """Between two frames too, when the virtualiser is about to follow what came and the browser has not told of the step yet."""
    enter(page, gallery, "streaming")
    page.wait_for_function(f"{PANE}.scrollHeight > 1500")
    assert page.evaluate(STEP_UP, 25) == []


def test_a_long_answer_that_was_watched_is_not_cut_from_under_its_reader_once_it_is_there(page: Page, gallery: str) -> None:
    enter(page, gallery, "short")
    page.evaluate(COME, "streaming")
    page.evaluate(FOLLOW, ["", 12])
    row = page.locator("[data-key='answer/0']")
    expect(row).to_contain_text("line 399")
    scroll(page, "-= 1500")
    before = page.evaluate(f"[{FROM_END}, {PANE}.scrollTop]")
    assert before[0] > 1000
    page.evaluate(COME, "done")
    page.evaluate(FOLLOW, ["", 12])
    assert page.evaluate(f"{PANE}.scrollTop") == before[1]
    expect(row).to_contain_text("line 399")
    expect(row.get_by_role("button", name="Show all")).to_have_count(0)


def test_a_long_answer_that_was_there_before_shows_its_first_part(page: Page, gallery: str) -> None:
    enter(page, gallery, "short")
    page.evaluate(COME, "done")
    row = page.locator("[data-key='answer/0']")
    expect(row.get_by_role("button", name="Show all 799 lines")).to_have_count(1)
    assert "line 399" not in row.inner_text()


def test_rows_are_gone_to_and_opened_by_keyboard(page: Page, gallery: str) -> None:
    enter(page, gallery, "short")
    page.locator("[data-key][tabindex='0']").focus()
    page.keyboard.press("ArrowUp")
    assert (page.locator("[data-key]:focus").get_attribute("aria-label") or "").startswith("Tool bash, ")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("[aria-expanded='true']:focus")).to_have_count(1)
    expect(page.get_by_role("button", name="Show all 74 lines")).to_be_visible()
    page.locator("[data-key]:has(:focus)").focus()
    for _ in range(12):
        page.keyboard.press("ArrowUp")
    expect(page.locator(".msg-day:focus, .msg-user:focus")).to_be_in_viewport()


def test_axe_finds_nothing_serious_in_what_is_hostile(page: Page, gallery: str) -> None:
    enter(page, gallery, "hostile")
    assert serious_faults(page) == []
