"""Promise: whatever runs a line comes in, its spans are the same: clusters whole, nothing hidden, no end that nobody can see."""

from __future__ import annotations

import pytest

from sanitize.assemble import assemble
from sanitize.counters import Counters
from sanitize.pens import Pen, Pens
from sanitize.roles import Palette
from sanitize.spans import Line, Span

PENS = Pens(Palette.of({}))
PLAIN = PENS.plain
BOLD = PENS.sgr(PLAIN, "1")
HIDDEN = PENS.sgr(PLAIN, "8")
LINE = PENS.sgr(PLAIN, "4")
STRUCK = PENS.sgr(PLAIN, "9")
LINKED = PENS.linked(PLAIN, "https://a.example/")
LINKED_BOLD = PENS.linked(BOLD, "https://a.example/")
REFUSED = PENS.linked(PLAIN, "javascript:alert(1)")

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"


def line(*runs: tuple[str, Pen], caret: int | None = None) -> Line:
    return assemble(runs, caret, Counters())


def plain(text: str) -> Span:
    return Span(text, "primary")


def bold(text: str) -> Span:
    return Span(text, "primary", ("bold",))


@pytest.mark.parametrize(
    ("runs", "spans"),
    [
        ((), ()),
        ((("", PLAIN),), ()),
        ((("ab", PLAIN), ("cd", PLAIN)), (plain("abcd"),)),
        ((("a", PLAIN), ("", BOLD), ("b", PLAIN)), (plain("ab"),)),
        ((("a", PLAIN), ("b", BOLD)), (plain("a"), bold("b"))),
        ((("seen ", PLAIN), ("hidden", HIDDEN), ("!", PLAIN)), (plain("seen !"),)),
        ((("hidden", HIDDEN),), ()),
    ],
)
def test_neighbours_with_one_look_are_one_span_and_concealed_text_is_gone(
    runs: tuple[tuple[str, Pen], ...], spans: tuple[Span, ...]
) -> None:
    assert line(*runs).spans == spans


@pytest.mark.parametrize(
    ("runs", "spans"),
    [
        ((("e", PLAIN), ("\u0301x", BOLD)), (plain("e\u0301"), bold("x"))),
        ((("\U0001f468\u200d", PLAIN), ("\U0001f469\u200d\U0001f467 x", BOLD)), (plain(FAMILY), bold(" x"))),
        ((("\U0001f1e9", PLAIN), ("\U0001f1ea", BOLD), ("x", PLAIN)), (plain("\U0001f1e9\U0001f1eax"),)),
        ((("\u26a0", BOLD), ("\ufe0f b", PLAIN)), (bold("\u26a0\ufe0f"), plain(" b"))),
        ((("\u1112", PLAIN), ("\u1161\u11ab", BOLD)), (plain("\u1112\u1161\u11ab"),)),
        ((("a", PLAIN), ("\u200b", BOLD), ("b", PLAIN)), (plain("ab"),)),
        ((("a\u202e", BOLD), ("b\u2066", PLAIN)), (bold("a"), plain("b"))),
        ((("\u0301x", PLAIN),), (plain("x"),)),
        ((("a\u2028b\u2029c", PLAIN),), (plain("abc"),)),
        ((("\u0600", PLAIN), ("\u0661", BOLD)), (plain("\u0600\u0661"),)),
        ((("a\ud800b", PLAIN),), (plain("a\ufffdb"),)),
        ((("Z" + "\u0301" * 9 + "x", PLAIN),), (plain("Z" + "\u0301" * 8 + "x"),)),
        ((("\ue0b0 git", PLAIN),), (plain("\ue0b0 git"),)),
    ],
)
def test_a_cluster_has_the_look_of_its_first_character_and_nothing_invisible_stays(
    runs: tuple[tuple[str, Pen], ...], spans: tuple[Span, ...]
) -> None:
    assert line(*runs).spans == spans


@pytest.mark.parametrize(
    ("runs", "spans"),
    [
        ((("a  ", PLAIN),), (plain("a"),)),
        ((("a ", PLAIN), ("  ", BOLD)), (plain("a"),)),
        ((("   ", PLAIN),), ()),
        ((("a", PLAIN), ("  ", LINE)), (plain("a"), Span("  ", "primary", ("underline",)))),
        ((("a", PLAIN), ("  ", STRUCK)), (plain("a"), Span("  ", "primary", ("strikethrough",)))),
        ((("a ", PLAIN), ("  ", LINKED)), (plain("a "), Span("  ", "primary", (), "https://a.example/"))),
        ((("a\u00a0", PLAIN),), (plain("a\u00a0"),)),
    ],
)
def test_blanks_at_the_end_go_unless_something_is_drawn_on_them(runs: tuple[tuple[str, Pen], ...], spans: tuple[Span, ...]) -> None:
    assert line(*runs).spans == spans


@pytest.mark.parametrize(
    ("runs", "caret", "expected"),
    [
        ((("abc", PLAIN),), 1, Line((plain("abc"),), 1)),
        ((("ab  ", PLAIN),), 3, Line((plain("ab "),), 3)),
        ((("ab", PLAIN), ("  ", BOLD), ("   ", PLAIN)), 3, Line((plain("ab"), bold(" ")), 3)),
        ((("ab", HIDDEN), ("cd", PLAIN)), 3, Line((plain("cd"),), 1)),
        ((("ab", HIDDEN),), 1, Line((), 0)),
        ((), 0, Line((), 0)),
        ((("a\u200bb\u0301c", PLAIN),), 2, Line((plain("ab\u0301c"),), 1)),
        ((("a\u200b", PLAIN),), 2, Line((plain("a"),), 1)),
        ((("a\u2028b\u200b", PLAIN),), 3, Line((plain("ab"),), 2)),
    ],
)
def test_the_caret_stays_between_the_characters_it_was_between(runs: tuple[tuple[str, Pen], ...], caret: int, expected: Line) -> None:
    assert line(*runs, caret=caret) == expected


def test_a_link_whose_text_names_another_host_goes_and_its_text_stays() -> None:
    counters = Counters()
    spans = assemble([("see ", PLAIN), ("https://", LINKED), ("other.example", LINKED_BOLD), (" ok", PLAIN)], None, counters).spans
    assert spans == (plain("see https://"), bold("other.example"), plain(" ok"))
    assert counters.links == 1


def test_a_link_over_several_looks_is_one_link() -> None:
    spans = line(("https://a.", LINKED), ("example/x", LINKED_BOLD)).spans
    assert [span.link for span in spans] == ["https://a.example/"] * 2


def test_links_that_may_not_leave_are_counted_once_for_each_place() -> None:
    counters = Counters()
    spans = assemble([("a", REFUSED), ("b", PLAIN), ("c", REFUSED), ("d", REFUSED), ("", REFUSED)], None, counters).spans
    assert spans == (plain("abcd"),)
    assert counters.links == 2
