"""Promise: the screen shows what a terminal would, however the bytes are cut, and nothing a program writes breaks it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mirrord.demo.screen import LONGEST_SEQUENCE, Run, Screen


def shown(data: bytes | str, columns: int = 20, rows: int = 4) -> list[str]:
    screen = Screen(columns, rows)
    screen.feed(data if isinstance(data, bytes) else data.encode())
    return screen.text().rstrip("\n").split("\n")


@pytest.mark.parametrize(
    ("name", "written", "rows"),
    [
        ("plain", "one\r\ntwo", ["one", "two"]),
        ("a keyboard protocol is pushed and popped", "a\x1b[>7ub\x1b[<uc\x1b[?ud", ["abcd"]),
        ("modifyOtherKeys is no underline", "\x1b[>4;2ma", ["a"]),
        ("an image is not printed", "a\x1b_Ga=d,d=A,q=2\x1b\\b", ["ab"]),
        ("a cursor marker ends with BEL", "a\x1b_pi:c\x07b", ["ab"]),
        ("a device control string is not printed", "a\x1bPpayload\x1b\\b", ["ab"]),
        ("a hyperlink leaves its text", "\x1b]8;;https://example.com\x07link\x1b]8;;\x07", ["link"]),
        ("a string broken off by another escape", "a\x1b]0;title\x1b[1mb", ["ab"]),
        ("a variation selector loses nothing", "⚠️ warn", ["⚠ warn"]),
        ("a joiner loses nothing", "👨\u200d👩 after", ["👨👩 after"]),
        ("a combining mark joins its letter", "e\u0301x", ["éx"]),
        ("colon parameters leave nothing behind", "\x1b[4:3ma\x1b[38:2::1:2:3mb", ["ab"]),
        ("an underline colour leaves nothing behind", "\x1b[58;2;1;2;3ma", ["a"]),
        ("a device status request is not printed", "a\x1b[?996nb\x1b[6nc\x1b[cd\x1b[16te", ["abcde"]),
        ("cursor and erase", "abcdef\x1b[1G\x1b[2CX\x1b[K", ["abX"]),
        ("C1 controls are no controls", "a\u009b1mb", ["a1mb"]),
        ("character sets are not switched", "\x1b(0\x0elqk\x0f\x1b(B", ["lqk"]),
        ("invalid UTF-8 is marked", "a\udcffb", ["a\ufffdb"]),
    ],
)
def test_text_as_a_terminal_shows_it(name: str, written: str, rows: list[str]) -> None:
    data = written.encode("utf-8", "surrogateescape")
    assert shown(data) == rows, name
    piecewise = Screen(20, 4)
    for byte in data:
        piecewise.feed(bytes([byte]))
    assert piecewise.text().rstrip("\n").split("\n") == rows, f"{name}, byte by byte"


def test_the_alternate_screen_is_left_as_it_was_found() -> None:
    screen = Screen(10, 3)
    screen.feed(b"shell\x1b[?1049h\x1b[H\x1b[2Jpi")
    assert (screen.alternate, screen.text().strip()) == (True, "pi")
    screen.feed(b"\x1b[?1049l$")
    assert (screen.alternate, screen.text().strip()) == (False, "shell$")


def test_lines_that_scroll_off_are_kept_until_the_program_clears_them() -> None:
    screen = Screen(10, 2)
    screen.feed(b"1\r\n2\r\n3\r\n4")
    assert (list(screen.scrollback), screen.text()) == (["1", "2"], "3\n4")
    screen.feed(b"\x1b[3J")
    assert (list(screen.scrollback), screen.text()) == ([], "3\n4")


def test_a_synchronized_update_is_half_a_picture_until_it_ends() -> None:
    screen = Screen(10, 2)
    screen.feed(b"\x1b[?2026hhalf")
    assert screen.in_frame
    screen.feed(b"\x1b[?2026l")
    assert not screen.in_frame


def test_a_snapshot_tells_apart_what_a_person_would() -> None:
    def snapshot(data: bytes) -> object:
        screen = Screen(10, 2)
        screen.feed(data)
        return screen.snapshot()

    same = snapshot(b"ab")
    assert snapshot(b"a\x1b[m\x1b[>4;2mb") == same
    for different in (b"aB", b"a\x1b[1mb", b"a\x1b[31mb", b"ab\x1b[D", b"ab\x1b[?25l", b"\x1b]0;t\x07ab", b"\x1b[?1049hab"):
        assert snapshot(different) != same, different


def test_neighbouring_cells_of_one_style_are_one_run() -> None:
    screen = Screen(10, 1)
    screen.feed(b"ab\x1b[1;38;2;255;0;16mcd")
    assert screen.snapshot().lines == ((Run("ab", "default", "default", frozenset()), Run("cd", "ff0010", "default", frozenset({"bold"}))),)


def test_a_sequence_that_never_ends_is_given_up_at_the_limit() -> None:
    screen = Screen(10, 1)
    screen.feed(b"\x1b]0;" + b"x" * (LONGEST_SEQUENCE - 4))
    screen.feed(b"x")
    screen.feed(b"ok")
    assert screen.text() == "ok"


def test_resize_keeps_what_fits() -> None:
    screen = Screen(10, 3)
    screen.feed(b"0123456789\r\nsecond")
    screen.resize(4, 5)
    assert screen.text().split("\n") == ["0123", "seco", "", "", ""]


FRAGMENTS = st.one_of(
    st.binary(max_size=12),
    st.sampled_from([b"\x1b", b"\x1b[", b"\x1b]", b"\x1b_", b"\x1b\\", b"\x07", b"\x1b[?1049h", b"\x1b[?1049l", b"\x1b[?6h"]),
    st.builds(
        lambda private, numbers, final: f"\x1b[{private}{';'.join(map(str, numbers))}{final}".encode(),
        st.sampled_from(["", "?", ">", "<"]),
        st.lists(st.one_of(st.integers(0, 70), st.integers(0, 10**7)), max_size=6),
        st.characters(min_codepoint=0x40, max_codepoint=0x7E),
    ),
)


@given(st.lists(FRAGMENTS, max_size=30), st.integers(1, 7))
def test_any_bytes_give_the_same_screen_however_they_are_cut(fragments: list[bytes], size: int) -> None:
    data = b"".join(fragments)
    whole, cut = Screen(12, 5), Screen(12, 5)
    whole.feed(data)
    for start in range(0, len(data), size):
        cut.feed(data[start : start + size])
    assert cut.snapshot() == whole.snapshot()
    assert cut.scrollback == whole.scrollback
