"""Promise: each block is drawn as what it is, lines of a terminal as a terminal has them, and dialogs live and only to look at."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from mirrord.wire import messages as wire
from mirrord.wire.capabilities import CHAT, CHAT_APPENDS, OSC8_LINKS, PROMPT_NATIVE, SURFACE_NATIVE, TEXT_FALLBACK
from mirrord.wire.surfaces import ActivityRow, Block, Caret, CustomView, Indicator, TextSpan, WorkingRow
from tests.web import panels
from tests.web.browser import PHONE
from tests.web.card import Card
from tests.web.panels import drawn, spans, widget
from tests.web.scripted import Told
from tests.web.shows import Shows, serving
from tests.web.states import Show, State, asked, neighbours, serve, session
from tests.web.surface_states import FORM, MATCH, PANELS, dialog, in_session, open_pill, press, text_of

HERE: Final = session(0).session_id


GARDEN: Final = """
  - region "Garden":
    - heading "Garden" [level=2]
    - paragraph: 3 beds · planner
    - button "Open full screen"
    - button "Close Garden"
    - group "Garden":
      - paragraph:
        - text: Beds are ready, water is low. See the
        - link "plan":
          - /url: https://garden.example/plan
        - text: garden.example before Tuesday, and skip the old list.
      - heading "Next" [level=3]
      - list:
        - listitem:
          - paragraph:
            - strong: Dig
            - text: the north bed, then
        - listitem:
          - list:
            - listitem:
              - paragraph: 20 cm apart
      - blockquote:
        - paragraph: Rain is forecast for Thursday.
      - list:
        - listitem:
          - img "Done"
          - paragraph: Order bulbs
        - listitem:
          - img "To do"
          - paragraph: Mend the fence
      - group "Table":
        - table:
          - rowgroup:
            - row "Bed Bulbs Done"
          - rowgroup:
            - row "North 120 no"
      - paragraph:
        - text: Read
        - link "the guide"
        - text: garden.example first.
      - figure:
        - button "Copy"
        - group "Code in sh": dig --bed north --depth 20
      - separator
      - region "Beds":
        - heading "Beds" [level=3]
        - paragraph: North 62 %
        - progressbar "North"
        - progressbar "South"
        - paragraph: Looking for slugs In progress
        - progressbar "Looking for slugs"
      - figure:
        - group "Code in toml"
      - paragraph:
        - text: A chart of the rain cannot be shown here.
        - button "Show as text"
      - list:
        - listitem: 160 of 500 rows are shown.
"""


@pytest.fixture(scope="module")
def phone(browser: Browser) -> Iterator[Shows]:
    with serving() as served, served.shows(browser, PHONE) as shows:
        yield shows


@pytest.fixture
def show(phone: Shows) -> Iterator[Show]:
    """A phone on a session with panels."""
    show = phone.show(State("panels", in_session(**PANELS)))
    yield show
    show.tab.assert_clean()


def opened(shows: Shows, *blocks: Block, **more: Any) -> Locator:
    """The drawer of a widget with these blocks, on a phone."""
    show = shows.show(State("blocks", in_session(surfaces=(widget("w", *blocks, title="Open me", **more),))))
    return open_pill(show, "Open me")


def test_the_page_claims_what_it_can_show(show: Show) -> None:
    (hello,) = [said for said in show.daemon.heard if isinstance(said, wire.Hello)]
    assert set(hello.capabilities) == {TEXT_FALLBACK, PROMPT_NATIVE, SURFACE_NATIVE, OSC8_LINKS, CHAT, CHAT_APPENDS}


# ---- blocks ---------------------------------------------------------------------------------------------------------------


def test_a_screen_reader_is_told_what_the_blocks_show(show: Show) -> None:
    drawer = open_pill(show, "Garden")
    expect(drawer.get_by_role("table")).to_be_attached()
    expect(drawer).to_match_aria_snapshot(GARDEN)


def test_progress_is_told_in_numbers_and_an_endless_one_is_not(show: Show) -> None:
    drawer = open_pill(show, "Garden")
    north = drawer.get_by_role("progressbar", name="North")
    expect(north).to_have_attribute("aria-valuenow", "62")
    expect(drawer.get_by_text("62 %")).to_be_visible()
    assert north.evaluate("(bar) => getComputedStyle(bar, '::before').transform").startswith("matrix(0.62,")
    endless = drawer.get_by_role("progressbar", name="Looking for slugs")
    assert endless.get_attribute("aria-valuenow") is None
    expect(drawer.get_by_text("In progress")).to_be_attached()


def test_a_state_of_a_row_is_a_shape_and_a_word_besides_its_colour(phone: Shows) -> None:
    states = {
        "queued": "Queued",
        "running": "Running",
        "success": "Done",
        "warning": "Warning",
        "error": "Failed",
        "inactive": "Not active",
    }
    rows = tuple(ActivityRow(state, f"a row {state}", state=state) for state in states)  # type: ignore[arg-type] # all there are
    drawer = opened(phone, Block("activityList", rows=(*rows, ActivityRow("none", "a row without"))))
    shapes = set()
    for state, word in states.items():
        glyph = drawer.get_by_role("listitem").filter(has_text=f"a row {state}").get_by_role("img", name=word)
        expect(glyph).to_be_visible()
        shapes.add(glyph.inner_html())
    assert len(shapes) == len(states)
    assert drawer.get_by_role("listitem").filter(has_text="a row without").get_by_role("img").count() == 0


def test_a_link_says_where_it_leads_and_opens_beside_without_a_referrer(show: Show) -> None:
    drawer = open_pill(show, "Jobs")
    link = drawer.get_by_role("link", name="Review of pull request 81")
    for name, value in {"href": "https://git.example/garden/pull/81", "target": "_blank", "rel": "noopener noreferrer"}.items():
        expect(link).to_have_attribute(name, value)
    row = drawer.get_by_role("listitem").filter(has=show.page.get_by_role("link", name="Review of pull request 81")).last
    expect(row).to_contain_text("git.example")
    box, target = row.bounding_box(), link.evaluate("(link) => getComputedStyle(link, '::after').position")
    assert box is not None
    assert box["height"] >= 44
    assert target == "absolute", "the whole row is the target"


def test_a_link_to_a_session_opens_it_or_says_that_it_is_not_known(phone: Shows) -> None:
    known = "oppi://session/0198c0de-0000-7000-8000-000000000003"
    text = (TextSpan("dotfiles", link=known), TextSpan(" "), TextSpan("nobody", link="oppi://session/0198c0de-unknown"))
    drawer = opened(phone, Block("text", spans=text))
    page = drawer.page
    drawer.get_by_role("link", name="nobody").tap()
    expect(drawer.get_by_role("status").filter(has_text="mirrord does not know this session.")).to_be_visible()
    drawer.get_by_role("link", name="dotfiles").tap()
    expect(page.get_by_role("heading", level=1, name="dotfiles")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", level=1, name="session store behind a view")).to_be_visible()


def test_a_block_that_is_not_known_is_shown_through_the_fallback_when_asked_for(show: Show) -> None:
    drawer = open_pill(show, "Garden")
    expect(drawer.get_by_text("A chart of the rain cannot be shown here.")).to_be_attached()
    press(show, drawer.get_by_role("button", name="Show as text"))
    expect(drawer.get_by_text("south 100 %")).to_be_visible()
    press(show, drawer.get_by_role("button", name="Hide the text"))
    expect(drawer.get_by_text("south 100 %")).to_have_count(0)


def test_code_is_copied_as_it_is(show: Show) -> None:
    show.tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
    code = open_pill(show, "Garden").get_by_role("figure").filter(has_text="toml")
    press(show, code.get_by_role("button", name="Copy"))
    expect(code.get_by_role("button", name="Copied")).to_be_visible()
    assert show.page.evaluate("navigator.clipboard.readText()") == '[beds.north]\nbulbs = 120\ndepth = "20 cm"\n'


def test_what_draws_a_thing_is_asked_for_when_there_is_one(phone: Shows) -> None:
    files: list[str] = []

    def bring(show: Show) -> None:
        show.page.on("request", lambda request: files.extend(re.findall(r"/assets/(parts|conversation|Markdown)-.*\.js$", request.url)))
        serve(show, *neighbours(show))
        show.open()
        expect(show.page.get_by_role("navigation", name="Sessions")).to_be_visible()
        assert files == []
        in_session()(show)
        # A session most likely has a conversation, with Markdown in it; panels it may never have.
        assert "parts" not in files
        in_session(act=opened_first, **PANELS)(show)

    def opened_first(show: Show) -> None:
        expect(open_pill(show, "Garden").get_by_role("blockquote")).to_be_attached()
        assert {"parts", "Markdown"} <= set(files)

    phone.show(State("panels", bring))


def test_markdown_is_shown_as_it_is_written_when_what_draws_it_cannot_be_loaded(phone: Shows) -> None:
    def bring(show: Show) -> None:
        show.page.route("**/assets/Markdown-*", lambda route: route.abort())
        in_session(**PANELS)(show)

    show = phone.show(State("panels", bring))
    expect(open_pill(show, "Garden")).to_contain_text("plant *tulips*")
    show.tab.excuse("Failed to load resource")


def test_a_page_that_cannot_load_what_draws_panels_says_so_and_answers_all_the_same(phone: Shows) -> None:
    def bring(show: Show) -> None:
        show.page.route("**/assets/parts-*", lambda route: route.abort())
        dialog(MATCH, panels.tic_tac_toe, cancellable=True)(show)

    show = phone.show(State("panels", bring))
    Card(show.page, MATCH).press("Cancel it")
    (answer,) = show.daemon.answers()
    assert answer.cancelled is True
    show.daemon.say(text_of("planner", "words"))
    expect(show.page.get_by_text("A part of this page could not be loaded. Reload the page.")).to_be_visible()
    show.tab.excuse("Failed to load resource|preload")


# ---- lines of a terminal --------------------------------------------------------------------------------------------------


def screen(drawer: Locator) -> Locator:
    return drawer.locator(".terminal-screen")


def test_lines_are_monospaced_keep_every_blank_and_can_be_selected(show: Show) -> None:
    lines = screen(open_pill(show, "board"))
    assert "mono" in str(lines.locator(".terminal-lines").evaluate("(lines) => getComputedStyle(lines).fontFamily")).lower()
    chosen = lines.evaluate("(lines) => { getSelection().selectAllChildren(lines); return String(getSelection()); }")
    assert panels.BOARD.native_surface is not None
    (block,) = panels.BOARD.native_surface.blocks
    assert chosen.split("\n")[: len(block.lines or ())] == ["".join(span.text for span in line) for line in block.lines or ()]


def test_frames_are_drawn_and_not_read(show: Show) -> None:
    lines = screen(open_pill(show, "board"))
    expect(lines).to_have_attribute("aria-label", re.compile("^Build: unit 812 passed"))
    read = lines.evaluate("""(lines) => {
      const heard = lines.cloneNode(true);
      for (const one of heard.querySelectorAll('[aria-hidden]')) one.remove();
      return heard.textContent;
    }""")
    assert "812 passed" in read
    assert not re.search("[\u2500-\u257f]", read)


def test_links_of_lines_are_followed_and_told_beside_them(show: Show) -> None:
    drawer = open_pill(show, "board")
    expect(screen(drawer).get_by_role("link", name="ci.example/runs/4711")).to_have_attribute("href", "https://ci.example/runs/4711")
    expect(drawer.get_by_text("Links lead to ci.example")).to_be_visible()


def test_wide_lines_scroll_are_scaled_or_wrap_as_chosen_and_the_choice_is_kept(show: Show) -> None:
    drawer = open_pill(show, "board")
    lines = screen(drawer)
    expect(drawer.get_by_text("Drawn 84 columns wide")).to_be_visible()
    scrolls = "(lines) => lines.scrollWidth > lines.clientWidth"
    assert lines.evaluate(scrolls), "in full size, as it could be read"
    for name, is_scrolled in (("Fit to width", False), ("Full size", True), ("Wrap lines", False)):
        press(show, drawer.get_by_role("button", name=name))
        expect(drawer.get_by_role("button", name=name)).to_have_attribute("aria-pressed", "true")
        assert lines.evaluate(scrolls) is is_scrolled
    press(show, show.page.get_by_role("button", name="Garden · 3 beds"))
    expect(open_pill(show, "board").get_by_role("button", name="Wrap lines")).to_have_attribute("aria-pressed", "true")


def test_lines_that_fit_need_no_choice_whatever_width_they_were_drawn_at(show: Show) -> None:
    drawer = open_pill(show, "clock")
    expect(drawer).to_contain_text("next break in 23 min")
    expect(drawer.get_by_role("button", name="Wrap lines")).to_have_count(0)


def test_lines_without_a_width_wrap(show: Show) -> None:
    lines = screen(open_pill(show, "notes"))
    assert lines.evaluate("(lines) => lines.scrollWidth <= lines.clientWidth")
    expect(lines).to_contain_text("the crates come back.")


def test_the_caret_stands_where_pi_put_it(phone: Shows) -> None:
    line = spans(("> ", "accent"), "tulips 🌷!")
    drawer = opened(phone, drawn(spans("first"), line, columns=100, caret=Caret(1, 10)))
    caret = drawer.get_by_role("img", name="Cursor")
    expect(caret).to_be_visible()
    before = caret.evaluate("""(caret) => {
      const range = document.createRange();
      range.setStart(caret.closest('.terminal-line'), 0);
      range.setEndBefore(caret);
      return range.toString();
    }""")
    assert before == "> tulips 🌷"


# ---- what the page itself shows -------------------------------------------------------------------------------------------


def say(show: Show, method: wire.NotificationMethod, **more: Any) -> None:
    show.daemon.say(wire.ExtensionUINotification(HERE, method, **more))


def line_of(text: str) -> dict[str, Any]:
    """One line that was drawn, natively and as it is."""
    return {"native_surface": panels.native("x", drawn(spans(text), columns=100)), "widget_lines": (text,)}


def frames_of(page: Page) -> Locator:
    return page.locator(".working-frames")


def test_the_working_row_says_what_an_extension_says_with_its_frames(phone: Shows) -> None:
    row = WorkingRow(True, "Checking files…", Indicator(("one", "two", "three"), 80))
    show = phone.show(State("working", in_session("working", row=row)))
    working = show.page.locator(".working")
    expect(working).to_contain_text("Checking files…")
    expect(working.get_by_role("status")).to_have_text("Checking files…")
    expect(frames_of(show.page)).to_have_text("one")
    show.page.emulate_media(reduced_motion="no-preference")
    for frame in ("two", "three", "one"):
        expect(frames_of(show.page)).to_have_text(frame)
    say(show, "setWorkingIndicator", working_indicator=Indicator(()))
    expect(frames_of(show.page)).to_have_count(0)
    assert working.locator("svg").count() == 0, "no frames hide the glyph"
    say(show, "setWorkingIndicator")
    expect(working.locator("svg.spin")).to_be_visible()
    say(show, "setWorkingMessage")
    expect(working).to_contain_text("Working")
    say(show, "setWorkingVisible", working_visible=False)
    expect(working).to_have_count(0)
    say(show, "setWorkingVisible", working_visible=True)
    expect(working).to_be_visible()
    show.tab.assert_clean()


def test_frames_stand_still_for_who_wants_no_motion(phone: Shows) -> None:
    row = WorkingRow(True, "m", Indicator(("one", "two"), 80))
    show = phone.show(State("working", in_session("working", row=row)))
    seen = show.page.evaluate("""() => new Promise((resolve) => {
      const place = document.querySelector('.working-frames');
      const seen = new Set([place.textContent]);
      const watch = new MutationObserver(() => seen.add(place.textContent));
      watch.observe(place, {subtree: true, characterData: true, childList: true});
      setTimeout(() => resolve([...seen]), 400);
    })""")
    assert seen == ["one"]


def test_nothing_works_so_no_row_says_so(phone: Shows) -> None:
    show = phone.show(State("idle", in_session("idle", row=WorkingRow(True, "Checking files…"))))
    assert show.page.locator(".working").count() == 0


def test_header_and_footer_are_one_line_each_until_they_are_opened(phone: Shows) -> None:
    show = phone.show(State("regions", in_session(header=panels.HEADER, footer=panels.FOOTER)))
    header = show.page.get_by_role("region", name="Header of planner")
    expect(header).to_contain_text("Garden 1.0")
    expect(header).not_to_contain_text("3 beds")
    press(show, header.get_by_role("button"))
    expect(header).to_contain_text("12 skills, 3 beds")
    say(show, "setHeader", source="planner", **line_of("other"))
    expect(header.get_by_text("other")).to_be_visible()
    say(show, "setHeader")
    expect(show.page.get_by_role("region", name="Header")).to_have_count(0)
    expect(show.page.get_by_role("region", name="Footer of statusline")).to_contain_text("main ✓")
    show.tab.assert_clean()


def test_the_terminals_title_heads_the_page_until_it_is_cleared(phone: Shows) -> None:
    show = phone.show(State("title", in_session(title="π garden")))
    expect(show.page.get_by_text("π garden")).to_be_visible()
    say(show, "setTitle")
    expect(show.page.get_by_text("π garden")).to_have_count(0)


def test_a_notification_says_which_extension_it_comes_from(show: Show) -> None:
    say(show, "notify", message="Tests are green", source="ci")
    expect(show.page.get_by_role("log", name="Notifications")).to_contain_text("ci in session store behind a view")
    expect(show.page.get_by_role("listitem").filter(has_text="Tests are green")).to_contain_text("ci")


def test_what_pi_hides_and_expands_stands_among_the_facts(show: Show) -> None:
    say(show, "setHiddenThinkingLabel", hidden_thinking_label="Pondering…")
    say(show, "setToolsExpanded", tools_expanded=True)
    press(show, show.page.get_by_role("button", name="About this session"))
    facts = show.page.get_by_role("dialog", name="About this session")
    expect(facts).to_contain_text("Pondering…")
    expect(facts).to_contain_text("Expanded at the terminal")


# ---- dialogs --------------------------------------------------------------------------------------------------------------


def test_a_dialog_is_shown_as_it_is_drawn_and_answered_at_the_terminal(phone: Shows) -> None:
    show = phone.show(State("view", dialog(MATCH, panels.tic_tac_toe)))
    card = Card(show.page, MATCH)
    expect(card.place).to_contain_text("your turn: x")
    expect(card.place).to_contain_text("Answer it at the terminal of laptop")
    expect(card.place.get_by_role("img", name="Cursor")).to_be_visible()
    assert card.place.get_by_role("textbox").count() == 0
    assert card.place.get_by_role("button", name="Send").count() == 0
    prompt = show.daemon.sessions[0].prompts[0]
    for move in ("o has moved", "x has won"):
        say(show, "setCustomView", request_id=prompt.id, overlay=False, typing=False, **line_of(move))
        expect(card.place).to_contain_text(move)
    expect(card.place).not_to_contain_text("your turn")
    show.daemon.say(wire.ExtensionUISettled(HERE, prompt.id, "withdrawn", "none", show.daemon.now(), reason="signal"))
    card.phase("settled")
    expect(card.place).not_to_contain_text("x has won")
    show.tab.assert_clean()


def test_a_dialog_that_shrinks_leaves_its_card_where_it_is(phone: Shows) -> None:
    show = phone.show(State("view", dialog(MATCH, panels.tic_tac_toe, cancellable=True)))
    card = Card(show.page, MATCH).shown()
    before = card.place.bounding_box()
    prompt = show.daemon.sessions[0].prompts[0]
    say(show, "setCustomView", request_id=prompt.id, overlay=False, typing=False, **line_of("one line"))
    expect(card.place).to_contain_text("one line")
    assert card.place.bounding_box() == before, "a card that moves takes no press"


def test_an_observer_is_told_why_a_dialog_shows_nothing(phone: Shows) -> None:
    show = phone.show(State("hidden", dialog(FORM, lambda prompt: CustomView(prompt, overlay=True, typing=True))))
    card = Card(show.page, FORM)
    expect(card.place).to_contain_text("Somebody may be typing in it, so it is shown on devices that may answer, not on this one.")
    assert card.place.locator(".terminal").count() == 0


def test_a_large_dialog_leaves_the_card_on_the_screen(phone: Shows) -> None:
    lines = tuple(spans(f"line {number}") for number in range(160))
    show = phone.show(State("large", dialog(MATCH, lambda prompt: panels.view(prompt, *lines, columns=100))))
    card = Card(show.page, MATCH)
    expect(card.place.get_by_text("Answer it at the terminal")).to_be_in_viewport()
    expect(card.place.get_by_role("heading", name=MATCH)).to_be_in_viewport()
    card.open()
    expect(card.place.get_by_text("line 159")).to_be_attached()


# ---- texts that are handed over -------------------------------------------------------------------------------------------


def handoffs(show: Show) -> Locator:
    return show.page.get_by_role("region", name="Text from")


def test_a_text_is_handed_over_once_and_copied_whole(show: Show) -> None:
    show.tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
    handed = text_of("planner", "Plant the tulips\r\n\tdeep\n")
    show.daemon.say(handed, handed)
    expect(handoffs(show)).to_have_count(1)
    expect(handoffs(show)).to_contain_text("Text from planner")
    press(show, handoffs(show).get_by_role("button", name="Copy"))
    expect(handoffs(show).get_by_role("button", name="Copied")).to_be_visible()
    assert show.page.evaluate("navigator.clipboard.readText()") == "Plant the tulips\r\n\tdeep\n"
    press(show, handoffs(show).get_by_role("button", name="Dismiss"))
    expect(handoffs(show)).to_have_count(0)
    show.daemon.say(handed)
    say(show, "setTitle", title="after it")
    expect(show.page.get_by_text("after it")).to_be_visible()
    expect(handoffs(show)).to_have_count(0)


def test_a_long_text_is_fetched_when_it_is_told_or_says_why_not(show: Show) -> None:
    show.daemon.handoffs = lambda _, part: {"part": part, "parts": 3, "text": f"piece {part}, "}
    say(show, "set_editor_text", handoff_id="long", text_parts=3, paste=True)
    expect(handoffs(show)).to_contain_text("piece 0, piece 1, piece 2,")
    show.daemon.handoffs = None
    say(show, "set_editor_text", handoff_id="lost", text_parts=2, paste=False)
    expect(handoffs(show).last).to_contain_text("There is no such command.")
    assert handoffs(show).last.get_by_role("button", name="Copy").count() == 0


def test_a_question_keeps_its_place_beside_a_text(phone: Shows) -> None:
    def bring(show: Show) -> None:
        prompt = asked(show, "confirm", "Publish?", message="To the registry.")
        serve(show, Told(session(show.daemon.now(), 1, "waiting"), (prompt,)))
        show.open(f"#session={prompt.session_id}")
        Card(show.page, "Publish?").shown()

    show = phone.show(State("both", bring))
    before = Card(show.page, "Publish?").place.bounding_box()
    show.daemon.say(text_of("planner", "word " * 4_000))
    expect(handoffs(show)).to_contain_text("20,000 characters in all")
    assert Card(show.page, "Publish?").place.bounding_box() == before
