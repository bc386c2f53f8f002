"""Promise: no state of the page has a serious fault that axe-core knows, and each card says to a screen reader what it shows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.harness.pi import ROOT
from tests.web.browser import DESKTOP, PHONE
from tests.web.gallery import ALIKE, ALL, TALKING, looked_at
from tests.web.shows import Shows, serving
from tests.web.states import State

AXE: Final = ROOT / "tools" / "axe" / "node_modules" / "axe-core" / "axe.min.js"
SERIOUS: Final = ("serious", "critical")
# Where the wide layout differs in more than its width.
WIDE: Final = (
    "list-",
    "session-",
    "card-ask-review",
    "card-editor",
    "card-lost-link",
    "toasts",
    "drawer-full",
    "view-overlay",
)
RUN: Final = "() => axe.run(document, {resultTypes: ['violations']}).then(({violations}) => violations)"


@pytest.fixture(scope="module")
def pages(browser: Browser) -> Iterator[tuple[Shows, Shows]]:
    """A phone by day and a desktop by night."""
    with serving() as served, served.shows(browser, PHONE, "light") as phone, served.shows(browser, DESKTOP, "dark") as desktop:
        yield phone, desktop


# Those of a conversation are looked at in test_chat_accessibility.py.
@pytest.mark.parametrize("state", looked_at([state for state in ALL if state not in TALKING]))
def test_axe_finds_nothing_serious(pages: tuple[Shows, Shows], state: State) -> None:
    phone, desktop = pages
    for shows in (phone, desktop) if state.name == "settings" or state.name.startswith(WIDE) else (phone,):
        show = shows.show(state)
        assert serious_faults(show.page) == [], f"{state} on a {show.tab.size}"
        show.tab.assert_clean()


def test_what_the_soak_alone_looks_at_is_a_state() -> None:
    assert {state.name for state in ALL} >= ALIKE


def test_axe_would_find_something(pages: tuple[Shows, Shows]) -> None:
    show = pages[0].show(ALL[0])
    show.page.evaluate("document.querySelector('main').append(document.createElement('button'))")
    show.page.evaluate("document.querySelector('h1').style.color = '#ddd'")
    found = serious_faults(show.page)
    assert [fault for fault in found if "(button-name)" in fault]
    assert [fault for fault in found if "(color-contrast)" in fault]


def serious_faults(page: Page) -> list[str]:
    """What axe-core has against the page as it is."""
    page.evaluate(AXE.read_text())
    found: list[dict[str, Any]] = page.evaluate(RUN)
    return [
        f"{one['impact']}: {one['help']} ({one['id']}): {node['html'][:200]}; {node['failureSummary']}"
        for one in found
        if one["impact"] in SERIOUS
        for node in one["nodes"]
    ]


CARDS: Final = {
    "card-select": """
      - 'region "planner asks: Which database should the tests run against?"':
        - paragraph: planner asks session store behind a view on laptop
        - button "Open full screen"
        - heading "Which database should the tests run against?" [level=2]
        - radiogroup "Which database should the tests run against?":
          - radio "SQLite in memory"
          - radio "Postgres in Docker"
          - radio "The staging replica"
        - button "Ignore"
        - button "Send to Pi on laptop" [disabled]
    """,
    "card-select-chosen": """
      - radiogroup:
        - radio "SQLite in memory"
        - radio "Postgres in Docker" [checked]
        - radio "The staging replica"
      - button "Ignore"
      - button "Send “Postgres in Docker” to Pi on laptop"
    """,
    "card-confirm": """
      - 'region "planner asks: Delete 14 branches that are merged?"':
        - heading "Delete 14 branches that are merged?" [level=2]
        - text: They are gone from origin too. The last commit of each stays in the reflog for 90 days.
        - radiogroup "Delete 14 branches that are merged?":
          - radio "Yes"
          - radio "No"
        - button "Ignore"
        - button "Send to Pi on laptop" [disabled]
    """,
    "card-input-typed": """
      - 'region "planner asks: Name of the release branch"':
        - textbox "Name of the release branch": release/2026-12-hotfix
        - button "Ignore"
        - button "Send “release/2026-12-hotfix” to Pi on laptop"
    """,
    "card-input-masked": """
      - 'region "planner asks: API token of the registry"':
        - textbox "API token of the registry"
        - button "Show what is typed"
        - paragraph: "A secret: shown as dots, sent to Pi only, kept nowhere."
        - button "Send the secret to Pi on laptop"
    """,
    "card-editor": """
      - 'dialog "planner asks: Edit the plan before it is carried out"':
        - button "Make small"
        - heading "Edit the plan before it is carried out" [level=2]
        - textbox "Edit the plan before it is carried out"
        - button "Ignore"
        - button "Send unchanged to Pi on laptop"
    """,
    "card-ask": """
      - 'region "planner asks: Where should the migration start?"':
        - radiogroup "Where should the migration start?":
          - radio "The schema Tables and indexes first; the code follows in a second step."
          - radio "The code Both shapes are read until the tables have changed."
          - radio "Both at once"
          - textbox "Type your own answer"
        - button "Ignore"
        - button "Send to Pi on laptop" [disabled]
    """,
    "card-ask-several": """
      - group "Which checks must pass before the merge?":
        - checkbox "Unit tests" [checked]
        - checkbox "Tests in a browser About six minutes"
        - checkbox "Lint"
        - checkbox "Use your own answer" [disabled]
        - textbox "Type your own answer"
    """,
    "card-ask-questions": """
      - 'region "planner asks: 3 questions"':
        - navigation "Questions":
          - button "Previous question" [disabled]
          - text: Question 1 of 3
          - button "Next question"
        - heading "Where should the migration start?" [level=2]
        - button "Ignore all"
        - button "Skip"
        - button "Next"
    """,
    "card-custom": """
      - 'region "snake asks: A dialog of snake"':
        - heading "A dialog of snake" [level=2]
        - paragraph:
          - strong: Answer it at the terminal of laptop
    """,
    "card-settled-elsewhere": """
      - 'region "planner asks: Which database should the tests run against?"':
        - heading "Which database should the tests run against?" [level=2]
        - paragraph:
          - strong: tablet answered
        - button "Dismiss"
    """,
    "card-lost-race": """
      - paragraph:
        - strong: Too late, yours was not used
      - button "Dismiss"
    """,
}


@pytest.mark.parametrize("name", CARDS)
def test_a_screen_reader_is_told_what_the_card_shows(pages: tuple[Shows, Shows], name: str) -> None:
    (state,) = [state for state in ALL if state.name == name]
    show = pages[0].show(state)
    expect(show.page.locator("[data-method]")).to_match_aria_snapshot(CARDS[name])
    show.tab.assert_clean()
