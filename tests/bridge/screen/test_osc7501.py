"""Promise: what Pi says of itself is read however its bytes are cut, and nothing else is; no input raises or is kept without end."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.screen.messages import ScreenProgram
from bridge.screen.osc7501 import ProgramReader

TITLE = base64.b64encode(b"Pick a fruit")
SAID = (
    b"\x1b[?2026h\x1b]7501;state=idle:app=pi\x1b\\text\x1b]7501;state=working:app=pi\x07\x1b]0;title\x07"
    b"\x1b]7501;state=blocked:app=pi:kind=question:msg=" + TITLE + b"\x1b\\\x1b]7501;?\x1b\\\x1b]7501;state=clear\x1b\\"
)
MEANT = [ScreenProgram("idle"), ScreenProgram("working"), ScreenProgram("blocked", "question"), ScreenProgram(None)]


def test_the_states_are_read_in_order() -> None:
    assert ProgramReader().feed(SAID) == MEANT


@given(st.lists(st.integers(1, 30), max_size=20))
def test_cuts_make_no_difference(cuts: list[int]) -> None:
    reader, data, said = ProgramReader(), SAID, list[ScreenProgram]()
    for cut in cuts:
        said += reader.feed(data[:cut])
        data = data[cut:]
    assert said + reader.feed(data) == MEANT


def test_byte_by_byte() -> None:
    reader = ProgramReader()
    assert [said for at in range(len(SAID)) for said in reader.feed(SAID[at : at + 1])] == MEANT


def test_the_message_is_nowhere_in_what_is_read() -> None:
    assert "fruit" not in repr(ProgramReader().feed(SAID))
    assert TITLE.decode() not in repr(ProgramReader().feed(SAID))


@pytest.mark.parametrize(
    "data",
    [
        b"\x1b]7501;state=asleep\x1b\\",
        b"\x1b]7501;\x1b\\",
        b"\x1b]7501;state\x07",
        b"\x1b]7502;state=idle\x07",
        b"]7501;state=idle\x07",
        b"\x1b]7501;state=idle\x18\x07",
        b"\x1b]7501;state=idle\x1b[0m\x07",
        b"\x1b]7501;state=\xff\xfe\x07",
    ],
)
def test_anything_else_says_nothing(data: bytes) -> None:
    assert ProgramReader().feed(data) == []


def test_a_report_after_one_that_was_broken_off_is_read() -> None:
    assert ProgramReader().feed(b"\x1b]7501;state=id\x1b]7501;state=done\x07") == [ScreenProgram("done")]


def test_a_report_without_end_is_not_kept_without_end() -> None:
    reader = ProgramReader()
    for _ in range(100):
        assert reader.feed(b"\x1b]7501;" + b"x" * 1000) == []
        assert len(reader._rest) < 5000
    assert reader.feed(b"\x07\x1b]7501;state=idle\x07") == [ScreenProgram("idle")]


def test_what_was_begun_before_a_gap_is_forgotten() -> None:
    reader = ProgramReader()
    reader.feed(b"\x1b]7501;state=id")
    reader.reset()
    assert reader.feed(b"le\x07") == []


@given(
    st.lists(st.one_of(st.binary(max_size=20), st.sampled_from([b"\x1b]7501;", b"state=idle", b"\x1b\\", b"\x1b", b"\x07"])), max_size=30)
)
def test_no_input_raises(chunks: list[bytes]) -> None:
    reader = ProgramReader()
    for chunk in chunks:
        reader.feed(chunk)
