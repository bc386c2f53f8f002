"""Promise: joiners, selectors and tags stay where they make an emoji or a letter, and hide nothing anywhere else."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import iter_graphemes

from sanitize.emoji import PICTOGRAPHS, drop_stray_joiners
from sanitize.limits import EMOJI_JOINS

ZWJ, ZWNJ, TEXT, COLOUR = "\u200d", "\u200c", "\ufe0e", "\ufe0f"
WOMAN, HEART, BLACK_FLAG, CANCEL = "\U0001f469", "\u2764", "\U0001f3f4", "\U000e007f"


def tags(letters: str) -> str:
    return "".join(chr(0xE0000 + ord(letter)) for letter in letters)


@pytest.mark.parametrize(
    "emoji",
    [
        "👩‍👩‍👧‍👦",
        "👩🏽‍🚀",
        "🏳️‍🌈",
        "🏴‍☠️",
        "👁️‍🗨️",
        "👩‍❤️‍💋‍👨",
        "🧑🏻‍🤝‍🧑🏿",
        "⚠️",
        "☎︎",
        "©️",
        "1️⃣",
        "#️⃣",
        "*⃣",
        "🇩🇪",
        *(BLACK_FLAG + tags(region) + CANCEL for region in ("gbeng", "gbsct", "gbwls")),
    ],
)
def test_an_emoji_is_kept_whole(emoji: str) -> None:
    assert drop_stray_joiners(f"a{emoji}b{emoji}{emoji}") == f"a{emoji}b{emoji}{emoji}"
    assert list(iter_graphemes(emoji)) == [emoji]


@pytest.mark.parametrize("word", ["ශ්‍රී ලංකා", "क्‍ष", "ক্‍ষ", "അവന്‍ ", "می\u200cگویند"])
def test_a_joiner_that_shapes_letters_is_kept(word: str) -> None:
    assert ZWJ in word or ZWNJ in word
    assert drop_stray_joiners(word) == word


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        (f"a{ZWJ}b", "ab"),
        (f"{WOMAN}{ZWJ}", WOMAN),
        (f"{WOMAN}{ZWJ}a", WOMAN + "a"),
        (f"{ZWJ}{WOMAN}", WOMAN),
        (f"{WOMAN}{ZWJ}{ZWJ}{WOMAN}", WOMAN + WOMAN),
        (f"{WOMAN}\u0301{ZWJ}{WOMAN}", f"{WOMAN}\u0301{WOMAN}"),
        (f"a{COLOUR}{TEXT}", "a"),
        (f"1{COLOUR}", "1"),
        (f"1{COLOUR}{COLOUR}\u20e3", "1\u20e3"),
        (f"{HEART}{COLOUR}{COLOUR}{TEXT}", HEART + COLOUR),
        (f"\u094d{ZWJ}{ZWJ}", f"\u094d{ZWJ}"),
        (f"\u094d{ZWNJ}{ZWJ}", f"\u094d{ZWNJ}"),
        (f"क{ZWJ}ष{ZWNJ}", "कष"),
        (f"{BLACK_FLAG}{tags('ustx')}{CANCEL}", BLACK_FLAG),
        (f"{BLACK_FLAG}{tags('gbeng')}", BLACK_FLAG),
        (f"{BLACK_FLAG}{tags('gbengx')}{CANCEL}", BLACK_FLAG),
        (f"x{tags('hidden text')}{CANCEL}", "x"),
    ],
)
def test_a_stray_one_is_dropped(raw: str, clean: str) -> None:
    assert drop_stray_joiners(raw) == clean


def test_the_longest_join_is_kept_and_one_more_is_not() -> None:
    longest = ZWJ.join([WOMAN] * (EMOJI_JOINS + 1))
    assert drop_stray_joiners(longest) == longest
    assert drop_stray_joiners(longest + ZWJ + WOMAN) == longest + WOMAN


PIECES = st.sampled_from(
    [
        *(WOMAN, HEART, ZWJ, ZWNJ, TEXT, COLOUR, "\U0001f3fd", BLACK_FLAG, tags("g"), tags("gbeng"), CANCEL),
        *("1", "\u20e3", "\u094d", "\u0915", "a", "م", "د", "\u064e"),
    ]
)


@given(st.lists(PIECES, max_size=40).map("".join))
def test_filtering_again_changes_nothing_and_each_joiner_left_joins(raw: str) -> None:
    clean = drop_stray_joiners(raw)
    assert drop_stray_joiners(clean) == clean
    for cluster in iter_graphemes(clean):
        assert not cluster.endswith(ZWJ) or cluster[-2] == "\u094d"


def test_each_pictograph_of_the_table_is_one_for_the_segmenter_too() -> None:
    pictograph = re.compile(f"[{PICTOGRAPHS}]")
    found = [chr(code) for code in range(0x20000) if pictograph.match(chr(code))]
    assert len(found) > 1000
    for character in found:
        joined = character + ZWJ + character
        assert list(iter_graphemes(joined)) == [joined]
