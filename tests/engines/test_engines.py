"""Promise: WebKit and Firefox do as Chromium does: pairing, a conversation, a prompt, the editor's sheet, the way back to a lost daemon."""

from __future__ import annotations

import signal

import pytest

from tests.e2e.prompt_table import SECRET
from tests.engines.visit import BANNER, CARD, COMPOSER, LIST, SENDS, Visit
from tests.web.web import no_daemon

# For a test and, where it is the first of its engine, the browser's start and its pairing.
pytestmark = [pytest.mark.soak, pytest.mark.e2e, pytest.mark.timeout(300)]


def test_a_typed_code_pairs_this_browser_with_a_key_that_cannot_be_read_and_outlives_a_reload(paired: Visit) -> None:
    page = paired.page
    page.reload()
    page.find(LIST, "Sessions")
    kept = page.driver.run(
        """async () => {
          const open = indexedDB.open("mirrord");
          const database = await new Promise((resolve) => (open.onsuccess = () => resolve(open.result)));
          const get = database.transaction("identity").objectStore("identity").getAll();
          const [row] = await new Promise((resolve) => (get.onsuccess = () => resolve(get.result)));
          database.close();
          const exported = await crypto.subtle.exportKey("pkcs8", row.keys.privateKey).then(() => "exported", (error) => error.name);
          return [row.name, row.keys.privateKey.extractable, exported];
        }"""
    )
    assert kept == [paired.name, False, "InvalidAccessError"]
    page.find("nav[aria-label=Sessions] a")
    page.picture("sessions")
    page.press("nav[aria-label=Sessions] a")
    page.find(COMPOSER)
    paired.assert_clean()


def test_what_is_sent_is_said_in_the_terminal_and_answered_on_the_page(visit: Visit) -> None:
    text = f"Plan the beds, {visit.name}"
    visit.send(text)
    visit.web.stage.pi.wait_for(f"Echo: {text}")
    assert visit.page.value(COMPOSER) == ""
    visit.page.picture("conversation")


def test_the_conversation_that_there_was_is_shown_at_its_end(visit: Visit) -> None:
    text = f"Typed with keys for {visit.name}"
    visit.web.stage.pi.settle(0.1)
    visit.web.stage.pi.line(text)
    visit.shows(text)
    visit.page.reload()
    visit.shows(text)


def test_a_prompt_is_answered_on_its_card(visit: Visit) -> None:
    asked = visit.ask("select")
    visit.page.press(f"{CARD} [role=radio]", "banana")
    visit.page.picture("card")
    visit.page.press(f"{CARD} [data-send]", "Send “banana”")
    visit.web.play.everybody_is_told(asked, "answered", "remote", by=visit.name, answer="banana")
    assert visit.web.play.value(asked) == "banana"
    visit.web.play.screen_is_back(asked)
    visit.page.gone(CARD)


def test_a_prompt_that_is_answered_at_the_terminal_says_so_and_goes(visit: Visit) -> None:
    asked = visit.ask("confirm")
    visit.web.stage.pi.keys("enter")
    visit.web.play.everybody_is_told(asked, "answered", "terminal", answer="Yes")
    visit.page.find(CARD, "Answered at the terminal")
    visit.page.gone(CARD)


def test_a_text_is_edited_on_the_sheet_and_sent(visit: Visit) -> None:
    asked = visit.ask("editor")
    visit.page.press(f"{CARD} button", "Open")
    visit.typed(f"dialog{CARD} textarea", "line one\nline two")
    visit.page.fill(f"dialog{CARD} textarea", "line one\nline two!")
    visit.page.picture("editor")
    visit.page.press(f"{CARD} [data-send]", "Send the edited text")
    visit.web.play.everybody_is_told(asked, "answered", "remote", by=visit.name)
    assert visit.web.play.value(asked) == "line one\nline two!"
    visit.page.gone("dialog")


def test_fields_are_as_high_as_their_text(visit: Visit) -> None:
    asked = visit.ask("ask")
    own = f"{CARD} textarea"
    visit.page.type(own, "north\n\nsouth\n\nwest")
    visit.fits(own)
    # Beside its button it has less room than it had alone, before the card came.
    visit.fits(COMPOSER)
    visit.page.picture("own answer")
    visit.page.press(f"{CARD} button", "Ignore")
    visit.web.play.everybody_is_told(asked, "cancelled", "remote", by=visit.name)


def test_a_killed_daemon_is_found_again_and_the_prompt_is_answered_with_what_was_typed(visit: Visit) -> None:
    asked = visit.ask("input")
    visit.page.type(f"{CARD} :is(input, textarea)", SECRET)
    with no_daemon(visit.web, signal.SIGKILL):
        visit.phase(asked, "link_lost")
        visit.page.find(BANNER)
        visit.page.picture("away")
    visit.phase(asked, "open")
    visit.page.gone(BANNER)
    visit.page.press(f"{CARD} [data-send]")
    assert visit.web.play.value(asked) == SECRET
    visit.send(f"After the daemon came back to {visit.name}")


def test_a_draft_outlives_a_reload(visit: Visit) -> None:
    draft = f"Half a thought of {visit.name}"
    visit.page.type(COMPOSER, draft)
    visit.page.reload()
    visit.typed(COMPOSER, draft)
    visit.page.press(SENDS)
    visit.shows(draft)


def test_what_goes_wrong_on_a_page_is_heard(visit: Visit) -> None:
    # By functions of the page itself: what a driver's own functions throw is not the page's.
    visit.page.driver.run(
        """() => {
          console.error("said");
          void fetch("http://elsewhere.invalid/");
          setTimeout(window.JSON.parse, 0, "{");
        }"""
    )
    for kind in ("error: said", "policy: connect-src", "rejected: ", "uncaught: "):
        assert visit.page.hears(kind)
    visit.page.faults.clear()
