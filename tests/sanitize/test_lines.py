"""Promise: lines of SGR and OSC 8 need no emulator, each stands for itself, and both paths give the same spans for what both can take."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sanitize.counters import Counters
from sanitize.limits import COLUMNS, LINE_CHARACTERS, LINK_CHARACTERS, ROWS
from sanitize.lines import LineRenderer
from sanitize.pens import Pens
from sanitize.roles import Palette
from sanitize.spans import EMPTY, Line, Span
from sanitize.terminal import Terminal

PENS = Pens(Palette.of({"accent": "\x1b[38;2;138;190;183m", "muted": "38;5;244"}))
ROOT = "https://a.example/"


def render(*lines: str, counters: Counters | None = None, columns: int = COLUMNS, limit: int | None = None) -> list[Line]:
    return LineRenderer(PENS, counters or Counters(), columns).render(lines, limit)


def one(raw: str) -> Line:
    """The single line that comes of it, without the emulator."""
    counters = Counters()
    lines = render(raw, counters=counters)
    assert len(lines) == 1
    assert counters.emulated == 0
    return lines[0]


def plain(text: str) -> Span:
    return Span(text, "primary")


@pytest.mark.parametrize(
    ("raw", "spans"),
    [
        ("", ()),
        ("plain", (plain("plain"),)),
        ("plain   ", (plain("plain"),)),
        ("\x1b[31mred\x1b[0m.", (Span("red", "danger"), plain("."))),
        ("\x1b[38;2;138;190;183mours\x1b[39m", (Span("ours", "accent"),)),
        ("\x1b[38:5:244mgrey", (Span("grey", "muted"),)),
        ("\x1b[1;3;4;9mall", (Span("all", "primary", ("bold", "italic", "strikethrough", "underline")),)),
        ("\x1b[mx", (plain("x"),)),
        (f"\x1b]8;;{ROOT}\x07a\x1b]8;;\x07 b", (Span("a", "primary", (), ROOT), plain(" b"))),
        (f"\x1b]8;id=1;{ROOT}\x1b\\a\x1b]8;;\x1b\\ b", (Span("a", "primary", (), ROOT), plain(" b"))),
        (f"\x1b]8;;{ROOT}?a=1;b=2\x9ca", (Span("a", "primary", (), f"{ROOT}?a=1;b=2"),)),
        ("\x1b]8;;javascript:alert(1)\x07a", (plain("a"),)),
        ("a\tb", (plain("a   b"),)),
        ("\u2502 \u4e2d\u6587 \U0001f642 \ue0b0", (plain("\u2502 \u4e2d\u6587 \U0001f642 \ue0b0"),)),
    ],
)
def test_sgr_and_links_need_no_emulator(raw: str, spans: tuple[Span, ...]) -> None:
    assert one(raw).spans == spans


def test_what_a_line_leaves_open_ends_with_it() -> None:
    first, second, third = render(f"\x1b[31m\x1b]8;;{ROOT}\x07open", "next", "\x1b]0;never ended")
    assert first.spans == (Span("open", "danger", (), ROOT),)
    assert second.spans == (plain("next"),)
    assert third == EMPTY
    assert render("after") == [Line((plain("after"),))]


@pytest.mark.parametrize(
    ("raw", "lines"),
    [
        ("safe: rm -rf /\rsafe: ls       ", ["safe: ls"]),
        ("ab\b\bX", ["Xb"]),
        ("a\x07b", ["ab"]),
        ("a\x1b[2Kb", [" b"]),
        ("A\x1bPq#0\x1b\\B", ["AB"]),
        ("A\x9b1mB", ["AB"]),
        ("a\x7fb", ["ab"]),
        ("a\x0bb", ["a", " b"]),
        ("a\x1bEb", ["a", "b"]),
        ("a\x85" * 3 + "b", ["a", "a", "a", "b"]),
        ("\x1b[2J", [""]),
    ],
)
def test_anything_else_goes_through_the_emulator_and_is_counted(raw: str, lines: list[str]) -> None:
    counters = Counters()
    assert [line.text for line in render(raw, counters=counters)] == lines
    assert counters.emulated == 1


def test_the_emulator_remembers_nothing_of_the_line_before() -> None:
    assert [line.text for line in render("\x1b[31m\x1b(0a\x07", "q\x07", "\x1b[2;2r\x1b[4h\x07x", "ab\rc")] == ["\u2592", "q", "x", "cb"]
    assert render("\x1b[31ma\x07", "b\x07")[1].spans == (plain("b"),)


def test_line_feeds_inside_a_line_make_several() -> None:
    assert [line.text for line in render("a\nb\r\n\x1b[1mc\n\nd", "e")] == ["a", "b", "c", "", "d", "e"]


@pytest.mark.parametrize(
    ("raw", "text", "caret"),
    [
        ("ab\x1b_pi:c\x07cd", "abcd", 2),
        ("> ab\x1b_pi:c\x07\x1b[7m \x1b[0m", "> ab", 4),
        ("> ab\x1b_pi:c\x07\x1b_pi:fc\x07 \x1b_pi:/fc\x07", "> ab", 4),
        ("> a \x1b_pi:c\x07\x1b_pi:fc\x07b\x1b_pi:/fc\x07c", "> a bc", 4),
        ("x\x1b_pi:fc\x07y\x1b_pi:/fc\x07", "xy", 1),
        ("x\x1b_pi:/fc\x07", "x", None),
        ("\t\x1b[1m\x1b_pi:c\x07", "   ", 3),
        ("\x1b_pi:c\x07", "", 0),
        ("\u4e2d\x1b_pi:c\x07\u6587", "\u4e2d\u6587", 1),
        ("e\u0301\u200b\x1b_pi:c\x07x", "e\u0301x", 2),
        ("\x1b[8mhid\x1b[28mab\x1b_pi:c\x07c", "abc", 2),
        ("a\x1b_pi:c\x07b\x1b_pi:c\x07c", "abc", 1),
    ],
)
def test_cursor_markers_of_both_generations_become_the_caret(raw: str, text: str, caret: int | None) -> None:
    line = one(raw)
    assert (line.text, line.caret) == (text, caret)


def test_a_line_over_its_limit_is_cut_with_an_ellipsis_and_counted() -> None:
    counters = Counters()
    at, past = render("x" * LINE_CHARACTERS, "x" * (LINE_CHARACTERS + 1), counters=counters)
    assert at.text == "x" * LINE_CHARACTERS
    assert past.text == "x" * LINE_CHARACTERS + "\u2026"
    assert counters.truncated == 1


def test_lines_past_the_limit_are_left_out_and_counted() -> None:
    counters = Counters()
    assert [line.text for line in render("a", "b\nc", "d", limit=3, counters=counters)] == ["a", "b", "c"]
    assert counters.truncated == 1
    assert len(render("a", "b\nc", limit=3)) == 3
    assert len(render("a\n" * 9, limit=3)) == 3


def test_a_link_at_its_limit_is_followed_and_one_past_it_is_not() -> None:
    for extra, link in ((0, True), (1, False)):
        uri = ROOT + "x" * (LINK_CHARACTERS - len(ROOT) + extra)
        (line,) = render(f"\x1b]8;;{uri}\x07a\x1b]8;;\x07")
        assert (line.spans[0].link == uri) is link
        assert line.text == "a"


def test_a_line_that_feeds_more_than_a_screen_has_rows_stays_bounded() -> None:
    assert len(render("a\x0b" * 5_000)) <= ROWS


def test_dropped_sequences_are_counted_through_the_emulator() -> None:
    counters = Counters()
    render("a\x1b]0;title\x07b", counters=counters)
    assert counters.sequences == 1


SGR = st.sampled_from(
    ["", "0", "1", "2", "3", "4", "4:3", "7", "8", "9", "22", "28", "31", "92", "38;5;244", "38;2;138;190;183", "39", "48;5;1"]
)
LINKS = st.sampled_from(["", ROOT, "https://b.example/x", "javascript:x", "https://user@a.example/"])
TEXTS = st.text(
    st.sampled_from(
        "ab c./:\u2502\u4e2d\U0001f642\u26a0\ufe0f\u0301\u200d\U0001f468\U0001f467\U0001f1e9\U0001f3fd"
        "\u1112\u1161\u0915\u094d\u0937\u200b\u202e\ue0b0\u0660\u093e\u200c"
    ),
    max_size=6,
) | st.sampled_from(["https://a.example/", "b.example", "  "])
TOKENS = st.one_of(TEXTS, SGR.map(lambda parameters: f"\x1b[{parameters}m"), LINKS.map(lambda uri: f"\x1b]8;;{uri}\x07"))


@settings(max_examples=2_000)
@given(st.lists(TOKENS, max_size=14).map("".join))
@example("a\x1b[8mb\x1b[0m  \x1b[4m \x1b[0m ")
@example(f"\x1b]8;;{ROOT}\x07https\x1b[1m://b.example\x1b]8;;\x07")
def test_the_line_path_and_the_screen_path_agree(raw: str) -> None:
    counters, screen_counters = Counters(), Counters()
    (line,) = render(raw, counters=counters)
    terminal = Terminal(COLUMNS, 1, PENS, screen_counters)
    terminal.feed(raw)
    assert [line] == (terminal.lines() or [EMPTY])
    assert counters.links == screen_counters.links


@settings(max_examples=300)
@given(st.lists(TOKENS, max_size=14).map("".join))
def test_spans_are_never_empty_and_neighbours_differ(raw: str) -> None:
    (line,) = render(raw)
    assert all(span.text for span in line.spans)
    for left, right in zip(line.spans, line.spans[1:], strict=False):
        assert (left.role, left.traits, left.link) != (right.role, right.traits, right.link)
