"""Promise: a keyboard alone finds and answers each kind of prompt; a card takes no focus and no early key; its keys can be switched off."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import pytest
from playwright.sync_api import expect

from mirrord.wire.messages import Method
from tests.e2e.prompt_table import METHODS, SECRET, Ends, answered
from tests.web.card import Card
from tests.web.web import Web

ANSWERABLE: Final = tuple(method for method in METHODS if method != "custom")
# Tabs until the card has the focus; a page with more stops before its card than these is no page for a keyboard.
MOST_TABS: Final = 20


def into(card: Card) -> None:
    """Tab, from where the page has the focus, until it is in the card."""
    for _ in range(MOST_TABS):
        if card.place.evaluate("(card) => card.contains(document.activeElement)"):
            return
        card.page.keyboard.press("Tab")
    raise AssertionError("the focus does not come into the card")


def keys(card: Card, *names: str) -> None:
    """Presses them once the card takes keys."""
    for name in names:
        card.shown()
        card.page.keyboard.press(name)


def in_field(card: Card) -> None:
    """Tab until a text field has the focus."""
    for _ in range(MOST_TABS):
        if card.page.evaluate("document.activeElement.matches('input, textarea')"):
            return
        card.page.keyboard.press("Tab")
    raise AssertionError("the focus does not come into the field")


def type_name(card: Card) -> None:
    in_field(card)
    card.page.keyboard.type(SECRET)
    keys(card, "Enter")


def edit(card: Card) -> None:
    for _ in range(MOST_TABS):
        if card.page.evaluate("document.activeElement.textContent") == "Open the editor":
            break
        card.page.keyboard.press("Tab")
    keys(card, "Enter")
    expect(card.page.get_by_role("dialog")).to_be_visible()
    in_field(card)
    keys(card, "ControlOrMeta+End")
    card.page.keyboard.type("!")
    keys(card, "ControlOrMeta+Enter")


ANSWER: Final[Mapping[Method, Callable[[Card], None]]] = {
    "select": lambda card: keys(card, "2", "Enter"),
    "confirm": lambda card: keys(card, "1", "Enter"),
    "input": type_name,
    "editor": edit,
    "ask": lambda card: keys(card, "2", "Enter"),
}


@pytest.mark.parametrize("method", ANSWERABLE)
def test_a_keyboard_answers(web: Web, method: Method) -> None:
    asked = web.ask(method)
    card = web.card("desk", asked)
    into(card)
    ANSWER[method](card)
    cell = answered("remote")[method]
    assert isinstance(cell, Ends)
    assert web.play.value(asked) == cell.value


def test_arrows_move_and_escape_steps_out_to_ignore(web: Web) -> None:
    asked = web.ask("select")
    card = web.card("desk", asked)
    into(card)
    keys(card, "ArrowDown", "ArrowDown")
    expect(card.place.get_by_role("radio", name="banana")).to_have_attribute("aria-checked", "true")
    keys(card, "Escape")
    expect(card.button("Ignore")).to_be_focused()
    keys(card, "Enter")
    assert web.play.value(asked) == "undefined"


def test_a_card_that_appears_takes_no_focus_and_no_key(web: Web) -> None:
    page = web.enter("desk")
    page.evaluate("document.querySelector('h1').focus()")
    asked = web.ask("select")
    card = web.card("desk", asked)
    assert not card.place.evaluate("(card) => card.contains(document.activeElement)")
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(card.place.get_by_role("radio", checked=True)).to_have_count(0)
    card.phase("open")


def test_a_line_that_is_begun_while_the_card_grows_is_a_line(web: Web) -> None:
    asked = web.ask("ask")
    card = web.card("desk", asked)
    field = card.place.get_by_role("textbox")
    field.press_sequentially("north\n\nsouth\n\n\nwest")
    expect(field).to_have_value("north\n\nsouth\n\n\nwest")
    card.press("Ignore")
    web.play.everybody_is_told(asked, "cancelled", "remote", by="desk")


def test_a_card_that_has_just_appeared_takes_no_tap(web: Web) -> None:
    page = web.enter("desk")
    # As fast as a finger that is on its way: pressed in the frame in which the card is drawn.
    page.evaluate(
        """() => { const seen = new MutationObserver(() => {
          const ignore = document.querySelector('[data-quiet]');
          if (ignore) { seen.disconnect(); ignore.dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true, detail: 1})); }
        }); seen.observe(document.body, {childList: true, subtree: true}); }"""
    )
    asked = web.ask("select")
    web.card("desk", asked).phase("open")
    web.play.still_open(asked)


def test_the_keys_of_cards_can_be_switched_off(web: Web) -> None:
    page = web.tabs["desk"].page
    page.evaluate("location.hash = 'settings'")
    switch = page.get_by_role("switch", name="Keys of question cards")
    switch.click()
    try:
        web.enter("desk")
        asked = web.ask("select")
        card = web.card("desk", asked)
        into(card)
        keys(card, "2", "ArrowDown")
        expect(card.place.get_by_role("radio", checked=True)).to_have_count(0)
    finally:
        page.evaluate("location.hash = 'settings'")
        switch.click()
