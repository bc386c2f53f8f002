"""Promise: a text that grows is shown as the whole of it would be, however it was cut, and never dirty in between."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.limits import CHAT_TEXT_BYTES
from mirrord.intake.streaming import PLAIN_CHARACTERS, RAW_UNITS, TAIL_CHARACTERS, GrowingText, Grown
from mirrord.wire.units import head, units
from sanitize import text as clean_text

pieces = st.lists(
    st.text(max_size=8)
    | st.sampled_from(
        ["\n", "\r\n", "❤\ufe0f", "👩\u200d🌾", "\u200d", "\x1b[1m", "\x1b[", "m", "\x1b]8;;https://x\x07", "a\u0301", "\t", "क्\u200d"]
    ),
    max_size=30,
)
DIRTY = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def applied(shown: str, grown: Grown) -> str:
    """What a client makes of it."""
    kept = head(shown, grown.offset)
    assert kept is not None
    return kept + grown.text


@given(pieces)
def test_what_is_told_of_each_delta_leads_to_what_is_shown_and_nothing_dirty_ever_is(deltas: list[str]) -> None:
    growing, shown, raw = GrowingText(), "", ""
    for delta in deltas:
        grown = growing.take(units(raw), delta)
        raw += delta
        assert grown is not None
        shown = applied(shown, grown)
        assert shown == growing.shown
        assert not DIRTY.search(shown)


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cf", "Cs"]) | st.sampled_from("\n\t❤\ufe0f"), max_size=8)))
def test_without_escape_sequences_it_is_what_the_whole_text_would_be(deltas: list[str]) -> None:
    growing, raw = GrowingText(), ""
    for delta in deltas:
        growing.take(units(raw), delta)
        raw += delta
    assert growing.shown == clean_text(raw, CHAT_TEXT_BYTES).text


@given(pieces, pieces, st.integers(0, 60))
def test_an_end_that_is_made_anew_is_told_as_one(before: list[str], after: list[str], keep: int) -> None:
    raw = "".join(before)
    growing = GrowingText(raw)
    shown = growing.shown
    offset = min(keep, units(raw))
    kept = head(raw, offset)
    grown = growing.take(offset, "".join(after))
    if kept is None:
        assert grown is None
        return
    assert grown is not None
    assert applied(shown, grown) == growing.shown
    again = GrowingText(kept + "".join(after))
    assert again.shown == growing.shown or offset == units(raw)


@pytest.mark.parametrize(("offset", "text"), [(4, "x"), (2, "x"), (-1, "x")])
def test_what_does_not_follow_is_nothing(offset: int, text: str) -> None:
    growing = GrowingText("a🌷")
    assert growing.take(offset, text) is None
    assert growing.shown == "a🌷"
    assert growing.take(3, "b") == Grown(3, "b")


def test_an_escape_sequence_in_two_deltas_is_never_shown() -> None:
    growing = GrowingText("red: ")
    assert growing.take(5, "\x1b[3") == Grown(5, "")
    assert growing.take(8, "1mrose") == Grown(5, "rose")


def test_half_an_emoji_becomes_the_whole_one() -> None:
    growing = GrowingText("❤")
    assert growing.take(1, "\ufe0f!") == Grown(1, "\ufe0f!")
    assert growing.shown == "❤\ufe0f!"


def test_a_long_line_is_not_cleaned_anew_with_each_delta() -> None:
    growing = GrowingText("ü" * (TAIL_CHARACTERS + 1))
    assert growing._tail == ""
    assert growing.take(TAIL_CHARACTERS + 1, "y") == Grown(TAIL_CHARACTERS + 1, "y")


def test_of_a_plain_line_only_the_last_character_may_change_its_meaning() -> None:
    growing = GrowingText("press " + "x" * PLAIN_CHARACTERS + "#")
    assert growing._tail == "#"
    at = PLAIN_CHARACTERS + 7
    assert growing.take(at, "\ufe0f\u20e3") == Grown(at, "\ufe0f\u20e3"), "a keycap"


def test_a_text_grows_to_its_limit_and_ends_with_the_mark_of_a_cut() -> None:
    growing = GrowingText("line\n" * (CHAT_TEXT_BYTES // 5))
    at = units(growing._raw)
    for _ in range(3):
        growing.take(at, "more and more ")
        at += 14
    assert len(growing.shown.encode()) <= CHAT_TEXT_BYTES
    assert growing.shown.endswith("…")


def test_what_is_kept_of_a_text_without_end_is_bounded() -> None:
    growing, at = GrowingText(), 0
    for _ in range(40):
        growing.take(at, "\x1b]" + "x" * 20_000)
        at += 20_002
    assert len(growing._raw) <= RAW_UNITS
    assert growing.take(at, "y") is not None
    assert growing.take(at - 100_000, "y") is None, "it is told anew then"
