"""Promise: only what is listed is obeyed; all else changes nothing, answers nothing, and is counted once each."""

from __future__ import annotations

import pytest

from sanitize.limits import LARGEST_PARAMETER, PARAMETERS
from tests.sanitize.emulation import PENS, Emulation

DROPPED = [
    # Queries
    *("\x1b[c", "\x1b[>c", "\x1b[=c", "\x1b[5n", "\x1b[6n", "\x1b[?6n", "\x1b[?996n", "\x1b[>q", "\x1b[x", "\x1bZ", "\x05\x1b[0c"),
    *("\x1b[?2026$p", "\x1b[4$p", "\x1b[?1u", "\x1b[?u", "\x1b[16t", "\x1b[21t", "\x1b[18t", "\x1bP$qm\x1b\\", "\x1bP+q544e\x1b\\"),
    *("\x1b]10;?\x07", "\x1b]11;?\x1b\\", "\x1b]4;1;?\x07", "\x1b]52;c;?\x07"),
    # Titles, clipboard, notifications, colours, images
    *(
        "\x1b]0;t\x07",
        "\x1b]1;t\x07",
        "\x1b]2;t\x1b\\",
        "\x1b]l\x07",
        "\x1b[22;0t",
        "\x1b]52;c;aGk=\x07",
        "\x1b]9;hi\x07",
        "\x1b]777;notify;a;b\x07",
    ),
    *(
        "\x1b]4;1;rgb:ff/00/00\x07",
        "\x1b]104\x07",
        "\x1b]7;file://h/p\x07",
        "\x1b]133;A\x07",
        "\x1b]1337;File=:QUJD\x07",
        "\x1b]66;s=2;Big\x07",
    ),
    *("\x1b_Ga=T;AAAA\x1b\\", "\x1b_pi:c\x07", "\x1bPq#0~~\x1b\\", "\x1b^secret\x1b\\", "\x1bXsecret\x1b\\"),
    # Size of the screen and of letters
    *("\x1b[8;50;132t", "\x1b[?3h", "\x1b[?3l", "\x1b[?40h", "\x1b#3", "\x1b#6", "\x1b[?5h", "\x1b[?5l", "\x1b[1;2$r", "\x1b[?69h"),
    # Keyboard, mouse, printer, encodings
    *(
        "\x1b[>7u",
        "\x1b[<u",
        "\x1b[<1u",
        "\x1b[=5;1u",
        "\x1b[?2004h",
        "\x1b[?1000;1006h",
        "\x1b[?1h",
        "\x1b=",
        "\x1b>",
        "\x1b[5i",
        "\x1b%@",
        "\x1b F",
    ),
    # Looks that are none
    *("\x1b[>4;2m", "\x1b[>4m", "\x1b[?4m", "\x1b[<1m", "\x1b[=1m", "\x1b[1 m", "\x1b[1!m", "\x1b[2 q", '\x1b[1"q'),
    # Known finals in other company
    *(
        "\x1b[?J",
        "\x1b[?K",
        "\x1b[>A",
        "\x1b[2 A",
        "\x1b[2 @",
        "\x1b[1$H",
        "\x1b[?1r",
        "\x1b[?1s",
        "\x1b[?8u",
        "\x1b[>1h",
        "\x1b[1:2A",
        "\x1b[:H",
    ),
    # Unknown or malformed
    *(
        "\x1b[1;2;3v",
        "\x1b[12h",
        "\x1b[?99h",
        "\x1b[h",
        "\x1b[?l",
        "\x1bn",
        "\x1bN",
        "\x1b*0",
        "\x1b+B",
        "\x1b(%5",
        "\x80",
        "\x98x\x9c",
    ),
    *("\x1b]8\x07", "\x1b]8;x\x07", "\x1b]foo\x07", "\x1b]\x07", "\x1b]80;;https://a.example/\x07"),
]


@pytest.mark.parametrize("data", DROPPED, ids=ascii)
def test_what_is_not_listed_changes_nothing_and_is_counted(data: str) -> None:
    before = "日本 text\x1b[2;3H"
    plain, other = Emulation(before), Emulation(before + data)
    assert other.screen.display == plain.screen.display
    assert (other.cursor, other.screen.pen, other.screen.mode) == (plain.cursor, PENS.plain, plain.screen.mode)
    assert (other.screen.columns, other.screen.lines) == (10, 4)
    assert other.counters.sequences == 1
    other.feed("X")
    plain.feed("X")
    assert other.screen.display == plain.screen.display


def test_what_is_obeyed_is_not_counted() -> None:
    data = "\x1b7\x1b8\x1bD\x1bE\x1bH\x1bM\x1b#8\x1b(0\x1b)B\x1bc\x1b\\\x85\x9c"
    data += "".join(f"\x1b[{final}" for final in "@ABCDEFGHIJKLMPSTXZ`abdefgmrsu") + "\x1b[!p"
    data += "\x1b[4h\x1b[20;4l\x1b[?6;7;25;47;1047;1048;1049;2026h\x1b[?6;7;25;47;1047;1048;1049;2026l"
    data += "\x1b[4:3m\x1b[38:2::1:2:3m\x1b[58;5;9m\x1b]8;;https://a.example/\x07\x1b]8;id=1;\x1b\\"
    assert Emulation(data).counters.sequences == 0


def test_modes_that_are_known_are_obeyed_beside_others() -> None:
    emulation = Emulation("\x1b[?2004;7;1000lx\x1b[99;4h", columns=1)
    emulation.feed("y")
    assert emulation.rows == ["y"]
    assert emulation.counters.sequences == 2


def test_nothing_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[str] = []
    monkeypatch.setattr("sanitize.screen.Screen.write_process_input", lambda _, data: answers.append(data))
    Emulation("".join(DROPPED))
    assert answers == []


def test_a_link_is_part_of_the_pen_until_another_or_none() -> None:
    emulation = Emulation(
        "\x1b]8;;https://a.example/?a=1;b=2\x07a\x1b[1mb\x1b[0mc\x1b]8;x=y:id=1;https://b.example/\x1b\\d\x1b]8;;\x07e", columns=20
    )
    assert [(text, pen.link, pen.traits) for text, pen in emulation.screen.rows[0].runs()] == [
        ("a", "https://a.example/?a=1;b=2", ()),
        ("b", "https://a.example/?a=1;b=2", ("bold",)),
        ("c", "https://a.example/?a=1;b=2", ()),
        ("d", "https://b.example/", ()),
        ("e", None, ()),
    ]


@pytest.mark.parametrize("uri", ["javascript:alert(1)", "https://a.example/\n", "https://a.example/\x7f", "https://a.example/é"])
def test_a_link_that_may_not_leave_is_refused(uri: str) -> None:
    pen = Emulation(f"\x1b]8;;{uri}\x07").screen.pen
    assert (pen.link, pen.refused) == (None, True)


def test_a_saved_cursor_has_its_pen_and_link() -> None:
    emulation = Emulation("\x1b[1m\x1b]8;;https://a.example/\x07\x1b7\x1b[0m\x1b]8;;\x07\x1b8x")
    [(text, pen)] = emulation.screen.rows[0].runs()
    assert (text, pen.traits, pen.link) == ("x", ("bold",), "https://a.example/")


def test_resets_take_look_and_link_away() -> None:
    for reset in ("\x1bc", "\x1b[!p"):
        assert Emulation("\x1b[1m\x1b]8;;https://a.example/\x07" + reset).screen.pen is PENS.plain


@pytest.mark.parametrize(
    ("parameters", "column"),
    [("", 1), ("0", 1), ("007", 7), (";", 1), ("9" * 200, 10), (str(LARGEST_PARAMETER + 1), 10), (f"3{';1' * (PARAMETERS + 5)}", 3)],
)
def test_numbers(parameters: str, column: int) -> None:
    assert Emulation(f"\x1b[{parameters}G").cursor == (column - 1, 0)


def test_numbers_behind_the_last_that_is_read_are_not_read() -> None:
    emulation = Emulation(f"\x1b[?{'25;' * PARAMETERS}7lab", columns=1)
    assert emulation.screen.cursor.hidden
    assert emulation.rows == ["a", "b"]


def test_frames_are_counted_at_their_end() -> None:
    emulation = Emulation("\x1b[?2026h")
    assert (emulation.commands.frames, emulation.commands.in_frame) == (0, True)
    emulation.feed("x\x1b[?2026l")
    assert (emulation.commands.frames, emulation.commands.in_frame) == (1, False)
    emulation.feed("\x1b[?25;2026l\x1b[?2026h\x1bc")
    assert (emulation.commands.frames, emulation.commands.in_frame) == (2, False)
