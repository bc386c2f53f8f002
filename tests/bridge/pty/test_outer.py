"""Promise: the person's terminal is raw while it is ours and exactly as it was afterwards, and no descriptor of the shell is changed."""

from __future__ import annotations

import os
import pty
import sys
import termios
import tty
from collections.abc import Iterator
from contextlib import suppress

import pytest

from bridge.pty.modes import Modes
from bridge.pty.outer import Outer, open_outer, raw
from bridge.refusal import Refusal


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    """Both ends of a terminal; the second is what a shell would give us."""
    ends = pty.openpty()
    yield ends
    for fd in ends:
        try:
            os.close(fd)
        except OSError:
            continue


@pytest.fixture
def outer(terminal: tuple[int, int]) -> Iterator[Outer]:
    opened = open_outer(terminal[1], terminal[1])
    yield opened
    os.close(opened.source)


def test_raw_and_back(terminal: tuple[int, int], outer: Outer) -> None:
    before = termios.tcgetattr(terminal[1])
    outer.make_raw()
    as_ours = termios.tcgetattr(terminal[1])
    outer.restore()
    assert termios.tcgetattr(terminal[1]) == before
    if sys.version_info >= (3, 12):
        tty.setraw(terminal[1], termios.TCSANOW)
        assert as_ours == termios.tcgetattr(terminal[1])


def test_in_raw_every_byte_passes_both_ways(terminal: tuple[int, int], outer: Outer) -> None:
    outer.make_raw()
    for near, far in (terminal, terminal[::-1]):
        for byte in range(256):
            os.write(near, bytes([byte]))
            assert os.read(far, 10) == bytes([byte])


def test_raw_changes_no_list_that_it_was_given(outer: Outer) -> None:
    before = [list(part) if isinstance(part, list) else part for part in outer.before]
    raw(outer.before)
    assert outer.before == before


def test_what_was_typed_before_is_not_lost(terminal: tuple[int, int], outer: Outer) -> None:
    os.write(terminal[0], b"typed ahead")
    outer.make_raw()
    assert os.read(outer.source, 100) == b"typed ahead"


def test_the_shells_descriptor_still_blocks(terminal: tuple[int, int], outer: Outer) -> None:
    assert os.get_blocking(terminal[1])
    assert not os.get_blocking(outer.source)
    assert not os.get_inheritable(outer.source)


def test_modes_are_given_back_with_the_attributes(terminal: tuple[int, int], outer: Outer) -> None:
    outer.make_raw()
    modes = Modes()
    modes.read(b"\x1b[?2004h")
    outer.give_back(modes)
    assert b"\x1b[?2004l" in os.read(terminal[0], 100)
    assert termios.tcgetattr(terminal[1]) == outer.before


def test_a_terminal_that_takes_nothing_is_not_waited_for(terminal: tuple[int, int], outer: Outer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.pty.outer._PATIENCE_SECONDS", 0.01)
    outer.make_raw()
    with suppress(BlockingIOError):
        while True:
            os.write(outer.sink, b"x" * 4096)
    outer.write(b"never read")


def test_a_terminal_that_has_gone_is_no_error(terminal: tuple[int, int], outer: Outer) -> None:
    os.close(terminal[0])
    outer.make_raw()
    outer.write(b"x")
    outer.restore()
    assert outer.size() is None


def test_what_is_no_terminal_is_refused_in_a_sentence() -> None:
    with pytest.raises(Refusal, match=r"^this terminal cannot be opened anew \("):
        open_outer(*os.pipe())
