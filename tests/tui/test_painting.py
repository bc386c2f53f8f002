"""Promise: colours follow roles, words of others are text and never markup or control characters, and a title fits its row."""

from __future__ import annotations

from msgspec.structs import replace
from textual.content import Content

from mirrord.attach.surfaces import Board
from mirrord.tui.painting import card, hint, look_of, session_row, stream_card, surfaces
from mirrord.wire.surfaces import Block, NativeSurface, Presentation, Strips, Surface, TextSpan
from sanitize.width import text_width
from tests.cli.attached import snapshot
from tests.cli.prompts import at_the_terminal, select, session


def board(*blocks: Block) -> Board:
    made = Board()
    native = NativeSurface(1, "widget:jobs", "widget", Presentation("surfacePanel", "Jobs"), blocks)
    widget = Surface("jobs", "aboveEditor", ("plain",), native)
    made.replace(replace(snapshot(), surfaces=(widget,), strips=Strips()))
    return made


def styles(content: Content) -> dict[str, str]:
    return {content.plain[span.start : span.end]: str(span.style) for span in content.spans if str(span.style)}


def test_spans_keep_their_roles_and_traits() -> None:
    line = (TextSpan("ok ", "success"), TextSpan("bad", "danger", ("bold",)), TextSpan(" rest"))
    painted = surfaces(board(Block("terminal", lines=(line,))))
    assert "  ok bad rest" in painted.plain
    assert styles(painted)["ok "] == "$text-success"
    assert styles(painted)["bad"] == "$text-error bold"


def test_other_blocks_are_written_as_attach_writes_them() -> None:
    painted = surfaces(board(Block("progress", label="Watering", value=0.5)))
    assert "Watering [##########----------] 50 %" in painted.plain


def test_markup_and_control_characters_of_others_stay_or_go() -> None:
    painted = surfaces(board(Block("text", spans=(TextSpan("[red]x[/]\x1b[2J\u202e"),))))
    assert "  [red]x[/]" in painted.plain
    assert "\x1b" not in painted.plain
    assert "\u202e" not in painted.plain
    assert card(select(options=("[b]a\x1b[2Jb",))).plain.count("\x1b") == 0


def test_nothing_shown_is_said() -> None:
    assert surfaces(Board()).plain == "No extension shows anything."


def test_what_can_be_typed_is_said_for_each_state_of_a_prompt() -> None:
    assert hint(select(), True, False).plain == "Type a number or an option's text; /cancel cancels."
    assert "has not ruled yet" in hint(select(), True, True).plain
    assert hint(select(), False, False).plain == "Only to look at here."
    assert hint(at_the_terminal(), True, False).plain == "This can only be answered at the terminal."
    assert hint(replace(at_the_terminal(), cancellable=True), True, False).plain == "/cancel cancels it."
    assert "use it at the terminal" in card(at_the_terminal()).plain
    assert list(stream_card(select(), True)) == ["? Which fruit?"]


def test_a_session_takes_two_rows_of_its_list_however_long_its_title_is() -> None:
    row = session_row(replace(session(name="東京の庭の計画と肥料と水やり"), open_prompts=2), True, 23)
    lines = row.plain.split("\n")
    assert len(lines) == 2
    assert all(text_width(line) <= 23 for line in lines)
    assert lines[1] == "  idle (2)"


def test_lines_of_the_stream_look_as_they_begin() -> None:
    assert [look_of(line) for line in ("? Which", "= done", "- error: x", "- note", "Pi: hello", "    ! failed")] == [
        "warning",
        "success",
        "error",
        "quiet",
        "plain",
        "error",
    ]
