"""Promise: whatever stands in a string that the page shows is text and nothing else; a part that cannot be drawn takes no other with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page, expect

from mirrord.wire import messages as wire
from tests.web.browser import DESKTOP, PHONE
from tests.web.card import Card
from tests.web.scripted import Told
from tests.web.shows import Shows, serving
from tests.web.states import CHECKS, START, Show, State, asked, serve, session
from tests.web.web import Web

MARKUP: Final = (
    "<img src=x onerror=window.hit=1><script>window.hit=1</script><svg onload=window.hit=1><iframe srcdoc='<script>parent.hit=1</script>'>"
    "</title></textarea><a href='javascript:window.hit=1'>javascript:window.hit=1</a> {{7*7}} ${7*7} &lt;b&gt;"
)
# As no sanitizer lets it through; the page must stand it all the same. Turned, hidden, stacked and joined letters.
BIDI: Final = "\u202e\u2066abc\u2069\u200f\u061c evil\u202c \u05e9\u05dc\u05d5\u05dd \ufdfd Z\u0301\u0302\u0303\u0304\u0305 a\u200bb\u00ad"
HOSTILE: Final = f"{MARKUP} {BIDI}"
MEGABYTE: Final = "M" * 1_000_000
# Elements that text never makes; of those that the page makes itself it has this many in every state.
NO_SUCH: Final = "img, iframe, object, embed, script:not([src^='/assets/']), style, svg[onload], [onerror], [href^='javascript'], title b"


@pytest.fixture(scope="module")
def shows(browser: Browser) -> Iterator[Shows]:
    with serving() as served, served.shows(browser, PHONE) as shows:
        yield shows


def opened(shows: Shows, *told: Told, fragment: str = "") -> Show:
    """The page with these sessions."""

    def bring(show: Show) -> None:
        serve(show, *told)
        show.open()
        show.forget()
        show.open(fragment)
        expect(show.page.get_by_role("heading", level=1).first).to_be_visible()

    return shows.show(State("hostile", bring))


def only_text(show: Show) -> None:
    """Nothing ran, nothing was made of it and nothing was asked for."""
    assert show.page.evaluate("window.hit") is None
    assert show.page.evaluate("(selector) => document.querySelectorAll(selector).length", NO_SUCH) == 0
    assert show.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page is wider than the window"
    show.tab.assert_clean()


def hostile_session(show_now: int) -> wire.Session:
    one = session(show_now, 1, "waiting", notices=(HOSTILE,))
    return wire.Session(
        one.session_id, HOSTILE, HOSTILE, one.status, 0, name=HOSTILE, pi_version=HOSTILE, notices=one.notices, capabilities=(HOSTILE,)
    )


def prompts(show: Show) -> Mapping[str, wire.ExtensionUIRequest]:
    """One of each method, all its strings hostile."""
    cut = (wire.Truncation("title", 1, 2), wire.Truncation("<b>", 1, 2))
    question = wire.Question("__proto__", HOSTILE, (wire.QuestionOption("constructor", HOSTILE, HOSTILE),), multi_select=True)
    more: Mapping[wire.Method, Mapping[str, Any]] = {
        "select": {"options": (HOSTILE, "", BIDI, "line\nline"), "option_count": 4},
        "confirm": {"message": HOSTILE},
        "input": {"placeholder": HOSTILE, "message": HOSTILE},
        "editor": {"prefill": HOSTILE},
        "ask": {"questions": (question,)},
        "custom": {"terminal_only": HOSTILE},
        "other": {"terminal_only": HOSTILE, "cancellable": False},
    }
    return {method: asked(show, method, HOSTILE, source=HOSTILE, truncated=cut, **fields) for method, fields in more.items()}


@pytest.mark.parametrize("method", ["select", "confirm", "input", "editor", "ask", "custom", "other"])
def test_every_string_of_a_card_is_text(shows: Shows, method: str) -> None:
    blank = Show(shows.friend, shows.pages.origin)
    prompt = prompts(blank)[method]
    now = blank.daemon.now()
    show = opened(shows, Told(hostile_session(now), (prompt,)), fragment=f"#session={prompt.session_id}")
    card = show.page.locator("[data-method]")
    expect(card).to_be_visible()
    only_text(show)
    expect(card).to_contain_text("<img src=x onerror=window.hit=1>")
    whole = card.get_by_role("button", name="Open", exact=False)
    if whole.count():
        Card(show.page, "<img").shown()
        whole.first.tap()
        only_text(show)


def test_every_string_of_a_session_is_text(shows: Shows) -> None:
    now = Show(shows.friend, shows.pages.origin).daemon.now()
    told = Told(hostile_session(now), statuses=(wire.StatusEntry(HOSTILE, HOSTILE),))
    show = opened(shows, told)
    expect(show.page.get_by_role("navigation", name="Sessions")).to_contain_text("<script>window.hit=1</script>")
    only_text(show)
    show.open(f"#session={told.session.session_id}")
    expect(show.page.get_by_role("heading", level=1)).to_contain_text("<script>")
    expect(show.page.get_by_role("button", name="About this session")).to_be_visible()
    for level in ("info", "warning", "error"):
        show.daemon.say(
            wire.ExtensionUINotification(told.session.session_id, "notify", message=HOSTILE, notify_type=level),
            wire.ExtensionUINotification(told.session.session_id, "setTitle", title=HOSTILE),
        )
    expect(show.page.get_by_role("log", name="Notifications")).to_contain_text("<iframe")
    assert show.page.title() == "mirrord"
    show.page.get_by_role("button", name="About this session").tap()
    only_text(show)


def test_how_it_ended_is_text(shows: Shows) -> None:
    blank = Show(shows.friend, shows.pages.origin)
    prompt = asked(blank, "select", "Which?", options=("a", "b"), option_count=2)
    show = opened(shows, Told(session(blank.daemon.now(), 1, "waiting"), (prompt,)), fragment=f"#session={prompt.session_id}")
    Card(show.page, "Which?").shown()
    end = wire.ExtensionUISettled(
        prompt.session_id, prompt.id, "answered", "remote", show.daemon.now(), winner_name=HOSTILE, answer=HOSTILE, reason=HOSTILE
    )
    show.daemon.say(end)
    expect(Card(show.page, "Which?").phase("settled").place).to_contain_text("<img")
    only_text(show)


@pytest.mark.parametrize("method", ["confirm", "input", "editor", "select"])
def test_a_megabyte_is_shown_and_the_page_still_answers(shows: Shows, method: wire.Method) -> None:
    blank = Show(shows.friend, shows.pages.origin)
    more: Mapping[str, Mapping[str, Any]] = {
        "confirm": {"message": "word " * 200_000},
        "input": {"placeholder": MEGABYTE},
        "editor": {"prefill": "word " * 200_000},
        "select": {"options": (MEGABYTE, "b"), "option_count": 2},
    }
    prompt = asked(blank, method, MEGABYTE, **more[method])
    show = opened(shows, Told(session(blank.daemon.now(), 1, "waiting"), (prompt,)), fragment=f"#session={prompt.session_id}")
    card = Card(show.page, "MMMM").shown()
    only_text(show)
    card.press("Ignore")
    card.phase("sending")
    (answer,) = show.daemon.answers()
    assert answer.cancelled is True


def test_ten_thousand_options_are_filtered_and_the_last_is_answered(shows: Shows) -> None:
    blank = Show(shows.friend, shows.pages.origin)
    options = tuple(f"option {number}" for number in range(10_000))
    prompt = asked(blank, "select", "Pick one", options=options[:200], option_count=10_000)

    def bring(show: Show) -> None:
        serve(show, Told(session(show.daemon.now(), 1, "waiting"), (prompt,)))
        show.daemon.pages = lambda _, offset: options[offset : offset + 200]
        show.open(f"#session={prompt.session_id}")

    show = shows.show(State("many", bring))
    card = Card(show.page, "Pick one").open()
    card.place.get_by_role("searchbox").fill("option 9999")
    card.choose("option 9999")
    card.send()
    card.phase("sending")
    (answer,) = show.daemon.answers()
    assert answer.index == 9999
    assert show.page.locator("[data-choice]").count() < 1000
    only_text(show)


def test_hostile_words_come_through_a_real_pi_as_text(web: Web) -> None:
    asked_here = web.play.ask(
        "select", title="Which <b>one</b>?", options=[MARKUP, BIDI, "javascript:window.hit=1"], seen="Which <b>one</b>?"
    )
    for name in web.tabs:
        card = web.card(name, asked_here)
        expect(card.place).to_contain_text("<img src=x onerror=window.hit=1>")
        assert card.page.evaluate("window.hit") is None
        assert "\u202e" not in card.page.content()
    web.card("desk", asked_here).choose("javascript:window.hit=1")
    web.card("desk", asked_here).send()
    assert web.play.value(asked_here) == "javascript:window.hit=1"


# ---- a part that fails ----------------------------------------------------------------------------------------------------

BROKEN: Final = """(name) => {
  const set = Element.prototype.setAttribute;
  Element.prototype.setAttribute = function (key, value) {
    if (window.broken !== false && key === 'class' && String(value).split(' ').includes(name)) throw new Error('broken for a test');
    return set.call(this, key, value);
  };
}"""


def broken(shows: Shows, part: str) -> Show:
    """A page on which what has that class cannot be drawn, with a prompt and a notification."""
    blank = Show(shows.friend, shows.pages.origin)
    prompt = asked(blank, "ask", "Where?", questions=(START, CHECKS))

    def bring(show: Show) -> None:
        show.page.add_init_script(f"({BROKEN})({part!r})")
        serve(show, Told(session(show.daemon.now(), 1, "waiting"), (prompt,)), Told(session(show.daemon.now(), 3)))
        show.open(f"#session={prompt.session_id}")
        expect(show.page.get_by_role("alert").first).to_be_attached()

    show = shows.show(State("broken", bring))
    return show


def mended(page: Page) -> None:
    page.evaluate("window.broken = false")
    page.get_by_role("button", name="Try again").first.click()


def test_a_card_that_cannot_be_drawn_is_replaced_by_its_words(shows: Shows) -> None:
    show = broken(shows, "card")
    fallback = show.page.get_by_role("region", name="A question that cannot be shown")
    expect(fallback).to_contain_text("Where?")
    expect(fallback).to_contain_text("planner")
    expect(fallback).to_contain_text("answer at the terminal")
    expect(show.page.get_by_role("heading", level=1, name="session store behind a view")).to_be_visible()
    assert show.daemon.answers() == [], "nothing is answered or cancelled by a failure"
    show.tab.excuse("A part of the page could not be shown")
    mended(show.page)
    expect(show.page.locator("[data-method]")).to_be_visible()


def test_a_notification_that_cannot_be_drawn_leaves_the_page(shows: Shows) -> None:
    show = broken(shows, "toast")
    Card(show.page, START.question).shown()
    told = show.daemon.sessions[0].session.session_id
    show.daemon.say(wire.ExtensionUINotification(told, "notify", message="one", notify_type="error"))
    expect(show.page.get_by_text("The notifications could not be shown")).to_be_visible()
    expect(show.page.locator("[data-method]")).to_be_visible()
    show.tab.excuse("A part of the page could not be shown")


def test_a_list_that_cannot_be_drawn_leaves_the_session(browser: Browser, shows: Shows) -> None:
    with shows.pages.shows(browser, DESKTOP) as wide:
        show = broken(wide, "row")
        expect(show.page.get_by_text("The list of sessions could not be shown")).to_be_visible()
        expect(show.page.locator("[data-method]")).to_be_visible()
        show.tab.excuse("A part of the page could not be shown")
        mended(show.page)
        expect(show.page.get_by_role("navigation", name="Sessions")).to_be_visible()
