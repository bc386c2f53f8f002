"""Promise: what Pi shows besides prompts is told on the bridge as the terminal shows it, on both generations, and so is its end."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from functools import partial
from typing import Final

import pytest

from bridge import messages as said
from bridge.limits import DRAWN_LINES, INDICATOR_MS_LEAST, KIB, LINE_BYTES, UPDATE_MS
from tests.e2e.recorded import Recorded, recorded
from tests.e2e.stage import EXTENSION, until
from tests.harness.pi import GENERATIONS, ROOT, PiKind, quit_pi

PATCHER: Final = ROOT / "tests" / "harness" / "patcher.ts"
COLUMNS: Final = 100
TICK_MS: Final = 10
TICKS: Final = 50
CLEAR: Final = b"\x15"
"""The key that empties the line. Two of the other one end Pi."""
QUIET: Final = 0.3
"""Longer than anything that is told may take, in seconds."""


# The id keeps all tests of a Pi on one worker.
@pytest.fixture(scope="module", params=[pytest.param(kind, id=f"{kind}+bridge") for kind in GENERATIONS])
def shared(request: pytest.FixtureRequest) -> Iterator[Recorded]:
    kind: PiKind = request.param
    with recorded(kind, extensions=[EXTENSION]) as stands:
        stands.recorder.wait(said.ResyncEnd)
        yield stands


@pytest.fixture
def here(shared: Recorded) -> Iterator[Recorded]:
    yield shared
    assert shared.recorder.broken == []
    shared.pi.settle(0.05)


def widget(here: Recorded, key: str, *, count: int = 1) -> said.Widget:
    """What was told of this widget, for the `count`-th time."""
    return here.recorder.wait(said.Widget, lambda told: told.key == key, count=count)


def of(here: Recorded, key: str) -> list[said.Widget]:
    return [told for told in here.recorder.all(said.Widget) if told.key == key]


def rest() -> None:
    threading.Event().wait(QUIET)


def test_the_extension_says_what_this_pi_can_show(here: Recorded) -> None:
    (hello,) = here.recorder.all(said.Hello)
    assert {
        *("widget", "widget:component", "widget:native", "region:header", "region:footer", "view:custom", "palette", "provenance"),
        *("working", "thinking-label", "tools-expanded", "editor-text", "notify", "status", "title"),
    } <= set(hello.capabilities)


def test_lines_are_told_and_cleared_in_both_placements(here: Recorded) -> None:
    here.run("t-widget", key="lines", lines=["one", "\x1b[31mtwo\x1b[0m"])
    assert widget(here, "lines").lines == ("one", "\x1b[31mtwo\x1b[0m")
    here.run("t-widget", key="lines", lines=["three"], placement="belowEditor")
    told = widget(here, "lines", count=2)
    assert (told.lines, told.placement, told.width, told.source) == (("three",), "belowEditor", None, "exerciser")
    here.run("t-widget", key="lines")
    assert widget(here, "lines", count=3).lines is None


def test_a_component_is_told_as_it_is_drawn_in_the_colours_of_the_palette(here: Recorded) -> None:
    link = "\x1b]8;;https://example.org/\x07docs\x1b]8;;\x07"
    native = {"version": 1, "blocks": [{"type": "text", "spans": [{"text": "one", "role": "accent"}]}]}
    here.run("t-widget", key="drawn", drawn=True, lines=["{accent}one{/}", "{error}two{/}", link], native=native)
    told = widget(here, "drawn")
    colours = here.recorder.all(said.Palette)[-1].tokens
    assert told.lines == (f"{colours['accent']}one\x1b[39m", f"{colours['error']}two\x1b[39m", link)
    assert (told.width, told.native, told.native_error) == (COLUMNS, native, None)
    here.pi.wait_for("docs")
    here.run("t-widget", key="drawn")
    assert widget(here, "drawn", count=2).lines is None


def test_another_theme_is_told_before_what_is_drawn_in_it(here: Recorded) -> None:
    here.run("t-widget", key="themed", drawn=True, lines=["{accent}one{/}"])
    before = widget(here, "themed")
    palettes = here.recorder.count(said.Palette)
    here.run("t-theme", name="light")
    light = here.recorder.wait(said.Palette, count=palettes + 1)
    after = widget(here, "themed", count=2)
    assert light.seq < after.seq
    assert after.lines == (f"{light.tokens['accent']}one\x1b[39m",) != before.lines
    here.run("t-theme", name="dark")
    assert widget(here, "themed", count=3).lines == before.lines
    here.run("t-widget", key="themed")


def test_a_hundred_ticks_a_second_are_at_most_twenty_and_the_last_one_comes(here: Recorded) -> None:
    start = time.monotonic()
    here.run("t-widget", key="ticks", drawn=True, lines=["clock"], every=TICK_MS, ticks=TICKS)
    here.recorder.wait(said.Widget, lambda told: told.key == "ticks" and told.lines == ("clock", f"tick {TICKS}"))
    passed = time.monotonic() - start
    assert 3 <= len(of(here, "ticks")) <= min(TICKS / 2, passed * 1000 / UPDATE_MS + 2)
    rest()
    assert of(here, "ticks")[-1].lines == ("clock", f"tick {TICKS}")
    here.run("t-widget", key="ticks")


def test_what_stays_as_it_is_is_told_once(here: Recorded) -> None:
    here.run("t-widget", key="still", drawn=True, lines=["still"], native={"version": 1})
    here.run("t-widget", key="moving", drawn=True, lines=[], every=TICK_MS, ticks=TICKS)
    here.recorder.wait(said.Widget, lambda told: told.key == "moving" and told.lines == (f"tick {TICKS}",))
    rest()
    assert len(of(here, "still")) == 1
    for key in ("still", "moving"):
        here.run("t-widget", key=key)


def test_what_takes_the_place_of_another_clears_nothing(here: Recorded) -> None:
    def is_place(line: str, told: said.Widget) -> bool:
        return (told.key, told.lines) == ("place", (line,))

    for line in ("first", "second"):
        here.run("t-widget", key="place", drawn=True, lines=[line])
        here.recorder.wait(said.Widget, partial(is_place, line))
    assert [told.lines for told in of(here, "place")] == [("first",), ("second",)]
    here.run("t-widget", key="place")


def test_many_and_long_lines_are_cut_and_it_is_said(here: Recorded) -> None:
    here.run("t-widget", key="many", drawn=True, lines={"count": 10_000, "of": "x"})
    told = widget(here, "many")
    assert told.lines == ("x",) * DRAWN_LINES
    assert told.truncated == (said.Truncation("lines", DRAWN_LINES, 10_000),)
    here.run("t-widget", key="many")
    # Without room on the screen, as nothing that is longer than the screen is wide may be drawn there.
    here.run("t-widget", key="long", drawn=True, lines={"count": 3, "of": "\x1b[0m", "times": 5 * KIB})
    told = widget(here, "long")
    assert told.lines is not None
    assert {len(line) for line in told.lines} == {LINE_BYTES}
    assert [cut.field for cut in told.truncated] == ["lines.0", "lines.1", "lines.2"]
    here.run("t-widget", key="long")


def test_a_component_that_fails_to_speak_is_told_with_its_lines_and_why(here: Recorded) -> None:
    here.run("t-widget", key="mute", drawn=True, lines=["here"], native="no data")
    told = widget(here, "mute")
    assert (told.lines, told.native) == (("here",), None)
    assert told.native_error == "renderNative() threw: Error: no data"
    here.run("t-widget", key="mute")


def test_components_that_cannot_be_changed_or_draw_a_text_field_stay_at_the_terminal(here: Recorded) -> None:
    here.run("t-widget", key="frozen", drawn=True, lines=["cannot be changed"], frozen=True)
    here.pi.wait_for("cannot be changed")
    here.run("t-widget", key="field", drawn=True, lines=["above it"], field="typed in here")
    here.pi.wait_for("typed in here")
    assert widget(here, "field").lines == ()
    assert of(here, "frozen") == []
    for key in ("frozen", "field"):
        here.run("t-widget", key=key)


def test_header_and_footer_are_told_and_that_pis_own_are_back(here: Recorded) -> None:
    for name in ("header", "footer"):

        def is_region(told: said.Region, name: str = name) -> bool:
            return told.name == name

        here.run(f"t-{name}", lines=[f"{name} of an extension"], counts=True)
        told = here.recorder.wait(said.Region, is_region)
        assert told.lines is not None
        assert (told.lines[0], told.width, told.source) == (f"{name} of an extension", COLUMNS, "exerciser")
        here.run(f"t-{name}")
        here.recorder.wait(said.Region, lambda told: is_region(told) and told.lines is None)
        here.pi.wait_gone(f"{name} of an extension")


@pytest.mark.parametrize("overlay", [False, True], ids=["inline", "overlay"])
def test_a_custom_dialog_is_told_while_it_is_open(here: Recorded, overlay: bool) -> None:
    name = f"view {overlay}"
    here.run("t-view", id=name, lines=[name], overlay=overlay, later=20)
    here.pi.wait_for(name)
    view = here.recorder.wait(said.View, lambda view: view.lines[:1] == (name,))
    (opened,) = [told.prompt for told in here.recorder.all(said.PromptOpened) if told.prompt.id == view.id]
    assert (opened.method, view.overlay, view.typing, view.source) == ("custom", overlay, False, "exerciser")
    here.pi.keys("enter")
    assert here.log.result("t-view", name).value == "done"
    settled = here.recorder.wait(said.PromptSettled, lambda told: told.id == view.id)
    rest()
    assert [told.seq for told in here.recorder.all(said.View) if told.id == view.id and told.seq > settled.seq] == []


def test_a_dialog_in_which_somebody_types_is_private_from_its_first_frame(here: Recorded) -> None:
    here.run("t-view", id="field", lines=["Say it"], field="draft")
    view = here.recorder.wait(said.View, lambda view: view.lines[:1] == ("Say it",))
    assert view.typing
    here.pi.send("secret")
    typed = here.recorder.wait(said.View, lambda told: told.id == view.id and any("secret" in line for line in told.lines))
    assert typed.typing
    assert "secret" not in repr(typed)
    here.pi.keys("escape")
    here.log.result("t-view", "field")


def test_letters_that_a_dialog_draws_itself_are_private(here: Recorded) -> None:
    here.run("t-view", id="letters", lines=["WASD"], counts=True)
    view = here.recorder.wait(said.View, lambda view: view.lines[:1] == ("WASD",))
    assert not view.typing
    here.pi.send("w")
    here.recorder.wait(said.View, lambda told: told.id == view.id and told.typing)
    here.pi.keys("escape")
    here.log.result("t-view", "letters")


def test_the_last_frame_of_a_dialog_that_closes_at_once_comes_before_its_end(here: Recorded) -> None:
    here.run("t-view", id="brief", lines=["brief"], closeAfter=25)
    assert here.log.result("t-view", "brief").value == "closed"
    view = here.recorder.wait(said.View, lambda view: view.lines[:1] == ("brief",))
    settled = here.recorder.wait(said.PromptSettled, lambda told: told.id == view.id)
    assert view.seq < settled.seq


def test_the_working_row_the_label_and_the_switch_are_told_and_pis_own_again(here: Recorded) -> None:
    here.run("t-working", message="Checking files", visible=False, frames=["a", "b"], intervalMs=1)
    here.recorder.wait(said.WorkingRow, lambda row: (row.message, row.visible, row.frames) == ("Checking files", False, ("a", "b")))
    assert here.recorder.all(said.WorkingRow)[-1].interval_ms == INDICATOR_MS_LEAST
    here.run("t-label", text="Pondering")
    here.recorder.wait(said.ThinkingLabel, lambda told: told.label == "Pondering")
    here.run("t-tools", expanded=True)
    here.recorder.wait(said.ToolsExpanded, lambda told: told.expanded)
    here.run("t-tools", expanded=False)
    here.run("t-label")
    here.run("t-working", visible=True, frames=None, message=None)
    until(lambda: here.recorder.all(said.ThinkingLabel)[-1].label is None, 5, "the label is not Pi's own again")
    until(lambda: not here.recorder.all(said.ToolsExpanded)[-1].expanded, 5, "the switch is not told")
    own = (None, True, None, None)
    row = here.recorder.wait(said.WorkingRow, lambda row: (row.message, row.visible, row.frames, row.interval_ms) == own)
    assert row is here.recorder.all(said.WorkingRow)[-1]


def test_texts_for_the_editor_are_told_once_each(here: Recorded) -> None:
    had = here.recorder.count(said.EditorText)
    here.run("t-text", text="Continue with tulips")
    first = here.recorder.wait(said.EditorText, count=had + 1)
    # Pi draws it with the next key.
    here.pi.send(".")
    here.pi.wait_for("Continue with tulips.")
    assert (first.text, first.paste, first.source) == ("Continue with tulips", False, "exerciser")
    here.pi.send(CLEAR)
    here.pi.wait_gone("Continue with tulips.")
    here.run("t-text", text="pasted", paste=True)
    second = here.recorder.wait(said.EditorText, count=had + 2)
    assert (second.text, second.paste) == ("pasted", True)
    here.pi.send(".")
    here.pi.wait_for("pasted.")
    here.pi.send(CLEAR)
    here.pi.wait_gone("pasted.")


def test_a_flood_is_a_trickle_with_the_last_of_everything(here: Recorded) -> None:
    heard = len(here.recorder.heard())
    here.run("t-flood", id="flood", notify=2_000, status=1_000, widget=500, ms=1_000)
    here.log.result("t-flood", "flood")
    # It is told last, when none waits any more.
    here.recorder.wait(said.Notice, lambda told: told.code == "dropped")
    new = [told.message for told in here.recorder.heard()[heard:]]
    statuses = [told for told in new if isinstance(told, said.Status)]
    widgets = [told for told in new if isinstance(told, said.Widget)]
    notices = [told for told in new if isinstance(told, said.Notification | said.Notice)]
    assert (statuses[-1].text, widgets[-1].lines) == ("status 999", ("widget 499",))
    assert len(statuses) <= 30
    assert len(widgets) <= 30
    assert (
        len([told for told in notices if isinstance(told, said.Notification)])
        + sum(told.count or 0 for told in notices if isinstance(told, said.Notice) and told.code == "dropped")
        == 2_000
    )
    here.run("t-widget", key="flood")
    here.run("t-status", key="flood")


def test_what_is_shown_while_no_daemon_listens_is_told_to_the_next_one_and_what_was_cleared_is_not(here: Recorded) -> None:
    here.run("t-widget", key="stays", drawn=True, lines=["stays"])
    here.run("t-widget", key="goes", lines=["goes"])
    widget(here, "stays"), widget(here, "goes")
    begun = here.recorder.count(said.ResyncBegin)
    with here.recorder.refusing():
        here.run("t-widget", key="goes")
        here.run("t-widget", key="meanwhile", drawn=True, lines=["meanwhile"])
        here.pi.wait_for("meanwhile")
    here.recorder.wait(said.ResyncEnd, count=begun + 1)
    messages = [told.message for told in here.recorder.heard()]
    last = max(at for at, message in enumerate(messages) if isinstance(message, said.ResyncBegin))
    keys = {message.key: message.lines for message in messages[last:] if isinstance(message, said.Widget)}
    assert {key: keys.get(key) for key in ("stays", "goes", "meanwhile")} == {
        "stays": ("stays",),
        "goes": None,
        "meanwhile": ("meanwhile",),
    }
    assert "goes" not in keys
    for key in ("stays", "meanwhile"):
        here.run("t-widget", key=key)


def test_a_reload_ends_what_was_shown_without_clearing_it_on_the_wire(here: Recorded) -> None:
    here.run("t-widget", key="old", drawn=True, lines=["old"])
    here.run("t-footer", lines=["old footer"])
    here.run("t-working", message="old")
    here.recorder.wait(said.Region, lambda told: told.lines == ("old footer",))
    here.recorder.wait(said.WorkingRow, lambda told: told.message == "old")
    heard, begun = len(here.recorder.heard()), here.recorder.count(said.ResyncBegin)
    here.reload()
    here.recorder.wait(said.ResyncEnd, count=begun + 1)
    here.pi.wait_gone("old footer")
    rest()
    new = [told.message for told in here.recorder.heard()[heard:]]
    assert [told for told in new if isinstance(told, said.Widget | said.Region | said.WorkingRow)] == []
    here.run("t-widget", key="new", drawn=True, lines=["new"])
    assert widget(here, "new").lines == ("new",)
    here.run("t-widget", key="new")


@pytest.mark.parametrize("kind", GENERATIONS, ids=str)
@pytest.mark.parametrize("first", [True, False], ids=["before", "after"])
def test_beside_another_extension_that_patches_ctx_ui_everything_is_told_once(kind: PiKind, first: bool) -> None:
    with recorded(kind, extensions=[EXTENSION, PATCHER] if first else [PATCHER, EXTENSION]) as here:
        here.recorder.wait(said.ResyncEnd)
        here.run("t-widget", key="drawn", drawn=True, lines=["drawn"])
        assert widget(here, "drawn").lines == ("drawn",)
        here.run("t-footer", lines=["a footer"])
        here.recorder.wait(said.Region)
        here.run("t-view", id="view", lines=["a view"])
        here.recorder.wait(said.View)
        here.pi.keys("enter")
        assert here.log.result("t-view", "view").value == "done"
        here.run("t-status", key="job", text="building")
        here.recorder.wait(said.Status, lambda told: told.text == "building")
        rest()
        counts = [here.recorder.count(kind) for kind in (said.Widget, said.Region, said.View, said.PromptOpened, said.PromptSettled)]
        assert counts == [1, 1, 1, 1, 1]
        assert quit_pi(here.pi) == 0
