"""Promise: any bytes, cut anywhere, become rows of spans; what did not change is not made again, and nothing ever raises."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sanitize.counters import Counters
from sanitize.limits import COLUMNS, ROWS
from sanitize.pens import Pens
from sanitize.roles import Palette
from sanitize.spans import EMPTY, Line, Span
from sanitize.terminal import Terminal

PENS = Pens(Palette())


def terminal(data: bytes | str = "", columns: int = 10, rows: int = 4) -> Terminal:
    made = Terminal(columns, rows, PENS, Counters())
    made.feed(data)
    return made


def texts(of: Terminal) -> list[str]:
    return [line.text for line in of.lines()]


def test_rows_are_lines_of_spans() -> None:
    data = "\x1b[31mred\x1b[0m ok\r\n\r\n\x1b[1m\x1b]8;;https://a.example/\x07link\x1b]8;;\x07\x1b[0m."
    assert terminal(data).lines() == [
        Line((Span("red", "danger"), Span(" ok", "primary"))),
        EMPTY,
        Line((Span("link", "primary", ("bold",), "https://a.example/"), Span(".", "primary"))),
    ]


def test_empty_rows_at_the_end_and_blanks_behind_the_text_are_left_out() -> None:
    assert texts(terminal("\r\na   \r\n   \r\n")) == ["", "a"]
    assert terminal().lines() == []


def test_concealed_text_is_gone() -> None:
    assert texts(terminal("a\x1b[8mb\x1b[28mc")) == ["ac"]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("é日👩".encode(), "é日👩"),
        (b"a\x9b31mb", "a\ufffd31mb"),
        (b"a\xffb\xc3", "a\ufffdb"),
        (b"a\xe4\xb8b", "a\ufffdb"),
        (b"\xc0\x9b1mx", "\ufffd\ufffd1mx"),
        (b"a\xed\xa0\x80b", "a\ufffd\ufffd\ufffdb"),
        ("a\x9b1mb".encode(), "ab"),
    ],
)
def test_bytes_are_utf8_and_what_is_not_is_replaced(data: bytes, text: str) -> None:
    assert texts(terminal(data)) == [text]
    cut = terminal()
    for at in range(len(data)):
        cut.feed(data[at : at + 1])
    assert texts(cut) == [text]


def test_lone_surrogates_of_a_string_are_replaced() -> None:
    assert texts(terminal("a\ud800b\udfff")) == ["a\ufffdb\ufffd"]


def test_rows_that_did_not_change_are_the_same_objects() -> None:
    made = terminal("one\r\ntwo\r\nthree")
    before = made.lines()
    made.feed("\x1b[2Hzwei")
    after = made.lines()
    assert after[0] is before[0]
    assert after[1] is not before[1]
    assert after[2] is before[2]


def test_rows_that_only_scrolled_are_the_same_objects() -> None:
    made = terminal("one\r\ntwo\r\nthree\r\nfour")
    before = made.lines()
    made.feed("\r\nfive")
    assert all(now is then for now, then in zip(made.lines()[:3], before[1:], strict=True))


def test_refused_links_are_counted_and_their_text_stays() -> None:
    counters = Counters()
    made = Terminal(40, 2, PENS, counters)
    made.feed("\x1b]8;;javascript:alert(1)\x07a\x1b]8;;\x07 \x1b]8;;https://evil.example/\x07https://a.example\x1b]8;;\x07")
    assert made.lines() == [Line((Span("a https://a.example", "primary"),))]
    assert counters.links == 2


def test_the_caret_is_where_the_cursor_is() -> None:
    made = terminal("ab\r\n日")
    assert made.caret == (1, 2)
    made.feed("\x1b[1;10Hx")
    assert made.caret == (0, 9)
    made.feed("\x1b[?25l")
    assert made.caret is None


def test_frames_and_the_alternate_screen_are_seen() -> None:
    made = terminal("\x1b[?2026h")
    assert (made.frames, made.in_frame, made.alternate) == (0, True, False)
    made.feed("\x1b[?1049h\x1b[?2026l")
    assert (made.frames, made.in_frame, made.alternate) == (1, False, True)
    made.feed("\x1b[?1049l")
    assert not made.alternate


def test_the_size_is_bounded_and_ours() -> None:
    made = terminal("x" * 1000, 0, 0)
    assert texts(made) == ["x"]
    made.resize(10**9, 10**9)
    made.feed("\x1b[H" + "y" * (COLUMNS * ROWS) + "\x1b[8;10;10t\x1b[?3h")
    assert texts(made) == ["y" * COLUMNS] * ROWS
    made.resize(3, 1)
    assert texts(made) == ["yyy"]


def test_a_reset_forgets_all_but_the_frames() -> None:
    for unfinished in (b"\xe4\xb8", b"\x1b", b"\x1b[31", b"\x1b]8;;x", b"\x1bPq", b"\x1b[1;4m\x1b[?1049h\x1b[?2026h\x1b[2;3r\x1b[?6h"):
        made = terminal(b"old\x1b[?2026l" + unfinished)
        made.reset()
        assert (made.lines(), made.caret, made.frames, made.in_frame, made.alternate) == ([], (0, 0), 1, False, False)
        made.feed(b"mnew")
        assert made.lines() == [Line((Span("mnew", "primary"),))]


PIECES = st.sampled_from(
    [
        *("\x1b", "\x1b[", "\x1b]8;;", "\x1bP", "\x1b_", "\x07", "\x1b\\", "\x18", "\x9b", "\x9c", "1", ";", "?", "m", "h", "H", "a", " "),
        *(
            "\r\n",
            "\n",
            "\b",
            "\t",
            "\x0e",
            "日",
            "👩",
            "\u200d",
            "\ufe0f",
            "⚠",
            "\u0301",
            "\u1112",
            "\u0600",
            "\u200b",
            "\u202e",
            "\ufffe",
            "\ud800",
        ),
        *(
            "https://a.example/",
            "\x1b[31m",
            "\x1b[8m",
            "\x1b[2;3H",
            "\x1b[9b",
            "\x1b[L",
            "\x1b[M",
            "\x1b[P",
            "\x1b[@",
            "\x1b[X",
            "\x1b[J",
            "\x1b[1K",
        ),
        *(
            "\x1b[?1049h",
            "\x1b[?1049l",
            "\x1b[?7l",
            "\x1b[?6h",
            "\x1b[4h",
            "\x1b[2;3r",
            "\x1b7",
            "\x1b8",
            "\x1bM",
            "\x1bc",
            "\x1b#8",
            "\x1b(0",
            "\x1b[2S",
            "\x1b[T",
        ),
    ]
)
DATA = st.one_of(st.lists(PIECES, max_size=30).map(lambda pieces: "".join(pieces).encode(errors="surrogatepass")), st.binary(max_size=60))


def seen(of: Terminal) -> tuple[object, ...]:
    return of.lines(), of.caret, of.frames, of.in_frame, of.alternate, of._counters


@given(DATA, st.lists(st.integers(0, 100), max_size=6), st.sampled_from([(1, 1), (2, 2), (5, 3), (10, 4)]))
@settings(max_examples=500)
def test_the_cuts_do_not_matter(data: bytes, cuts: list[int], size: tuple[int, int]) -> None:
    whole, cut, bytewise = terminal(data, *size), terminal(b"", *size), terminal(b"", *size)
    for start, end in pairwise(sorted({0, len(data), *(min(at, len(data)) for at in cuts)})):
        cut.feed(data[start:end])
    for at in range(len(data)):
        bytewise.feed(data[at : at + 1])
    assert seen(cut) == seen(whole) == seen(bytewise)


@given(DATA, DATA, st.tuples(st.integers(1, 6), st.integers(1, 6)), st.tuples(st.integers(1, 6), st.integers(1, 6)))
@settings(max_examples=200)
def test_a_terminal_that_was_resized_takes_any_bytes(before: bytes, after: bytes, size: tuple[int, int], other: tuple[int, int]) -> None:
    made = terminal(before, *size)
    made.resize(*other)
    made.feed(after)
    assert len(made.lines()) <= other[1]


def test_the_cursor_is_known_while_it_is_hidden_and_so_is_wrapping() -> None:
    hidden = terminal("\x1b[?25l\r\nab")
    assert (hidden.caret, hidden.cursor, hidden.wraps) == (None, (1, 2), True)
    assert terminal("0123456789").cursor == (0, 10)
    assert not terminal("\x1b[?7l").wraps
