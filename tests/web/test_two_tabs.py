"""Promise: what was sent and has no receipt survives its page, is shown by all tabs of a browser, and goes out from one of them at a time.

The rules are proved without a browser; here they meet its real storage, its events and its locks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from mirrord.wire import chat
from tests.web.browser import DESKTOP, PATIENCE_MS
from tests.web.composer_states import composer, field, submitted, talking
from tests.web.scripted import ScriptedDaemon
from tests.web.shows import Shows, serving
from tests.web.states import Show, State

TEXT = "Plant the tulips north of the shed"


@dataclass(slots=True)
class Two:
    """Two tabs of one browser, each with a daemon of its own, so that it is seen which of them sends."""

    shows: Shows
    first: Show

    def second(self) -> tuple[Page, ScriptedDaemon]:
        """The other tab, on the same session."""
        page = self.shows.friend.context.new_page()
        daemon = ScriptedDaemon(sessions=self.first.daemon.sessions, commands=self.first.daemon.commands)
        daemon.serve(page)
        page.goto(self.first.page.url)
        expect(notes(page)).to_contain_text(TEXT)
        return page, daemon


@pytest.fixture(scope="module")
def shows(browser: Browser) -> Iterator[Shows]:
    with serving() as served, served.shows(browser, DESKTOP) as made:
        yield made


@pytest.fixture
def two(shows: Shows) -> Iterator[Two]:
    """One tab that has sent something of which no receipt came."""
    first = shows.show(State("two-tabs", talking()))
    field(first).fill(TEXT)
    composer(first).get_by_role("button", name="Send", exact=True).click()
    yield Two(shows, first)
    shows.friend.assert_clean()


def notes(page: Page) -> Locator:
    return page.get_by_role("list", name="Messages on their way")


def sent(daemon: ScriptedDaemon) -> list[str]:
    """The ids of what a tab sent, each once."""
    return list(dict.fromkeys(said.client_turn_id for said in daemon.heard if isinstance(said, chat.ChatAction)))


def until_sent(page: Page, daemon: ScriptedDaemon) -> list[str]:
    """Playwright hears of a socket only while it is waited for."""
    for _ in range(PATIENCE_MS // 50):
        if sent(daemon):
            break
        page.wait_for_timeout(50)
    return sent(daemon)


def test_a_page_that_is_loaded_anew_sends_it_again_under_its_id(two: Two) -> None:
    (turn,) = submitted(two.first)
    two.first.daemon.heard.clear()
    two.first.page.reload()
    expect(notes(two.first.page)).to_contain_text(TEXT)
    assert until_sent(two.first.page, two.first.daemon) == [turn.client_turn_id]
    two.first.daemon.say(chat.Receipt(turn.session_id, turn.client_turn_id, "consumed", two.first.daemon.now()))
    expect(notes(two.first.page)).to_have_count(0)
    two.first.page.reload()
    expect(field(two.first)).to_be_visible()
    expect(notes(two.first.page)).to_have_count(0)


def test_another_tab_shows_it_sends_nothing_and_takes_over_when_the_first_is_closed(two: Two) -> None:
    (turn,) = submitted(two.first)
    page, daemon = two.second()
    two.first.daemon.say(chat.Receipt(turn.session_id, turn.client_turn_id, "queued", two.first.daemon.now()))
    expect(notes(page)).to_contain_text("Waits in Pi")
    assert sent(daemon) == []
    two.first.page.close()
    assert until_sent(page, daemon) == [turn.client_turn_id]
    daemon.say(chat.Receipt(turn.session_id, turn.client_turn_id, "consumed", daemon.now()))
    expect(notes(page)).to_have_count(0)
    page.close()


def test_what_failed_is_given_up_in_either_tab(two: Two) -> None:
    (turn,) = submitted(two.first)
    page, daemon = two.second()
    two.first.daemon.say(chat.Receipt(turn.session_id, turn.client_turn_id, "rejected", two.first.daemon.now(), "refused", "Not now."))
    notes(page).get_by_role("button", name="Discard").click()
    expect(notes(page)).to_have_count(0)
    expect(notes(two.first.page)).to_have_count(0)
    # The first tab's lock may be free here before its word is: then it went out once more under its id, which acts once.
    assert sent(daemon) in ([], [turn.client_turn_id])
    page.close()
