"""Promise: a label is one clean line, a text is clean lines, each within its limit, cut between characters and marked."""

from __future__ import annotations

import re
import time
import unicodedata

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import sanitize
from sanitize import CleanText, label, text
from sanitize.clusters import clusters
from sanitize.limits import CLUSTER_MARKS, LABEL_CLUSTERS, TEXT_BYTES

FAMILY = "👩‍👩‍👧"


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("", ""),
        ("  plain  text ", "plain text"),
        ("a\n\nb\tc\r\nd\u2028e\x85f\x0bg", "a b c d e f g"),
        ("a\u3000\u00a0\u2003b", "a b"),
        ("\x1b]0;x\x07Allow \x1b[1mrm\x1b[0m?\n", "Allow rm?"),
        ("safe: rm -rf /\rsafe: ls", "safe: rm -rf / safe: ls"),
        (" \u200b \n", ""),
        ("Z" + "\u0301" * 100, "Z" + "\u0301" * CLUSTER_MARKS),
        ("\ue0b0 main \uf126 a\U000f0001b\U0010fffd", "main ab"),
        ("می\u200cگویند", "می\u200cگویند"),
    ],
)
def test_a_label_is_one_line(raw: str, clean: str) -> None:
    assert label(raw) == CleanText(clean, False, len(list(clusters(clean))))


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("", ""),
        ("a\r\nb\rc\n\n d ", "a\nb\nc\n\n d "),
        ("a\tb\n\tc\t", "a\tb\n\tc\t"),
        ("\ue0b0 main \U000f0001", "\ue0b0 main \U000f0001"),
        ("می\u200cگویند", "می\u200cگویند"),
        ("\x1b[31mred\x1b[m\n\x1b]8;;https://a.example/\x07link\x1b]8;;\x07", "red\nlink"),
        ("a\u3000\u00a0b", "a\u3000\u00a0b"),
    ],
)
def test_a_text_keeps_its_lines_and_blanks(raw: str, clean: str) -> None:
    assert text(raw) == CleanText(clean, False, len(clean.encode()))


@pytest.mark.parametrize("character", ["x", "中", FAMILY, "e\u0301"])
def test_a_label_of_the_limit_is_whole_and_one_more_is_cut(character: str) -> None:
    whole = character * LABEL_CLUSTERS
    assert label(whole) == CleanText(whole, False, LABEL_CLUSTERS)
    cut = label(whole + character)
    assert cut == CleanText(character * (LABEL_CLUSTERS - 1) + "…", True, LABEL_CLUSTERS + 1)
    assert len(list(clusters(cut.text))) == LABEL_CLUSTERS


@pytest.mark.parametrize(("character", "size"), [("x", 1), ("ä", 2), ("中", 3), ("😀", 4), (FAMILY, 18)])
def test_a_text_of_the_limit_is_whole_and_one_more_is_cut_between_characters(character: str, size: int) -> None:
    assert len(character.encode()) == size
    filler = "x" * (TEXT_BYTES % size)
    whole = filler + character * (TEXT_BYTES // size)
    assert text(whole) == CleanText(whole, False, TEXT_BYTES)
    cut = text(whole + "x")
    assert cut.truncated
    assert cut.total == TEXT_BYTES + 1
    assert cut.text == filler + character * ((TEXT_BYTES - len(filler) - 3) // size) + "…"
    assert TEXT_BYTES - size < len(cut.text.encode()) <= TEXT_BYTES


def test_no_space_is_left_before_the_mark_of_a_cut_label() -> None:
    assert label("ab cdef", 4).text == "ab…"


def test_the_smallest_limits_leave_the_mark_of_the_cut() -> None:
    assert label("ab", 1) == CleanText("…", True, 2)
    assert text("abcd", 3) == CleanText("…", True, 4)
    with pytest.raises(ValueError, match="at least one cluster"):
        label("ab", 0)
    with pytest.raises(ValueError, match="at least the mark"):
        text("ab", 2)


def test_a_non_joiner_that_lost_its_second_letter_in_the_cut_goes_too() -> None:
    word = "می\u200cگویند"
    assert label(word, 3).text == "می…"
    assert text(word, 10).text == "می…"


def test_a_joiner_after_a_virama_belongs_to_it_and_stays_in_the_cut() -> None:
    word = "ශ්\u200dරී"
    assert label(word + "x", 2).text == "ශ්\u200d…"
    assert text(word, 12).text == "ශ්\u200d…"


def test_a_key_cap_in_an_endless_cluster_is_cut_cleanly() -> None:
    raw = "\u0600" * 30 + "1\ufe0f\u20e3"
    assert label(raw + "x", 2).text == "\u0600" * 30 + "1…"


ALPHABET = [
    *("a", "1", " ", "\n", "\t", "\u3000", "é", "中", "…", "\u0301", "\u0301" * 9, "\u200b", "\u202e", "\ufe0f", "\u20e3", "\ud800"),
    *("👩", "❤", "\u200d", "\U0001f3fd", "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "🇩", "\u1100" * 40),
    *("م", "\u064e", "\u064e" * 9, "\u200c", "د", "\ue0b0"),
    *("\u0600", "\u0600" * 33, "क", "\u094d", "\u0dca", "\u0dbb", "\u1161", "\x1b[1m", "\x1b]0;x", "\x07", "\x1b", "\x9d", "\x85"),
]
DIRTY = st.one_of(st.lists(st.sampled_from(ALPHABET), max_size=40).map("".join), st.text(st.characters(codec=None)))


def check_clean(shown: str, allowed: str) -> None:
    for character in shown:
        category = unicodedata.category(character)
        assert category not in {"Cc", "Cs", "Zl", "Zp"} or character in allowed
        assert category != "Co" or allowed
    for cluster in clusters(shown):
        assert sum(unicodedata.category(character)[0] == "M" for character in cluster) <= CLUSTER_MARKS


@given(DIRTY, st.integers(1, 12))
def test_every_label_keeps_every_promise(raw: str, limit: int) -> None:
    whole, cut = label(raw, 10_000), label(raw, limit)
    check_clean(cut.text, allowed="")
    assert cut.text == " ".join(cut.text.split(" ")).strip(" ")
    assert len(list(clusters(cut.text))) <= limit
    assert cut.total == whole.total == len(list(clusters(whole.text)))
    assert cut.truncated == (whole.total > limit)
    assert cut.text.endswith("…") if cut.truncated else cut.text == whole.text
    again = label(cut.text, limit)
    assert again.text == cut.text
    assert not again.truncated


@given(DIRTY, st.integers(3, 60))
def test_every_text_keeps_every_promise(raw: str, limit: int) -> None:
    whole, cut = text(raw), text(raw, limit)
    check_clean(cut.text, allowed="\n\t")
    assert len(cut.text.encode()) <= limit
    assert cut.total == whole.total == len(whole.text.encode())
    assert cut.truncated == (whole.total > limit)
    assert cut.text.endswith("…") if cut.truncated else cut.text == whole.text
    again = text(cut.text, limit)
    assert again.text == cut.text
    assert not again.truncated


@given(st.lists(st.sampled_from(["a", "é", "e\u0301", "中", FAMILY, "🇩🇪", "1️⃣", "한", "क्षि"]), min_size=1, max_size=30), st.data())
def test_a_cut_never_goes_through_a_character(characters: list[str], data: st.DataObject) -> None:
    raw = "".join(characters)
    if len(characters) > 1:
        limit = data.draw(st.integers(1, len(characters) - 1))
        assert label(raw, limit).text == "".join(characters[: limit - 1]) + "…"
    if len(raw.encode()) > 3:
        kept = text(raw, data.draw(st.integers(3, len(raw.encode()) - 1))).text.removesuffix("…")
        assert kept in {"".join(characters[:count]) for count in range(len(characters))}


HARMLESS = st.one_of(
    st.characters(exclude_categories=["Cc", "Cf", "Cn", "Cs", "Zl", "Zp"]).filter(lambda character: not _invisible(character)),
    st.sampled_from(["\n", "\t", " ", "\ue0b0", FAMILY, "❤️", "☎︎", "1️⃣", "🇩🇪", "می\u200cگویند", "ශ්\u200dරී", "क्\u200cष", "അവന്\u200d"]),
)


def _invisible(character: str) -> bool:
    """Letters and marks that nobody sees: joiners, fillers, vowels and selectors."""
    return character in "\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\U0001d159" or bool(
        re.match(r"[\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]", character)
    )


@settings(max_examples=400)
@given(st.lists(HARMLESS, max_size=60).map("".join))
def test_a_text_without_hostile_code_points_is_unchanged_to_the_byte(raw: str) -> None:
    assume(all(sum(unicodedata.category(character)[0] == "M" for character in cluster) <= CLUSTER_MARKS for cluster in clusters(raw)))
    assert text(raw) == CleanText(raw, False, len(raw.encode()))


HOSTILE = {
    "escapes": "\x1b",
    "unfinished CSI": "\x1b[",
    "unfinished OSC": "\x1b]",
    "unfinished OSC, 8-bit": "\x9d",
    "unfinished DCS on lines of their own": "\x1bPx\n",
    "escape and controls": "\x1b\x00",
    "parameters": "1;",
    "marks": "\u0301",
    "marks on letters": "क\u094d\u0301",
    "joiners": "\u200d",
    "non-joiners between letters": "م\u200c",
    "marks between letters": "م" + "\u064e" * 20,
    "non-joiners after many marks": "م" + "\u064e" * 1000 + "\u200c",
    "viramas": "\u094d\u200d",
    "icons": "\ue0b0",
    "tabs": "\t",
    "joined emoji": "👩\u200d",
    "presentation": "❤\ufe0f",
    "flags": "🏴\U000e0067",
    "jamo": "\u1100",
    "line ends": "\r",
    "blanks": "\u3000\u200b",
    "colours": "\x1b[38;2;1;2;3mx",
}


@pytest.mark.parametrize("head", ["", "\x1b]", "\x1b[", "a"], ids=["alone", "in an OSC", "in a CSI", "after a letter"])
@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE.keys())
def test_64_kib_of_anything_take_no_time_to_speak_of(unit: str, head: str) -> None:
    raw = head + unit * (64 * 1024 // len(unit.encode()))
    began = time.process_time()
    label(raw)
    text(raw)
    # 0.1 s on a slow machine; a search that starts over at each place takes minutes.
    assert time.process_time() - began < 2


def test_the_public_surface_is_this() -> None:
    assert sorted(sanitize.__all__) == ["CleanText", "is_secret_prompt", "label", "text"]
