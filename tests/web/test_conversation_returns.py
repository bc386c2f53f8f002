"""Promise: whoever sleeps, dies, is reloaded or refuses, no word is lost and none is doubled."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, expect

from tests.e2e.stage import until
from tests.e2e.viewers import branch
from tests.web.browser import CHROMIUM, DESKTOP, FLAGS, PATIENCE_MS, Tab
from tests.web.conversation import CLEAR, Conversation, Said, Working
from tests.web.web import frozen, no_daemon

FLUSHED: Final = 30.0
"""Seconds; Chromium writes what pages keep at most 5 s later, and a killed browser has lost what it had not written."""


def in_pi(work: Working) -> list[Said]:
    """What was said in this conversation, as Pi's file has it."""
    sessions = work.stage.home.agent / "sessions"
    newest = max(sessions.rglob("*.jsonl"), key=lambda file: file.stat().st_mtime_ns)
    messages: Any = [entry["message"] for entry in branch(sessions, newest.stem.rpartition("_")[2]) if entry["type"] == "message"]
    said = [(one["role"], "".join(part["text"] for part in one["content"] if part["type"] == "text").strip()) for one in messages]
    return [("user" if role == "user" else "text", text) for role, text in said if role in ("user", "assistant") and text]


def shows_what_pi_has(work: Working) -> None:
    """The pages' last rows are Pi's last entries, word for word."""
    for one in work.both:
        one.rests()
        expected = in_pi(work)
        assert len(one.said()) >= 2
        assert one.said() == expected[-len(one.said()) :]


def test_a_page_that_is_reloaded_in_the_middle_of_a_send_loses_and_doubles_nothing(work: Working) -> None:
    text = work.text("Sent and reloaded")
    with work.web.standing_still():
        work.phone.send(text)
        expect(work.phone.on_their_way).to_contain_text(text)
        work.phone.page.reload()
        expect(work.phone.on_their_way).to_contain_text(text)
        expect(work.phone.field).to_have_value("")
    for one in work.both:
        one.shows(text, f"Echo: {text}")
    assert work.heard(text) == 1


def test_a_draft_outlives_a_reload_and_a_browser_that_was_killed(work: Working, browser: Browser, tmp_path: Path) -> None:
    draft = work.text("Half a thought")
    with profile(browser, tmp_path) as context:
        one = Conversation("laptop", Tab(context.pages[0], context, DESKTOP))
        work.web.pair(one.tab, one.name)
        work.web.enter(one.name)
        one.field.press_sequentially(draft)
        one.page.reload()
        expect(one.field).to_have_value(draft)
        address = one.page.url
        kept = tmp_path / "Default" / "Local Storage" / "leveldb"
        until(lambda: any(draft.encode() in file.read_bytes() for file in kept.glob("*.log")), FLUSHED, "the browser has not written it")
        crash(context)
    del work.web.tabs["laptop"]
    with profile(browser, tmp_path) as context:
        one = Conversation("laptop", Tab(context.pages[0], context, DESKTOP))
        one.page.goto(address)
        expect(one.field).to_have_value(draft)
        one.field.press("Enter")
        one.shows(draft, f"Echo: {draft}")
        one.tab.assert_clean()
    work.desk.shows(draft)
    assert work.heard(draft) == 1


@contextmanager
def profile(browser: Browser, folder: Path) -> Iterator[BrowserContext]:
    """A browser of its own that keeps its profile in that folder."""
    context = browser.browser_type.launch_persistent_context(folder, executable_path=CHROMIUM, args=[*FLAGS], reduced_motion="reduce")
    context.set_default_timeout(PATIENCE_MS)
    try:
        yield context
    finally:
        context.close()


def crash(context: BrowserContext) -> None:
    """The whole browser ends at once."""
    with pytest.raises(Error, match="closed"):
        context.new_cdp_session(context.pages[0]).send("Browser.crash")


def test_a_page_that_opens_without_the_daemon_says_so_has_the_draft_and_goes_on_with_it(work: Working) -> None:
    draft = work.text("Written before the daemon went")
    work.phone.type(draft)
    with no_daemon(work.web):
        work.phone.page.reload()
        expect(work.phone.page.get_by_role("heading", name="mirrord does not answer")).to_be_visible()
        expect(work.phone.field).to_have_value(draft)
        expect(work.phone.hint).to_contain_text("Not connected")
    expect(work.phone.hint).not_to_contain_text("Not connected")
    expect(work.phone.field).to_have_value(draft)
    work.phone.press(work.phone.button("Send"))
    for one in work.both:
        one.shows(draft, f"Echo: {draft}")


@pytest.mark.parametrize("sleeper", ["phone", "desk"])
def test_a_page_that_slept_shows_what_was_said_meanwhile(work: Working, sleeper: str) -> None:
    sent, typed = work.text("Sent meanwhile"), work.text("Typed meanwhile")
    asleep, awake = (work.phone, work.desk) if sleeper == "phone" else (work.desk, work.phone)
    with frozen(asleep.tab):
        awake.send(sent)
        awake.shows(sent, f"Echo: {sent}")
        work.type(typed)
        awake.shows(typed, f"Echo: {typed}")
    asleep.shows(sent, f"Echo: {sent}", typed, f"Echo: {typed}")
    shows_what_pi_has(work)


def test_a_daemon_that_is_killed_in_mid_stream_leaves_the_pages_with_what_pi_holds_and_what_failed_with_its_text(work: Working) -> None:
    streams, failed = work.text("slow 150 25"), work.text("Sent to nobody")
    work.type(streams)
    for one in work.both:
        expect(one.row("word0").last).to_contain_text("word5")
    with no_daemon(work.web, signal.SIGKILL):
        expect(work.phone.page.get_by_role("region", name="Connection")).to_be_visible()
        expect(work.phone.row("word0").last).to_contain_text("word5")
        work.phone.type(failed)
        expect(work.phone.hint).to_contain_text("Not connected")
        work.phone.press(work.phone.composer.locator("button.composer-send"))
        expect(work.phone.on_their_way).to_contain_text("Not sent")
        expect(work.phone.on_their_way).to_contain_text(failed)
        assert work.heard(failed) == 0
    expect(work.phone.page.get_by_role("region", name="Connection")).to_have_count(0)
    for one in work.both:
        expect(one.row("word0").last).to_contain_text("word149")
        expect(one.button("Stop")).to_have_count(0)
    work.phone.press(work.phone.on_their_way.get_by_role("button", name="Retry"))
    for one in work.both:
        one.shows(failed, f"Echo: {failed}")
    assert work.heard(failed) == 1
    shows_what_pi_has(work)


def test_what_pi_refuses_keeps_its_text_to_be_sent_again_or_given_up(work: Working) -> None:
    first, late, dropped = work.text("slow 80 25"), work.text("Too late for this turn"), work.text("Never mind")
    # Neither page knows that the other has begun a turn.
    with work.web.standing_still():
        work.phone.send(first)
        expect(work.phone.on_their_way).to_contain_text(first)
        for text in (late, dropped):
            work.desk.send(text)
            expect(work.desk.on_their_way).to_contain_text(text)
    refused = work.desk.on_their_way.get_by_role("listitem")
    for text in (late, dropped):
        expect(refused.filter(has_text=text)).to_contain_text("Not sent")
        expect(refused.filter(has_text=text)).to_contain_text("A turn is running: steer it, or follow up.")
    work.desk.press(refused.filter(has_text=dropped).get_by_role("button", name="Discard"))
    expect(refused).to_have_count(1)
    work.phone.shows(first)
    work.desk.press(refused.get_by_role("button", name="Retry"))
    for one in work.both:
        one.shows(late, f"Echo: {late}")
    assert (work.heard(late), work.heard(dropped)) == (1, 0)
    assert re.search(re.escape(dropped), work.desk.page.content()) is None


def test_what_the_terminal_took_out_of_the_queue_may_have_acted_so_the_person_decides(work: Working) -> None:
    text = work.text("Waits for its turn")
    with work.busy():
        work.phone.send(text)
        expect(work.phone.queue).to_contain_text(text)
        work.stage.pi.keys("escape")
        expect(work.phone.on_their_way).to_contain_text("Nobody can tell whether Pi took it")
    expect(work.phone.on_their_way).to_contain_text("It was taken out of the queue at the terminal.")
    work.stage.pi.wait_for(text)
    work.phone.press(work.phone.on_their_way.get_by_role("button", name="Put back"))
    expect(work.phone.field).to_have_value(text)
    work.phone.rests()
    work.stage.pi.send(CLEAR)
    assert work.heard(text) == 0
