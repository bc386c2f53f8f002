"""Promise: a joiner stays exactly where rule CONTEXTJ of UTS #46 lets it, for every letter of a living script."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from idna import idnadata
from idna.core import valid_contextj

from sanitize.emoji import drop_stray_joiners
from sanitize.joining import DUAL, JOINER, LEFT, NON_JOINER, RIGHT, TRANSPARENT, VIRAMAS

LIVING = [(0x0600, 0x077F), (0x07C0, 0x07FF), (0x0840, 0x08FF), (0x1800, 0x18AF), (0x10D00, 0x10D3F), (0x1E900, 0x1E95F)]
DIACRITICS = (0x0300, 0x036F)
DROPPED = "\u061c\u070f\u180b\u180c\u180d\u180f"
"""Transparent by the table, but never left in a text or no mark."""


def matched(characters: str) -> set[str]:
    """The code points of a regular expression's class."""
    one = re.compile(f"[{characters}]")
    return {chr(code) for code in range(0x20000) if one.match(chr(code))}


def of_type(letter: str, blocks: list[tuple[int, int]]) -> set[str]:
    """The code points of a joining type in these blocks, by the tables of the package `idna`."""
    ranges = [(packed >> 32, packed & 0xFFFFFFFF) for packed in idnadata.joining_types[letter]]
    return {chr(code) for first, end in ranges for code in range(first, end) if any(low <= code <= high for low, high in blocks)}


@pytest.mark.parametrize(("table", "letter"), [(DUAL, "D"), (LEFT, "L"), (RIGHT, "R")])
def test_the_tables_of_letters_are_unicodes(table: str, letter: str) -> None:
    assert matched(table) == of_type(letter, LIVING)


def test_the_table_of_marks_is_unicodes() -> None:
    assert matched(TRANSPARENT) == of_type("T", [*LIVING, DIACRITICS]) - set(DROPPED)


def test_the_viramas_are_those_of_combining_class_9() -> None:
    viramas = {chr(code) for code in range(0x12000) if unicodedata.combining(chr(code)) == 9}
    # Later versions of Unicode add some to scripts of scholars.
    assert matched(VIRAMAS) <= viramas
    assert {virama for virama in viramas if virama < "\u2e00"} <= matched(VIRAMAS)


@pytest.mark.parametrize(
    "word",
    [
        *("می\u200cگویند", "نمی\u200cشود", "دوست\u200cتر", "م\u064e\u200c\u064eم", "ᠮᠣ\u200cᠩ", "क्\u200cष", "क्\u200dष", "ශ්\u200dරී"),
        *("অ্\u200cযা", "അവന്\u200d", "క్\u200cష", "မ္\u200dမ", "ක්\u200d"),
    ],
)
def test_what_spelling_needs_is_kept(word: str) -> None:
    assert drop_stray_joiners(word) == word


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("a\u200cb", "ab"),
        ("Auf\u200clage", "Auflage"),
        ("م\u200c", "م"),
        ("\u200cم", "م"),
        ("د\u200cم", "دم"),
        ("م\u200c م", "م م"),
        ("م\u200c\u200cم", "مم"),
        ("م\u200dم", "مم"),
        ("ك\u200d\u200cك", "كك"),
        ("क\u200cष", "कष"),
        ("क\u200dष", "कष"),
        ("中\u200c文", "中文"),
        ("1\u200c2", "12"),
    ],
)
def test_elsewhere_it_is_dropped(raw: str, clean: str) -> None:
    assert drop_stray_joiners(raw) == clean


WORDS = st.lists(
    st.sampled_from(["م", "د", "ᠮ", "क", "क\u094d", "ශ\u0dca", "\u064e", "\u0301", "a", " ", "中", JOINER, NON_JOINER]), max_size=12
)


@settings(max_examples=500)
@given(WORDS.map("".join))
def test_each_joiner_is_judged_as_the_rule_judges_it(word: str) -> None:
    kept = "".join(character for at, character in enumerate(word) if character not in (JOINER, NON_JOINER) or valid_contextj(word, at))
    assert drop_stray_joiners(word) == kept
