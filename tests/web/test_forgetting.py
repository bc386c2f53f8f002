"""Promise: what a person lets this browser forget is nowhere in it any more, in no tab, and no tab brings it back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.web.browser import DESKTOP
from tests.web.composer_states import composer, field, talking
from tests.web.shows import Shows, serving
from tests.web.states import Show, State

SENT = "Plant the tulips north of the shed"
TYPED = "And the roses behind it"


@pytest.fixture
def shows(browser: Browser) -> Iterator[Shows]:
    with serving() as served, served.shows(browser, DESKTOP) as made:
        yield made
        made.friend.assert_clean()


def two_tabs(shows: Shows) -> tuple[Show, Page]:
    """One has sent something that nobody has confirmed, in the other one somebody types."""
    first = shows.show(State("forgetting", talking()))
    field(first).fill(SENT)
    composer(first).get_by_role("button", name="Send", exact=True).click()
    other = first.tab.context.new_page()
    first.daemon.serve(other)
    other.goto(first.page.url)
    other.get_by_role("textbox").fill(TYPED)
    assert SENT in kept(other)
    assert TYPED in kept(other)
    return first, other


def kept(page: Page) -> str:
    """All that the page's storage holds."""
    text: str = page.evaluate("JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)])")
    return text


def test_what_one_tab_forgets_no_other_one_holds(shows: Shows) -> None:
    first, other = two_tabs(shows)
    first.page.evaluate("location.hash = 'settings'")
    first.page.get_by_role("button", name="Forget what this browser keeps").click()
    with other.expect_navigation():
        first.page.get_by_role("dialog").get_by_role("button", name="Forget", exact=True).click()
    expect(other.get_by_role("textbox")).to_have_value("")
    expect(other.get_by_text(SENT)).to_have_count(0)
    # What comes in after that finds nothing to keep.
    first.daemon.cut()
    other.get_by_role("textbox").fill("Something new")
    assert SENT not in kept(other)
    assert TYPED not in kept(other)


def test_a_browser_that_is_unpaired_is_so_in_all_tabs_and_keeps_nothing_but_choices(shows: Shows) -> None:
    first, other = two_tabs(shows)
    first.page.evaluate("location.hash = 'settings'")
    first.page.get_by_role("radio", name="Dark").check(force=True)
    first.page.get_by_role("button", name="Unpair this browser").click()
    # The name of this browser has a space.
    expect(first.page.get_by_role("dialog").get_by_role("code")).to_have_text(f"mirrord devices revoke '{DESKTOP} light'")
    first.page.get_by_role("dialog").get_by_role("button", name="Unpair", exact=True).click()
    for page in (first.page, other):
        expect(page.get_by_role("button", name="Pair this browser")).to_be_visible()
    left: dict[str, str] = first.page.evaluate("Object.fromEntries(Object.entries(localStorage))")
    assert left["mirrord.theme"] == '"dark"'
    session = first.daemon.sessions[0].session
    for word in (SENT, TYPED, session.session_id, session.name or ""):
        assert word not in kept(other)
