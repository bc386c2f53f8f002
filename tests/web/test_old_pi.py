"""Promise: with Pi 0.73.1 a page answers as well."""

from __future__ import annotations

from playwright.sync_api import Browser

from tests.e2e.scenes import press
from tests.e2e.stage import stage
from tests.harness.pi import ALL, EXERCISER, OLD
from tests.web.browser import PHONE, tab
from tests.web.web import standing


def test_a_page_answers_the_older_pi_and_sees_what_its_terminal_answers(browser: Browser) -> None:
    with stage(OLD, extensions=(EXERCISER, ALL)) as here, standing(here) as web, tab(browser, PHONE) as phone:
        web.pair(phone, "pocket")
        web.enter("pocket")
        asked = web.ask("select")
        card = web.card("pocket", asked)
        card.choose("banana")
        card.send()
        assert web.play.value(asked) == "banana"
        web.play.screen_is_back(asked)
        card.phase("settled").gone()
        asked = web.ask("confirm")
        card = web.card("pocket", asked)
        press(web.play, ("enter",))
        card.phase("settled")
        phone.assert_clean()
