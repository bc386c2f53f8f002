"""Promise: two pages and the terminal may answer at once: one wins, the extension gets that answer, and the others are told who it was."""

from __future__ import annotations

import threading

import pytest
from playwright.sync_api import expect

from tests.e2e.scenes import press
from tests.web.card import Card
from tests.web.web import Web

# In ms before the terminal's key; negative: after it.
LEADS = (-4, 0, 4, 12)


def send_together(web: Web, *cards: Card) -> None:
    """One after the other, and Pi stands still meanwhile, so that all answers are on their way before it rules."""
    sends = [card.sender() for card in cards]
    with web.standing_still():
        for card, send in zip(cards, sends, strict=True):
            send(0)
            card.phase("sending")


def test_the_page_that_was_later_is_told_who_was_first(web: Web) -> None:
    asked = web.ask("select")
    pocket, desk = web.card("pocket", asked), web.card("desk", asked)
    pocket.choose("banana")
    desk.choose("cherry")
    send_together(web, pocket, desk)
    assert web.play.value(asked) == "banana"
    desk.phase("lost_race")
    expect(desk.place).to_contain_text("Too late, yours was not used")
    expect(desk.place).to_contain_text("pocket answered: “banana”")
    web.play.screen_is_back(asked)


def test_what_was_typed_on_the_later_page_is_kept_there_to_be_copied(web: Web) -> None:
    asked = web.ask("input")
    pocket, desk = web.card("pocket", asked), web.card("desk", asked)
    pocket.type("first things")
    desk.type("second thoughts")
    send_together(web, pocket, desk)
    assert web.play.value(asked) == "first things"
    pocket.phase("settled")
    expect(pocket.place.locator(".card-end")).to_have_text("Answered")
    expect(pocket.place).not_to_contain_text("You typed")
    desk.phase("lost_race")
    expect(desk.place).to_contain_text("Too late, yours was not used")
    expect(desk.place).to_contain_text("second thoughts")
    web.tabs["desk"].context.grant_permissions(["clipboard-read", "clipboard-write"])
    desk.press("Copy")
    expect(desk.button("Copied")).to_be_visible()
    assert desk.page.evaluate("navigator.clipboard.readText()") == "second thoughts"
    web.play.screen_is_back(asked)


def test_the_terminal_beats_an_answer_that_is_on_its_way(web: Web) -> None:
    asked = web.ask("select")
    pocket = web.card("pocket", asked)
    pocket.choose("banana")
    send = pocket.sender()
    with web.standing_still():
        press(web.play, ("down", "down", "enter"))
        send(0)
        pocket.phase("sending")
    value = web.play.value(asked)
    assert value in ("banana", "cherry")
    if value == "cherry":
        pocket.phase("lost_race")
        expect(pocket.place).to_contain_text("Answered at the terminal: “cherry”")
    web.play.screen_is_back(asked)


@pytest.mark.parametrize("lead", LEADS)
def test_whoever_wins_all_are_told_the_same(web: Web, lead: int) -> None:
    asked = web.ask("select")
    cards = {"pocket": web.card("pocket", asked), "desk": web.card("desk", asked)}
    cards["pocket"].choose("banana")
    cards["desk"].choose("cherry")
    sends = [card.sender() for card in cards.values()]
    key = threading.Timer(max(0, lead) / 1000, lambda: press(web.play, ("enter",)))
    key.start()
    for send in sends:
        send(max(0, -lead))
    key.join()
    value = web.play.value(asked)
    settled = web.play.owner.settled(asked.id)
    by = {"apple": None, "banana": "pocket", "cherry": "desk"}
    assert isinstance(value, str)
    assert (settled.answer, settled.winner_name) == (value, by[value])
    for name, card in cards.items():
        card.page.get_by_role("button", name="About this session").click()
        happened = (
            card.page.get_by_role("region", name="Since you opened this page").get_by_role("listitem").filter(has_text=asked.prompt.title)
        )
        expect(happened).to_contain_text(f"Answered by {by[value] or 'the terminal'}: {value}")
        card.page.keyboard.press("Escape")
        if by[value] not in (None, name):
            card.phase("lost_race")
    web.play.screen_is_back(asked)
