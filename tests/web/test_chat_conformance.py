"""Promise: what was sent can be had again at once, before anybody answers for it, and a browser keeps no transcript."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pytest
from playwright.sync_api import Browser, expect

from mirrord.wire import chat
from tests.web import story
from tests.web.browser import DESKTOP
from tests.web.chat_states import reading
from tests.web.composer_states import AGENT, composer, field, submitted, talking
from tests.web.shows import Shows, serving
from tests.web.states import State

_KEPT: Final = """async () => {
  const kept = [...Object.values(localStorage), ...Object.values(sessionStorage)];
  for (const {name} of await indexedDB.databases()) {
    const database = await new Promise((done) => { indexedDB.open(name).onsuccess = (event) => done(event.target.result); });
    for (const store of database.objectStoreNames) {
      const all = database.transaction(store).objectStore(store).getAll();
      kept.push(JSON.stringify(await new Promise((done) => { all.onsuccess = () => done(all.result); })));
    }
    database.close();
  }
  return kept.join("\\n");
}"""


@pytest.fixture(scope="module")
def desk(browser: Browser) -> Iterator[Shows]:
    with serving() as served, served.shows(browser, DESKTOP) as shows:
        yield shows


def test_a_browser_keeps_what_is_typed_and_sent_and_nothing_of_the_conversation(desk: Shows) -> None:
    show = desk.show(State("kept", reading(story.short)))
    field(show).fill("half a thought")
    show.page.wait_for_function("JSON.stringify(localStorage).includes('half a thought')")
    kept = show.page.evaluate(_KEPT)
    assert "half a thought" in kept
    for said in (story.ASKED, story.FOUND, *story.ANSWER.split("\n\n"), story.GREP, "ok 74"):
        assert said not in kept


def test_what_was_sent_can_be_brought_back_while_nobody_has_answered_for_it(desk: Shows) -> None:
    show = desk.show(State("sent", talking()))
    field(show).fill("Move the table behind a view")
    field(show).press("Enter")
    assert [turn.text for turn in submitted(show)] == ["Move the table behind a view"]
    expect(composer(show).get_by_text("Sending")).to_be_visible()
    field(show).press("ArrowUp")
    expect(field(show)).to_have_value("Move the table behind a view")


def test_why_pi_cannot_run_stands_beside_the_history_and_hides_none_of_it(desk: Shows) -> None:
    why = "No API key for Anthropic: type /login at the terminal."
    show = desk.show(State("cannot-run", talking(agent={"cannot_run": why})))
    rows, says = show.page.get_by_text("Three places read a row by position"), composer(show).locator(".composer-hint")
    expect(rows).to_be_visible()
    expect(says).to_contain_text(why)
    field(show).fill("Move the table behind a view")
    field(show).press("Enter")
    expect(says).to_contain_text(why)
    expect(composer(show).get_by_role("button", name="Send", exact=True)).to_be_disabled()
    expect(field(show)).to_have_value("Move the table behind a view")
    expect(rows).to_be_visible()
    show.daemon.say(show.daemon.chat(show.daemon.sessions[0].session.session_id, chat.ChatSnapshot(agent=AGENT)))
    expect(says).not_to_contain_text(why)
    field(show).press("Enter")
    assert [turn.text for turn in submitted(show)] == ["Move the table behind a view"]
