"""Promise: Ctrl+Z, fg, bg and every stop from outside do to Pi what they do without us, and the shell gets its terminal."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

import pytest

from bridge.pty.size import Size
from tests.bridge.pty.giving_back import left_on
from tests.bridge.pty.outside import PYTHON, WRAP, Outside, descendants, lives, outside, soon, stopped
from tests.bridge.pty.programs import MODES_OFF, MODES_ON, TUI, program
from tests.bridge.pty.shell import PROMPT, shell


def quoted(text: str, folder: Path) -> str:
    """Words for a shell that run this text in our terminal."""
    script = folder / "program.py"
    script.write_text(text)
    return " ".join([*WRAP, *PYTHON[:-1], str(script)])


def test_ctrl_z_and_fg(tmp_path: Path) -> None:
    with shell() as bash:
        before = bash.attributes()
        bash.run(quoted(TUI, tmp_path), until=b"ready")
        shown = bash.keys(b"\x1a", until=PROMPT)
        assert shown.startswith(MODES_OFF + b"\r\n[1]+  Stopped"), "nothing is added to what Pi itself writes"
        assert bash.attributes() == before
        assert stopped(bash.inside(leader=False))
        assert b"Stopped" in bash.run("jobs")
        begin = len(bash.terminal.output)
        bash.terminal.type(b"fg\r")
        bash.terminal.until(b"again 100 30;", since=begin)
        assert MODES_ON in bash.terminal.output[begin:]
        assert bash.keys(b"x", until=b"key 78;").endswith(b"key 78;")
        bash.keys(b"q", until=PROMPT)
        assert bash.attributes() == before
        assert b"0\r\n" in bash.run("echo $?")
        assert left_on(bytes(bash.terminal.output)) == set()


def test_a_window_that_changed_while_pi_was_stopped_has_its_new_size_when_pi_goes_on(tmp_path: Path) -> None:
    with shell() as bash:
        bash.run(quoted(TUI, tmp_path), until=b"ready")
        bash.keys(b"\x1a", until=PROMPT)
        bash.terminal.resize(Size(20, 50))
        bash.run("fg", until=b"again 50 20;")
        bash.keys(b"q", until=PROMPT)


@pytest.mark.parametrize("wrap", [(), WRAP], ids=["without us", "with us"])
def test_kill_ends_a_stopped_job(wrap: tuple[str, ...], tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(TUI)
    with shell() as bash:
        before = bash.attributes()
        bash.run(" ".join([*wrap, *PYTHON[:-1], str(script)]), until=b"ready")
        bash.keys(b"\x1a", until=PROMPT)
        all_of_us = descendants(bash.terminal.pid)
        bash.run("kill %1")
        soon(lambda: not any(map(lives, all_of_us)))
        # The job is dead before its shell has been told.
        soon(lambda: b"Terminated" in bash.run("jobs; true") + bytes(bash.terminal.output))
        assert bash.attributes() == before


def test_a_stopped_pi_that_will_not_end_goes_on_with_its_terminal_when_it_is_brought_back(tmp_path: Path) -> None:
    text = TUI.replace('raw()\nsay(ON + b"ready")', 'signal.signal(signal.SIGTERM, signal.SIG_IGN)\nraw()\nsay(ON + b"ready")')
    assert text != TUI
    with shell() as bash:
        before = bash.attributes()
        bash.run(quoted(text, tmp_path), until=b"ready")
        bash.keys(b"\x1a", until=PROMPT)
        begin = len(bash.terminal.output)
        bash.run("kill %1")
        assert bash.attributes() == before, "the shell has its terminal as it wants it"
        soon(lambda: not stopped(bash.inside(leader=False)))
        bash.run("true")
        assert b"again" not in bash.terminal.output[begin:]
        bash.run("fg", until=b"again 100 30;")
        bash.keys(b"x", until=b"key 78;")
        bash.keys(b"q", until=PROMPT)
        assert bash.attributes() == before


def test_bg_stops_again_at_once_and_the_shell_keeps_its_terminal(tmp_path: Path) -> None:
    """A full-screen program in the background is stopped as soon as it sets the terminal up; so are we."""
    with shell() as bash:
        before = bash.attributes()
        bash.run(quoted(TUI, tmp_path), until=b"ready")
        bash.keys(b"\x1a", until=PROMPT)
        bash.run("bg")
        soon(lambda: stopped(bash.job))
        # bash tells of it before the next prompt.
        assert b"Stopped" in bash.run("true", until=b"program.py\r\n")
        bash.run("true")
        assert bash.attributes() == before
        bash.run("fg", until=b"again 100 30;")
        bash.keys(b"q", until=PROMPT)


def test_ctrl_z_in_a_program_that_knows_nothing_of_it(tmp_path: Path) -> None:
    text = program("say(b'ready;')\nwhile True:\n    line = os.read(0, 100)\n    if line == b'q\\n': break\n    say(b'line ' + line)")
    with shell() as bash:
        bash.run(quoted(text, tmp_path), until=b"ready;")
        assert b"[1]+  Stopped" in bash.keys(b"\x1a", until=PROMPT)
        bash.run("fg", until=b"program.py\r\n")
        bash.keys(b"abc\r", until=b"line abc")
        bash.keys(b"q\r", until=PROMPT)


# Not SIGSTOP for us alone: a guard that is stopped is as good as a shell that is; Pi goes on, and nothing is to be given back.
@pytest.mark.parametrize(
    ("whom", "number"),
    [
        (whom, number)
        for whom in ("us", "our group", "pi")
        for number in (signal.SIGTSTP, signal.SIGSTOP)
        if (whom, number) != ("us", signal.SIGSTOP)
    ],
)
def test_a_stop_from_outside_gives_the_shell_its_terminal_and_fg_brings_pi_back(whom: str, number: signal.Signals, tmp_path: Path) -> None:
    with shell() as bash:
        before = bash.attributes()
        bash.run(quoted(TUI, tmp_path), until=b"ready")
        begin = len(bash.terminal.output)
        match whom:
            case "us":
                os.kill(bash.job, number)
            case "our group":
                os.killpg(bash.job, number)
            case "pi":
                os.kill(bash.inside(leader=False), number)
        bash.terminal.until(b"Stopped", since=begin)
        bash.terminal.until(PROMPT, since=begin)
        assert bash.attributes() == before
        orderly = not (whom == "our group" and number is signal.SIGSTOP)
        if orderly:
            assert left_on(bytes(bash.terminal.output)) == set()
        begin = len(bash.terminal.output)
        bash.terminal.type(b"fg\r")
        bash.terminal.until(b"program.py\r\n", since=begin)
        # What it had switched on is on again: it does not know that it was off. The cursor it hides itself with its next frame.
        bash.terminal.until_holds(
            lambda: left_on(bytes(bash.terminal.output)) - {"?25"} == left_on(MODES_ON) - {"?25"}, "the modes are not on"
        )
        bash.keys(b"y", until=b"key 79;")
        bash.keys(b"q", until=PROMPT)
        assert bash.attributes() == before
        assert left_on(bytes(bash.terminal.output)) == set()


def test_where_nobody_could_wake_us_pi_is_not_put_to_sleep() -> None:
    """Without a shell (`xterm -e mirrord pi`) a stop is no good: Pi is back at once."""
    with outside(*WRAP, *PYTHON, TUI) as terminal:
        terminal.until(b"ready")
        terminal.type(b"\x1a")
        terminal.until(b"again 100 30;")
        terminal.type(b"z")
        terminal.until(b"key 7a;")
        terminal.type(b"q")
        assert terminal.ended() == 0


def test_a_shell_that_ends_with_a_stopped_job_ends_pi(tmp_path: Path) -> None:
    with shell() as bash:
        bash.run(quoted(TUI, tmp_path), until=b"ready")
        bash.keys(b"\x1a", until=PROMPT)
        all_of_us = descendants(bash.terminal.pid)
        assert len(all_of_us) == 4
        bash.terminal.close()
        soon(lambda: not any(map(lives, all_of_us)))


@pytest.mark.parametrize("size", [Size(5, 20), Size(200, 500)], ids=["20x5", "500x200"])
def test_the_smallest_and_the_largest_window(size: Size) -> None:
    text = program("raw(); size = os.get_terminal_size(); say(b'%d %d;' % tuple(size)); all(b'x' * size[0] * size[1]); os.read(0, 1)")
    with outside(*WRAP, *PYTHON, text, size=size) as terminal:
        begin = terminal.until(b"%d %d;" % (size.columns, size.rows))
        terminal.until(b"x" * (size.rows * size.columns), since=begin)
        terminal.type(b"q")
        assert terminal.ended() == 0


COUNTS_CHANGES = program("""
changes = 0
def changed(*_):
    global changes
    changes += 1
signal.signal(signal.SIGWINCH, changed)
raw(); say(b"ready;")
while os.read(0, 1) != b"q": say(b"[%d %d]" % tuple(os.get_terminal_size()))
say(b"%d changes" % changes)
""")
"""Tells its size whenever a key comes, and at `q` how often that changed."""


def until_the_size_is(terminal: Outside, told: bytes) -> None:
    def right() -> bool:
        terminal.type(b"?")
        terminal.read(0.1)
        return terminal.output.endswith(told)

    terminal.until_holds(right, "the size is wrong")


def changes_told(terminal: Outside) -> int:
    terminal.type(b"q")
    assert terminal.ended() == 0
    changes = re.search(rb"(\d+) changes", terminal.output)
    assert changes is not None
    return int(changes[1])


def test_changes_of_size_that_come_together_are_one() -> None:
    with outside(*WRAP, *PYTHON, COUNTS_CHANGES) as terminal:
        terminal.until(b"ready;")
        os.kill(terminal.worker(), signal.SIGSTOP)
        for number in range(100):
            terminal.resize(Size(20 + number, 60 + number))
        os.kill(terminal.worker(), signal.SIGCONT)
        until_the_size_is(terminal, b"[159 119]")
        assert changes_told(terminal) == 1


def test_a_thousand_changes_of_size_a_second_end_in_the_right_one() -> None:
    with outside(*WRAP, *PYTHON, COUNTS_CHANGES) as terminal:
        terminal.until(b"ready;")
        for number in range(2000):
            terminal.resize(Size(20 + number % 40, 60 + number % 100))
            terminal.read(0.001)
        terminal.resize(Size(33, 77))
        until_the_size_is(terminal, b"[77 33]")
        assert 1 <= changes_told(terminal) <= 2001
