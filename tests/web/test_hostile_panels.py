"""Promise: whatever stands in a string of a panel is text: no script, no style, no address, no layout that gets out of its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser, Locator, expect

from mirrord.wire import messages as wire
from mirrord.wire.surfaces import (
    Accessibility,
    ActivityRow,
    Block,
    Caret,
    CustomView,
    Fallback,
    Indicator,
    NativeSurface,
    Presentation,
    Surface,
    TextSpan,
    WorkingRow,
)
from tests.web.browser import PHONE
from tests.web.card import Card
from tests.web.panels import widget
from tests.web.scripted import Told
from tests.web.shows import Shows, serving
from tests.web.states import Show, State, asked, serve, session
from tests.web.surface_states import in_session, open_pill, press
from tests.web.test_hostile_content import BIDI, HOSTILE, MARKUP, only_text

# As no policy lets them through.
LINKS: Final = (
    "javascript:window.hit=1",
    "data:text/html,<script>parent.hit=1</script>",
    "https://a@evil.example/",
    "//evil.example",
    "\u202e",
)
STACKED: Final = "Z" + "\u0301" * 200
SAID: Final = Accessibility(HOSTILE, HOSTILE, HOSTILE)
ROW: Final = ActivityRow("__proto__", HOSTILE, HOSTILE, HOSTILE, "running", 7.5, LINKS[0])

BLOCKS: Final[Mapping[str, Block]] = {
    "text": Block("text", accessibility=SAID, spans=tuple(TextSpan(HOSTILE, "danger", ("bold",), link) for link in LINKS)),
    "markdown": Block(
        "markdown",
        accessibility=SAID,
        markdown="\n\n".join(
            (
                MARKUP,
                BIDI,
                f"# {MARKUP}",
                f"> {MARKUP}",
                f"- {MARKUP}",
                f"|{'a' * 4000}|\n|-|\n|<svg onload=window.hit=1>|",
                *(f"[{link}]({link}) <{link}> ![x]({link})" for link in LINKS),
                "[a](javascript&colon;window.hit=1) [a](java&#115;cript:window.hit=1) [a]: javascript:window.hit=1",
                '```"><script>window.hit=1</script>\n</pre><script>window.hit=1</script>\n```',
                "> " * 300 + "deep",
                "<style>* { display: none }</style><link rel=stylesheet href=//evil.example>",
            )
        ),
    ),
    "section": Block("section", "constructor", SAID, HOSTILE, HOSTILE, blocks=(Block("text", spans=(TextSpan(STACKED * 20),)),)),
    "activityList": Block("activityList", accessibility=SAID, rows=(ROW, replace(ROW, children=(ROW, ROW)), ROW)),
    "progress": Block("progress", accessibility=SAID, label=HOSTILE, value=-3.5),
    "terminal": Block(
        "terminal",
        accessibility=SAID,
        lines=(*((TextSpan(HOSTILE, None, (), link),) for link in LINKS), (TextSpan("x" * 16_000),), (TextSpan(STACKED),)),
        caret=Caret(5, 15_000),
        columns=1_000_000,
    ),
    "code": Block("code", accessibility=SAID, language=HOSTILE, text=f"{HOSTILE}\n{'x' * 16_000}"),
    "spacer": Block("spacer", size="large; position: fixed"),  # type: ignore[arg-type] # of no contract
    "chart": Block("<img src=x onerror=window.hit=1>", accessibility=SAID, title=HOSTILE, label=HOSTILE, text=HOSTILE),
}


@pytest.fixture(scope="module")
def shows(browser: Browser) -> Iterator[Shows]:
    with serving() as served, served.shows(browser, PHONE) as shows:
        yield shows


def shown(shows: Shows, **told: Any) -> Show:
    return shows.show(State("hostile", in_session("working", **told)))


def contained(place: Locator) -> None:
    """Nothing of it is drawn outside of what bounds it, and it is not wider than the window."""
    assert place.evaluate("""(place) => {
      const {left, right} = place.getBoundingClientRect();
      return left >= 0 && right <= innerWidth && document.documentElement.scrollWidth <= innerWidth;
    }""")


@pytest.mark.parametrize("kind", BLOCKS)
def test_every_string_of_a_block_is_text(shows: Shows, kind: str) -> None:
    surface = widget("w", BLOCKS[kind], title="Open me", subtitle=HOSTILE, fallback=Fallback(lines=(HOSTILE,)))
    show = shown(shows, surfaces=(replace(surface, source=HOSTILE),))
    drawer = open_pill(show, "Open me")
    if kind == "markdown":
        expect(drawer.locator(".markdown blockquote").first).to_be_attached()
    if kind == "chart":
        press(show, drawer.get_by_role("button", name="Show as text"))
    only_text(show)
    contained(drawer)
    assert drawer.locator("a").count() == 0, "no link of these leads anywhere"
    if kind not in ("spacer", "markdown"):
        expect(drawer).to_contain_text("<img src=x onerror=window.hit=1>")
    press(show, drawer.get_by_role("button", name="Open full screen"))
    only_text(show)


@pytest.mark.parametrize("role", ["constructor", "danger x", "role-code"])
def test_names_of_looks_are_those_of_the_contract_or_none(shows: Shows, role: str) -> None:
    span = TextSpan("words", role, (role, "bold"))  # type: ignore[arg-type] # of no contract
    show = shown(shows, surfaces=(widget("w", Block("text", spans=(span,)), title="Open me"),))
    drawer = open_pill(show, "Open me")
    assert drawer.get_by_text("words").get_attribute("class") == "trait-bold"


def test_every_string_around_the_blocks_is_text(shows: Shows) -> None:
    native = NativeSurface(
        1, HOSTILE, "widget", Presentation("surfacePanel", HOSTILE, HOSTILE), (Block("divider"),), Fallback(HOSTILE, (HOSTILE,))
    )
    surface = Surface(HOSTILE, "aboveEditor", (HOSTILE,), native, HOSTILE, (wire.Truncation(HOSTILE, -1, 2**53 - 1),))
    region = Surface("header", "aboveEditor", (HOSTILE,), None, HOSTILE)
    show = shown(
        shows,
        surfaces=(surface, replace(surface, key="lines", placement="belowEditor", native_surface=None)),
        statuses=(wire.StatusEntry("__proto__", HOSTILE, HOSTILE), wire.StatusEntry("constructor", MARKUP)),
        header=region,
        footer=replace(region, key="footer", native_surface=native),
        row=WorkingRow(True, HOSTILE, Indicator((HOSTILE, MARKUP, STACKED), 1)),
        title=HOSTILE,
    )
    expect(show.page.locator(".working")).to_contain_text("<img src=x")
    for opener in show.page.locator(".panel-line, .pill-button").all():
        press(show, opener)
        only_text(show)
    for region_place in show.page.locator(".panel-region, .drawer, .working, .strip").all():
        contained(region_place)
    assert show.page.title() == "mirrord"
    show.page.get_by_role("button", name="About this session").tap()
    only_text(show)


def test_every_string_of_a_dialogs_view_is_text(shows: Shows) -> None:
    native = NativeSurface(1, HOSTILE, "widget", Presentation("surfacePanel", HOSTILE), (BLOCKS["terminal"], BLOCKS["chart"]))

    def bring(show: Show) -> None:
        prompt = asked(show, "custom", HOSTILE, source=HOSTILE, terminal_only=HOSTILE, cancellable=False)
        view = CustomView(prompt.id, True, True, (HOSTILE,), native, HOSTILE)
        serve(show, Told(session(show.daemon.now(), 1, "waiting"), (prompt,), views=(view,)))
        show.open(f"#session={prompt.session_id}")
        expect(show.page.locator("[data-method]")).to_be_visible()

    show = shows.show(State("hostile", bring))
    only_text(show)
    Card(show.page, "<img").open()
    only_text(show)
    contained(show.page.get_by_role("dialog"))


def test_a_text_that_is_handed_over_is_shown_with_marks_and_copied_whole(shows: Shows) -> None:
    show = shown(shows)
    show.tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
    text = f"{HOSTILE}\r\n\u001b[31mred\u0000\n"
    show.daemon.say(wire.ExtensionUINotification(session(0).session_id, "set_editor_text", handoff_id="h", text=text, source=HOSTILE))
    card = show.page.get_by_role("region", name="Text from")
    expect(card).to_contain_text("<img src=x onerror=window.hit=1>")
    expect(card).to_contain_text("␛[31mred")
    only_text(show)
    press(show, card.get_by_role("button", name="Copy"))
    expect(card.get_by_role("button", name="Copied")).to_be_visible()
    assert show.page.evaluate("navigator.clipboard.readText()") == text


def test_a_surface_at_its_limits_is_drawn_in_time(shows: Shows) -> None:
    lines = tuple((TextSpan("│ ", "muted"), TextSpan(f"{number} " + "word " * 40, "accent")) for number in range(160))
    rows = tuple(ActivityRow(f"{number}", f"Row {number}", "sub", "detail", "running", 0.5) for number in range(160))
    surface = widget(
        "w",
        Block("terminal", lines=lines, columns=220),
        Block("activityList", rows=rows),
        Block("markdown", markdown="*_`[" * 8_000),
        title="Open me",
    )
    show = shown(shows, surfaces=(surface,))
    drawer = open_pill(show, "Open me")
    expect(drawer.get_by_text("Row 159")).to_be_attached()
    only_text(show)
