"""Promise: what a program has switched on is known from its bytes, however they are cut, and can be switched off and on again exactly."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bridge.pty.modes import Modes, either

PIECES = st.lists(
    st.one_of(
        st.sampled_from([1, 7, 9, 25, 47, 1000, 1002, 1003, 1004, 1006, 1047, 1049, 2004, 2026, 2031, 2048, 12, 99999]).flatmap(
            lambda number: st.sampled_from([f"\x1b[?{number}h", f"\x1b[?{number}l", f"\x1b[?1006;{number}h"])
        ),
        st.sampled_from(["\x1b[>1u", "\x1b[>7u", "\x1b[>u", "\x1b[<u", "\x1b[<2u", "\x1b[>4;2m", "\x1b[>4;0m", "\x1b[>4m"]),
        st.sampled_from(["text", "\x1b[31m", "\x1b[", "\x1b[?", "\x1b]8;;x\x07", "\x1b[?25$p", "\x1b\x1b[?", "é", "\x1b[?u", "\x1b[=5u"]),
    )
).map(lambda pieces: "".join(pieces).encode())


ABORT, PLAIN = b"\x18\x1b\\", b"\x1b[?2026l\x1b[?25h\x1b[0m\x1b]8;;\x1b\\"
ALTERNATE = b"\x1b[?1049h"


def after(*pieces: bytes, word: int = 0) -> Modes:
    modes = Modes(word)
    for piece in pieces:
        modes.read(piece)
    return modes


ALTERNATE_STACK = after(ALTERNATE + b"\x1b[>31u" * 15).word & ~after(ALTERNATE).word


@pytest.mark.parametrize(
    ("written", "undone"),
    [
        (b"\x1b[?2004h", b"\x1b[?2004l"),
        (b"\x1b[?7l", b"\x1b[?7h"),
        (b"\x1b[?1000;1006h", b"\x1b[?1000l\x1b[?1006l"),
        (b"\x1b[?1049h", b"\x1b7\x1b[?1049l"),
        (b"\x1b[>7u\x1b[>1u", b"\x1b[<2u"),
        (b"\x1b[>4;2m", b"\x1b[>4;0m"),
        # Each screen has a stack of its own, and is left with it empty.
        (b"\x1b[>1u\x1b[?1049h\x1b[>7u", b"\x1b[<1u\x1b7\x1b[?1049l\x1b[<1u"),
        # Who comes to the alternate screen next finds no flags of a program that left it with some.
        (b"\x1b[?1049h\x1b[>7u\x1b[?1049l", b"\x1b7\x1b[?47h\x1b[<1u\x1b[?47l\x1b8"),
    ],
)
def test_what_is_on_is_undone(written: bytes, undone: bytes) -> None:
    assert after(written).undo() == ABORT + undone + PLAIN


@pytest.mark.parametrize(
    "written",
    [
        b"",
        b"text",
        b"\x1b[31m",
        b"\x1b[?2004h\x1b[?2004l",
        b"\x1b[?25l..\x1b[?25h",
        b"\x1b[>7u\x1b[<u",
        b"\x1b[<u",
        b"\x1b[?12h",
        b"\x1b[?u\x1b[c",
    ],
)
def test_where_nothing_is_on_nothing_is_written(written: bytes) -> None:
    assert after(written).undo() == b""


def test_what_changes_with_each_frame_is_made_normal_with_anything_else_and_when_the_program_was_cut_off() -> None:
    assert after(b"\x1b[?2026h\x1b[?25l").undo(cut_off=True) == ABORT + PLAIN
    assert after(b"\x1b[?2026h\x1b[?25l\x1b[?1004h").undo() == ABORT + b"\x1b[?1004l" + PLAIN


@example(b"\x1b[?1047h\x1b[>1u\x1b[?1047l")
@given(PIECES)
def test_undoing_leaves_nothing_on(written: bytes) -> None:
    modes = after(written)
    assert after(modes.undo(), word=modes.word).word == 0


@example(b"\x1b[?1047h\x1b[>1u\x1b[?1047l")
@given(PIECES)
def test_redoing_brings_all_of_it_back(written: bytes) -> None:
    modes = after(written)
    assert after(modes.redo()).word == modes.word


@given(PIECES, st.lists(st.integers(0, 200)))
def test_it_does_not_matter_where_reads_end(written: bytes, cuts: list[int]) -> None:
    edges = [0, *sorted(min(cut, len(written)) for cut in cuts), len(written)]
    pieces = [written[start:end] for start, end in pairwise(edges)]
    assert after(*pieces).word == after(written).word


@given(PIECES, PIECES, st.integers(0, 1000))
def test_a_write_that_was_cut_short_is_undone_wherever_it_was_cut(before: bytes, written: bytes, end: int) -> None:
    modes = after(before)
    start = modes.word
    undo = Modes(modes.read(written)).undo()
    # The alternate screen's stack of keyboards may keep something: no shell's prompt is shown on that screen.
    assert after(written[:end], undo, word=start).word & ~ALTERNATE_STACK == 0


@given(st.binary(max_size=300))
def test_no_bytes_are_too_much(data: bytes) -> None:
    modes = after(data)
    assert 0 <= modes.word < 1 << 63
    assert either(modes.word, 0) == modes.word
