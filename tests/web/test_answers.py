"""Promise: each kind of prompt is answered in the page while the terminal's dialog closes, and at the terminal while the card goes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

import pytest
from playwright.sync_api import expect

from mirrord.wire.messages import Method
from tests.e2e.play import Asked
from tests.e2e.prompt_table import METHODS, SECRET, Ends, answered
from tests.e2e.scenes import KEYS, press
from tests.web.card import Card
from tests.web.web import Web

TABS: Final = ("pocket", "desk")
ANSWERS: Final = re.compile("^(?:Send|Ignore|Cancel)")
"""What does something to Pi; how a drawing is looked at does nothing."""
ANSWERABLE: Final = tuple(method for method in METHODS if method != "custom")


def pick(card: Card, label: str) -> None:
    card.choose(label)
    expect(card.button(re.compile(f"^Send “{label}” to Pi on "))).to_be_enabled()
    card.send()


def type_name(card: Card) -> None:
    card.type(SECRET)
    card.send()


def edit(card: Card) -> None:
    card.open().type("line one\nline two!")
    card.send()


ANSWER: Final[Mapping[Method, Callable[[Card], None]]] = {
    "select": lambda card: pick(card, "banana"),
    "confirm": lambda card: pick(card, "Yes"),
    "input": type_name,
    "editor": edit,
    "ask": lambda card: pick(card, "banana"),
}
"""The same answers as those of the table."""


def told(web: Web, asked: Asked, cell: Ends, by: str | None) -> None:
    """Everybody heard it, the promise has its value and the screen is what it was."""
    web.play.everybody_is_told(asked, cell.outcome, cell.winner, by=by, answer=cell.answer)
    assert web.play.value(asked) == cell.value
    web.play.screen_is_back(asked)


@pytest.mark.parametrize("name", TABS)
@pytest.mark.parametrize("method", ANSWERABLE)
def test_an_answer_in_the_page_closes_the_dialog_of_the_terminal(web: Web, method: Method, name: str) -> None:
    asked = web.ask(method)
    (other,) = {*TABS} - {name}
    card, watching = web.card(name, asked), web.card(other, asked)
    ANSWER[method](card)
    cell = answered("remote")[method]
    assert isinstance(cell, Ends)
    told(web, asked, cell, by=name)
    watching.phase("settled")
    expect(watching.place).to_contain_text(f"{name} answered")
    card.page.get_by_role("button", name="About this session").click()
    happened = card.page.get_by_role("region", name="Since you opened this page").get_by_role("listitem").filter(has_text=card.title)
    expect(happened).to_contain_text(f"Answered by {name}")
    card.page.keyboard.press("Escape")
    if cell.answer is not None:
        expect(watching.place).to_contain_text(cell.answer)
    assert SECRET not in watching.page.content()


@pytest.mark.parametrize("method", ANSWERABLE)
def test_an_answer_at_the_terminal_takes_the_cards_away(web: Web, method: Method) -> None:
    asked = web.ask(method)
    cards = [web.card(name, asked) for name in TABS]
    press(web.play, KEYS[method])
    cell = answered("terminal")[method]
    assert isinstance(cell, Ends)
    told(web, asked, cell, by=None)
    for card in cards:
        card.phase("settled")
        expect(card.place).to_contain_text("Answered at the terminal")


def test_a_card_that_has_said_who_answered_goes_by_itself(web: Web) -> None:
    asked = web.ask("confirm")
    cards = [web.card(name, asked) for name in TABS]
    press(web.play, KEYS["confirm"])
    for card in cards:
        card.phase("settled")
    for card in cards:
        card.gone()


def test_a_dialog_that_only_the_terminal_can_use_says_so_and_goes(web: Web) -> None:
    asked = web.ask("custom")
    cards = [web.card(name, asked) for name in TABS]
    for card in cards:
        expect(card.place).to_contain_text("Answer it at the terminal")
        expect(card.place.get_by_role("button", name=ANSWERS)).to_have_count(0)
    press(web.play, KEYS["custom"])
    for card in cards:
        card.phase("settled")


@pytest.mark.parametrize("method", ANSWERABLE)
def test_a_prompt_can_be_ignored_in_the_page(web: Web, method: Method) -> None:
    asked = web.ask(method)
    web.card("pocket", asked).press("Ignore")
    web.play.everybody_is_told(asked, "cancelled", "remote", by="pocket")
    web.play.screen_is_back(asked)
    web.card("desk", asked).phase("settled")
