"""Promise: sequences do on a screen what they do in xterm.js, at its edges too; its size changes only when we say so."""

from __future__ import annotations

import pytest

from tests.sanitize.emulation import Emulation

FILLED = "aaaaa\r\nbbbbb\r\nccccc\r\nddddd\x1b[H"
"""A screen of five columns and four lines, the cursor at home."""

CASES: list[tuple[str, str, list[str], tuple[int, int]]] = [
    # Controls
    ("CR", "abc\rX", ["Xbc"], (1, 0)),
    ("CR while a wrap waits", "abcde\rX", ["Xbcde"], (1, 0)),
    ("LF keeps the column", "ab\nc", ["ab", "  c"], (3, 1)),
    ("LF while a wrap waits", "abcde\nX", ["abcde", "    X"], (5, 1)),
    ("VT and FF are LF", "a\vb\fc", ["a", " b", "  c"], (3, 2)),
    ("LF scrolls", "a\r\nb\r\nc\r\nd\r\ne", ["b", "c", "d", "e"], (1, 3)),
    ("LF returns too, in that mode", "\x1b[20hab\nc\x1b[20l\nd", ["ab", "c", " d"], (2, 2)),
    ("BS", "abc\b\bX", ["aXc"], (2, 0)),
    ("BS at the start", "\b\bX", ["X"], (1, 0)),
    ("BS while a wrap waits", "abcde\bX", ["abcXe"], (4, 0)),
    ("BEL, NUL, ENQ and others do nothing", "a\x07\x00\x05\x06\x1c\x18b", ["ab"], (2, 0)),
    # Cursor
    ("CUP", "\x1b[2;3HX\x1b[HY\x1b[4fZ", ["Y", "  X", "", "Z"], (1, 3)),
    ("CUP stays on the screen", "\x1b[99;99HX\x1b[0;0HY", ["Y", "", "", "    X"], (1, 0)),
    ("CUP while a wrap waits", "abcde\x1b[1;5HX", ["abcdX"], (5, 0)),
    ("CUU, CUD, CUF, CUB", "\x1b[2B\x1b[2C\x1b[A\x1b[DX", ["", " X"], (2, 1)),
    ("they stop at the edges", "\x1b[9A\x1b[9DX\x1b[9B\x1b[9CY", ["X", "", "", "    Y"], (5, 3)),
    ("CUB while a wrap waits", "abcde\x1b[DX", ["abcXe"], (4, 0)),
    ("CUU while a wrap waits", "\r\nabcde\x1b[AX", ["    X", "abcde"], (5, 0)),
    ("CUF while a wrap waits", "abcde\x1b[CX", ["abcdX"], (5, 0)),
    ("CNL and CPL", "ab\x1b[2EX\x1b[FY", ["ab", "Y", "X"], (1, 1)),
    ("CHA, HPA, HPR", "\x1b[3GX\x1b[`Y\x1b[2aZ", ["Y XZ"], (4, 0)),
    ("VPA, VPR", "ab\x1b[3dX\x1b[eY", ["ab", "", "  X", "   Y"], (4, 3)),
    ("VPA and VPR while a wrap waits", "abcde\x1b[2dX\x1b[1;1Habcde\x1b[2eY", ["abcde", "    X", "    Y"], (5, 2)),
    ("CUU and CUD stop at the region", "\x1b[2;3r\x1b[2H\x1b[9AX\x1b[9BY", ["", "X", " Y"], (2, 2)),
    ("but not from outside of it", "\x1b[2;3r\x1b[4H\x1b[9BX\x1b[1H\x1b[9AY", ["Y", "", "", "X"], (1, 0)),
    ("VPR passes the region", "\x1b[2;3r\x1b[2H\x1b[9eX", ["", "", "", "X"], (1, 3)),
    ("a second number is read over", "\x1b[1;9CX", [" X"], (2, 0)),
    ("a count of 0 is 1", "abc\x1b[0DX", ["abX"], (3, 0)),
    ("NEL", "abcde\x1bEX", ["abcde", "X"], (1, 1)),
    ("IND", "ab\x1bDX", ["ab", "  X"], (3, 1)),
    ("RI", "a\r\nb\x1bMX", ["aX", "b"], (2, 0)),
    ("RI at the top scrolls", FILLED + "\x1bMX", ["X", "aaaaa", "bbbbb", "ccccc"], (1, 0)),
    ("8-bit forms of them", "a\x85b\x84c\x8d\x8dX", ["a X", "b", " c"], (3, 0)),
    # Saved cursor
    ("DECSC and DECRC", "ab\x1b7\r\ncd\x1b8X", ["abX", "cd"], (3, 0)),
    ("CSI s and u", "ab\x1b[s\r\ncd\x1b[uX", ["abX", "cd"], (3, 0)),
    ("DECRC twice", "ab\x1b7\x1b[4H\x1b8\x1b[4H\x1b8X", ["abX"], (3, 0)),
    ("DECRC before any DECSC", "ab\r\ncd\x1b8X", ["Xb", "cd"], (1, 0)),
    ("a wrap that waited is forgotten", "abcde\x1b7\r\n\x1b8X", ["abcdX"], (5, 0)),
    ("with character sets", "\x1b(0\x1b7\x1b(Bq\x1b8q", ["─"], (1, 0)),
    # Tab stops
    ("HT", "a\tX", ["a   X"], (5, 0)),
    ("HT while a wrap waits", "abcde\tX", ["abcde", "X"], (1, 1)),
    ("HTS and TBC", "\x1b[3G\x1bH\r\tX\r\x1b[3G\x1b[g\r\tY", ["  X Y"], (5, 0)),
    ("TBC of all", "\x1b[2G\x1bH\x1b[3gX\r\tY", [" X  Y"], (5, 0)),
    ("CHT and CBT", "\x1b[2G\x1bH\x1b[4G\x1bH\r\x1b[2IX\x1b[2ZY", [" Y X"], (2, 0)),
    ("CHT of one", "\x1b[2G\x1bH\x1b[4G\x1bH\r\x1b[IX", [" X"], (2, 0)),
    ("CBT while a wrap waits", "abcde\x1b[ZX", ["abcde", "X"], (1, 1)),
    ("CHT and CBT too often", "\x1b[9999IX\x1b[D\x1b[9999ZY", ["Y   X"], (1, 0)),
    # Erasing
    ("EL 0", FILLED + "\x1b[2;3H\x1b[K", ["aaaaa", "bb", "ccccc", "ddddd"], (2, 1)),
    ("EL 1", FILLED + "\x1b[2;3H\x1b[1K", ["aaaaa", "   bb", "ccccc", "ddddd"], (2, 1)),
    ("EL 2", FILLED + "\x1b[2;3H\x1b[2K", ["aaaaa", "", "ccccc", "ddddd"], (2, 1)),
    ("EL of other numbers", "abc\r\x1b[3K\x1b[9K", ["abc"], (0, 0)),
    ("EL 0 while a wrap waits", "abcde\x1b[KX", ["abcde", "X"], (1, 1)),
    ("EL 1 while a wrap waits", "abcde\x1b[1KX", ["", "X"], (1, 1)),
    ("EL in a wide character", "日本\x1b[2G\x1b[K", [], (1, 0)),
    ("EL 1 in a wide character", "日本\r\x1b[1K", ["  本"], (0, 0)),
    ("ED 0", FILLED + "\x1b[2;3H\x1b[J", ["aaaaa", "bb"], (2, 1)),
    ("ED 1", FILLED + "\x1b[2;3H\x1b[1J", ["", "   bb", "ccccc", "ddddd"], (2, 1)),
    ("ED 2", FILLED + "\x1b[2;3H\x1b[2JX", ["", "  X"], (3, 1)),
    ("ED 3 and others leave the screen", "abc\x1b[3J\x1b[4J\x1b[22J", ["abc"], (3, 0)),
    ("ECH", "abcde\x1b[2G\x1b[2XX", ["aX de"], (2, 0)),
    ("ECH to the end", "abcde\x1b[2G\x1b[99X", ["a"], (1, 0)),
    ("ECH while a wrap waits", "abcde\x1b[X", ["abcd"], (4, 0)),
    ("ECH of half a wide character", "日本\r\x1b[X", ["  本"], (0, 0)),
    # Columns and rows that move
    ("ICH", "abcde\x1b[2G\x1b[2@X", ["aX bc"], (2, 0)),
    ("ICH behind the text", "ab\x1b[4G\x1b[@X", ["ab X"], (4, 0)),
    ("ICH too many", "abcde\x1b[2G\x1b[9999@", ["a"], (1, 0)),
    ("ICH cuts a wide character at the edge", "abc日\r\x1b[@", [" abc"], (0, 0)),
    ("DCH", "abcde\x1b[2G\x1b[2P", ["ade"], (1, 0)),
    ("ICH and DCH while a wrap waits", "abcde\x1b[@\r\nfghij\x1b[P", ["abcd", "fghi"], (4, 1)),
    ("DCH too many", "abcde\x1b[2G\x1b[9999P", ["a"], (1, 0)),
    ("DCH of half a wide character", "日本\r\x1b[P", [" 本"], (0, 0)),
    ("IL", FILLED + "\x1b[2;3H\x1b[LX", ["aaaaa", "X", "bbbbb", "ccccc"], (1, 1)),
    ("IL too many", FILLED + "\x1b[2;3H\x1b[9999L", ["aaaaa"], (0, 1)),
    ("DL", FILLED + "\x1b[2;3H\x1b[MX", ["aaaaa", "Xcccc", "ddddd"], (1, 1)),
    ("DL too many", FILLED + "\x1b[2;3H\x1b[9999M", ["aaaaa"], (0, 1)),
    ("IL within the region", FILLED + "\x1b[1;3r\x1b[2H\x1b[L", ["aaaaa", "", "bbbbb", "ddddd"], (0, 1)),
    ("DL within the region", FILLED + "\x1b[1;3r\x1b[2H\x1b[M", ["aaaaa", "ccccc", "", "ddddd"], (0, 1)),
    ("IL and DL outside of it", FILLED + "\x1b[2;3r\x1b[4;2H\x1b[L\x1b[M", ["aaaaa", "bbbbb", "ccccc", "ddddd"], (1, 3)),
    ("IL outside of it while a wrap waits", FILLED + "\x1b[2;3r\x1b[4;5HX\x1b[LY", ["aaaaa", "bbbbb", "ccccc", "ddddY"], (5, 3)),
    ("DL outside of it while a wrap waits", FILLED + "\x1b[2;3r\x1b[4;5HX\x1b[MY", ["aaaaa", "bbbbb", "ccccc", "ddddY"], (5, 3)),
    ("SU", FILLED + "\x1b[S", ["bbbbb", "ccccc", "ddddd"], (0, 0)),
    ("SD", FILLED + "\x1b[2T", ["", "", "aaaaa", "bbbbb"], (0, 0)),
    ("SU and SD too many", FILLED + "\x1b[2;3r\x1b[9999S", ["aaaaa", "", "", "ddddd"], (0, 0)),
    ("SD within the region", FILLED + "\x1b[2;3r\x1b[T", ["aaaaa", "", "bbbbb", "ddddd"], (0, 0)),
    # The region
    ("LF scrolls the region", FILLED + "\x1b[2;3r\x1b[3H\nX", ["aaaaa", "ccccc", "X", "ddddd"], (1, 2)),
    ("RI scrolls the region", FILLED + "\x1b[2;3r\x1b[2H\x1bMX", ["aaaaa", "X", "bbbbb", "ddddd"], (1, 1)),
    ("LF below the region", FILLED + "\x1b[1;2r\x1b[4H\n\nX", ["aaaaa", "bbbbb", "ccccc", "Xdddd"], (1, 3)),
    ("RI above the region", FILLED + "\x1b[2;3r\x1bM\x1bMX", ["Xaaaa", "bbbbb", "ccccc", "ddddd"], (1, 0)),
    ("wrapping scrolls the region", FILLED + "\x1b[2;3r\x1b[3HvwxyzX", ["aaaaa", "vwxyz", "X", "ddddd"], (1, 2)),
    ("a region of one row is none", FILLED + "\x1b[3H\x1b[2;2r\x1b[3;2rX", ["aaaaa", "bbbbb", "Xcccc", "ddddd"], (1, 2)),
    ("a region larger than the screen", FILLED + "\x1b[0;99r\x1b[4H\nX", ["bbbbb", "ccccc", "ddddd", "X"], (1, 3)),
    ("no region again", FILLED + "\x1b[2;3r\x1b[r\x1b[4H\nX", ["bbbbb", "ccccc", "ddddd", "X"], (1, 3)),
    ("origin mode", "\x1b[2;3r\x1b[?6hX\x1b[9;2HY\x1b[dZ", ["", "X Z", " Y"], (3, 1)),
    ("origin mode ends", "\x1b[2;3r\x1b[?6h\x1b[?6lX", ["X"], (1, 0)),
    ("origin mode without a region", "\x1b[?6h\x1b[2dX", ["", "X"], (1, 1)),
    ("a cursor restored in origin mode", "\x1b7\x1b[2;3r\x1b[?6h\x1b8X", ["", "X"], (1, 1)),
    # Both screens
    ("1049", "main\x1b[?1049h\x1b[Halt\x1b[?1049lX", ["mainX"], (5, 0)),
    ("1047", "main\x1b[?1047h\x1b[Halt\x1b[?1047lX", ["maiX"], (4, 0)),
    ("47", "main\x1b[?47h\x1b[Halt\x1b[?47lX", ["maiX"], (4, 0)),
    ("1048", "ab\x1b[?1048h\r\ncd\x1b[?1048lX", ["abX", "cd"], (3, 0)),
    ("the alternate screen is empty and the cursor where it was", "ab\x1b[?1049hX", ["  X"], (3, 0)),
    ("it is empty each time", "\x1b[?1049habc\x1b[?1049l\x1b[?1049hX", ["X"], (1, 0)),
    ("twice is once", "main\x1b[?1049h\x1b[?1049halt\x1b[?1049l\x1b[?1049lX", ["mainX"], (5, 0)),
    ("each has its saved cursor", "ab\x1b7\x1b[?47h\x1b[2;2H\x1b7\x1b[?47l\x1b8X", ["abX"], (3, 0)),
    ("each has its region", "\x1b[2;3r\x1b[?47h\x1b[4Ha\nb\x1b[?47l\x1b[3Hc\r\nd", ["", "c", "d"], (1, 2)),
    # Resets
    ("RIS", "\x1b[2;3r\x1b[?6h\x1b[4h\x1b[?7l\x1b(0q\x1b[?1049h\x1bcabcdeq", ["abcde", "q"], (1, 1)),
    ("DECSTR", "X\x1b[2;3r\x1b[?6h\x1b[4h\x1b[?7l\x1b(0\x1b[!p\x1b[4Hqbcdef", ["", "", "qbcde", "f"], (1, 3)),
    ("DECALN", "\x1b[3;3H\x1b#8X", ["XEEEE", "EEEEE", "EEEEE", "EEEEE"], (1, 0)),
    ("each row of it is changed alone", "\x1b#8\x1b[2HX\x1b[3H\x1b[K", ["EEEEE", "XEEEE", "", "EEEEE"], (0, 2)),
]


@pytest.mark.parametrize(("data", "rows", "cursor"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_what_sequences_do(data: str, rows: list[str], cursor: tuple[int, int]) -> None:
    whole, cut = Emulation(data, columns=5), Emulation("", columns=5)
    for character in data:
        cut.feed(character)
    assert (whole.rows, whole.cursor) == (rows, cursor)
    assert (cut.rows, cut.cursor) == (rows, cursor)


def test_tab_stops_are_eight_columns_apart() -> None:
    emulation = Emulation("\t1\t2\x1b[2Z3\t\t\t4", columns=20)
    assert emulation.rows == ["        3       2  4"]


def test_each_screen_has_its_tab_stops() -> None:
    emulation = Emulation("\x1b[3g\x1b[?1049h\r\tX", columns=20)
    assert emulation.rows == ["        X"]
    emulation.feed("\x1b[?1049l\r\tY")
    assert emulation.rows == ["                   Y"]


@pytest.mark.parametrize(("columns", "lines"), [(1, 1), (1, 4), (5, 1), (2, 2)])
def test_the_smallest_screens_take_every_sequence(columns: int, lines: int) -> None:
    for _, data, _, _ in CASES:
        emulation = Emulation(data, columns, lines)
        x, y = emulation.cursor
        assert 0 <= x <= columns
        assert 0 <= y < lines
        assert len(emulation.screen.rows) == lines


@pytest.mark.parametrize(
    ("columns", "lines", "rows", "cursor"),
    [
        (5, 4, ["aaaaa", "bbbbb", "ccccc", "ddddd"], (2, 2)),
        (3, 4, ["aaa", "bbb", "ccc", "ddd"], (2, 2)),
        (7, 6, ["aaaaa", "bbbbb", "ccccc", "ddddd"], (2, 2)),
        (5, 3, ["aaaaa", "bbbbb", "ccccc"], (2, 2)),
        (5, 2, ["bbbbb", "ccccc"], (2, 1)),
        (2, 1, ["cc"], (1, 0)),
    ],
)
def test_a_smaller_screen_loses_rows_below_the_cursor_first(columns: int, lines: int, rows: list[str], cursor: tuple[int, int]) -> None:
    emulation = Emulation(FILLED + "\x1b[3;3H", columns=5)
    emulation.screen.resize(lines, columns)
    assert (emulation.rows, emulation.cursor) == (rows, cursor)
    emulation.feed("X")
    assert len(emulation.screen.rows) == lines


def test_a_wide_character_at_the_new_edge_becomes_blank() -> None:
    emulation = Emulation("a日本e\u0301", columns=8)
    emulation.screen.resize(4, 4)
    assert emulation.rows == ["a日"]
    emulation.screen.resize(4, 8)
    emulation.feed("\x1b[5GX")
    assert emulation.rows == ["a日 X"]


def test_both_screens_are_resized_and_have_no_region_any_more() -> None:
    emulation = Emulation(FILLED + "\x1b[2;3r\x1b[?1049halternate", columns=5)
    emulation.screen.resize(2, 3)
    emulation.feed("\x1b[?1049l")
    assert emulation.rows == ["aaa", "bbb"]
    emulation.feed("\x1b[2H\nX")
    assert emulation.rows == ["bbb", "X"]


def test_tab_stops_follow_a_resize() -> None:
    emulation = Emulation(columns=5)
    emulation.screen.resize(4, 20)
    emulation.feed("\tX")
    assert emulation.rows == ["        X"]


@pytest.mark.parametrize(("data", "hidden"), [("", False), ("\x1b[?25l", True), ("\x1b[?25l\x1b[?25h", False), ("\x1b[?25l\x1b[!p", False)])
def test_the_cursor_is_hidden_and_shown(data: str, hidden: bool) -> None:
    assert Emulation(data).screen.cursor.hidden is hidden


def test_erased_cells_and_what_scrolls_in_have_no_look() -> None:
    emulation = Emulation("\x1b[4mabc\x1b[2G\x1b[X\n\x1b[@\x1b[K\r\n\n\n", columns=5)
    assert [pen.traits for row in emulation.screen.rows for _, pen in row.runs()] == []
    emulation = Emulation("\x1b[4mabc\x1b[2G\x1b[X", columns=5)
    assert [(text, pen.traits) for text, pen in emulation.screen.rows[0].runs()] == [
        ("a", ("underline",)),
        (" ", ()),
        ("c", ("underline",)),
    ]


def test_the_alignment_pattern_has_no_look_and_no_link() -> None:
    emulation = Emulation("\x1b[4m\x1b]8;;https://a.example/\x07\x1b#8", columns=5)
    assert {(pen.traits, pen.link) for row in emulation.screen.rows for _, pen in row.runs()} == {((), None)}


def test_the_line_drawing_set_has_the_sign_of_a_new_line() -> None:
    assert Emulation("\x1b(0h").rows == ["\u2424"]
