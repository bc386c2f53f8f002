"""Promise: what a person types for Pi is never lost, says what sending it will do, and is sent once and only when they want it; a question
that comes takes neither the text nor the focus.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from mirrord.wire import chat
from mirrord.wire import messages as wire
from tests.web.browser import DESKTOP, PHONE
from tests.web.card import Card
from tests.web.composer_states import (
    QUEUE_REASON,
    SAID,
    WAITING,
    composer,
    conversation,
    field,
    handed,
    sent,
    submitted,
    talking,
    usual_messages,
)
from tests.web.scripted import SILENT, Told
from tests.web.shows import Shows, serving, soon
from tests.web.states import MINUTE, SECOND, Act, Show, State, asked

LINE_PX = 24
KEYBOARD_PX = 336
RUN_ENTER = (
    """(field, more) => field.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", bubbles: true, cancelable: true, ...more}))"""
)
PANE = "document.querySelector('.pane-detail')"
FROM_END = f"""async () => {{
  for (let frame = 0; frame < 2; frame += 1) await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const {{scrollHeight, clientHeight, scrollTop}} = {PANE};
  return scrollHeight - clientHeight - scrollTop;
}}"""
# A browser of some years ago.
NO_FIELD_SIZING = """{
  const {supports} = CSS;
  CSS.supports = (...what) => what[0] !== "field-sizing" && supports.apply(CSS, what);
  const fixed = new CSSStyleSheet();
  fixed.replaceSync("textarea { field-sizing: fixed !important }");
  document.adoptedStyleSheets = [fixed];
}"""


@pytest.fixture(scope="module")
def phone(browser: Browser) -> Iterator[Shows]:
    with serving() as served, served.shows(browser, PHONE) as shows:
        yield shows


@pytest.fixture(scope="module")
def desk(browser: Browser, phone: Shows) -> Iterator[Shows]:
    with phone.pages.shows(browser, DESKTOP) as shows:
        yield shows


def on(shows: Shows, bring: Act) -> Show:
    return shows.show(State("composer", bring))


def asks(show: Show, title: str) -> wire.ExtensionUIRequest:
    """A question comes now."""
    prompt = asked(show, "confirm", title, age=0)
    prompt = wire.ExtensionUIRequest(show.daemon.sessions[0].session.session_id, prompt.id, "confirm", title, opened_at=prompt.opened_at)
    show.daemon.say(prompt)
    return prompt


def many_messages(now: int) -> tuple[chat.ChatMessage, ...]:
    """More than a screen of them."""
    return tuple(
        msgspec.structs.replace(one, id=f"{one.id}-{again}", entry_id=f"{one.id}-{again}")
        for again in range(8)
        for one in usual_messages(now)
    )


def hint(show: Show) -> str:
    return composer(show).locator(".composer-hint").inner_text()


# ---- sending ------------------------------------------------------------------------------------------------------------------


def test_enter_sends_at_a_desk_and_the_text_is_one_message(desk: Shows) -> None:
    show = on(desk, talking())
    field(show).fill("one")
    field(show).press("Shift+Enter")
    field(show).press_sequentially("two")
    field(show).press("Enter")
    (turn,) = submitted(show)
    assert (turn.kind, turn.text) == ("prompt", "one\ntwo")


def test_lines_that_are_pasted_are_one_message(desk: Shows) -> None:
    show = on(desk, talking())
    field(show).focus()
    show.page.keyboard.insert_text("one\ntwo\n\nthree")
    field(show).press("Enter")
    assert [turn.text for turn in submitted(show)] == ["one\ntwo\n\nthree"]


def test_enter_begins_a_line_on_a_phone_and_its_button_sends(phone: Shows) -> None:
    show = on(phone, talking())
    field(show).fill("one")
    field(show).press("Enter")
    field(show).press_sequentially("two")
    assert field(show).input_value() == "one\ntwo"
    composer(show).get_by_role("button", name="Send").tap()
    assert [turn.text for turn in submitted(show)] == ["one\ntwo"]


@pytest.mark.parametrize("more", [{"isComposing": True}, {"keyCode": 229}], ids=["composing", "taken by the input method"])
def test_enter_that_ends_a_word_of_an_input_method_sends_nothing(desk: Shows, more: dict[str, object]) -> None:
    show = on(desk, talking())
    field(show).fill("半分")
    field(show).evaluate(RUN_ENTER, more)
    assert field(show).input_value() == "半分"
    field(show).evaluate(RUN_ENTER, {"keyCode": 13})
    assert [turn.text for turn in submitted(show)] == ["半分"]


def test_while_pi_works_it_says_when_pi_gets_it_and_the_choice_is_kept(phone: Shows) -> None:
    show = on(phone, talking(state="working", streaming=True))
    field(show).fill("Start with the north side")
    assert "Steer: Pi reads it at its next step" in hint(show)
    composer(show).get_by_role("button", name="Switch to follow-up").tap()
    assert "Follow-up: Pi gets it when it is done" in hint(show)
    show.page.reload()
    expect(field(show)).to_have_value("Start with the north side")
    composer(show).get_by_role("button", name="Follow-up: Pi gets it when it is done", exact=True).tap()
    assert [turn.kind for turn in submitted(show)] == ["follow_up"]


@pytest.mark.parametrize(
    ("text", "says", "kind", "sent", "excluded"),
    [
        ("!ls -l", "Run in the shell; Pi sees what it prints", "bash", "ls -l", False),
        ("!! env", "Run in the shell; Pi does not see it", "bash", "env", True),
        ("/review it", "Run /review", "command", "/review it", False),
    ],
)
def test_a_command_says_what_it_runs(phone: Shows, text: str, says: str, kind: str, sent: str, excluded: bool) -> None:
    show = on(phone, talking())
    field(show).fill(text)
    expect(composer(show).locator(".composer-hint")).to_contain_text(says)
    composer(show).get_by_role("button", name=says).tap()
    (turn,) = submitted(show)
    assert (turn.kind, turn.text, turn.excluded) == (kind, sent, excluded)


def test_an_unknown_command_is_sent_as_words_only_when_that_is_wanted(desk: Shows) -> None:
    show = on(desk, talking())
    field(show).fill("/revew everything")
    expect(composer(show).locator(".composer-hint")).to_contain_text("This Pi has no command /revew.")
    field(show).press("Enter")
    expect(field(show)).to_have_value("/revew everything")
    composer(show).get_by_role("button", name="Send as text").click()
    (turn,) = submitted(show)
    assert (turn.kind, turn.text, turn.literal) == ("prompt", "/revew everything", True)


def test_stop_is_where_send_is_and_beside_it_while_something_is_typed(phone: Shows) -> None:
    show = on(phone, talking(state="working", streaming=True))
    stop = composer(show).get_by_role("button", name="Stop")
    place = stop.bounding_box()
    field(show).fill("Wait")
    expect(stop).to_be_visible()
    send = composer(show).get_by_role("button", name="Steer: Pi reads it at its next step", exact=True)
    now = send.bounding_box()
    assert place is not None
    assert now is not None
    assert now["x"] == place["x"]
    stop.tap()
    commands = [said.name for said in show.daemon.heard if isinstance(said, wire.Command)]
    assert commands[-1] == "stop_turn"


def test_that_stop_did_not_happen_is_said_until_somebody_types_and_never_before_why_a_text_is_refused(desk: Shows) -> None:
    show = on(desk, talking(state="working", streaming=True, gives={"stop_turn": RuntimeError("Nobody could stop it.")}))
    said, stop = composer(show).locator(".composer-hint"), composer(show).get_by_role("button", name="Stop")
    field(show).fill("/login")
    stop.click()
    expect(said).to_contain_text("/login is at the terminal only.")
    field(show).fill("")
    stop.click()
    expect(said).to_contain_text("Nobody could stop it.")
    field(show).press_sequentially("W")
    expect(said).to_contain_text("Steer: Pi reads it at its next step")


def test_a_retry_is_told_once_with_why_and_can_be_stopped_there(phone: Shows) -> None:
    waits = {"retrying": chat.ChatRetrying(2, 3, 8 * SECOND, "529 overloaded")}
    show = on(phone, talking(state="working", streaming=True, agent=waits, gives={"abort_retry": None}))
    expect(show.page.get_by_text("529 overloaded")).to_have_count(1)
    told = composer(show).get_by_role("status").filter(has_text="529 overloaded")
    expect(told).to_contain_text(re.compile(r"Pi tries again in \d s, attempt 2 of 3"))
    told.get_by_role("button", name="Abort retry").tap()
    expect(told.get_by_role("button", name="Abort retry")).to_be_enabled()
    commands = [said.name for said in show.daemon.heard if isinstance(said, wire.Command)]
    assert commands[-1] == "abort_retry"


def test_who_reads_the_end_or_near_it_stays_there_while_a_long_text_grows_in_a_browser_that_does_not_grow_fields(desk: Shows) -> None:
    def elderly(show: Show) -> None:
        show.page.add_init_script(NO_FIELD_SIZING)
        talking(said=many_messages)(show)

    show = on(desk, elderly)

    def from_end() -> float:
        """Once two frames have been seen: what observers of sizes correct is corrected."""
        return float(show.page.evaluate(FROM_END))

    field(show).focus()
    for text in ("one\ntwo\nthree\nfour", "x", "\nfive\nsix\nseven", "y"):
        show.page.keyboard.insert_text(text)
        assert from_end() <= 1, text
    show.page.evaluate(f"{PANE}.scrollTop -= 60")
    above = from_end()
    assert 59 <= above <= 61
    show.page.keyboard.insert_text("z")
    assert from_end() == above


def test_who_comes_with_a_pointer_can_type_at_once_and_who_comes_with_keys_keeps_those_of_the_page(desk: Shows) -> None:
    show = on(desk, talking())
    rows = show.page.get_by_role("navigation", name="Sessions").get_by_role("link")
    rows.nth(1).click()
    rows.nth(0).click()
    expect(field(show)).to_be_focused()
    field(show).press("Escape")
    show.page.keyboard.press("?")
    expect(show.page.get_by_role("dialog", name="Keys")).to_be_visible()
    show.page.keyboard.press("Escape")
    rows.nth(1).press("Enter")
    rows.nth(0).press("Enter")
    expect(show.page.get_by_role("heading", level=1, name="session store behind a view")).to_be_focused()


def test_a_page_that_has_reached_nobody_yet_can_be_typed_into_and_goes_on_when_it_has(desk: Shows) -> None:
    show = on(desk, talking())
    address = show.page.url
    show.page.goto("about:blank")
    show.page.route_web_socket("**/v1/ws", lambda socket: socket.close(code=1001, reason="the daemon stops"))
    show.page.goto(address)
    field(show).click()
    show.page.keyboard.type("half a th")
    expect(composer(show).locator(".composer-hint")).to_contain_text("Not connected")
    show.daemon.serve(show.page)
    expect(show.page.get_by_text("stops by itself when the replica lags")).to_be_visible()
    show.page.keyboard.type("ought")
    expect(field(show)).to_be_focused()
    expect(field(show)).to_have_value("half a thought")


# ---- the draft ----------------------------------------------------------------------------------------------------------------


def test_a_draft_outlives_a_crash_and_is_the_same_in_two_tabs(desk: Shows) -> None:
    show = on(desk, talking())
    field(show).press_sequentially("half a th")
    address = show.page.url
    show.page.goto("about:blank")
    other = show.tab.context.new_page()
    show.daemon.serve(other)
    other.goto(address)
    text = other.locator("textarea.composer-field")
    expect(text).to_have_value("half a th")
    show.page.goto(address)
    field(show).press_sequentially("ought")
    expect(text).to_have_value("half a thought")
    field(show).press("Enter")
    expect(text).to_have_value("")
    other.close()


@contextmanager
def second_tab(show: Show, *, deaf: bool = False) -> Iterator[tuple[Locator, Locator]]:
    """The same session in another tab: its text area, and what is kept beside it. One that is `deaf` hears late what others write."""
    page = show.tab.context.new_page()
    if deaf:
        page.add_init_script("addEventListener('storage', (event) => event.stopImmediatePropagation(), true)")
    show.daemon.serve(page)
    page.goto(show.page.url)
    expect(page.get_by_text(SAID[-1][1])).to_be_visible()
    yield page.locator("textarea.composer-field"), kept_beside(page)
    page.close()


def kept_beside(page: Page) -> Locator:
    return page.get_by_role("region", name="Composer").locator(".composer-note").filter(has_text="Text from your other tab")


def test_of_two_tabs_that_type_at_once_both_texts_are_kept_to_be_used_or_given_up(desk: Shows) -> None:
    show = on(desk, talking())
    with second_tab(show, deaf=True) as (text, beside):
        field(show).press_sequentially("north first")
        text.fill("south first")
        for one, other in ((text, beside), (field(show), kept_beside(show.page))):
            expect(one).to_have_value("south first")
            expect(other).to_contain_text("north first")
        beside.get_by_role("button", name="Use").click()
        for one, other in ((text, beside), (field(show), kept_beside(show.page))):
            expect(one).to_have_value("north first")
            expect(other).to_contain_text("south first")
        kept_beside(show.page).get_by_role("button", name="Discard").click()
        expect(kept_beside(show.page)).to_have_count(0)
    show.page.reload()
    expect(field(show)).to_have_value("north first")
    expect(kept_beside(show.page)).to_have_count(0)


def test_a_text_of_an_extension_comes_once_into_the_draft_that_two_tabs_share(desk: Shows) -> None:
    show = on(desk, talking())
    with second_tab(show) as (text, beside):
        field(show).fill("The roses:")
        expect(text).to_have_value("The roses:")
        here = show.daemon.sessions[0].session.session_id
        show.daemon.say(wire.ExtensionUINotification(here, "set_editor_text", handoff_id="h1", text="Plan the beds", source="planner"))
        for one in (field(show), text):
            expect(one).to_have_value("The roses:\nPlan the beds")
        field(show).press("Control+End")
        field(show).press_sequentially(" again")
        expect(text).to_have_value("The roses:\nPlan the beds again")
        expect(beside).to_have_count(0)
        expect(kept_beside(show.page)).to_have_count(0)


@pytest.mark.parametrize(("stage", "says"), [("rejected", "Not sent"), ("unknown", "Nobody can tell whether Pi took it")])
def test_what_did_not_arrive_keeps_its_text_until_the_person_decides(phone: Shows, stage: chat.Stage, says: str) -> None:
    show = on(phone, talking())
    field(show).fill("And the roses?")
    composer(show).get_by_role("button", name="Send").tap()
    (turn,) = submitted(show)
    show.daemon.say(chat.Receipt(turn.session_id, turn.client_turn_id, stage, show.daemon.now(), reason="A sentence why."))
    waits = composer(show).get_by_role("list", name="Messages on their way")
    expect(waits).to_contain_text(says)
    expect(waits).to_contain_text("A sentence why.")
    field(show).fill("Something else")
    show.page.reload()
    expect(waits).to_contain_text("And the roses?")
    waits.get_by_role("button", name="Put back").tap()
    expect(waits).to_have_count(0)
    expect(field(show)).to_have_value("Something else\nAnd the roses?")


def test_earlier_messages_come_back_with_the_arrows_and_what_was_typed_after_them(desk: Shows) -> None:
    show = on(desk, talking())
    field(show).press_sequentially("typed")
    field(show).press("Home")
    field(show).press("ArrowUp")
    expect(field(show)).to_have_value("Then move the table behind a view, and keep the old shape readable for a week")
    field(show).press("ArrowUp")
    field(show).press("ArrowUp")
    expect(field(show)).to_have_value("Read the session store and tell me who else reads rows by position")
    field(show).press("ArrowDown")
    field(show).press("ArrowDown")
    expect(field(show)).to_have_value("typed")


# ---- texts of extensions --------------------------------------------------------------------------------------------------------


def test_a_text_of_an_extension_comes_after_what_was_typed_once_and_can_be_taken_back(phone: Shows) -> None:
    show = on(phone, talking(handed("Review\u202e it\u0007", "I typed")))
    expect(field(show)).to_have_value("I typed\nReview① it␇")
    here = show.daemon.sessions[0].session.session_id
    show.daemon.say(wire.ExtensionUINotification(here, "set_editor_text", handoff_id="h1", text="Review\u202e it\u0007", source="planner"))
    expect(field(show)).to_have_value("I typed\nReview① it␇")
    composer(show).get_by_role("button", name="Undo").tap()
    expect(field(show)).to_have_value("I typed")
    assert [said for said in show.daemon.heard if isinstance(said, chat.ChatAction)] == []


def test_what_cannot_be_seen_in_it_is_sent_as_it_is(phone: Shows) -> None:
    show = on(phone, talking(handed("Review\u202e it\u0007")))
    composer(show).get_by_role("button", name="Send").tap()
    assert [turn.text for turn in submitted(show)] == ["Review\u202e it\u0007"]


def test_who_only_looks_on_gets_it_to_copy_and_is_told_why_nothing_can_be_sent(phone: Shows) -> None:
    show = on(phone, talking(role="observer"))
    expect(composer(show)).to_contain_text("paired to look on")
    expect(field(show)).to_have_count(0)
    here = show.daemon.sessions[0].session.session_id
    show.daemon.say(wire.ExtensionUINotification(here, "set_editor_text", handoff_id="h1", text="Review it", source="planner"))
    expect(show.page.get_by_role("region", name="Text from planner").get_by_role("button", name="Copy")).to_be_visible()


# ---- with a question --------------------------------------------------------------------------------------------------------------


def test_a_question_takes_neither_the_text_nor_the_focus(desk: Shows) -> None:
    show = on(desk, talking())
    field(show).press_sequentially("I am in the mid")
    prompt = asks(show, "Delete them?")
    card = Card(show.page, prompt.title).shown()
    show.page.keyboard.type("dle")
    expect(field(show)).to_have_value("I am in the middle")
    expect(field(show)).to_be_focused()
    card.choose("Yes")
    show.daemon.say(wire.ExtensionUISettled(prompt.session_id, prompt.id, "answered", "terminal", show.daemon.now()))
    card.phase("settled")
    expect(field(show)).to_have_value("I am in the middle")


@pytest.mark.parametrize(("lines", "with_card"), [(12, False), (4, True)])
def test_a_phone_shows_so_many_lines_of_the_conversation(phone: Shows, lines: int, with_card: bool) -> None:
    show = on(phone, talking())
    if with_card:
        Card(show.page, asks(show, "Delete 14 branches that are merged, here and at the origin?").title).shown()
    bar, foot = show.page.locator(".bar").bounding_box(), composer(show).bounding_box()
    assert bar is not None
    assert foot is not None
    assert foot["y"] - bar["y"] - bar["height"] >= lines * LINE_PX


def test_the_keyboard_of_a_phone_leaves_the_composer_in_sight(phone: Shows) -> None:
    show = on(phone, talking())
    field(show).fill("\n".join("line" for _ in range(30)))
    show.page.set_viewport_size({"width": PHONE.width, "height": PHONE.height - KEYBOARD_PX})
    for one in (field(show), composer(show).get_by_role("button", name="Send")):
        expect(one).to_be_in_viewport(ratio=1)
    show.page.set_viewport_size({"width": PHONE.width, "height": PHONE.height})


def test_the_question_of_a_notification_comes_first(phone: Shows) -> None:
    show = on(phone, talking())
    first, second = asks(show, "The first?"), asks(show, "The second one?")
    Card(show.page, first.title).shown()
    show.page.evaluate("(to) => { location.hash = to; }", f"session={second.session_id}&prompt={second.id}")
    Card(show.page, second.title).shown()
    Card(show.page, first.title).gone()


def test_a_question_of_a_notification_that_is_over_says_who_answered(phone: Shows) -> None:
    show = on(phone, talking())
    show.daemon.commands["verdict"] = wire.Verdict("answered", "remote", at=show.daemon.now(), winner_name="the blue phone", answer="Yes")
    here = show.daemon.sessions[0].session.session_id
    show.page.evaluate("(to) => { location.hash = to; }", f"session={here}&prompt=gone")
    over = show.page.get_by_role("region", name="The question that you came for")
    expect(over).to_contain_text("the blue phone answered")
    over.get_by_role("button", name="Dismiss").tap()
    expect(over).to_have_count(0)


# ---- what waits, and what is set ---------------------------------------------------------------------------------------------------


def test_what_waits_is_listed_with_who_sent_it_and_why_it_cannot_be_changed(phone: Shows) -> None:
    show = on(phone, talking(state="working", streaming=True, queued_follow_ups=WAITING))
    queue = composer(show).get_by_role("region", name="What waits in Pi")
    first, second = queue.get_by_role("listitem").all()
    expect(first).to_contain_text("Steer from the blue phone")
    expect(second).to_contain_text("Follow-up from the terminal")
    expect(queue).to_contain_text(QUEUE_REASON)
    here = show.daemon.sessions[0].session.session_id
    many = tuple(chat.QueuedFollowUp("follow_up", at, f"number {at}") for at in range(20))
    show.daemon.say(show.daemon.chat(here, chat.ChatSnapshot(queued_follow_ups=many)))
    expect(queue.get_by_role("button", name="20 messages wait in Pi")).to_have_attribute("aria-expanded", "false")


def set_models(show: Show) -> list[wire.Command]:
    return [said for said in show.daemon.heard if isinstance(said, wire.Command) and said.name == "set_model"]


def test_a_model_is_chosen_with_the_keyboard_and_a_refusal_is_said(desk: Shows) -> None:
    show = on(desk, talking())
    show.daemon.commands["set_model"] = ValueError("There is no key for it.")
    chip = composer(show).get_by_role("button", name="Model: Claude Opus 5")
    chip.press("Enter")
    picker = show.page.get_by_role("dialog", name="Model")
    expect(picker.get_by_role("combobox")).to_be_focused()
    show.page.keyboard.type("gemini")
    show.page.keyboard.press("Enter")
    expect(picker.get_by_role("alert")).to_contain_text("There is no key for it.")
    show.daemon.commands["set_model"] = None
    show.page.keyboard.press("Enter")
    expect(picker).to_have_count(0)
    expect(chip).to_be_focused()
    assert [said.args for said in set_models(show)] == [
        {"sessionId": show.daemon.sessions[0].session.session_id, "provider": "google", "id": "gemini-4-pro"}
    ] * 2


def test_a_refusal_that_comes_when_the_picker_is_closed_is_said_under_the_text(desk: Shows) -> None:
    show = on(desk, talking())
    show.daemon.commands["set_model"] = SILENT
    chip = composer(show).get_by_role("button", name="Model: Claude Opus 5")
    picker = show.page.get_by_role("dialog", name="Model")
    chip.press("Enter")
    expect(picker.get_by_role("combobox")).to_be_focused()
    show.page.keyboard.type("gemini")
    show.page.keyboard.press("Enter")
    picker.get_by_role("button", name="Close").press("Enter")
    expect(picker).to_have_count(0)
    soon(show.page, lambda: set_models(show) != [])
    (asked,) = set_models(show)
    show.daemon.say(wire.CommandResult(asked.request_id, ok=False, error=wire.CommandError("refused", "There is no key for it.")))
    expect(composer(show).get_by_role("status").filter(has_text="There is no key for it.")).to_be_visible()
    chip.press("Enter")
    expect(picker).to_be_visible()
    expect(picker.get_by_role("alert")).to_have_count(0)


def test_enter_that_ends_a_word_in_the_pickers_filter_chooses_nothing(desk: Shows) -> None:
    show = on(desk, talking())
    composer(show).get_by_role("button", name="Model: Claude Opus 5").press("Enter")
    picker = show.page.get_by_role("dialog", name="Model")
    filtering = picker.get_by_role("combobox")
    expect(filtering).to_be_focused()
    filtering.evaluate(RUN_ENTER, {"keyCode": 229})
    show.page.keyboard.type("gemini")
    expect(filtering).to_have_value("gemini")
    show.page.keyboard.press("Enter")
    expect(picker).to_have_count(0)
    assert [said.args["id"] for said in set_models(show)] == ["gemini-4-pro"]


def test_enter_on_the_pickers_close_button_chooses_nothing(desk: Shows) -> None:
    show = on(desk, talking())
    composer(show).get_by_role("button", name="Model: Claude Opus 5").press("Enter")
    picker = show.page.get_by_role("dialog", name="Model")
    expect(picker.get_by_role("combobox")).to_be_focused()
    show.page.keyboard.press("ArrowDown")
    picker.get_by_role("button", name="Close").press("Enter")
    expect(picker).to_have_count(0)
    assert set_models(show) == []


def test_a_command_is_completed_with_the_keyboard_while_the_focus_stays_in_the_text(desk: Shows) -> None:
    show = on(desk, talking())
    field(show).press_sequentially("/re")
    options = composer(show).get_by_role("option")
    expect(options).to_have_count(3)
    # The end of a word of an input method completes none.
    field(show).evaluate(RUN_ENTER, {"keyCode": 229})
    field(show).press("ArrowDown")
    marked = field(show).get_attribute("aria-activedescendant")
    assert marked == options.nth(1).get_attribute("id")
    field(show).press("Tab")
    expect(field(show)).to_have_value("/reload ")
    expect(field(show)).to_be_focused()
    expect(options).to_have_count(0)


def test_a_text_that_comes_in_leaves_the_caret_where_somebody_types(desk: Shows) -> None:
    show = on(desk, talking())
    field(show).press_sequentially("the beds")
    for _ in "beds":
        field(show).press("ArrowLeft")
    handed("Plan the roses")(show)
    show.page.keyboard.type("north ")
    expect(field(show)).to_have_value("the north beds\nPlan the roses")


def test_a_long_text_whose_link_is_lost_on_the_way_is_fetched_over_the_next_one(desk: Shows) -> None:
    show = on(desk, talking(gives={"handoff": SILENT}))
    here = show.daemon.sessions[0].session.session_id
    show.daemon.say(wire.ExtensionUINotification(here, "set_editor_text", handoff_id="h1", text_parts=1, source="planner"))
    expect(composer(show)).to_contain_text("is on its way")
    del show.daemon.commands["handoff"]
    show.daemon.handoffs = lambda id_, part: {"part": part, "parts": 1, "text": f"the text of {id_}"}
    show.daemon.cut()
    expect(field(show)).to_have_value("the text of h1")


def closes(show: Show, why: str) -> None:
    """Nothing can be sent to this Pi any more."""
    here = show.daemon.sessions[0].session.session_id
    show.daemon.say(show.daemon.chat(here, chat.ChatSnapshot(read_only=True, read_only_reason=why, streaming=False)))


def test_who_types_when_the_link_of_pi_is_lost_goes_on_typing_and_nothing_is_sent(phone: Shows) -> None:
    show = on(phone, talking())
    field(show).press_sequentially("Half a wo")
    closes(show, "The link to this Pi is lost.")
    expect(composer(show)).to_contain_text("The link to this Pi is lost.")
    expect(field(show)).to_be_focused()
    field(show).press_sequentially("rd")
    field(show).press("Control+Enter")
    expect(field(show)).to_have_value("Half a word")
    here = show.daemon.sessions[0].session.session_id
    show.daemon.say(show.daemon.chat(here, chat.ChatSnapshot(read_only=False, read_only_reason=None)))
    expect(composer(show)).not_to_contain_text("The link to this Pi is lost.")
    expect(field(show)).to_be_focused()
    field(show).press("Control+Enter")
    assert [turn.text for turn in submitted(show)] == ["Half a word"]


def test_what_failed_and_what_was_typed_can_be_read_when_pi_has_quit_and_when_its_session_is_gone(desk: Shows) -> None:
    show = on(desk, talking(sent("Move the table", "unknown", "The link to Pi broke.")))
    field(show).fill("And the roses?")
    closes(show, "This Pi has quit.")
    expect(composer(show)).to_contain_text("This Pi has quit.")
    expect(composer(show)).to_contain_text("Move the table")
    expect(composer(show).get_by_role("button", name="Retry")).to_have_attribute("aria-disabled", "true")
    expect(field(show)).to_have_value("And the roses?")
    show.daemon.say(wire.SessionChanged("removed", show.daemon.sessions[0].session))
    kept = show.page.get_by_role("region", name="What you typed")
    # A daemon that was just reached may still meet it.
    expect(kept).to_contain_text("And the roses?")
    expect(kept).to_contain_text("nobody can tell whether Pi took it")
    expect(kept).to_contain_text("Move the table")


def test_what_is_told_once_is_shown_over_the_page_once(desk: Shows) -> None:
    show = on(desk, talking())
    here = show.daemon.sessions[0].session.session_id
    event = show.daemon.chat(here, chat.ChatSnapshot(streaming=True))
    show.daemon.say(msgspec.structs.replace(event, notice=chat.ChatNotice("warning", "Pi is still busy.")))
    toast = show.page.get_by_role("log", name="Notifications").get_by_text("Pi is still busy.")
    expect(toast).to_have_count(1)
    show.daemon.say(show.daemon.chat(here, chat.ChatSnapshot(streaming=False)))
    show.page.get_by_role("button", name="Dismiss").click()
    expect(toast).to_have_count(0)


def test_times_of_messages_are_told_by_the_clock_of_the_machine_that_they_are_of(desk: Shows) -> None:
    def bring(show: Show) -> None:
        ahead, clock = 25 * 60 * MINUTE, show.daemon.now
        show.daemon.now = lambda: clock() + ahead
        talking()(show)

    show = on(desk, bring)
    timeline = show.page.get_by_role("region", name="Conversation")
    expect(timeline.get_by_text("Today", exact=True)).to_be_visible()
    expect(timeline.get_by_text("1 min ago", exact=True)).to_be_visible()


def test_a_session_without_a_conversation_says_why(phone: Shows) -> None:
    def bring(show: Show) -> None:
        talking()(show)
        told = show.daemon.sessions[0]
        old = msgspec.structs.replace(told.session, capabilities=("prompt:confirm",))
        show.daemon.sessions = [Told(old, chat=conversation(show.daemon.now()))]
        show.open(f"#session={old.session_id}")

    show = on(phone, bring)
    expect(show.page.get_by_text("There is no conversation here")).to_be_visible()
    expect(composer(show)).to_have_count(0)
