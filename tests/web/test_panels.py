"""Promise: what extensions show stands in one row of pills above and one below the composer, and opens, is replaced and closes as asked."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Final

import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser, Locator, expect

from mirrord.wire import messages as wire
from mirrord.wire.surfaces import ActivityRow, Block, Pill, Surface
from tests.web import panels
from tests.web.browser import DESKTOP, PHONE, Size
from tests.web.scripted import Told
from tests.web.shows import Shows, serving
from tests.web.states import Show, State, session
from tests.web.surface_states import ABOVE, BELOW, PANELS, STATUSES, in_session, open_pill, pill, press

ROW_PX: Final = 44
"""The height of a strip: one pill, which is a finger high."""
DRAWER_SHARE: Final = 0.5
"""Of the window; more hides what the panel is about."""


@pytest.fixture(scope="module")
def phone(browser: Browser) -> Iterator[Shows]:
    with serving() as served, served.shows(browser, PHONE) as shows:
        yield shows


@pytest.fixture
def show(phone: Shows) -> Iterator[Show]:
    """A phone on a session with widgets and statuses in both places."""
    show = phone.show(State("panels", in_session(**PANELS)))
    yield show
    show.tab.assert_clean()


def strip(show: Show, side: str) -> Locator:
    return show.page.get_by_role("region", name=f"Panels {side} the composer")


def tell(show: Show, *surfaces: Surface, statuses: tuple[wire.StatusEntry, ...] = STATUSES, changed: Surface | None = None) -> None:
    """These are the widgets and statuses now; `changed` is the one that is drawn anew."""
    here = session(0).session_id
    told = Told(session(show.daemon.now()), statuses=statuses, surfaces=surfaces)
    if changed is not None:
        show.daemon.say(
            wire.ExtensionUINotification(
                here,
                "setWidget",
                widget_key=changed.key,
                widget_placement=changed.placement,
                widget_lines=changed.widget_lines,
                native_surface=changed.native_surface,
                source=changed.source,
                truncated=changed.truncated,
            )
        )
    pills = told.strips()
    show.daemon.say(wire.ExtensionUIStrips(here, pills.above, pills.below))


def test_each_strip_is_one_row_of_pills_in_their_order(show: Show) -> None:
    for side, labels in (
        ("above", ["Jobs · 1 running", "Garden · 3 beds", "board", "main ✓", "$1.28 today"]),
        ("below", ["notes", "clock"]),
    ):
        buttons = strip(show, side).get_by_role("button")
        expect(buttons).to_have_count(len(labels))
        for at, label in enumerate(labels):
            expect(buttons.nth(at)).to_contain_text(label)
        tops = {round(button.bounding_box()["y"]) for button in buttons.all()}  # type: ignore[index] # it is seen
        assert len(tops) == 1
        box = strip(show, side).bounding_box()
        assert box is not None
        assert box["height"] <= ROW_PX + 2
    expect(pill(show, "Jobs")).to_contain_text("3 queued")
    assert show.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "what overflows scrolls inside its strip"


def test_what_does_not_fit_into_a_strip_is_scrolled_to(show: Show) -> None:
    last = pill(show, "$1.28 today")
    assert not in_window(last)
    last.focus()
    assert in_window(last)


def test_a_wheel_scrolls_a_strip(browser: Browser, phone: Shows) -> None:
    with phone.pages.shows(browser, Size("narrow", 900, 700, is_phone=False)) as narrow:
        show = narrow.show(State("panels", in_session(**PANELS)))
        assert not in_window(pill(show, "$1.28 today"))
        pill(show, "Jobs").hover()
        show.page.mouse.wheel(0, 600)
        expect(pill(show, "$1.28 today")).to_be_in_viewport(ratio=0.9)


def in_window(target: Locator) -> bool:
    return bool(
        target.evaluate(
            "(one) => { const {left, right} = one.getBoundingClientRect(); return left >= 0 && left < innerWidth && right > 0; }"
        )
    )


def test_a_pill_is_as_large_as_a_finger(show: Show) -> None:
    for button in show.page.locator(".dock").get_by_role("button").all():
        box = button.bounding_box()
        assert box is not None
        assert box["height"] >= ROW_PX
        assert box["width"] >= ROW_PX


def test_an_empty_strip_takes_no_room(show: Show) -> None:
    tell(show, *ABOVE)
    expect(strip(show, "below")).to_have_count(0)
    tell(show, statuses=())
    expect(strip(show, "above")).to_have_count(0)
    expect(show.page.locator(".dock")).to_be_hidden()


def test_one_drawer_a_placement_opens_is_replaced_and_closes(show: Show) -> None:
    jobs = open_pill(show, "Jobs")
    expect(jobs.get_by_role("heading", name="Jobs")).to_be_visible()
    open_pill(show, "board")
    expect(jobs).not_to_contain_text("Session store behind a view")
    expect(pill(show, "Jobs")).to_have_attribute("aria-expanded", "false")
    open_pill(show, "notes")
    assert show.page.locator(".drawer").count() == 2, "each placement has its own"
    for label in ("board", "notes"):
        press(show, pill(show, label))
        expect(pill(show, label)).to_have_attribute("aria-expanded", "false")
    expect(show.page.locator(".drawer")).to_have_count(0)


def test_a_drawer_has_a_cross_and_escape_closes_it_too(show: Show) -> None:
    press(show, open_pill(show, "board").get_by_role("button", name="Close board"))
    expect(show.page.locator(".drawer")).to_have_count(0)
    expect(pill(show, "board")).to_be_focused()
    open_pill(show, "board").get_by_role("group").first.focus()
    show.page.keyboard.press("Escape")
    expect(show.page.locator(".drawer")).to_have_count(0)
    expect(pill(show, "board")).to_be_focused()


def test_opening_and_closing_moves_no_pill(show: Show) -> None:
    before = pill(show, "Jobs").bounding_box()
    open_pill(show, "Jobs")
    assert pill(show, "Jobs").bounding_box() == before
    press(show, pill(show, "Jobs"))
    assert pill(show, "Jobs").bounding_box() == before


def test_a_drawer_is_bounded_scrolls_inside_and_opens_full_screen(show: Show) -> None:
    drawer = open_pill(show, "Garden")
    box = drawer.bounding_box()
    assert box is not None
    assert box["height"] <= DRAWER_SHARE * PHONE.height
    body = drawer.locator(".drawer-body")
    assert body.evaluate("(body) => body.scrollHeight > body.clientHeight")
    press(show, drawer.get_by_role("button", name="Open full screen"))
    sheet = show.page.get_by_role("dialog", name="Garden")
    expect(sheet).to_be_visible()
    box = sheet.bounding_box()
    assert box is not None
    assert (box["width"], box["height"]) == (PHONE.width, PHONE.height)
    show.page.keyboard.press("Escape")
    expect(show.page.get_by_role("dialog")).to_have_count(0)
    expect(drawer).to_be_visible()
    expect(drawer.get_by_role("button", name="Open full screen")).to_be_focused()


def test_a_question_that_comes_is_told_on_the_full_screen_and_leads_back(show: Show) -> None:
    press(show, open_pill(show, "Garden").get_by_role("button", name="Open full screen"))
    prompt = wire.ExtensionUIRequest(session(0).session_id, "p", "confirm", "Publish?", show.daemon.now())
    show.daemon.say(prompt)
    press(show, show.page.get_by_role("dialog").get_by_role("button", name="1 question waits"))
    expect(show.page.get_by_role("dialog")).to_have_count(0)
    expect(show.page.locator("[data-method]")).to_be_visible()


def test_a_drawer_leaves_a_question_its_room(show: Show) -> None:
    open_pill(show, "Garden")
    prompt = wire.ExtensionUIRequest(session(0).session_id, "p", "confirm", "Publish?", show.daemon.now(), message="To the registry.")
    show.daemon.say(prompt)
    card = show.page.locator("[data-method]")
    expect(card.get_by_role("button", name="Send")).to_be_in_viewport(ratio=1)
    expect(card.get_by_role("heading", name="Publish?")).to_be_in_viewport(ratio=1)
    for label in ("Garden", "notes"):
        expect(pill(show, label)).to_be_in_viewport(ratio=1)


def test_a_widget_that_is_drawn_anew_stays_open_folded_and_scrolled_as_it_was(show: Show) -> None:
    drawer = open_pill(show, "Jobs")
    fold = drawer.get_by_role("button", name="3 steps of Session store behind a view")
    press(show, fold)
    expect(drawer.get_by_text("Read the callers")).to_have_count(0)
    body = drawer.locator(".drawer-body")
    body.evaluate("(body) => { body.scrollTop = 40; }")
    assert panels.JOBS.native_surface is not None
    (block,) = panels.JOBS.native_surface.blocks
    (first, *others) = block.rows or ()

    def draw(*blocks: Block) -> None:
        assert panels.JOBS.native_surface is not None
        anew = replace(panels.JOBS, native_surface=replace(panels.JOBS.native_surface, blocks=blocks))
        tell(show, anew, *ABOVE[1:], *BELOW, changed=anew)

    draw(replace(block, rows=(replace(first, detail="editing 3 files"), *others)))
    expect(drawer.get_by_text("editing 3 files")).to_be_visible()
    assert body.evaluate("(body) => body.scrollTop") == 40
    draw(Block("divider"), replace(block, rows=(ActivityRow("new", "Something new above", state="queued"), *reversed(others), first)))
    expect(drawer.get_by_text("Something new above")).to_be_attached()
    expect(fold).to_have_attribute("aria-expanded", "false")
    expect(drawer.get_by_text("Read the callers")).to_have_count(0)
    press(show, fold)
    expect(drawer.get_by_text("Read the callers")).to_be_visible()


def test_a_widget_that_is_cleared_closes_and_does_not_open_by_itself_again(show: Show) -> None:
    open_pill(show, "Jobs").locator(".drawer-body").focus()
    clear = wire.ExtensionUINotification(session(0).session_id, "setWidget", widget_key="jobs")
    show.daemon.say(clear)
    tell(show, *ABOVE[1:], *BELOW)
    expect(show.page.locator(".drawer")).to_have_count(0)
    assert show.page.evaluate("document.activeElement !== document.body"), "the focus stays in the strip"
    tell(show, *ABOVE, *BELOW, changed=panels.JOBS)
    expect(pill(show, "Jobs")).to_have_attribute("aria-expanded", "false")


def test_panels_are_as_they_were_after_another_session(show: Show) -> None:
    open_pill(show, "Jobs")
    show.page.evaluate("location.hash = ''")
    expect(show.page.get_by_role("heading", level=1, name="Sessions")).to_be_visible()
    show.page.go_back()
    expect(pill(show, "Jobs")).to_have_attribute("aria-expanded", "true")
    expect(show.page.get_by_text("Session store behind a view", exact=True)).to_be_visible()


def test_a_reconnect_into_a_snapshot_changes_nothing_that_is_open(show: Show) -> None:
    open_pill(show, "Jobs")
    drawer = show.page.locator(".drawer").element_handle()
    show.daemon.sessions[0] = dataclasses.replace(show.daemon.sessions[0], title="told by the next snapshot")
    show.daemon.cut()
    expect(show.page.get_by_text("told by the next snapshot")).to_be_visible()
    assert drawer.evaluate("(drawer) => drawer.isConnected"), "it was taken away and drawn anew"


def test_a_status_opens_whole(show: Show) -> None:
    drawer = open_pill(show, "$1.28")
    expect(drawer.get_by_role("heading", name="cost")).to_be_visible()
    expect(drawer).to_contain_text("$1.28 today, of $5.00")
    expect(drawer).to_contain_text("meter")


def test_a_client_of_level_one_would_see_the_lines_and_so_does_the_page(show: Show) -> None:
    bare = Surface("bare", "aboveEditor", ("first line", "second <b>line</b>"), source="old")
    tell(show, *ABOVE, bare, changed=bare)
    drawer = open_pill(show, "bare")
    expect(drawer.get_by_role("group", name="bare").last).to_contain_text("second <b>line</b>")
    back = replace(panels.CLOCK, key="bare", placement="aboveEditor")
    tell(show, *ABOVE, back, changed=back)
    expect(drawer).to_contain_text("next break in 23 min")


def test_pills_of_a_later_daemon_are_left_out(show: Show) -> None:
    here = session(0).session_id
    later = Pill("mood:a", "mood", "a", "cheerful")  # type: ignore[arg-type] # that is the point
    show.daemon.say(wire.ExtensionUIStrips(here, (later, Pill("status:b", "status", "b", "fine")), ()))
    expect(strip(show, "above").get_by_role("button")).to_have_count(1)


def test_a_screen_reader_hears_of_new_panels_and_not_of_each_drawing(show: Show) -> None:
    status = show.page.locator("body > #app > .visually-hidden[role=status]")
    new = replace(panels.CLOCK, key="new")
    tell(show, *ABOVE, new, *BELOW, changed=new)
    expect(status).to_have_text("New: clock")
    tell(show, *ABOVE, new, *BELOW, changed=replace(new, source="other"))
    expect(status).to_have_text("New: clock")


def test_a_keyboard_alone_opens_reads_and_closes(browser: Browser, phone: Shows) -> None:
    with phone.pages.shows(browser, DESKTOP) as desk:
        show = desk.show(State("panels", in_session(**PANELS)))
        keyboard = show.page.keyboard
        pill(show, "Garden").focus()
        keyboard.press("Enter")
        drawer = show.page.locator(".drawer")
        expect(drawer).to_be_visible()
        keyboard.press("Shift+Tab")
        keyboard.press("Shift+Tab")
        assert drawer.evaluate("(drawer) => drawer.contains(document.activeElement)"), "the drawer stands before its pills"
        drawer.locator(".drawer-body").focus()
        keyboard.press("End")
        expect(drawer.get_by_text("160 of 500 rows are shown.")).to_be_in_viewport()
        keyboard.press("Escape")
        expect(drawer).to_have_count(0)
        show.tab.assert_clean()


def test_text_of_twice_the_size_loses_nothing(show: Show) -> None:
    show.page.evaluate("document.documentElement.style.fontSize = '200%'")
    for label in ("Jobs", "Garden", "board"):
        drawer = open_pill(show, label)
        assert show.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert drawer.locator(".drawer-body").evaluate("(body) => body.scrollWidth <= body.clientWidth")
        expect(drawer.locator(".drawer-head").get_by_role("button", name="Open full screen")).to_be_in_viewport()
        expect(pill(show, label)).to_be_in_viewport()
