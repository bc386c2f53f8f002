"""Promise: a person works with Pi on the page as at the terminal, and both show one conversation."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.web.card import Card
from tests.web.conversation import OTHER_MODEL, Working

WORDS = 60


def test_what_is_sent_on_the_page_is_said_in_the_terminal_and_answered_in_both(work: Working) -> None:
    text = work.text("Plan the beds")
    work.phone.send(text)
    for one in work.both:
        one.shows(text, f"Echo: {text}")
    work.stage.pi.wait_for(f"Echo: {text}")
    assert work.heard(text) == 1


def test_what_is_typed_at_the_terminal_is_a_row_of_the_page(work: Working) -> None:
    text = work.text("Typed with keys")
    work.type(text)
    for one in work.both:
        one.shows(text, f"Echo: {text}")


def test_an_answer_grows_as_it_is_written(work: Working) -> None:
    work.type("/new")
    # A message goes to the conversation that it was written in.
    expect(work.phone.rows).to_have_count(0)
    work.phone.send(f"slow {WORDS} 30")
    answer = work.phone.row("word0")
    expect(answer).to_contain_text("word5")
    assert f"word{WORDS - 1}" not in answer.inner_text()
    expect(work.phone.button("Stop")).to_be_visible()
    for one in work.both:
        expect(one.row("word0")).to_contain_text(f"word{WORDS - 1}")
        one.rests()


def test_a_tool_is_a_line_that_opens_to_what_it_printed(work: Working) -> None:
    marks = work.text("bed")
    work.phone.send(f"run: printf '{marks} north\\n{marks} south\\n'")
    for one in work.both:
        one.shows(f"Tool said: {marks} north")
        tool = one.row(marks, "tool").last
        expect(tool.get_by_role("img", name="Done")).to_be_visible()
        one.press(tool.get_by_role("button").first)
        expect(tool.get_by_role("group", name="Output of bash")).to_have_text(f"{marks} north\n{marks} south")
        one.press(tool.get_by_role("button").first)


def test_a_tool_that_asks_is_answered_in_the_middle_of_a_draft_which_stays(work: Working) -> None:
    question, draft = work.text("Which colour"), work.text("while I write")
    work.desk.field.press_sequentially(draft)
    work.type(f'tool: ask_user {{"question": "{question}"}}')
    card = Card(work.desk.page, question).shown()
    expect(work.desk.field).to_be_focused()
    work.desk.page.keyboard.type("!")
    Card(work.phone.page, question).choose("green")
    Card(work.phone.page, question).send()
    card.phase("settled")
    for one in work.both:
        expect(one.row("Tool said: the user chose green").last).to_be_visible()
        one.rests()
    expect(work.desk.field).to_have_value(f"{draft}!")
    expect(work.desk.field).to_be_focused()


def test_what_waits_in_pi_is_shown_with_who_sent_it_and_becomes_rows_in_that_order(work: Working) -> None:
    steer, follow, typed = (work.text(words) for words in ("north first", "then the roses", "and water"))
    with work.busy():
        work.phone.type(steer)
        expect(work.phone.hint).to_contain_text("Steer: Pi reads it at its next step")
        work.phone.send(steer)
        work.phone.press(work.phone.button(re.compile("^Steer: .* Switch to follow-up")))
        work.phone.send(follow)
        work.phone.press(work.phone.button(re.compile("^Follow-up: .* Switch to steer")))
        expect(work.phone.queue).to_contain_text("2 messages wait in Pi")
        work.stage.pi.line(typed)
        for one, mine in ((work.phone, "from this device"), (work.desk, "from pocket")):
            waiting = one.queue.get_by_role("listitem")
            expect(one.queue.get_by_role("button", name="3 messages wait in Pi")).to_be_visible()
            if not waiting.first.is_visible():
                one.press(one.queue.get_by_role("button"))
            expect(waiting).to_contain_text([steer, typed, follow])
            expect(waiting).to_contain_text([f"Steer {mine}", "Steer from the terminal", f"Follow-up {mine}"])
    for one in work.both:
        one.shows(steer, typed, follow, f"Echo: {follow}")
        expect(one.queue).to_have_count(0)
        assert one.said()[-6:] == [said for text in (steer, typed, follow) for said in (("user", text), ("text", f"Echo: {text}"))]


def test_stop_ends_the_turn_for_everybody(work: Working) -> None:
    text = work.text("slow 400 20")
    work.type(text)
    expect(work.phone.row("word3").last).to_be_visible()
    work.phone.press(work.phone.button("Stop"))
    for one in work.both:
        expect(one.row("Stopped", "end").last).to_be_visible()
        one.rests()
    work.stage.pi.wait_for("Operation aborted")


def test_the_model_and_how_much_it_thinks_are_chosen_on_the_page_and_named_in_the_terminal(work: Working) -> None:
    id_, name = OTHER_MODEL
    work.phone.choose("Model", name)
    expect(work.desk.button(f"Model: {name}")).to_be_visible()
    work.phone.choose("Thinking", "high")
    expect(work.desk.button("Thinking: high")).to_be_visible()
    work.stage.pi.wait_for(re.compile(rf"{id_} .*high"))
    work.desk.choose("Model", "Scripted One")
    expect(work.phone.button("Model: Scripted One")).to_be_visible()


def test_a_shell_command_runs_in_pi(work: Working) -> None:
    marks = work.text("from the shell")
    work.phone.type(f"!echo {marks}")
    expect(work.phone.hint).to_contain_text("Run in the shell; Pi sees what it prints")
    work.phone.send(f"!echo {marks}")
    for one in work.both:
        expect(one.row(f"echo {marks}", "bash").get_by_role("group", name="Output")).to_have_text(marks)
    work.stage.pi.wait_for(f"$ echo {marks}")


def test_a_slash_command_is_completed_and_run_and_an_unknown_one_is_not_sent(work: Working) -> None:
    work.phone.field.press_sequentially("/t-sta")
    work.phone.press(work.phone.composer.get_by_role("option", name="/t-status"))
    expect(work.phone.field).to_have_value("/t-status ")
    work.phone.send('/t-status {"key": "job", "text": "sowing"}')
    for one in work.both:
        expect(one.page.locator(".strip").get_by_role("button").filter(has_text="sowing")).to_be_visible()
    unknown = work.text("/t-statu sowing")
    work.phone.type(unknown)
    expect(work.phone.hint).to_contain_text("This Pi has no command /t-statu.")
    work.phone.field.press("Enter")
    expect(work.phone.composer.locator("button.composer-send")).to_be_disabled()
    expect(work.phone.field).to_have_value(re.compile(re.escape(unknown)))
    expect(work.phone.on_their_way).to_have_count(0)
    assert work.heard(unknown) == 0
    work.phone.type("")
    work.phone.send('/t-status {"key": "job"}')
    for one in work.both:
        expect(one.page.locator(".strip").get_by_role("button").filter(has_text="sowing")).to_have_count(0)


def test_a_page_reloads_pis_extensions_and_the_conversation_goes_on(work: Working) -> None:
    before, after = work.text("before it"), work.text("after it")
    work.phone.send(before)
    for one in work.both:
        one.shows(before, f"Echo: {before}")
    with work.reloading():
        work.phone.send("/reload")
    work.stage.pi.wait_for("Reloaded")
    expect(work.phone.on_their_way).to_have_count(0)
    for one in work.both:
        one.shows(before, f"Echo: {before}")
    work.phone.send(after)
    for one in work.both:
        one.shows(after, f"Echo: {after}")
        expect(one.row(before, "user")).to_have_count(1)
    assert work.heard("/reload") == 0


@pytest.mark.parametrize("line", ["/reload", "/new"])
def test_a_boundary_at_the_terminal_leaves_nothing_stale_on_a_page(work: Working, line: str) -> None:
    before, after = work.text("before it"), work.text("after it")
    work.phone.send(before)
    for one in work.both:
        one.shows(before, f"Echo: {before}")
    work.desk.type("half a draft")
    if line == "/new":
        work.type(line)
        for one in work.both:
            expect(one.page.get_by_role("heading", name="New conversation")).to_be_visible()
            expect(one.rows).to_have_count(0)
    else:
        with work.reloading():
            work.type(line)
        for one in work.both:
            one.shows(before, f"Echo: {before}")
    work.stage.wait_session()
    work.phone.send(after)
    for one in work.both:
        one.shows(after, f"Echo: {after}")
        expect(one.row(before, "user")).to_have_count(0 if line == "/new" else 1)
    expect(work.desk.field).to_have_value("half a draft")
