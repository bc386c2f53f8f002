"""Promise: text that grows is given line by line, each once and final, and all of it whatever the pieces it came in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mirrord.attach.flowing import LONGEST, lines_from
from sanitize.width import text_width


@pytest.mark.parametrize(
    ("text", "ended", "lines", "rest"),
    [
        ("one\ntwo", False, ["one"], "two"),
        ("one\ntwo", True, ["one", "two"], ""),
        ("\n\none", True, ["one"], ""),
        ("one\n\n", False, ["one"], "\n"),
        ("one\n\n", True, ["one"], ""),
        ("one\n\ntwo", True, ["one", "", "two"], ""),
        ("", True, [], ""),
        ("four words are here", False, ["four words"], "are here"),
        ("unbreakablelonger", False, ["unbreakabl"], "elonger"),
        ("ten chars. then", False, ["ten chars."], "then"),
        ("🌷🌷🌷🌷🌷🌷", False, ["🌷🌷🌷🌷🌷"], "🌷"),
    ],
)
def test_lines(text: str, ended: bool, lines: list[str], rest: str) -> None:
    found, place = lines_from(text, 0, ended, 10)
    assert (found, text[place:]) == (lines, rest)


def test_where_nothing_wraps_a_line_waits_for_its_end_up_to_a_bound() -> None:
    assert lines_from("a" * LONGEST, 0, False, None) == ([], 0)
    assert lines_from("a" * (LONGEST + 1), 0, False, None) == (["a" * LONGEST], LONGEST)


@given(st.lists(st.text(alphabet="ab \n🌷é", max_size=12), max_size=8), st.integers(2, 12))
def test_no_character_is_lost_or_told_twice_and_no_line_is_too_wide(pieces: list[str], columns: int) -> None:
    text, place, lines = "", 0, list[str]()
    for number, piece in enumerate([*pieces, ""]):
        text += piece
        more, place = lines_from(text, place, number == len(pieces), columns)
        lines += more
    assert "".join(lines).replace(" ", "") == text.replace("\n", "").replace(" ", "")
    assert all(text_width(line) <= columns for line in lines)
    assert place == len(text)
