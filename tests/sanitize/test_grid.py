"""Promise: text gets into cells as a reader sees it, wraps as in xterm, and does so however it is cut."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sanitize.cells import HALF
from sanitize.limits import CLUSTER_CODE_POINTS
from tests.sanitize.emulation import PENS, Emulation

DRAWN: list[tuple[str, str, int, list[str], tuple[int, int]]] = [
    ("text", "abc", 5, ["abc"], (3, 0)),
    ("the last column waits", "abcde", 5, ["abcde"], (5, 0)),
    ("and wraps with the next character", "abcdef", 5, ["abcde", "f"], (1, 1)),
    ("several rows at once", "abcdefghijkl", 5, ["abcde", "fghij", "kl"], (2, 2)),
    ("more rows than there are", "abcdefghijkl", 3, ["abc", "def", "ghi", "jkl"], (3, 3)),
    ("rows scroll out", "abcdefghijklm", 3, ["def", "ghi", "jkl", "m"], (1, 3)),
    ("wide characters", "日本", 5, ["日本"], (4, 0)),
    ("a wide one has no room in the last column", "abcd日", 5, ["abcd", "日"], (2, 1)),
    ("what was in the last column is blank then", "abcde\rabcd日", 5, ["abcd", "日"], (2, 1)),
    ("wide ones over several rows", "日本語日本語", 5, ["日本", "語日", "本語"], (4, 2)),
    ("narrow ones that are not ASCII", "─│é→•", 4, ["─│é→", "•"], (1, 1)),
    ("a mark", "e\u0301x", 5, ["e\u0301x"], (2, 0)),
    ("a mark in the last column", "abcde\u0301f", 5, ["abcde\u0301", "f"], (1, 1)),
    ("emoji", "👨‍👩‍👧 ⚠️ 1️⃣ 👍🏽 🇩🇪", 20, ["👨‍👩‍👧 ⚠️ 1️⃣ 👍🏽 🇩🇪"], (14, 0)),
    ("a selector makes it too wide for the last column", "abcd⚠️e", 5, ["abcd", "⚠️e"], (3, 1)),
    ("the same with two columns", "a⚠️b", 2, ["a", "⚠️", "b"], (1, 2)),
    ("jamo", "\u1112\u1161\u11ab x", 5, ["\u1112\u1161\u11ab x"], (4, 0)),
    ("an Indian conjunct", "क\u094dष|", 5, ["क\u094dष|"], (3, 0)),
    ("a number sign that encloses", "a\u06001b", 5, ["a\u06001b"], (3, 0)),
    ("what nobody sees", "a\u200bb\xad\ufeffc\u2028\u202ed\ufffe\u2060e", 6, ["abcde"], (5, 0)),
    ("icons of a private area", "\ue0b0x\uf015", 5, ["\ue0b0x\uf015"], (3, 0)),
    ("a mark with nothing before it", "\u0301x", 5, ["x"], (1, 0)),
    ("a wide character on a screen of one column", "日a", 1, ["a"], (1, 0)),
    ("a character that becomes wide there", "⚠️a", 1, ["⚠", "a"], (1, 1)),
]


@pytest.mark.parametrize(("data", "columns", "rows", "cursor"), [case[1:] for case in DRAWN], ids=[case[0] for case in DRAWN])
def test_drawing(data: str, columns: int, rows: list[str], cursor: tuple[int, int]) -> None:
    whole, cut = Emulation(data, columns), Emulation("", columns)
    for character in data:
        cut.feed(character)
    assert (whole.rows, whole.cursor) == (rows, cursor)
    assert (cut.rows, cut.cursor) == (rows, cursor)


@pytest.mark.parametrize(
    ("data", "rows"),
    [
        ("日x\ra", ["a x"]),
        ("日x\r\x1b[Ca", [" ax"]),
        ("a日b\r日", ["日 b"]),
        ("日本\r\x1b[Cx語", [" x語"]),
        ("日本\r\x1b[Cxy", [" xy"]),
        ("日本\r\x1b[C語", [" 語"]),
        ("e\u0301x\ra", ["ax"]),
        ("⚠x\r⚠️", ["⚠️"]),
        ("⚠日\r⚠\ufe0f|", ["⚠️|"]),
    ],
)
def test_what_loses_a_half_becomes_blank(data: str, rows: list[str]) -> None:
    assert Emulation(data).rows == rows


@pytest.mark.parametrize(
    ("data", "rows"),
    [
        ("e\x1b[1m\u0301x", ["e\u0301x"]),
        ("👩\x1b]8;;https://a.example/\x07\u200d👧", ["👩‍👧"]),
        ("🇩\x1b[0m🇪|", ["🇩🇪|"]),
        ("🇩\r\x1b[2C🇪|", ["🇩🇪|"]),
        ("🇩\r\n🇪|", ["🇩", "🇪|"]),
        ("ab\r\x1b[C\u0301", ["a\u0301b"]),
        ("日x\r\x1b[2C\u0301", ["日\u0301x"]),
        ("日x\r\x1b[C\u0301", ["日\u0301x"]),
        ("ab\r\u0301", ["ab"]),
        ("a\r\n\u0301b", ["a", "b"]),
    ],
)
def test_what_comes_later_joins_the_cell_before_the_cursor(data: str, rows: list[str]) -> None:
    assert Emulation(data).rows == rows


def test_a_cell_is_never_endless() -> None:
    full = "e" + "\u0301" * (CLUSTER_CODE_POINTS - 1)
    emulation = Emulation(full)
    emulation.feed("\u0301" * 1000)
    emulation.feed("x")
    assert emulation.rows == [full + "x"]


def test_the_pen_of_a_cell_is_that_of_its_first_character() -> None:
    emulation = Emulation("\x1b[1me\x1b[0m\u0301x")
    bold = PENS.sgr(PENS.plain, "1")
    assert emulation.screen.rows[0].runs() == [("e\u0301", bold), ("x", PENS.plain)]
    emulation = Emulation("\x1b[1mabcd⚠\x1b[0m\ufe0fx", columns=5)
    assert emulation.screen.rows[1].runs() == [("⚠\ufe0f", bold), ("x", PENS.plain)]


@pytest.mark.parametrize(
    ("data", "rows", "x"),
    [
        ("abcdefg", ["abcdg"], 5),
        ("abcde\x1b[Dxyz", ["abcxz"], 5),
        ("abcd日", ["abcd"], 4),
        ("abcde日", ["abcde"], 4),
        ("abcd日x", ["abcdx"], 5),
        ("abcd日\u0301x", ["abcdx"], 5),
        ("abc日x", ["abc x"], 5),
        ("abcd⚠\ufe0f", ["abcd⚠"], 5),
        ("abcd⚠\ufe0f\u200d🔥x", ["abcdx"], 5),
        ("abcde\u0301\u0302", ["abcde\u0301\u0302"], 5),
        ("─────│", ["────│"], 5),
    ],
)
def test_without_autowrap_the_last_column_is_written_again_and_again(data: str, rows: list[str], x: int) -> None:
    whole, cut = Emulation("\x1b[?7l" + data, columns=5), Emulation("\x1b[?7l", columns=5)
    for character in data:
        cut.feed(character)
    assert (whole.rows, whole.cursor) == (cut.rows, cut.cursor) == (rows, (x, 0))


@pytest.mark.parametrize(
    ("data", "rows"),
    [
        ("abc\r\x1b[4hX", ["Xabc"]),
        ("abcde\r\x1b[4hX", ["Xabcd"]),
        ("abcde\r\x1b[4h日", ["日abc"]),
        ("abc日\r\x1b[4hX", ["Xabc"]),
        ("abc\r\x1b[4h⚠\ufe0f", ["⚠\ufe0fabc"]),
        ("abc\r\x1b[4he\u0301X", ["e\u0301Xabc"]),
        ("日bc\r\x1b[C\x1b[4hX", [" X bc"]),
        ("abc\r\x1b[4hX\x1b[4lY", ["XYbc"]),
        ("abcde\x1b[4hX", ["abcde", "X"]),
    ],
)
def test_insert_mode_moves_the_others(data: str, rows: list[str]) -> None:
    assert Emulation(data, columns=5).rows == rows


@pytest.mark.parametrize(
    ("data", "rows"),
    [
        ("\x1b(0lqqk~`\x1b(Bq", ["┌──┐·◆q"]),
        ("\x1b(0LQ_é日", ["LQ_é日"]),
        ("\x1b)0q\x0eq\x0fq", ["q─q"]),
        ("\x1b(0q\x1b(Aq", ["─q"]),
        ("\x1b(0q\x0eq\x0fq", ["─q─"]),
        ("\x1b*0\x1b+0q", ["q"]),
    ],
)
def test_line_drawing(data: str, rows: list[str]) -> None:
    assert Emulation(data).rows == rows


REPEATED: list[tuple[str, str, list[str], tuple[int, int]]] = [
    ("once", "x\x1b[b", ["xx"], (2, 0)),
    ("thrice", "x\x1b[3b", ["xxxx"], (4, 0)),
    ("to the last column", "x\x1b[4b", ["xxxxx"], (5, 0)),
    ("into the next row", "x\x1b[5b", ["xxxxx", "x"], (1, 1)),
    ("over many rows", "ab\x1b[13b", ["abbbb", "bbbbb", "bbbbb"], (5, 2)),
    ("until it scrolls", "ab\x1b[20b", ["bbbbb", "bbbbb", "bbbbb", "bb"], (2, 3)),
    ("more than the screen", "a\r\nx\x1b[9999b", ["xxxxx", "xxxxx", "xxxxx", "xxxxx"], (5, 3)),
    ("a wide one", "日\x1b[5b", ["日日", "日日", "日日"], (4, 2)),
    ("with its marks", "e\u0301\x1b[5b", ["e\u0301" * 5, "e\u0301"], (1, 1)),
    ("within the region", "\x1b[2;3rx\x1b[21b", ["xxxxx", "xxxxx", "xx"], (2, 2)),
    ("below the region", "\x1b[1;2r\x1b[4Hx\x1b[11b", ["", "", "", "xxxxx"], (2, 3)),
    ("without autowrap", "\x1b[?7labx\x1b[9b", ["abxxx"], (5, 0)),
    ("a wide one without autowrap", "\x1b[?7la日\x1b[9b", ["a日日"], (4, 0)),
    ("in insert mode", "abc\r\x1b[4hx\x1b[2b", ["xxxab"], (3, 0)),
    ("nothing was drawn", "\x1b[5b", [], (0, 0)),
    ("not after a control", "x\r\x1b[5b", ["x"], (0, 0)),
    ("not after a sequence", "x\x1b[m\x1b[5b", ["x"], (1, 0)),
    ("not after an escape", "x\x1b7\x1b[5b", ["x"], (1, 0)),
    ("not after a string", "x\x1b]0;t\x07\x1b[5b", ["x"], (1, 0)),
    ("not after itself", "x\x1b[b\x1b[5b", ["xx"], (2, 0)),
    ("what follows joins the last one", "e\x1b[2b\u0301", ["eee\u0301"], (3, 0)),
]


@pytest.mark.parametrize(("data", "rows", "cursor"), [case[1:] for case in REPEATED], ids=[case[0] for case in REPEATED])
def test_repeating(data: str, rows: list[str], cursor: tuple[int, int]) -> None:
    emulation = Emulation(data, columns=5)
    assert (emulation.rows, emulation.cursor) == (rows, cursor)


def test_rows_that_were_filled_at_once_change_alone() -> None:
    emulation = Emulation("x\x1b[17b\x1b[2HA\x1b[3H\x1b[K", columns=5)
    assert emulation.rows == ["xxxxx", "Axxxx", "", "xxx"]


@given(
    st.sampled_from(["x", "日", "e\u0301"]),
    st.integers(1, 40),
    st.sampled_from(["", "\x1b[2;3r", "\x1b[1;2r\x1b[4H", "\x1b[4h", "\x1b[3G"]),
)
@settings(max_examples=150)
def test_repeating_is_drawing_again(character: str, count: int, before: str) -> None:
    background = "abcdefghij日本語日本語klmnopqrst\x1b[H"
    repeated = Emulation(f"{background}{before}{character}\x1b[{count}b", columns=7)
    drawn = Emulation(background + before + character * (count + 1), columns=7)
    assert (repeated.screen.display, repeated.cursor) == (drawn.screen.display, drawn.cursor)


UNICODE = st.sampled_from(
    "ab日⚠👩👧🏽🇩🇪\u0301\ufe0f\ufe0e\u200d\u20e31\u0600\u1112\u1161\u11abक\u094dष\u0903\u200b\xad\u3164\u0e33é─\ue000\ufffe"
)
MOVES = st.sampled_from(
    ["\r", "\n", "\b", "\x1b[C", "\x1b[D", "\x1b[1m", "\x1b[4h", "\x1b[4l", "\x1b[?7l", "\x1b[?7h", "\x1b[3b", "\x1b[@", "\x1b[P", "\x1b[K"]
)


@given(st.lists(st.one_of(UNICODE, UNICODE, MOVES), max_size=25), st.integers(1, 6))
@settings(max_examples=400)
def test_the_cuts_do_not_matter_and_no_half_is_left(pieces: list[str], columns: int) -> None:
    whole, cut = Emulation("".join(pieces), columns), Emulation("", columns)
    for character in "".join(pieces):
        cut.feed(character)
    assert (whole.rows, whole.cursor) == (cut.rows, cut.cursor)
    for row in whole.screen.rows:
        assert len(row.columns) == len(row.pens) <= columns
        assert not row.columns.startswith(HALF)
        assert HALF * 2 not in row.columns
