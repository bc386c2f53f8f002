"""Promise: what is typed leaves in no row, wherever it is typed; where that cannot be told nothing leaves at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.screen.blank import leaving
from bridge.screen.page import Page
from bridge.screen.states import recognise
from sanitize.spans import EMPTY, Line, Span
from tests.bridge.screen.recorded import OTHERS, SCREENS, Shot, frames, sidecar
from tests.bridge.screen.scenes import SECRET

COLUMNS = 40
BORDER = "─" * COLUMNS
FOOTER = ["~/work", "0.0%/128k (auto)"]
CHAT = [" hello", "", " Echo: hello", ""]


def left(shot: Shot) -> str | list[str]:
    """Texts of the rows that leave, or why none does."""
    return texts_of(shot.page, shot.terminal.lines())


def texts_of(page: Page, lines: list[Line]) -> str | list[str]:
    kept = leaving(page, lines, recognise(page))
    return kept if isinstance(kept, str) else [line.text for line in kept]


def leaves(texts: list[str], cursor: tuple[int, int], rows: int = 24) -> str | list[str]:
    lines = [Line((Span(text, "primary"),)) if text else EMPTY for text in texts]
    return texts_of(Page(tuple(texts), COLUMNS, rows, cursor), lines)


@pytest.mark.parametrize("file", SCREENS, ids=lambda file: file.stem)
def test_what_was_typed_is_in_no_frame_of_a_recording(file: Path) -> None:
    typed = set()
    for shot in frames(file):
        if any(SECRET in text for text in shot.page.texts):
            typed.add(shot.label)
            assert SECRET not in "".join(left(shot)), (shot.label, shot.page.texts)
    assert {label for label in typed if label} >= {mark.label for mark in sidecar(file).marks if mark.label.endswith("typed")} - LATER


LATER = {"login:key-typed", "settings:typed", "model:typed", "none:custom-typed", "none:editor-typed", "none:input-typed", "login:typed"}
"""Marks of the smallest terminals at which what was typed is beyond the screen."""


@pytest.mark.parametrize("file", SCREENS, ids=lambda file: file.stem)
def test_nothing_leaves_while_somebody_logs_in(file: Path) -> None:
    for shot in frames(file, every=10**9):
        if shot.label.startswith("login"):
            assert left(shot) in ("login", "unknown"), shot.label


@pytest.mark.parametrize("file", OTHERS, ids=lambda file: file.stem)
def test_an_idle_pi_and_what_it_said_are_shown(file: Path) -> None:
    (shown,) = (left(shot) for shot in frames(file, every=10**9) if shot.label == "startup-done")
    assert any("Pi can explain its own features" in text for text in shown)


def test_the_editor_is_blanked_and_the_rest_is_shown() -> None:
    typed = ["my secret plan", "in two rows"]
    assert leaves([*CHAT, BORDER, *typed, BORDER, *FOOTER], (6, 3)) == [*CHAT, BORDER, "", "", BORDER, *FOOTER]


@pytest.mark.parametrize("top", ["── ⠼ Working " + "─" * 27, "─── ↑ 2 more " + "─" * 27])
@pytest.mark.parametrize("bottom", [BORDER, "─── ↓ 12 more " + "─" * 26])
def test_borders_with_words_in_them_are_the_editors(top: str, bottom: str) -> None:
    assert leaves([*CHAT, top, "secret", bottom, *FOOTER], (5, 3)) == [*CHAT, top, "", bottom, *FOOTER]


def test_completions_of_what_is_typed_are_blanked() -> None:
    for offered in (["→ model  Select model", "  scoped-models"], ["  No matching commands"]):
        assert leaves([*CHAT, BORDER, "/mod", BORDER, *offered, *FOOTER], (5, 3)) == [*CHAT, BORDER, "", BORDER]


def test_an_editor_without_its_cursor_hides_everything() -> None:
    for row in (0, 4, 6, 7, 8):
        assert leaves([*CHAT, BORDER, "secret", BORDER, *FOOTER], (row, 3)) == "unknown"


def test_an_editor_whose_border_is_beyond_the_screen_hides_everything() -> None:
    assert leaves(["secret", "secret", BORDER, *FOOTER], (1, 3), 5) == "unknown"
    assert leaves([*CHAT, BORDER, "secret"], (5, 3), 6) == "unknown"


def test_an_editor_that_is_too_high_for_one_hides_everything() -> None:
    assert leaves([BORDER, *["text"] * 8, BORDER, *FOOTER], (5, 0)) == "unknown"


def test_an_input_and_an_editor_dialog_are_blanked_whole() -> None:
    asked = ["", " Your name", "", "> secret", "", " enter submit  escape/ctrl+c cancel", ""]
    assert leaves([*CHAT, BORDER, *asked, BORDER, *FOOTER], (8, 8)) == [*CHAT, BORDER, *[""] * 7, BORDER, *FOOTER]
    edited = ["", " The plan", "", BORDER, "secret", BORDER, "", " enter submit  shift+enter newline", " escape/ctrl+c cancel", ""]
    assert leaves([*CHAT, BORDER, *edited, BORDER, *FOOTER], (9, 6)) == [*CHAT, BORDER, *[""] * 10, BORDER, *FOOTER]


def test_a_form_of_several_bordered_fields_hides_everything() -> None:
    assert leaves([BORDER, "secret", BORDER, "more", BORDER, *FOOTER], (1, 3)) == "unknown"


def test_a_choice_is_shown() -> None:
    asked = [BORDER, "", " Which?", "", " → this", "   that", "", " ↑↓ navigate  enter select  escape/ctrl+c cancel", "", BORDER]
    assert leaves([*CHAT, *asked, *FOOTER], (20, 0)) == [*CHAT, *asked, *FOOTER]
    assert leaves([*CHAT, *asked, *FOOTER], (13, 40)) == [*CHAT, *asked, *FOOTER]


def test_what_is_looked_for_in_the_conversation_is_blanked_over_everything() -> None:
    box = [" hello      ┌──────────────┐", "            │ secret   1/3 │", "            └─ ↑ a · ↓ b ──┘", ""]
    empty = [box[0], "", *box[2:]]
    editor = [BORDER, "", BORDER, *FOOTER]
    assert leaves([*box, *editor], (5, 0)) == [*empty, *editor]
    assert leaves([*box, *editor], (1, 14)) == "unknown"
    asked = [BORDER, "", " Which?", "", " → this", "", " ↑↓ navigate  enter select  escape/ctrl+c cancel", "", BORDER]
    assert leaves([*box, *asked, *FOOTER], (20, 0)) == [*empty, *asked, *FOOTER]
    assert leaves(["typed somewhere", "", *asked, *FOOTER], (0, 4)) == ["", "", *asked, *FOOTER]


_rows = st.one_of(st.just(BORDER), st.just(""), st.text("ab ─>→", max_size=COLUMNS).map(str.rstrip))


@given(st.lists(_rows, max_size=14), st.tuples(st.integers(0, 15), st.integers(0, COLUMNS)))
def test_the_row_of_the_cursor_never_leaves_unless_nothing_can_be_typed(texts: list[str], cursor: tuple[int, int]) -> None:
    texts = ["x" * 3 if row == cursor[0] else text for row, text in enumerate(texts)]
    kept = leaves(texts, cursor)
    assert isinstance(kept, str) or cursor[0] >= len(kept) or kept[cursor[0]] == ""
