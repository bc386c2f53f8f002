"""Promise: the conversation, the composer and what waits are for keyboards and screen readers too, and large text loses nothing of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from mirrord.wire import chat
from mirrord.wire import messages as wire
from tests.web.browser import DESKTOP, PHONE
from tests.web.composer_states import composer, field, submitted, talking
from tests.web.gallery import ALIKE, ALL, TALKING, looked_at
from tests.web.shows import Shows, serving
from tests.web.states import Show, State
from tests.web.test_accessibility import serious_faults

# From one part of the page to the next; with more stops between them it is no page for a keyboard.
MOST_TABS: Final = 24


@pytest.fixture(scope="module")
def phone(browser: Browser) -> Iterator[Shows]:
    with serving() as served, served.shows(browser, PHONE) as shows:
        yield shows


@pytest.fixture(scope="module")
def desk(browser: Browser, phone: Shows) -> Iterator[Shows]:
    with phone.pages.shows(browser, DESKTOP) as shows:
        yield shows


def shown(shows: Shows, name: str) -> Show:
    return shows.show(next(state for state in ALL if state.name == name))


# ---- large text --------------------------------------------------------------------------------------------------------

# Text that is cut and neither scrolls nor says by an ellipsis that there is more.
_LOST: Final = """() => [...document.querySelectorAll('main *, .toasts *')].filter((one) => {
  const look = getComputedStyle(one);
  if (!one.checkVisibility({visibilityProperty: true}) || one.closest('.visually-hidden') !== null || one.clientWidth < 2) return false;
  const cuts = (way) => way === 'hidden' || way === 'clip';
  const wide = cuts(look.overflowX) && one.scrollWidth > one.clientWidth + 1 && look.textOverflow !== 'ellipsis';
  const tall = cuts(look.overflowY) && one.scrollHeight > one.clientHeight + 1 && look.webkitLineClamp === 'none';
  return wide || tall;
}).map((one) => one.outerHTML.slice(0, 160))"""
_ASIDE: Final = """() => [...document.querySelectorAll('main [data-key], main .composer, main .bar')].filter((one) => {
  const box = one.getBoundingClientRect();
  return box.left < 0 || box.right > innerWidth + 0.5 || one.scrollWidth > one.clientWidth + 1;
}).map((one) => one.outerHTML.slice(0, 160))"""


def words(show: Show) -> set[str]:
    """What the composer says; any number is one word, since seconds that are left go on meanwhile."""
    return {"#" if word.isdecimal() else word for word in composer(show).inner_text().split()}


def assert_nothing_is_lost_at_200_percent(show: Show) -> None:
    """Everything is there and can be reached, and nothing is beside the screen."""
    said = words(show)
    show.page.evaluate("document.documentElement.style.fontSize = '200%'")
    show.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert show.page.evaluate("[...document.querySelectorAll('html, main')].every((one) => one.scrollWidth <= one.clientWidth)")
    assert show.page.evaluate(_ASIDE) == []
    assert show.page.evaluate(_LOST) == []
    assert said <= words(show)
    for one in (*field(show).all(), *composer(show).get_by_role("button").all()):
        one.scroll_into_view_if_needed()
        expect(one).to_be_in_viewport()


# ---- what a screen reader is told -----------------------------------------------------------------------------------------

TREES: Final = {
    "chat-start": """
      - region "Conversation":
        - feed "Messages":
          - article "Day":
            - paragraph: Today
          - article /^You, /:
            - paragraph: Who reads rows of the session store by position? Change them to names, and run the tests.
          - article /^Pi.s thinking, .+, claude-opus-5$/:
            - button "Thought"
          - article /^Pi, .+, claude-opus-5$/:
            - paragraph: I look for index access first, then for destructuring.
          - article /^Tool grep, /:
            - button /^Done grep rows/:
              - img "Done"
          - article /^Tool read, /:
            - button "Done read src/session/store.ts:30-99"
          - article /^Pi, /
          - article /^Tool edit, /:
            - button "Done edit src/session/store.ts 3 added, 2 removed"
    """,
    "chat-running": """
      - feed "Messages":
        - article /^You, /:
          - paragraph: And the queue?
        - article /^Pi.s thinking, /
        - article /^Pi, /
        - article /^Tool bash, /:
          - button "Running bash npm test -- queue":
            - img "Running"
        - article /^Tool read, /:
          - button "Done read src/queue.ts"
      - status: Working
    """,
    "chat-kinds": """
      - article /^Branch summary, /:
        - button "Came back from another branch"
      - article "Day"
      - article /^Shell command, /:
        - button "Done git status --short" [expanded]
        - group "Output"
        - paragraph:
          - time
          - button "Copy output"
      - article /^Shell command, /:
        - button "Failed cat .env.local Not told to Pi exit 1" [expanded]
      - article /^plan, /:
        - list:
          - listitem:
            - img "Done"
            - paragraph: session store
          - listitem:
            - img "To do"
            - paragraph: queue
    """,
    "chat-diff": """
      - button "Done edit src/session/store.ts 3 added, 2 removed" [expanded]
      - paragraph:
        - button "src/session/store.ts"
      - group "Changes": /- export function latest.+ \\+ export function latest/
      - group "Output of edit"
    """,
    "chat-failed": """
      - article /^End of the answer, /:
        - paragraph: /This answer failed.+Overloaded/
      - article /^You, /
      - article /^Pi, /
      - article /^End of the answer, /:
        - paragraph: Stopped
      - article /^You, /
      - article /^Pi, /
      - article /^End of the answer, /:
        - paragraph: /^Cut off/
    """,
    "chat-retrying": """
      - region "Composer":
        - status:
          - paragraph: Pi tries again, attempt 2 of 3
          - paragraph: "529 overloaded_error: Overloaded"
          - button "Abort retry"
    """,
    "chat-older-failed": """
      - region "Conversation":
        - paragraph: Earlier messages did not come. The terminal cannot be reached right now; try again.
        - button "Retry"
        - feed "Messages"
    """,
    "chat-older-loading": """
      - region "Conversation":
        - status: Loading earlier messages
        - feed "Messages"
    """,
    "chat-long-behind": """
      - feed "Messages"
      - button "1 new message"
    """,
    "chat-empty": """
      - region "Conversation":
        - heading "Nothing said yet" [level=2]
        - paragraph: What you write here and what is typed at the terminal is one conversation.
    """,
    "chat-unknown": """
      - region "Conversation":
        - status:
          - paragraph: Fetching the conversation
    """,
    "chat-stale": """
      - status: More may have been said since.
    """,
    "composer-empty": """
      - region "Composer":
        - textbox "Message Pi on laptop"
        - 'button "Model: Claude Opus 5"'
        - 'button "Thinking: medium"'
        - button "Send" [disabled]
    """,
    "composer-steer": """
      - region "Composer":
        - textbox "Steer Pi": Start with the north side
        - status:
          - paragraph: "Steer: Pi reads it at its next step"
        - 'button "Steer: Pi reads it at its next step. Switch to follow-up"'
        - 'button "Model: Claude Opus 5"'
        - 'button "Thinking: medium"'
        - button "Stop"
        - 'button "Steer: Pi reads it at its next step"'
    """,
    "composer-queue": """
      - region "What waits in Pi":
        - button "2 messages wait in Pi" [expanded]
        - list:
          - listitem:
            - paragraph: Leave the nightly report for the end
            - paragraph: Steer from the blue phone
          - listitem:
            - paragraph: Then write the release notes for it
            - paragraph: Follow-up from the terminal
        - paragraph: What waits in Pi can be changed at the terminal only, so far.
      - textbox "Steer Pi"
    """,
    "composer-command": """
      - listbox "Commands":
        - option "/release-notes Write the notes of the next release Prompt" [selected]
        - option "/reload Load extensions, skills, prompts and settings anew Pi"
        - option "/review Review the changes on this branch Prompt"
      - textbox "Message Pi on laptop": /re
    """,
    "composer-rejected": """
      - list "Messages on their way":
        - listitem:
          - paragraph: Not sent
          - paragraph: Move the table behind a view
          - paragraph: "A turn is running: steer it, or follow up."
          - button "Retry"
          - button "Put back"
          - button "Discard"
    """,
    "composer-handoff": """
      - paragraph: Text from planner
      - paragraph: 2 kinds of characters in it cannot be seen. Marks stand for them; they are sent as they are.
      - button "Undo"
      - button "Keep"
      - textbox "Message Pi on laptop": I had begun to type Review src/store.ts:① the view and the ②backfill
    """,
    "composer-models": """
      - dialog "Model":
        - heading "Model" [level=2]
        - button "Close"
        - 'combobox "Filter: Model" [expanded]'
        - listbox "Model":
          - option "Claude Opus 5 anthropic" [selected]
    """,
    "composer-observer": """
      - region "Composer":
        - paragraph: "This browser was paired to look on: it can send nothing."
    """,
    "chat-card-draft": """
      - region "Composer":
        - region "Questions":
          - 'region "planner asks: Which database should the tests run against?"'
        - textbox "Message Pi on laptop": "While you are at it: the nightly report reads rows too"
    """,
}


# Where the dark, wide page shows colours of its own.
DARK: Final = ("chat-kinds", "chat-diff", "chat-failed", "composer-queue")


@pytest.mark.parametrize("state", looked_at(TALKING))
def test_each_state_is_sound_says_what_it_shows_and_loses_nothing_when_its_text_is_large(phone: Shows, state: State) -> None:
    show = phone.show(state)
    assert serious_faults(show.page) == []
    if state.name in TREES:
        expect(show.page.locator("main")).to_match_aria_snapshot(TREES[state.name])
    assert_nothing_is_lost_at_200_percent(show)
    show.tab.assert_clean()


def test_every_tree_is_of_a_state() -> None:
    assert set(TREES) | set(DARK) <= {state.name for state in TALKING} - ALIKE


@pytest.mark.parametrize("name", DARK)
def test_axe_finds_nothing_serious_in_the_dark(browser: Browser, phone: Shows, name: str) -> None:
    with phone.pages.shows(browser, DESKTOP, "dark") as dark:
        assert serious_faults(shown(dark, name).page) == []


# A live region is heard when something changes in it.
_LISTEN: Final = """() => {
  window.heard = [];
  const hear = ({type, target, addedNodes}) => {
    for (const one of type === 'childList' ? addedNodes : [target]) window.heard.push(one.textContent);
  };
  for (const region of document.querySelectorAll('.visually-hidden[role=status]'))
    new MutationObserver((changes) => changes.forEach(hear)).observe(region, {childList: true, characterData: true, subtree: true});
}"""


def test_a_screen_reader_hears_each_time_whether_a_text_is_sent_and_a_message_copied(desk: Shows) -> None:
    show = desk.show(State("heard", talking()))
    show.page.evaluate(_LISTEN)

    def hears(*sentences: str) -> None:
        show.page.wait_for_function("(count) => window.heard.length >= count", arg=len(sentences))
        assert show.page.evaluate("window.heard.splice(0)") == [*sentences]

    for text in ("one", "two"):
        field(show).fill(text)
        field(show).press("Enter")
        hears("Sent.")
    turn = submitted(show)[-1]
    show.daemon.say(chat.Receipt(turn.session_id, turn.client_turn_id, "rejected", show.daemon.now(), reason="Not now."))
    hears("Not sent. Not now.")
    message = show.page.get_by_role("article").last
    message.hover()
    for _ in range(2):
        message.locator("button").filter(has_text=re.compile("Cop")).click()
        hears("Copied")

    show.page.route_web_socket("**/v1/ws", lambda socket: socket.close(code=1001, reason="the daemon stops"))
    show.daemon.cut()
    expect(show.page.get_by_text("More may have been said since.")).to_be_visible()
    for _ in range(2):
        field(show).fill("three")
        field(show).press("Enter")
        hears("Not sent. mirrord could not be reached, so this was not sent.")


# ---- with a keyboard alone ------------------------------------------------------------------------------------------------


def tab_to(page: Page, target: Locator, *, back: bool = False) -> None:
    """Tab until that, or something in it, has the focus."""
    for _ in range(MOST_TABS):
        page.keyboard.press("Shift+Tab" if back else "Tab")
        if target.count() > 0 and target.evaluate("(one) => one.contains(document.activeElement)"):
            return
    raise AssertionError(f"the focus does not come to {target}")


def test_a_keyboard_reads_the_conversation_opens_a_tool_and_answers(desk: Shows) -> None:
    show = shown(desk, "chat-short")
    page = show.page
    page.get_by_role("heading", level=1, name="session store behind a view").focus()
    row = page.locator("[data-key]:focus")
    tab_to(page, page.locator("[data-key][tabindex='0']"))
    expect(row).to_have_attribute("aria-label", re.compile("^Pi, "))
    page.keyboard.press("ArrowUp")
    expect(row).to_have_attribute("aria-label", re.compile("^Tool bash, "))
    expect(row).to_be_in_viewport()
    outline = row.evaluate("(row) => { const look = getComputedStyle(row); return [look.outlineStyle, parseFloat(look.outlineWidth)]; }")
    assert outline[0] != "none"
    assert outline[1] >= 2
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("[aria-expanded='true']:focus")).to_have_count(1)
    tab_to(page, page.get_by_role("button", name="Show all 74 lines"))
    page.keyboard.press("Space")
    expect(page.get_by_text("ok 74")).to_be_attached()
    page.keyboard.press("ControlOrMeta+End")
    expect(field(show)).to_be_focused()
    page.keyboard.type("And the queue?")
    page.keyboard.press("Enter")
    assert [turn.text for turn in submitted(show)] == ["And the queue?"]


def test_a_keyboard_stops_pi_and_changes_how_and_how_much_it_thinks(desk: Shows) -> None:
    show = shown(desk, "composer-queue-folded")
    page = show.page
    queue = composer(show).get_by_role("region", name="What waits in Pi")
    page.get_by_role("heading", level=1, name="session store behind a view").focus()
    tab_to(page, queue)
    page.keyboard.press("Enter")
    expect(queue.get_by_role("listitem")).to_have_count(3)
    tab_to(page, field(show))
    tab_to(page, composer(show).get_by_role("button", name="Switch to follow-up"))
    page.keyboard.press("Space")
    expect(composer(show).get_by_role("button", name="Switch to steer")).to_be_focused()
    thinking = composer(show).get_by_role("button", name="Thinking: medium")
    tab_to(page, thinking)
    page.keyboard.press("Enter")
    picker = page.get_by_role("dialog", name="Thinking")
    expect(picker).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(picker).to_have_count(0)
    expect(thinking).to_be_focused()
    tab_to(page, composer(show).get_by_role("button", name="Stop"))
    page.keyboard.press("Enter")
    said = [
        (one.name, one.args.get("level")) for one in show.daemon.heard if isinstance(one, wire.Command) and one.name != "notify_settings"
    ]
    assert said[-2:] == [("set_thinking_level", "high"), ("stop_turn", None)]


def test_a_keyboard_decides_what_becomes_of_a_text_that_was_not_sent_or_was_handed_over(desk: Shows) -> None:
    show = shown(desk, "composer-rejected")
    tab_to(show.page, composer(show).get_by_role("button", name="Retry"), back=True)
    show.page.keyboard.press("Enter")
    expect(composer(show).get_by_text("Sending")).to_be_visible()
    sent = [one for one in show.daemon.heard if isinstance(one, chat.ChatAction)]
    assert [one.text for one in sent] == ["Move the table behind a view"] * 2
    show = shown(desk, "composer-handoff")
    field(show).focus()
    tab_to(show.page, composer(show).get_by_role("button", name="Undo"), back=True)
    show.page.keyboard.press("Enter")
    expect(field(show)).to_have_value("I had begun to type")
