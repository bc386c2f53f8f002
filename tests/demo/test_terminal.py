"""Promise: a program in our terminal sees a real one, its screen can be waited for, and it is gone at the end."""

from __future__ import annotations

import os
import re
import signal
import sys
from pathlib import Path

import pytest

from mirrord.demo.terminal import KEYS, NotShown, Terminal, framed, key_bytes

ENV = {"PATH": os.environ.get("PATH", os.defpath), "TERM": "xterm-256color"}


def python(source: str, cwd: Path, columns: int = 40, rows: int = 5) -> Terminal:
    return Terminal([sys.executable, "-ISc", source], env=ENV, cwd=cwd, columns=columns, rows=rows)


def test_the_program_has_a_controlling_terminal_of_the_given_size(tmp_path: Path) -> None:
    source = "import os; print(os.isatty(0), open('/dev/tty').isatty(), *os.get_terminal_size(), os.getcwd())"
    with python(source, tmp_path, columns=120) as terminal:
        assert terminal.wait_exit() == 0
        assert terminal.screen_text().startswith(f"True True 120 5 {tmp_path}")


def test_what_is_typed_arrives_and_what_is_shown_can_be_waited_for(tmp_path: Path) -> None:
    with python("print('got', input('name? ').upper())", tmp_path) as terminal:
        terminal.wait_for("name?")
        terminal.line("ada")
        assert "got ADA" in terminal.wait_for(re.compile(r"^got \w+$", re.MULTILINE))
        terminal.wait_for(lambda text: "ADA" in text)
        assert terminal.wait_exit() == 0


def test_the_program_learns_of_a_new_size(tmp_path: Path) -> None:
    source = (
        "import os, signal\n"
        "signal.signal(signal.SIGWINCH, lambda *_: os.write(1, b'%d %d' % os.get_terminal_size()))\n"
        "print('ready', flush=True)\n"
        "input()"
    )
    with python(source, tmp_path) as terminal:
        terminal.wait_for("ready")
        terminal.resize(61, 7)
        terminal.wait_for("61 7")


def test_what_is_not_shown_fails_with_the_screen(tmp_path: Path) -> None:
    with python("print('something else'); input()", tmp_path) as terminal:
        terminal.wait_for("something")
        with pytest.raises(NotShown, match=r"(?s)'answer' was not shown; after 0.05 s.*│something else"):
            terminal.wait_for("answer", timeout=0.05)
        with pytest.raises(NotShown, match="'something' is still shown"):
            terminal.wait_gone("something", timeout=0.05)
        with pytest.raises(NotShown, match="did not end"):
            terminal.wait_exit(timeout=0.05)


def test_a_program_that_ends_ends_the_wait(tmp_path: Path) -> None:
    with python("import sys; print('last words'); sys.exit(3)", tmp_path) as terminal:
        with pytest.raises(NotShown, match=r"(?s)the program ended \(3\).*last words"):
            terminal.wait_for("never", timeout=30)
        assert not terminal.alive


def test_settle_waits_until_nothing_changes_but_a_spinner(tmp_path: Path) -> None:
    source = (
        "import itertools, time\n"
        "for n in range(5): print(n, flush=True); time.sleep(0.03)\n"
        "for c in itertools.cycle('⠋⠙⠹⠸'): print(c, end='\\r', flush=True); time.sleep(0.03)"
    )
    with python(source, tmp_path, rows=8) as terminal:
        terminal.wait_for("0")
        assert "4" in terminal.settle(0.3)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells whether a process computes")
def test_settle_does_not_take_a_program_that_computes_for_one_that_rests(tmp_path: Path) -> None:
    source = "import time\ninput()\nwhile time.process_time() < 0.5: pass\nprint('computed', flush=True); input()"
    with python(source, tmp_path) as terminal:
        terminal.line("go")
        terminal.wait_for("go")
        assert "computed" in terminal.settle(0.1)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells whether a process computes")
def test_settle_gives_the_screen_of_a_program_that_never_ends_computing(tmp_path: Path) -> None:
    with python("print('shown', flush=True)\nwhile True: pass", tmp_path) as terminal:
        terminal.wait_for("shown")
        assert "shown" in terminal.settle(0.1, timeout=0.5)


def test_settle_fails_when_the_screen_goes_on_changing(tmp_path: Path) -> None:
    source = "import itertools, time\nfor n in itertools.count(): print(n, flush=True); time.sleep(0.02)"
    with python(source, tmp_path) as terminal, pytest.raises(NotShown, match="still changes"):
        terminal.settle(0.3, timeout=0.5)


def test_half_a_frame_is_not_looked_at(tmp_path: Path) -> None:
    source = "print('\\x1b[?2026hA', end='', flush=True); input()\nprint('\\x1b[2J\\x1b[HB\\x1b[?2026l', end='', flush=True); input()"
    with python(source, tmp_path) as terminal:
        terminal.send("\n")
        assert "A" not in terminal.wait_for("B")


@pytest.mark.parametrize("ignored", [[], ["SIGHUP"], ["SIGHUP", "SIGTERM"]])
def test_close_ends_the_program_whatever_it_ignores(tmp_path: Path, ignored: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mirrord.demo.terminal.GRACE", 0.3)
    lines = [f"signal.signal(signal.{name}, signal.SIG_IGN)" for name in ignored]
    with python("\n".join(["import signal", *lines, "print('up', flush=True)", "signal.pause()"]), tmp_path) as terminal:
        terminal.wait_for("up")
    ends = {0: signal.SIGHUP, 1: signal.SIGTERM, 2: signal.SIGKILL}
    assert terminal.wait_exit() == -ends[len(ignored)]


def test_close_ends_a_stopped_program_and_may_be_called_twice(tmp_path: Path) -> None:
    with python("print('up', flush=True); input()", tmp_path) as terminal:
        terminal.wait_for("up")
        os.kill(terminal.pid, signal.SIGSTOP)
    assert terminal.close() == -signal.SIGHUP


def test_close_does_not_wait_for_a_grandchild_that_holds_the_terminal(tmp_path: Path) -> None:
    source = (
        "import subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-ISc', 'import time; time.sleep(20)'], start_new_session=True)\n"
        "print(child.pid, flush=True)"
    )
    with python(source, tmp_path) as terminal:
        grandchild = int(terminal.wait_for(re.compile(r"^\d+$", re.MULTILINE)).split()[0])
        try:
            assert terminal.wait_exit(timeout=0.5) == 0
        finally:
            terminal.close()
            os.kill(grandchild, signal.SIGKILL)


def test_nothing_stays_open(tmp_path: Path) -> None:
    def descriptors() -> int:
        return len(os.listdir("/dev/fd"))

    before = descriptors()
    for _ in range(3):
        with python("pass", tmp_path):
            pass
    with pytest.raises(OSError, match="nowhere"):
        python("pass", tmp_path / "nowhere")
    assert descriptors() == before


@pytest.mark.parametrize(
    ("key", "data"),
    [("enter", b"\r"), ("escape", b"\x1b"), ("ctrl+c", b"\x03"), ("ctrl+d", b"\x04"), ("alt+b", b"\x1bb"), ("ctrl+alt+k", b"\x1b\x0b")],
)
def test_keys_are_sent_as_a_plain_terminal_sends_them(key: str, data: bytes) -> None:
    assert key_bytes(key) == data


@pytest.mark.parametrize("key", ["", "x", "entr", "ctrl+", "shift+a", "ctrl+up"])
def test_an_unknown_key_is_refused(key: str) -> None:
    assert key not in KEYS
    with pytest.raises(ValueError, match="no key"):
        key_bytes(key)


def test_a_frame_holds_every_row() -> None:
    assert framed("ab\n\nc\n").count("\n") == 4
