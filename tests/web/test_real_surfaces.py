"""Promise: what an extension shows in the real Pi, a page shows: lines, blocks, pills, the working row, header and footer, dialogs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Final

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.e2e.stage import Stage, stage
from tests.harness.pi import FULLSCREEN, OLD, PiKind
from tests.web.browser import DESKTOP, PHONE, all_clean, tab
from tests.web.card import Card
from tests.web.web import Web, standing

SIZES: Final = {FULLSCREEN: (PHONE, DESKTOP), OLD: (PHONE,)}
"""The older Pi differs in what its extension tells, not in how a page draws it."""

LINK: Final = "https://example.org/jobs"
NATIVE: Final = {
    "version": 1,
    "id": "whatever its author wrote",
    "source": "widget",
    "presentation": {"style": "surfacePanel", "title": "Jobs", "subtitle": "1 runs"},
    "blocks": [
        {"type": "activityList", "id": "jobs", "rows": [{"id": "a", "title": "Review", "state": "running"}]},
        {"type": "progress", "label": "Beds", "value": 0.5},
        {"type": "mood", "mood": "cheerful"},
    ],
    "fallback": {"lines": ["Review runs"]},
}
CLEAR: Final = b"\x15"
"""The key that empties Pi's line."""


@dataclass(frozen=True, slots=True)
class Played:
    """A Pi, and every page on its session."""

    web: Web

    @property
    def stage(self) -> Stage:
        return self.web.stage

    def run(self, command: str, **arguments: object) -> None:
        self.stage.run(command, **arguments)

    def pages(self) -> list[Page]:
        return [tab.page for tab in self.web.tabs.values()]


# The id keeps all tests of a Pi on one worker.
@pytest.fixture(scope="module", params=[pytest.param(kind, id=f"{kind}+pages") for kind in (FULLSCREEN, OLD)])
def shared(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Played]:
    kind: PiKind = request.param
    with stage(kind) as here, standing(here) as web, ExitStack() as tabs:
        for size in SIZES[kind]:
            web.pair(tabs.enter_context(tab(browser, size)), str(size))
        yield Played(web)


@pytest.fixture
def play(shared: Played) -> Iterator[Played]:
    """Nothing is shown yet, and every page is on the session."""
    for name in shared.web.tabs:
        shared.web.enter(name)
    yield shared
    all_clean(list(shared.web.tabs.values()))


def pill(page: Page, label: str) -> Locator:
    return page.locator(".strip").get_by_role("button").filter(has_text=label)


def opened(page: Page, label: str) -> Locator:
    """The drawer of that pill."""
    one = pill(page, label)
    one.click()
    drawer = page.locator(f"[id='{one.get_attribute('aria-controls')}']")
    expect(drawer).to_be_visible()
    return drawer


def gone(play: Played, label: str) -> None:
    """No page has a pill of that label, or a drawer."""
    for page in play.pages():
        expect(pill(page, label)).to_have_count(0)
        expect(page.locator(".drawer")).to_have_count(0)


def test_lines_stand_below_the_composer_and_go(play: Played) -> None:
    play.run("t-widget", key="notes", lines=["Notes", "- <b>first</b>"], placement="belowEditor")
    for page in play.pages():
        below = page.get_by_role("region", name="Panels below the composer")
        expect(below.get_by_role("button")).to_have_count(1)
        expect(opened(page, "notes")).to_contain_text("- <b>first</b>")
    play.run("t-widget", key="notes")
    gone(play, "notes")


def test_a_component_has_its_colours_as_roles_and_its_links(play: Played) -> None:
    linked = f"\x1b]8;;{LINK}\x07all of them\x1b]8;;\x07"
    play.run("t-widget", key="drawn", drawn=True, lines=["{accent}2 jobs{/} run, {error}1 failed{/}", linked])
    for page in play.pages():
        drawer = opened(page, "drawn")
        for role, text in (("accent", "2 jobs"), ("danger", "1 failed")):
            expect(drawer.locator(f".role-{role}")).to_have_text(text)
        link = drawer.get_by_role("link", name=re.compile("all of them"))
        expect(link).to_have_attribute("href", LINK)
        family = drawer.locator(".terminal-line").first.evaluate("(line) => getComputedStyle(line).fontFamily")
        assert "mono" in family
    play.run("t-widget", key="drawn")
    gone(play, "drawn")


def test_what_a_component_says_of_itself_is_drawn_as_blocks_and_replaced_in_place(play: Played) -> None:
    play.run("t-widget", key="native", drawn=True, lines=["1 job runs"], native=NATIVE)
    drawers = [opened(page, "Jobs · 1 runs") for page in play.pages()]
    for drawer in drawers:
        expect(drawer).to_contain_text("Review")
        expect(drawer.get_by_role("progressbar", name="Beds")).to_have_attribute("aria-valuenow", "50")
        expect(drawer).not_to_contain_text("1 job runs")
    rows = [{"id": "a", "title": "Review", "state": "success"}]
    blocks = [{"type": "activityList", "id": "jobs", "rows": rows}, *NATIVE["blocks"][1:]]  # type: ignore[index] # it is a list
    play.run("t-widget", key="native", drawn=True, lines=["all done"], native={**NATIVE, "blocks": blocks})
    for drawer in drawers:
        expect(drawer.get_by_role("img", name="Done")).to_be_visible()
    play.run("t-widget", key="native")
    gone(play, "Jobs")


def test_a_status_is_a_pill_until_it_is_cleared(play: Played) -> None:
    play.run("t-status", key="job", text="building \x1b[31m3\x1b[0m of 7")
    for page in play.pages():
        expect(pill(page, "building 3 of 7")).to_be_visible()
    play.run("t-status", key="job")
    gone(play, "building")


def test_the_working_row_has_the_extensions_words_and_frames(play: Played) -> None:
    play.run("t-working", message="Checking files…", frames=["one", "two"], intervalMs=120)
    play.stage.pi.settle(0.1)
    play.stage.pi.line("slow 400 20")
    for page in play.pages():
        row = page.locator(".working")
        expect(row).to_contain_text("Checking files…")
        expect(row.locator(".working-frames")).to_have_text("one")
    play.stage.pi.keys("escape")
    for page in play.pages():
        expect(page.locator(".working")).to_have_count(0)
    play.run("t-working", message=None, frames=None)


def test_header_and_footer_stand_while_they_are_set(play: Played) -> None:
    play.run("t-header", lines=["Garden 1.0", "3 beds"])
    play.run("t-footer", lines=["{success}main{/} ✓"])
    for page in play.pages():
        header = page.get_by_role("region", name="Header of exerciser")
        expect(header).to_contain_text("Garden 1.0")
        header.get_by_role("button").click()
        expect(header).to_contain_text("3 beds")
        expect(page.get_by_role("region", name="Footer of exerciser")).to_contain_text("main ✓")
    play.run("t-header")
    play.run("t-footer")
    for page in play.pages():
        expect(page.get_by_role("region", name=re.compile("^(?:Header|Footer)"))).to_have_count(0)


@pytest.mark.parametrize("overlay", [False, True], ids=["inline", "overlay"])
def test_a_dialog_is_watched_with_its_caret_and_goes_with_its_end(play: Played, overlay: bool) -> None:
    # A caret of its own, but no field: what is typed into one is seen by who may answer, as it is here.
    play.run("t-view", id=f"view {overlay}", overlay=overlay, lines=["Which bed?", "> north"], caret=True)
    for page in play.pages():
        card = Card(page, "north").shown()
        expect(card.place).to_contain_text("Which bed?")
        expect(card.place.get_by_role("img", name="Cursor")).to_be_visible()
        expect(card.place).to_contain_text("terminal")
    play.stage.pi.keys("enter")
    assert play.stage.log.result("t-view", f"view {overlay}").value == "done"
    for page in play.pages():
        expect(page.get_by_role("img", name="Cursor")).to_have_count(0)
        expect(page.locator("[data-method]")).to_have_count(0)


def test_a_text_for_the_editor_is_in_the_draft_of_each_device_and_can_be_taken_back(play: Played) -> None:
    play.run("t-text", text="Plant the tulips")
    for page in play.pages():
        composer = page.get_by_role("region", name="Composer")
        expect(composer).to_contain_text("Text from exerciser")
        expect(composer.get_by_role("textbox")).to_have_value("Plant the tulips")
        composer.get_by_role("button", name="Undo").click()
        expect(composer.get_by_role("textbox")).to_have_value("")
    play.stage.pi.settle(0.1)
    play.stage.pi.send(CLEAR)
