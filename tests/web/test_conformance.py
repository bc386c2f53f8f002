"""Promise: what the contract asks of an Apple client, the page does in the ways of a browser: room for a finger, large text, no motion,
one dialog at a time, and a question that neither a clock nor a way out of the session answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, expect

from mirrord.wire import messages as wire
from tests.web.browser import DESKTOP, PHONE, SIZES
from tests.web.card import Card
from tests.web.gallery import ALL
from tests.web.scripted import Told
from tests.web.shows import Shows, serving
from tests.web.states import SECOND, Show, State, asked, neighbours, serve, session
from tools import screenshots

READABLE_PX: Final = 44 * 16
"""Some eighty characters of running text."""
KEYBOARD_PX: Final = 336
"""Of a phone's screen, with the row of suggestions."""
FINGER_PX: Final = 44
"""Apple's 44 points, at both sides of what is pressed."""

TOUCHED: Final = (
    "list-many",
    "card-input-masked",
    "card-ask-several",
    "card-ask-questions",
    "card-editor",
    "drawer-activity",
    "drawer-blocks",
    "drawer-full",
    "regions",
    "view-overlay",
    "handoff",
    "settings-notifications-on",
    "settings-privacy",
    "details-notifications",
    "modal-question-waits",
    "offline-start",
    "composer-rejected",
    "composer-command",
    "composer-models",
    "chat-kinds-start",
    "chat-output",
    "chat-long-behind",
    "composer-queue-folded",
)
LARGE: Final = (
    "card-select",
    "card-confirm",
    "card-input-masked",
    "card-editor",
    "card-ask-several",
    "regions",
    "view-inline",
    "handoff-two",
    "settings-notifications-on",
    "settings-install-needs",
    "details-notifications",
    "modal-question-waits",
    "composer-rejected",
    "composer-queue",
    "composer-steer",
)
MOVING: Final = ("card-sending", "working-frames", "working-usual", "drawer-blocks")

# Links within a text are as high as its lines, as they are everywhere (WCAG 2.5.8 excepts them); what is hidden or switched off is not hit.
_TOO_SMALL: Final = """(finger) => [...document.querySelectorAll('a[href], button, input, textarea, [role=radio], [role=checkbox]')]
  .filter((one) => one.checkVisibility({visibilityProperty: true}) && one.closest('.visually-hidden, p, li, pre') === null)
  .map((one) => {
    // A label is part of what it names, and a pseudo-element may reach out of its button.
    const box = (one.closest('label') ?? one).getBoundingClientRect();
    const reach = getComputedStyle(one, '::after');
    const [width, height] = reach.position === 'absolute'
      ? [Math.max(box.width, parseFloat(reach.width) || 0), Math.max(box.height, parseFloat(reach.height) || 0)]
      : [box.width, box.height];
    return [width, height, one.outerHTML.slice(0, 160)];
  })
  .filter(([width, height]) => width > 1 && height > 1 && (width < finger - 0.5 || height < finger - 0.5))"""

_MOVES: Final = """() => document.getAnimations()
  .filter((one) => one.playState === 'running' && (one.effect?.getComputedTiming().activeDuration ?? 0) > 1)
  .map((one) => `${one.animationName ?? one.transitionProperty} of ${one.effect?.target?.className}`)"""


@pytest.fixture(scope="module")
def phone(browser: Browser) -> Iterator[Shows]:
    with serving() as served, served.shows(browser, PHONE) as shows:
        yield shows


@pytest.fixture(scope="module")
def desk(browser: Browser, phone: Shows) -> Iterator[Shows]:
    with phone.pages.shows(browser, DESKTOP) as shows:
        yield shows


def state(name: str) -> State:
    return next(one for one in ALL if one.name == name)


def asking(*prompts: dict[str, Any]) -> State:
    """A session with these questions, each a confirm unless it says otherwise."""

    def bring(show: Show) -> None:
        told: list[wire.ExtensionUIRequest] = []
        for prompt in prompts:
            more: dict[str, Any] = {name: value(show.daemon.now()) if callable(value) else value for name, value in prompt.items()}
            told.append(asked(show, more.pop("method", "confirm"), more.pop("title"), **more))
        serve(show, Told(session(show.daemon.now(), 1, "waiting", age=8 * SECOND), tuple(told)), *neighbours(show))
        show.open(f"#session={told[0].session_id}")
        show.forget()
        show.open(f"#session={told[0].session_id}")
        show.card()

    return State("asking", bring)


def settle(show: Show, outcome: wire.Outcome = "answered", winner: wire.Winner = "terminal") -> None:
    """The terminal rules about the first question."""
    first, *others = show.daemon.sessions[0].prompts
    show.daemon.sessions[0] = Told(session(show.daemon.now(), 1, "waiting" if others else "idle", age=0), tuple(others))
    show.daemon.say(wire.ExtensionUISettled(first.session_id, first.id, outcome, winner, show.daemon.now()))


@pytest.mark.parametrize("name", TOUCHED)
def test_whatever_is_pressed_has_room_for_a_finger(phone: Shows, name: str) -> None:
    show = phone.show(state(name))
    assert show.page.evaluate(_TOO_SMALL, FINGER_PX) == []


@pytest.mark.parametrize("name", LARGE)
def test_with_text_of_twice_the_size_everything_is_there_and_nothing_scrolls_sideways(phone: Shows, name: str) -> None:
    show = phone.show(state(name))
    buttons = [one.inner_text() for one in show.page.get_by_role("button").all() if one.is_visible()]
    show.page.evaluate("document.documentElement.style.fontSize = '200%'")
    assert show.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for card in show.page.locator("[data-method]").all():
        assert card.evaluate("(card) => card.scrollWidth <= card.clientWidth")
        for button in card.get_by_role("button").all():
            button.scroll_into_view_if_needed()
            expect(button).to_be_in_viewport()
    assert {text for text in buttons if text} <= {one.inner_text() for one in show.page.get_by_role("button").all()}


@pytest.mark.parametrize("name", MOVING)
def test_nothing_moves_for_who_wants_no_motion(phone: Shows, name: str) -> None:
    show = phone.show(state(name))
    assert show.page.evaluate("matchMedia('(prefers-reduced-motion: reduce)').matches")
    assert show.page.evaluate(_MOVES) == []


def test_a_time_that_is_out_answers_nothing_and_takes_nothing_away(phone: Shows) -> None:
    show = phone.show(asking({"title": "Publish the notes?", "timeout": 1_000.0, "timeout_at": lambda now: now - 3 * SECOND}))
    card = Card(show.page, "Publish the notes?").shown()
    expect(card.button("Ignore")).to_be_visible()
    assert show.daemon.answers() == []
    settle(show, "timed_out", "none")
    card.phase("settled")
    expect(card.place).to_contain_text("time")


def test_leaving_a_session_cancels_nothing_and_its_question_is_there_again(phone: Shows) -> None:
    show = phone.show(asking({"title": "Name of the branch", "method": "input"}))
    card = Card(show.page, "Name of the branch")
    card.type("release/next")
    show.page.evaluate("location.hash = ''")
    row = show.page.get_by_role("navigation", name="Sessions").get_by_role("link").first
    expect(row).to_contain_text("1 question")
    assert show.daemon.answers() == []
    row.tap()
    card.shown()
    expect(card.place.get_by_role("textbox")).to_have_value("release/next")


def test_questions_stand_in_the_terminals_order_one_at_a_time(phone: Shows) -> None:
    show = phone.show(asking({"title": "First of two?"}, {"title": "The second?"}))
    expect(show.page.locator("[data-method]")).to_have_count(1)
    Card(show.page, "First of two?").shown()
    settle(show)
    Card(show.page, "The second?").shown()
    assert show.daemon.answers() == []


def test_a_sheet_of_a_question_is_the_only_one_and_goes_with_its_settlement(phone: Shows) -> None:
    show = phone.show(asking({"method": "editor", "title": "First of two?", "prefill": "a plan"}, {"title": "The second?"}))
    Card(show.page, "First of two?").open()
    expect(show.page.get_by_role("dialog")).to_have_count(1)
    settle(show)
    Card(show.page, "The second?").shown()
    expect(show.page.get_by_role("dialog", name="First of two?")).to_have_count(0)


@pytest.mark.parametrize("way", ["Make small", "Escape"])
def test_closing_a_sheet_loses_no_text_that_was_typed(phone: Shows, way: str) -> None:
    show = phone.show(state("card-editor"))
    sheet = show.page.get_by_role("dialog")
    sheet.get_by_role("textbox").fill("Another plan altogether")
    if way == "Escape":
        show.page.keyboard.press("Escape")
    else:
        sheet.get_by_role("button", name=way).tap()
    expect(sheet).to_have_count(0)
    assert show.daemon.answers() == []
    show.card().open()
    expect(sheet.get_by_role("textbox")).to_have_value("Another plan altogether")


def test_what_is_read_can_be_selected(phone: Shows) -> None:
    show = phone.show(state("card-confirm"))
    message = show.page.get_by_text("They are gone from origin too.")
    assert message.evaluate("(one) => getComputedStyle(one).userSelect") in ("auto", "text")
    message.evaluate("(one) => getSelection().selectAllChildren(one)")
    assert "They are gone from origin too." in show.page.evaluate("getSelection().toString()")


def test_a_sheet_on_a_wide_screen_has_a_width_that_can_be_read(desk: Shows) -> None:
    show = desk.show(state("card-editor"))
    field = show.page.get_by_role("dialog").get_by_role("textbox").bounding_box()
    assert field is not None
    assert field["width"] <= READABLE_PX < DESKTOP.width


def test_what_a_keyboard_leaves_of_the_screen_has_the_field_and_the_button(phone: Shows) -> None:
    show = phone.show(state("card-editor"))
    sheet = show.page.get_by_role("dialog")
    show.page.set_viewport_size({"width": PHONE.width, "height": PHONE.height - KEYBOARD_PX})
    sheet.get_by_role("textbox").focus()
    expect(sheet.get_by_role("textbox")).to_be_in_viewport(ratio=0.5)
    for name in ("Ignore", "Send"):
        expect(sheet.get_by_role("button", name=name)).to_be_in_viewport(ratio=1)
    show.page.set_viewport_size({"width": PHONE.width, "height": PHONE.height})


def test_pictures_are_taken_of_prompts_strips_drawers_and_terminals_on_both_sizes_of_screen() -> None:
    pictured = {one.name for one in ALL}
    assert {"card-select", "card-confirm", "card-input", "card-editor", "card-ask"} <= pictured
    assert {"strips", "drawer-activity", "drawer-blocks", "drawer-both", "drawer-full", "drawer-terminal", "drawer-lines"} <= pictured
    assert {"view-inline", "view-overlay", "working-frames", "regions", "handoff"} <= pictured
    assert {"chat-short", "chat-kinds", "chat-streaming", "chat-diff", "chat-long", "chat-card-draft", "composer-queue"} <= pictured
    assert [size.is_phone for size in SIZES] == [True, False]
    assert vars(screenshots)["ALL"] is ALL
    assert vars(screenshots)["SIZES"] is SIZES
    assert set(screenshots.SCHEMES) == {"light", "dark"}
