"""Promise: whatever a program left behind, `mirrord tty-reset` makes the terminal one that a shell can be used in."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import termios

from bridge.pty.modes import Modes
from bridge.pty.outer import raw
from bridge.pty.reset import reset, sane
from tests.bridge.pty.giving_back import left_on
from tests.bridge.pty.outside import ROOT
from tests.bridge.pty.programs import MODES_ON

LAST = b"\x1b[0m\x1b]8;;\x1b\\"


def read_until(master: int, last: bytes) -> bytes:
    """What arrived there, up to these bytes; a terminal passes on what was written in pieces, a moment later."""
    data = b""
    while not data.endswith(last):
        data += os.read(master, 4096)
    return data


def test_everything_is_off_and_lines_can_be_typed() -> None:
    master, slave = pty.openpty()
    before = termios.tcgetattr(slave)
    termios.tcsetattr(slave, termios.TCSANOW, raw(before))
    os.write(slave, MODES_ON + b"\x1b]8;;https://example.org\x1b\\\x1b[?20")
    reset(slave)
    assert left_on(read_until(master, LAST)) == set()
    os.write(master, b"line\x7fe\r")
    assert os.read(slave, 100) == b"line\n"
    assert read_until(master, b"\n") == b"line\b \be\r\n"
    os.close(master)
    os.close(slave)


def test_a_terminal_that_is_well_stays_so() -> None:
    master, slave = pty.openpty()
    attributes = sane(termios.tcgetattr(slave))
    termios.tcsetattr(slave, termios.TCSANOW, attributes)
    reset(slave)
    assert termios.tcgetattr(slave) == attributes
    modes = Modes()
    modes.read(read_until(master, LAST))
    assert modes.word == 0
    os.close(master)
    os.close(slave)


def test_without_a_terminal_it_says_so_in_a_sentence() -> None:
    words = [sys.executable, "-m", "mirrord", "tty-reset"]
    done = subprocess.run(words, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "mirrord: this is no terminal; run it in the one that is to be reset, without redirecting its output\n"
