"""Promise: a text of an extension comes into the draft and not over it; who looks elsewhere is called as they wish, and led back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.stage import until
from tests.web.browser import PATIENCE_MS
from tests.web.card import Card
from tests.web.conversation import CLEAR, Conversation, Working

SHOWN: Final = """async () => (await (await navigator.serviceWorker.ready).getNotifications())
  .map(({ title, body, tag, data }) => ({ title, body, tag, prompt: data?.promptId ?? null }))"""
RECORD: Final = """() => {
  self.shown = [];
  const show = self.registration.showNotification.bind(self.registration);
  self.registration.showNotification = (title, options) => { self.shown.push(options.body); return show(title, options); };
}"""
HIDDEN: Final = """(hidden) => {
  Object.defineProperty(document, "visibilityState", { get: () => (hidden ? "hidden" : "visible"), configurable: true });
  Object.defineProperty(document, "hasFocus", { value: () => !hidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


@contextmanager
def hidden(page: Page) -> Iterator[None]:
    """As another tab in front of it would; a browser without a window hides none."""
    page.evaluate(HIDDEN, True)
    yield
    page.evaluate(HIDDEN, False)


def standing(one: Conversation, *bodies: str) -> list[dict[str, Any]]:
    """The notifications of this browser, once they are these."""
    shown: list[dict[str, Any]] = []

    def look() -> bool:
        shown[:] = one.page.evaluate(SHOWN)
        return [each["body"] for each in shown] == list(bodies)

    try:
        until(look, PATIENCE_MS / 1000, "others stand")
    except AssertionError as error:
        raise AssertionError(f"{error}: {shown}, not {bodies}") from None
    return shown


@pytest.mark.parametrize("paste", [False, True], ids=["setEditorText", "pasteToEditor"])
def test_a_text_of_an_extension_comes_after_what_is_typed_and_can_be_taken_back(work: Working, paste: bool) -> None:
    typed, text = work.text("I typed"), work.text("Plant the tulips")
    work.phone.type(typed)
    work.stage.run("t-text", text=text, paste=paste)
    expect(work.phone.field).to_have_value(f"{typed}\n{text}")
    expect(work.desk.field).to_have_value(text)
    expect(work.phone.composer).to_contain_text("Text from exerciser")
    work.phone.press(work.phone.button("Undo"))
    expect(work.phone.field).to_have_value(typed)
    # Once: not again with the next snapshot.
    work.desk.press(work.desk.button("Keep"))
    work.desk.type("")
    for one in work.both:
        one.page.reload()
    expect(work.phone.field).to_have_value(typed)
    expect(work.desk.field).to_have_value("")
    for one in work.both:
        expect(one.button(re.compile("^Model: "))).to_be_visible()
        expect(one.button("Undo")).to_have_count(0)
    assert work.heard(text) == 0
    work.stage.pi.settle(0.1)
    work.stage.pi.send(CLEAR)


def test_a_hidden_page_calls_for_what_it_may_and_its_link_leads_to_the_question(work: Working) -> None:
    title = work.text("Delete the frost")
    session = work.stage.wait_session()
    work.phone.tab.context.grant_permissions(["notifications"], origin=work.web.origin)
    (worker,) = work.phone.tab.context.service_workers
    worker.evaluate(RECORD)
    with hidden(work.phone.page):
        work.stage.run("t-confirm", title=title)
        (waits,) = standing(work.phone, "A question waits")
        assert waits["tag"] == session
        assert title not in str(waits)
    work.phone.page.evaluate("(to) => { location.hash = to; }", f"session={session}&prompt={waits['prompt']}")
    card = Card(work.phone.page, title).shown()
    standing(work.phone)
    card.choose("Yes")
    card.send()
    card.phase("settled")
    # Who came to answer it has done so: it goes like any other.
    expect(work.phone.page).to_have_url(re.compile("#session=[^&]+$"))
    switched(work.phone, "A question waits", "off")
    worker.evaluate("() => { self.shown = []; }")
    with hidden(work.phone.page):
        silent = work.text("Delete nothing")
        work.stage.run("t-confirm", title=silent)
        # By its title: the card of the question before may still stand there.
        card = Card(work.desk.page, silent).shown()
        work.stage.pi.keys("enter")
        card.phase("settled")
        work.type("fail please")
        standing(work.phone, "The turn failed")
    switched(work.phone, "A question waits", "")
    assert worker.evaluate("self.shown") == ["The turn failed"]


def switched(one: Conversation, kind: str, value: str) -> None:
    """This session's own switch, in its details."""
    one.press(one.page.get_by_role("button", name="About this session"))
    choice = one.page.get_by_role("dialog").get_by_label(kind)
    choice.select_option(value)
    expect(choice).to_have_value(value)
    one.page.keyboard.press("Escape")
    expect(one.page.get_by_role("dialog")).to_have_count(0)
