"""Promise: a menu of Pi's own is known on both generations, in both modes, at each size, and nothing else is taken for one."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridge.screen.messages import MENUS
from bridge.screen.page import Page, at_editor
from bridge.screen.states import recognise
from tests.bridge.screen.recorded import OTHERS, SCREENS, frames, sidecar

BORDER = "─" * 60
MODEL = [
    BORDER,
    "",
    "Only showing models from configured providers. Use /login to",
    "add providers.",
    "",
    ">",
    "",
    "→ one [here]",
    "",
    BORDER,
]
IDLE = [BORDER, "", BORDER]
FOOTER = ["~/work", "0.0%/128k (auto)                                  scripted-1"]


def page(texts: list[str], cursor: tuple[int, int] = (0, 0), rows: int = 20) -> Page:
    return Page(tuple(texts), 60, rows, cursor)


def menu(texts: list[str], cursor: tuple[int, int] = (0, 0), rows: int = 20) -> str | None:
    found = recognise(page(texts, cursor, rows))
    return None if found is None else found.menu


@pytest.mark.parametrize("file", SCREENS, ids=lambda file: file.stem)
def test_each_mark_of_a_recording_is_in_the_state_it_says(file: Path) -> None:
    states = {}
    for shot in frames(file, every=10**9):
        found = recognise(shot.page)
        states[shot.label] = "none" if found is None else found.menu
    said = {label: label.partition(":")[0] for label in states}
    if file.stem.startswith("small"):
        # Five rows do not always show which menu it is; it is never another.
        said = {label: state if states[label] == state else "none" for label, state in said.items()}
    assert states == said


def test_every_menu_is_recorded_in_both_generations_where_both_have_it() -> None:
    shown = {(sidecar(file).pi, mark.label.partition(":")[0]) for file in SCREENS for mark in sidecar(file).marks}
    newer_only = {"thinking", "trust"}
    assert {("1.6.0", menu) for menu in MENUS} <= shown
    assert {("0.73.1", menu) for menu in MENUS if menu not in newer_only} <= shown


@pytest.mark.parametrize("file", OTHERS, ids=lambda file: file.stem)
def test_no_frame_of_a_pi_that_works_idles_or_asks_for_an_extension_is_a_menu(file: Path) -> None:
    assert {recognise(shot.page) for shot in frames(file, every=3)} == {None}


def test_a_menu_needs_its_place() -> None:
    assert menu([*MODEL, *FOOTER], (5, 2)) == "model"
    assert menu([*MODEL, *IDLE, *FOOTER], (11, 0)) is None
    assert menu([*MODEL, *["a row of something else"] * 15], (5, 2), 40) is None


def test_a_menu_begins_with_an_empty_row() -> None:
    assert menu([BORDER, "words of an extension", *MODEL[2:], *FOOTER], (5, 2)) is None
    assert menu([BORDER, *MODEL[2:], *FOOTER], (4, 2)) is None


def test_a_menu_with_a_field_needs_the_cursor_there() -> None:
    assert menu([*MODEL, *FOOTER], (7, 2)) is None
    assert menu([*MODEL, *FOOTER], (15, 0)) is None


def test_a_conversation_that_quotes_a_menu_is_none() -> None:
    assert menu([*(f" {text}" for text in MODEL), "", *IDLE, *FOOTER], (12, 0)) is None


def test_a_select_of_an_extension_with_the_words_of_a_menu_is_none() -> None:
    hint = " ↑↓ navigate  enter select  escape/ctrl+c cancel"
    for title in ("Login to the production server?", "Project trust", "Session Tree", "Model Configuration", "Resume Session"):
        assert menu([BORDER, "", f" {title}", "", " → yes", "   no", "", hint, "", BORDER, *FOOTER]) is None


def test_a_screen_without_borders_and_an_empty_one_are_none() -> None:
    assert menu([]) is None
    assert menu(["text", "> "], (1, 2)) is None
    assert at_editor(page(["text"])) == ()


def test_a_border_with_words_in_it_is_the_editors() -> None:
    assert menu(["── ⠼ Working " + "─" * 47, *MODEL[1:], *FOOTER], (5, 2)) == "model"
    assert menu([*MODEL[:-1], "─── ↓ 3 more " + "─" * 47, *FOOTER], (5, 2)) is None
