"""Promise: what Pi shows besides prompts arrives clean, with the roles of its theme's colours, its links and its caret."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bridge import messages as said
from bridge.limits import PALETTE_TOKENS
from mirrord.core import shown
from mirrord.core.model import Drawing, LinkId, Moment
from mirrord.intake.shown import Display
from mirrord.wire.surfaces import Caret, Indicator, TextSpan, WorkingRow
from tests.intake.surfaces import ROOT, native

AT = Moment(1, 1.0)
LINK = LinkId(4)
DIRTY = "a\x1b[31mb\u202e\x07"
PALETTES = ROOT / "fixtures" / "sanitize" / "palettes"
ROLES = {"accent": "accent", "success": "success", "error": "danger", "warning": "warning", "muted": "muted"}


def event(message: Any, display: Display | None = None) -> Any:
    """What one message means."""
    return (display or Display(LINK)).event(message, AT)


def widget(*lines: str, width: int | None = 80, **more: Any) -> said.Widget:
    return said.Widget(seq=1, key="jobs", placement="aboveEditor", lines=lines, width=width, **more)


def spans(drawing: Drawing | None) -> list[list[TextSpan]]:
    """The lines of the one terminal block."""
    assert drawing is not None
    (block,) = drawing.native.blocks
    assert block.lines is not None
    return [list(line) for line in block.lines]


def test_why_a_widget_is_not_native_is_a_clean_sentence_for_its_author_and_nothing_once_it_is_cleared() -> None:
    found = event(
        said.Widget(seq=1, key="jo\x1b[1mbs", placement="aboveEditor", lines=("x",), width=9, native_error=f"threw: {DIRTY}\nat 9")
    )
    assert found.why == "The widget jobs is shown as the terminal draws it: threw: ab at 9"
    assert event(widget("x", native_error="y" * 10_000)).why.endswith("y…")
    assert event(widget("x")).why is None
    assert event(said.Widget(seq=1, key="jobs", placement="aboveEditor", lines=None, width=None, native_error="x")).why is None


@pytest.mark.parametrize(
    ("message", "kind", "fields"),
    [
        (said.Notification(seq=1, message=DIRTY, source=DIRTY), shown.Notified, {"message": "ab", "level": None, "source": "ab"}),
        (said.Status(seq=1, key=DIRTY, text=DIRTY, source="p"), shown.StatusSet, {"key": "ab", "text": "ab", "source": "p"}),
        (said.Status(seq=1, key="k", text="x" * 161), shown.StatusSet, {"text": "x" * 159 + "…"}),
        (said.Title(seq=1, title=DIRTY, source="p"), shown.TitleSet, {"title": "ab", "source": "p"}),
        (said.ThinkingLabel(seq=1, label=DIRTY), shown.ThinkingLabelSet, {"label": "ab"}),
        (said.ThinkingLabel(seq=1, label=None), shown.ThinkingLabelSet, {"label": None}),
        (said.ToolsExpanded(seq=1, expanded=True), shown.ToolsExpandedSet, {"expanded": True}),
        (said.Region(seq=1, name="header", lines=None, width=None), shown.RegionSet, {"name": "header", "drawing": None}),
        (said.Region(seq=1, name="footer", lines=("", " "), width=9), shown.RegionSet, {"name": "footer", "drawing": None}),
    ],
)
def test_a_message_means_one_event(message: Any, kind: type[shown.Shown], fields: dict[str, object]) -> None:
    found = event(message)
    assert isinstance(found, kind)
    assert (found.at, found.link) == (AT, LINK)
    assert {name: getattr(found, name) for name in fields} == fields


@pytest.mark.parametrize(
    ("row", "clean"),
    [
        ((None, True, None, None), WorkingRow(True)),
        ((DIRTY, False, None, None), WorkingRow(False, "ab")),
        (("x" * 161, True, None, None), WorkingRow(True, "x" * 159 + "…")),
        ((None, True, (), None), WorkingRow(True, None, Indicator(()))),
        ((None, True, (), 120), WorkingRow(True, None, Indicator(()))),
        ((None, True, ("\x1b[31m·", "•"), 120), WorkingRow(True, None, Indicator(("·", "•"), 120))),
        ((None, True, ("·",), 1), WorkingRow(True, None, Indicator(("·",), 80))),
        ((None, True, ("·",), 10**9), WorkingRow(True, None, Indicator(("·",), 60_000))),
        ((None, True, ("·",) * 25, None), WorkingRow(True, None, Indicator(("·",) * 24))),
        ((None, True, ("x" * 16, "x" * 17), None), WorkingRow(True, None, Indicator(("x" * 16, "x" * 15 + "…")))),
        ((None, True, ("", "·"), None), WorkingRow(True, None, Indicator(("", "·")))),
        ((None, True, ("\ue0b0", "\ue0b1"), 120), WorkingRow(True)),
    ],
)
def test_a_working_row_is_short_slow_enough_and_seen_in_any_font(row: tuple[Any, ...], clean: WorkingRow) -> None:
    message, visible, frames, interval = row
    assert event(said.WorkingRow(seq=1, message=message, visible=visible, frames=frames, interval_ms=interval)).row == clean


@pytest.mark.parametrize("palette", sorted(path.stem for path in PALETTES.glob("pi-*.json") if "system" not in path.stem))
def test_colours_mean_what_the_theme_says_in_both_themes_and_both_depths(palette: str) -> None:
    tokens: dict[str, str] = json.loads((PALETTES / f"{palette}.json").read_text())
    display = Display(LINK)
    assert event(said.Palette(seq=1, tokens=tokens), display) is None
    line = "".join(f"{tokens[token]}{token} \x1b]8;;https://a.example/{token}\x07link\x1b]8;;\x07\x1b[39m " for token in ROLES)
    (drawn,) = spans(event(widget(line), display).drawing)
    assert {span.link.rpartition("/")[2]: span.role for span in drawn if span.link} == ROLES


def test_a_new_theme_counts_for_what_is_drawn_after_it() -> None:
    display = Display(LINK)
    colour = "\x1b[38;2;1;2;3m"
    for token, role in (("error", "danger"), ("success", "success")):
        event(said.Palette(seq=1, tokens={token: colour}), display)
        assert spans(event(widget(f"{colour}x"), display).drawing) == [[TextSpan("x", role)]]  # type: ignore[arg-type]


def test_colours_of_a_theme_past_as_many_as_themes_may_have_are_not_known() -> None:
    display = Display(LINK)
    others = {f"token {number}": "" for number in range(PALETTE_TOKENS - 1)}
    tokens = {"success": "\x1b[38;2;1;2;3m"} | others | {"error": "\x1b[38;2;4;5;6m"}
    event(said.Palette(seq=1, tokens=tokens), display)
    (line,) = spans(event(widget(f"{tokens['success']}a{tokens['error']}b"), display).drawing)
    assert line[0] == TextSpan("a", "success")
    assert line[1].role != "danger"


def test_without_a_palette_colours_mean_what_they_mean_by_convention() -> None:
    assert spans(event(widget("\x1b[32mok\x1b[0m plain")).drawing) == [[TextSpan("ok", "success"), TextSpan(" plain")]]


def test_a_caret_and_the_width_are_kept_and_a_list_of_strings_has_no_width() -> None:
    (block,) = event(widget("> abc", "> d\x1b_pi:c\x07ef")).drawing.native.blocks
    assert (block.caret, block.columns) == (Caret(1, 3), 80)
    (block,) = event(widget("plain", width=None)).drawing.native.blocks
    assert (block.caret, block.columns) == (None, None)


def test_a_widget_is_cleared_by_nothing_and_by_blanks_but_not_when_it_gave_blocks() -> None:
    for lines in (None, (), ("", "   "), ("\x1b[31m",)):
        message = said.Widget(seq=1, key="jobs", placement="belowEditor", lines=lines, width=80)
        found = event(message)
        assert (found.key, found.placement, found.drawing) == ("jobs", "belowEditor", None)
    assert event(widget(native=native({"type": "divider"}))).drawing.lines == ("Jobs",)


def test_the_id_comes_from_the_clean_key_whatever_the_author_wrote() -> None:
    message = said.Widget(
        seq=1, key="jo\x1b[1mbs\n!", placement="aboveEditor", lines=("x",), width=1, native=native({"type": "divider"}, id="\x1bmine")
    )
    assert (event(message).key, event(message).drawing.native.id) == ("jobs !", "widget:jobs !")


def test_header_footer_and_views_are_one_terminal_block_with_ids_of_their_own() -> None:
    header = event(said.Region(seq=1, name="header", lines=("Garden",), width=80, source="planner")).drawing
    assert (header.native.id, header.native.presentation.title, header.source) == ("region:header", "header", "planner")
    view = event(said.View(seq=1, id="p1", lines=("score",), width=80, overlay=True, typing=False))
    assert (view.prompt, view.drawing.native.id, view.overlay, view.typing) == ("p1", "view:p1", True, False)
    empty = event(said.View(seq=1, id="p1", lines=(), width=80, overlay=False, typing=True))
    assert (empty.drawing.lines, empty.drawing.native.blocks) == ((), ())


def test_who_cannot_see_hears_what_was_drawn_and_not_how() -> None:
    lines = ("╭──────╮", "│ Jobs │", "├──────┤", "█████░░░░░", "", "⠋", "⠋ building", "⠋ building", "╰──────╯")
    (block,) = event(widget(*lines)).drawing.native.blocks
    assert block.accessibility is not None
    assert block.accessibility.label == "Jobs; progress bar, 50 %; ⠋ building"
    (rule,) = event(widget("──────")).drawing.native.blocks
    assert rule.accessibility is None


def test_a_handed_text_is_content_and_comes_whole_also_in_pieces() -> None:
    whole = "\x1b[31m\u202edirty\r\n\ttext\x00"
    found = event(said.EditorText(seq=1, id="h1", paste=True, text=whole, source=DIRTY))
    assert (found.handoff.id, found.handoff.text, found.handoff.paste, found.handoff.source) == ("h1", whole, True, "ab")
    display = Display(LINK)
    for part, piece in enumerate(("one ", "two")):
        assert event(said.EditorTextPart(seq=1, id="h2", part=part, parts=2, text=piece), display) is None
    assert event(said.EditorText(seq=1, id="h2", paste=False, parts=2), display).handoff.text == "one two"


def test_a_handed_text_whose_pieces_are_lost_is_not_told() -> None:
    display = Display(LINK)
    event(said.EditorTextPart(seq=1, id="h2", part=1, parts=2, text="two"), display)
    assert event(said.EditorText(seq=1, id="h2", paste=False, parts=2), display) is None
    assert event(said.EditorText(seq=1, id="h3", paste=False), display) is None


def test_what_may_be_typed_is_in_no_repr() -> None:
    view = event(said.View(seq=1, id="p1", lines=("hunter2",), width=80, overlay=False, typing=True))
    handed = event(said.EditorText(seq=1, id="h", paste=False, text="hunter2"))
    assert "hunter2" not in repr((view, handed))
