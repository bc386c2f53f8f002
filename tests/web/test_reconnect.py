"""Promise: a page that lost the daemon says so and comes back by itself; what was typed or sent meanwhile is not lost and counts once."""

from __future__ import annotations

import signal

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.prompt_table import SECRET
from tests.web.web import Web, frozen, no_daemon

TABS = ("pocket", "desk")


def banner(page: Page) -> None:
    """The page says that it has no connection."""
    expect(page.get_by_role("region", name="Connection")).to_be_visible()


def live(page: Page) -> None:
    """It says so no longer."""
    expect(page.get_by_role("region", name="Connection")).to_have_count(0)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL], ids=["stopped", "killed"])
def test_a_restarted_daemon_is_found_again_and_the_prompt_is_answered(web: Web, how: signal.Signals) -> None:
    asked = web.ask("select")
    cards = [web.card(name, asked) for name in TABS]
    with no_daemon(web, how):
        for card in cards:
            card.phase("link_lost")
            banner(card.page)
    for card in cards:
        live(card.page)
        card.phase("open")
    cards[0].choose("cherry")
    cards[0].send()
    assert web.play.value(asked) == "cherry"
    cards[1].phase("settled")


def test_an_answer_that_is_sent_while_the_daemon_is_away_is_not_confirmed_and_counts_once(web: Web) -> None:
    asked = web.ask("select")
    card = web.card("pocket", asked)
    card.choose("banana")
    web.stage.daemon.signal(signal.SIGSTOP)
    card.send()
    card.phase("unsure")
    expect(card.place).to_contain_text("Not confirmed")
    with no_daemon(web, signal.SIGKILL):
        card.phase("unsure")
    assert web.play.value(asked) == "banana"
    assert sum(record.is_result(asked.name, asked.run) for record in web.stage.log.records()) == 1


def test_what_was_typed_survives_a_lost_link_and_a_reload(web: Web) -> None:
    asked = web.ask("input")
    card = web.card("desk", asked)
    card.type(SECRET)
    with no_daemon(web):
        card.phase("link_lost")
        expect(card.place.get_by_role("textbox")).to_have_value(SECRET)
    card.phase("open")
    card.page.reload()
    expect(card.shown().place.get_by_role("textbox")).to_have_value(SECRET)
    card.send()
    assert web.play.value(asked) == SECRET


def test_a_page_that_was_frozen_knows_what_happened_meanwhile(web: Web) -> None:
    before = web.ask("select")
    card = web.card("pocket", before)
    with frozen(web.tabs["pocket"]):
        web.stage.pi.keys("enter")
        web.play.everybody_is_told(before, "answered", "terminal", answer="apple")
        after = web.ask("confirm")
    card.phase("settled")
    web.card("pocket", after).choose("No")
    web.card("pocket", after).send()
    assert web.play.value(after) is False


def test_a_page_that_was_frozen_while_the_daemon_restarted_comes_back(web: Web) -> None:
    with frozen(web.tabs["desk"]), no_daemon(web):
        pass
    asked = web.ask("confirm")
    card = web.card("desk", asked)
    card.choose("Yes")
    card.send()
    assert web.play.value(asked) is True


def test_a_device_that_is_offline_says_so_and_catches_up(web: Web) -> None:
    tab = web.tabs["pocket"]
    before = web.ask("select")
    card = web.card("pocket", before)
    # A browser cuts no socket that stands when it goes offline: the daemon does, as a lost network would in the end.
    tab.context.set_offline(True)
    with no_daemon(web):
        card.phase("link_lost")
    expect(tab.page.get_by_role("region", name="Connection")).to_contain_text("This device is offline")
    web.stage.pi.keys("enter")
    web.play.everybody_is_told(before, "answered", "terminal", answer="apple")
    tab.context.set_offline(False)
    live(tab.page)
    expect(card.place).not_to_have_attribute("data-phase", "open")
    after = web.ask("select")
    web.card("pocket", after).press("Ignore")
    assert web.play.value(after) == "undefined"
