"""Promise: with Pi 0.73.1 a page answers and talks as well, and says what this Pi cannot do from afar."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.scenes import press
from tests.e2e.stage import stage
from tests.harness.pi import ALL, EXERCISER, OLD
from tests.web.browser import PHONE, tab
from tests.web.conversation import Conversation
from tests.web.web import Web, standing

NAME = "pocket"


@pytest.fixture(scope="module")
def web(browser: Browser) -> Iterator[Web]:
    with stage(OLD, extensions=(EXERCISER, ALL)) as here, standing(here) as web, tab(browser, PHONE) as phone:
        web.pair(phone, NAME)
        web.enter(NAME)
        yield web
        phone.assert_clean()


@pytest.fixture
def phone(web: Web) -> Conversation:
    return Conversation(NAME, web.tabs[NAME])


def test_a_page_answers_the_older_pi_and_sees_what_its_terminal_answers(web: Web) -> None:
    asked = web.ask("select")
    card = web.card(NAME, asked)
    card.choose("banana")
    card.send()
    assert web.play.value(asked) == "banana"
    web.play.screen_is_back(asked)
    card.phase("settled").gone()
    asked = web.ask("confirm")
    card = web.card(NAME, asked)
    press(web.play, ("enter",))
    card.phase("settled")


def test_what_is_sent_is_said_in_the_older_pi_and_its_answer_grows_on_the_page(web: Web, phone: Conversation) -> None:
    phone.send("slow 60 30")
    expect(phone.row("word0")).to_contain_text("word5")
    expect(phone.button("Stop")).to_be_visible()
    phone.send("steered")
    expect(phone.row("word0")).to_contain_text("word59")
    phone.shows("steered", "Echo: steered")
    web.stage.pi.wait_for("Echo: steered")


def test_commands_of_the_shell_and_of_extensions_run_in_the_older_pi_too(web: Web, phone: Conversation) -> None:
    phone.send("!echo from the shell")
    expect(phone.row("echo from the shell", "bash").get_by_role("group", name="Output")).to_have_text("from the shell")
    phone.send('/t-status {"key": "job", "text": "sowing"}')
    expect(phone.page.locator(".strip").get_by_role("button").filter(has_text="sowing")).to_be_visible()
    phone.type("/quit now")
    expect(phone.hint).to_contain_text("/quit is at the terminal only.")
    expect(phone.composer.locator("button.composer-send")).to_be_disabled()
