"""Promise: a cluster is what a reader takes for one character, is never endless, and carries at most eight marks."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import iter_graphemes

from sanitize.clusters import cap_marks, clusters
from sanitize.limits import CLUSTER_CODE_POINTS, CLUSTER_MARKS

ACUTE = "\u0301"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        ("abc", ["a", "b", "c"]),
        (f"e{ACUTE}x", [f"e{ACUTE}", "x"]),
        ("👩‍👩‍👧🇩🇪🇫🇷", ["👩‍👩‍👧", "🇩🇪", "🇫🇷"]),
        ("한국", ["한", "국"]),
        ("क्षि", ["क्षि"]),
    ],
)
def test_a_cluster_is_a_character_of_the_reader(text: str, parts: list[str]) -> None:
    assert list(clusters(text)) == parts


@pytest.mark.parametrize("endless", ["\u1100", "\u0600", "\uff9e"])
def test_a_run_that_unicode_calls_one_cluster_counts_once_for_each_32_code_points(endless: str) -> None:
    assert len(list(clusters(endless * CLUSTER_CODE_POINTS))) == 1
    parts = list(clusters(endless * (3 * CLUSTER_CODE_POINTS + 1)))
    assert [len(part) for part in parts] == [CLUSTER_CODE_POINTS] * 3 + [1]


def test_eight_marks_are_kept_and_the_ninth_is_dropped() -> None:
    full = "Z" + ACUTE * CLUSTER_MARKS
    assert cap_marks(full) == full
    assert cap_marks(f"{full}{ACUTE}x") == f"{full}x"
    assert cap_marks(f"a{full}{ACUTE * 500}b{full}{ACUTE}") == f"a{full}b{full}"


@pytest.mark.parametrize(("first", "mark"), [("中", ACUTE), ("", ACUTE), ("\n", ACUTE), ("क", "\u093e"), ("a", "\u20dd")])
def test_marks_of_every_kind_count_on_every_base(first: str, mark: str) -> None:
    assert cap_marks(first + mark * 20) == first + mark * CLUSTER_MARKS


def test_a_mark_younger_than_this_python_counts_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unicodedata, "category", lambda character: "Ll" if character.isascii() else "Cn")
    assert cap_marks("a" + ACUTE * 20) == "a" + ACUTE * CLUSTER_MARKS
    assert cap_marks("a" + "中" * 20) == "a" + "中" * 20


def test_a_long_cluster_of_few_marks_is_untouched() -> None:
    assert cap_marks("\u1100" * 50) == "\u1100" * 50


@pytest.mark.parametrize("joiner", ["\u200c", "\u200d"])
def test_a_joiner_goes_with_the_mark_it_came_after(joiner: str) -> None:
    virama = "\u094d"
    assert cap_marks("क" + virama * 9 + joiner) == "क" + virama * CLUSTER_MARKS
    assert cap_marks("क" + virama * 8 + joiner) == "क" + virama * 8 + joiner


def test_two_letters_that_join_once_a_mark_is_gone_have_eight_marks_together() -> None:
    linked, vowel = "\u0301" * 7 + "\u094d", "\u0b40"
    assert cap_marks(f"क{linked}{vowel}क\u0301") == f"क{linked}क"


HARD = st.lists(
    st.sampled_from(
        ["क", "\u094d", "\u0301", "\u0b40", "\u0301" * 7, "\u094d" * 3, "a", "👩", "\u200d", "\u200c", "\u0600", "\u1100", "🇩", "\n"]
    ),
    max_size=40,
).map("".join)


@given(st.one_of(HARD, st.text(max_size=40)))
def test_no_cluster_has_more_than_eight_marks_and_capping_again_changes_nothing(text: str) -> None:
    capped = cap_marks(text)
    assert cap_marks(capped) == capped
    for cluster in iter_graphemes(capped):
        assert sum(unicodedata.category(character)[0] == "M" for character in cluster) <= CLUSTER_MARKS


@given(st.text())
def test_no_code_point_is_lost_or_moved_by_segmenting(text: str) -> None:
    assert "".join(clusters(text)) == text
