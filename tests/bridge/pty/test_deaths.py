"""Promise: whichever process of ours is killed, at whatever moment, the terminal is as it was before and Pi is gone within six seconds."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Sequence
from contextlib import suppress

import pytest

from tests.bridge.pty.giving_back import given_back, left_on
from tests.bridge.pty.outside import GONE, PATIENCE, PYTHON, SEED, WRAP, children, lives, outside, soon, stopped, wrapped
from tests.bridge.pty.programs import RESTLESS, STUBBORN, TUI

KILLS = 16
SOAK_KILLS = 100

SENTENCE = b"\r\nwrap: the process that shows Pi in this terminal ended (signal 9), so Pi was ended too; `mirrord pi -c` continues\r\n"


def test_the_reading_of_modes_finds_what_is_left_on() -> None:
    on = b"\x1b[?1049h\x1b[?25l\x1b[>7u\x1b[>4;2m\x1b]8;;https://x\x1b\\"
    assert left_on(on) == {"?1049", "?25", "keyboard", "other keys", "link"}


@pytest.mark.parametrize("number", range(KILLS))
def test_a_killed_worker_costs_nothing_but_pi(number: int) -> None:
    killed_at_a_random_moment(number)


@pytest.mark.soak
@pytest.mark.parametrize("number", range(KILLS, KILLS + SOAK_KILLS))
def test_a_killed_worker_costs_nothing_but_pi_a_hundred_times(number: int) -> None:
    killed_at_a_random_moment(number)


def killed_at_a_random_moment(number: int) -> None:
    moment = random.Random(f"{SEED}-{number}").uniform(0, 0.05)
    with wrapped(*PYTHON, RESTLESS) as terminal:
        terminal.until(b"ready")
        pi, worker, leader = terminal.pi(), terminal.worker(), terminal.leader()
        deadline = time.monotonic() + moment
        while time.monotonic() < deadline:
            terminal.read(0.001)
        os.kill(worker, signal.SIGKILL)
        assert terminal.ended(GONE) == 1, f"MIRRORD_PTY_SEED={SEED}"
        assert not lives(pi)
        assert not lives(leader)
        assert terminal.output.endswith(SENTENCE)
        given_back(terminal)


def test_a_pi_that_ignores_every_plea_is_gone_all_the_same() -> None:
    with wrapped(*PYTHON, STUBBORN) as terminal:
        terminal.until(b"ready")
        pi = terminal.pi()
        begun = time.monotonic()
        os.kill(terminal.worker(), signal.SIGKILL)
        # The terminal does not wait for it.
        terminal.until_holds(
            lambda: terminal.attributes() == terminal.before and not left_on(bytes(terminal.output)), "not given back", 1.0
        )
        assert lives(pi)
        assert terminal.ended(GONE) == 1
        assert 4.5 < time.monotonic() - begun < GONE
        assert not lives(pi)


@pytest.mark.parametrize("victims", [("guard",), ("leader",), ("guard", "leader"), ("leader", "worker"), ("worker", "guard")], ids="+".join)
def test_whichever_of_us_is_killed_pi_ends(victims: Sequence[str]) -> None:
    with wrapped(*PYTHON, TUI) as terminal:
        terminal.until(b"ready")
        pids = {"guard": terminal.pid, "leader": terminal.leader(), "worker": terminal.worker()}
        pi = terminal.pi()
        for victim in victims:
            os.kill(pids[victim], signal.SIGKILL)
        soon(lambda: not lives(pi), GONE)
        terminal.until_holds(lambda: not any(map(lives, pids.values())), "some of us live on", GONE)
        terminal.ended()
        if victims != ("worker", "guard"):
            given_back(terminal)


def test_a_pi_that_nobody_reaps_is_gone_all_the_same() -> None:
    """In a container the first process often reaps nothing; what lost its parents stays a zombie there."""
    init = (
        "import ctypes, os, sys; PR_SET_CHILD_SUBREAPER = 36; ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)\n"
        "pid = os.fork() or os.execv(sys.argv[1], sys.argv[1:])\n"
        "sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))"
    )
    with outside(*PYTHON, init, *WRAP, *PYTHON, TUI) as terminal:
        terminal.until(b"ready")
        (guard,) = terminal.children()
        leader = next(pid for pid in children(guard) if os.getpgid(pid) != terminal.pid)
        (pi,) = children(leader)
        os.kill(leader, signal.SIGKILL)
        assert terminal.ended(GONE) == 1
        assert not lives(pi)
        given_back(terminal)


def test_when_the_whole_job_is_killed_pi_ends() -> None:
    """`kill -9 %1`: nobody is left who could give the terminal back, `mirrord tty-reset` is for that. No Pi lives on unseen."""
    with wrapped(*PYTHON, TUI) as terminal:
        terminal.until(b"ready")
        pi, leader = terminal.pi(), terminal.leader()
        os.killpg(terminal.pid, signal.SIGKILL)
        soon(lambda: not lives(pi) and not lives(leader), GONE)


@pytest.mark.parametrize("text", [TUI, STUBBORN], ids=["pi that hears", "pi that does not"])
def test_a_closed_window_ends_pi_and_us(text: str) -> None:
    with wrapped(*PYTHON, text) as terminal:
        terminal.until(b"ready")
        ours = [terminal.pid, terminal.leader(), terminal.worker(), terminal.pi()]
        terminal.close()
        soon(lambda: not any(map(lives, ours[1:])) and terminal.process.poll() is not None, GONE)
        assert terminal.process.returncode in ((129, -signal.SIGHUP) if text is TUI else (-signal.SIGKILL,))


def test_a_window_that_is_closed_while_pi_is_stopped_ends_pi() -> None:
    with wrapped(*PYTHON, TUI) as terminal:
        terminal.until(b"ready")
        ours = [terminal.leader(), terminal.worker(), terminal.pi()]
        os.kill(ours[-1], signal.SIGSTOP)
        terminal.read(0.1)
        terminal.close()
        soon(lambda: not any(map(lives, ours)) and terminal.process.poll() is not None, GONE)


def test_a_killed_pi_costs_nothing_but_pi() -> None:
    with wrapped(*PYTHON, RESTLESS) as terminal:
        terminal.until(b"ready")
        os.kill(terminal.pi(), signal.SIGKILL)
        assert terminal.ended() == -signal.SIGKILL
        given_back(terminal)


def test_a_terminal_that_takes_nothing_does_not_keep_us_from_ending() -> None:
    """Scroll lock, or a connection that hangs."""
    with wrapped(*PYTHON, RESTLESS) as terminal:
        terminal.until(b"ready")
        pi, worker = terminal.pi(), terminal.worker()
        soon(lambda: not stopped(pi))
        os.kill(worker, signal.SIGKILL)
        soon(lambda: not lives(pi), GONE)
        soon(lambda: terminal.process.poll() is not None or terminal.read(0) == b"", GONE)
        with suppress(OSError):
            terminal.ended(PATIENCE)
