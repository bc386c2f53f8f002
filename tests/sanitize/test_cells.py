"""Promise: what is one character for a reader is one cell, never endless, and the same however its code points arrive."""

from __future__ import annotations

import sys
import unicodedata
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wcwidth import iter_graphemes

from sanitize.cells import HALF, cells, columns_of, drawn, is_narrow, is_plain, joins_all, narrow_part, spread
from sanitize.limits import CLUSTER_CODE_POINTS
from sanitize.width import cluster_width


@cache
def plain_characters() -> list[str]:
    return [character for character in map(chr, range(sys.maxunicode + 1)) if is_plain(character)]


def test_plain_characters_have_the_columns_that_their_class_says() -> None:
    for character in plain_characters():
        assert cluster_width(character) == (1 if is_narrow(character) else 2)
        assert len(spread(character)) == cluster_width(character)


def test_plain_characters_join_no_plain_ones() -> None:
    plain = plain_characters()
    assert list(iter_graphemes("".join(plain))) == plain
    assert list(iter_graphemes("".join(reversed(plain)))) == plain[::-1]


def test_no_control_is_plain() -> None:
    assert not [
        character for character in plain_characters() if unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp", "Mn", "Me", "Mc")
    ]


@pytest.mark.parametrize("text", ["", "plain ~", "Zürich Ελλάδα Россия", "─│┌█▀ ⠋→•…“”", "\ue0b0\ufffd"])
def test_most_text_is_narrow(text: str) -> None:
    assert is_narrow(text)


@pytest.mark.parametrize("text", ["日本語 かな 한국어", "、。「」", "🚀🤖 ok", "𠀀"])
def test_most_wide_text_is_plain(text: str) -> None:
    assert is_plain(text)
    assert not is_narrow(text)


def test_wide_characters_are_spread_over_two_columns() -> None:
    assert spread("a日本b") == f"a日{HALF}本{HALF}b"


@pytest.mark.parametrize(
    "character",
    [
        "\u200b",
        "\ufeff",
        "\xad",
        "\u2060",
        "\u2028",
        "\u2029",
        "\u202e",
        "\u2066",
        "\u061c",
        "\u180e",
        "\ufff9",
        "\ufffe",
        "\ufdd0",
        "\U0010ffff",
    ],
)
def test_what_nobody_sees_and_joins_nothing_is_not_drawn(character: str) -> None:
    assert drawn(f"a{character}b") == "ab"


@pytest.mark.parametrize("text", ["e\u0301", "👩\u200d👧", "⚠\ufe0f", "क\u094dष", "\ue000", "\xa0", "\ufffd"])
def test_what_is_seen_or_joins_is_drawn(text: str) -> None:
    assert drawn(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ab", ["a", "b"]),
        ("e\u0301x", ["e\u0301", "x"]),
        ("👨‍👩‍👧x", ["👨‍👩‍👧", "x"]),
        ("⚠️1️⃣", ["⚠️", "1️⃣"]),
        ("👍🏽🇩🇪🇫🇷", ["👍🏽", "🇩🇪", "🇫🇷"]),
        ("각\u1112\u1161\u11ab", ["각", "\u1112\u1161\u11ab"]),
        ("क\u094dषि", ["क\u094dषि"]),
        ("\u0301x", ["\u0301", "x"]),
    ],
)
def test_a_cell_is_a_grapheme_cluster(text: str, expected: list[str]) -> None:
    assert list(cells(text)) == expected


@pytest.mark.parametrize("cell", ["a", "e\u0301", "👨‍👩‍👧", "🇩🇪", "\u1112\u1161\u11ab"])
@pytest.mark.parametrize("before", range(7))
def test_a_long_text_has_the_same_cells_throughout(cell: str, before: int) -> None:
    assert list(cells("x" * before + cell * 400)) == ["x"] * before + [cell] * 400


FULL = CLUSTER_CODE_POINTS - 1


def test_marks_that_are_too_many_are_dropped() -> None:
    assert list(cells("e" + "\u0301" * FULL + "x")) == ["e" + "\u0301" * FULL, "x"]
    assert list(cells("e" + "\u0301" * (FULL + 1) + "x")) == ["e" + "\u0301" * FULL, "x"]
    assert list(cells("e" + "\u0301" * 100_000 + "x")) == ["e" + "\u0301" * FULL, "x"]


def test_others_that_are_too_many_begin_a_new_cell() -> None:
    jamo = "\u1112"
    assert list(cells(jamo * 70)) == [jamo * 32, jamo * 32, jamo * 6]


def test_what_joins_everything() -> None:
    assert all(map(joins_all, "\u0301\u200d\ufe0f\u20e3\U0001f3fb\u0903"))
    assert not any(map(joins_all, "a日\u1112🇩\u0600\u200b"))


@pytest.mark.parametrize(
    ("cell", "columns", "part"),
    [
        ("日", 2, ""),
        ("⚠\ufe0f", 2, "⚠"),
        ("1\ufe0f\u20e3", 2, "1\ufe0f"),
        ("🇩🇪", 2, ""),
        ("👍🏽", 2, ""),
        ("\u0600日", 2, ""),
        ("e\u0903", 2, "e"),
    ],
)
def test_the_narrow_part_of_a_wide_cell(cell: str, columns: int, part: str) -> None:
    assert (columns_of(cell), narrow_part(cell)) == (columns, part)


def test_a_cell_that_becomes_narrower_stays_as_wide_as_it_was() -> None:
    assert (cluster_width("⚠\ufe0f\u0301"), columns_of("⚠\ufe0f\u0301")) == (1, 2)


JOINING = st.text(st.sampled_from("a日⚠👩👧🏽🇩1\u0301\ufe0f\u200d\u20e3\u0600\u1112\u1161\u11abक\u094dष\u0903\u200c"), max_size=300)


@given(JOINING)
@settings(max_examples=200)
def test_cells_are_found_one_by_one_as_in_the_whole(text: str) -> None:
    found: list[str] = []
    for character in text:
        grown = list(cells((found.pop() if found else "") + character))
        found += grown
    assert found == list(cells(text))
