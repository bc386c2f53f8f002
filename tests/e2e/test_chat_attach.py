"""Promise: `mirrord attach` shows what the real Pi says as it says it, what it sends Pi has once, and `mirrord send` prints the answer."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from mirrord.demo.terminal import Terminal
from tests.e2e.signed_out import sign_out
from tests.e2e.stage import Stage, stage, until
from tests.harness.pi import GENERATIONS, ROOT, PiKind, environment

pytestmark = [pytest.mark.parametrize("kind", GENERATIONS, ids=str), pytest.mark.timeout(120)]

WAIT = 20.0


def ours(here: Stage) -> dict[str, str]:
    """The environment of a program of this checkout, whichever is installed."""
    return {**environment(here.home), "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}


@contextmanager
def attached(here: Stage) -> Iterator[Terminal]:
    command = [sys.executable, "-P", "-m", "mirrord", "attach"]
    terminal = Terminal(command, env=ours(here), cwd=here.home.work, columns=100, rows=40)
    try:
        terminal.wait_for("Attached to", WAIT)
        terminal.wait_for("\n>", WAIT)
        yield terminal
    finally:
        terminal.close()


def send(here: Stage, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", "-m", "mirrord", "send", here.session_id, *arguments]
    return subprocess.run(command, env=ours(here), cwd=here.home.work, capture_output=True, text=True, timeout=60, check=False)


def test_both_sides_write_and_both_show_the_conversation(kind: PiKind) -> None:
    with stage(kind) as here, attached(here) as client:
        here.pi.line("from the terminal")
        client.wait_for("User: from the terminal", WAIT)
        client.wait_for("Pi: Echo: from the terminal", WAIT)
        client.line("from afar")
        client.wait_for("You: from afar", WAIT)
        client.wait_for("Pi: Echo: from afar", WAIT)
        here.pi.wait_for("Echo: from afar", WAIT)
        client.line("run: echo tulips")
        client.wait_for("Pi: Tool said: tulips", WAIT)
        assert "[bash] echo tulips" in client.screen_text()
        assert "│ tulips" in client.screen_text()


def test_a_turn_is_steered_and_stopped_while_it_streams(kind: PiKind) -> None:
    with stage(kind) as here, attached(here) as client:
        client.line("slow 400 20")
        client.wait_for("Pi: word0 word1", WAIT)
        client.line("north first")
        client.wait_for("(sent, steers the turn)", WAIT)
        client.wait_for("1. (steers, from this machine) north first", WAIT)
        client.line("/stop")
        client.wait_for("The agent's turn was stopped.", WAIT)
        until(lambda: "stopped" in client.screen_text(), WAIT, "the end is not shown")


def test_a_command_of_the_terminal_is_refused_and_its_text_kept(kind: PiKind) -> None:
    with stage(kind) as here, attached(here) as client:
        client.line("/resume")
        client.wait_for("'/resume' was refused:", WAIT)
        client.line("/nowhere")
        client.wait_for("'/nowhere' was refused: Pi has no such command.", WAIT)
        assert here.model.heard() == ()


def test_a_script_sends_waits_and_gets_the_answer(kind: PiKind) -> None:
    with stage(kind) as here:
        done = send(here, "--wait", "hello", "there")
        assert (done.returncode, done.stdout, done.stderr) == (0, "Echo: hello there\n", "")
        assert send(here, "--wait", "run: echo tulips").stdout == "Tool said: tulips\n", "after the tool, and not an earlier answer"
        here.pi.wait_for("Echo: hello there", WAIT)
        refused = send(here, "/nowhere")
        assert (refused.returncode, refused.stderr) == (1, "mirrord: Pi has no such command\n")
        terminals = send(here, "/model")
        assert (terminals.returncode, terminals.stdout, terminals.stderr) == (1, "", "mirrord: Pi has /model at the terminal only\n")


def test_a_script_is_told_at_once_what_pi_makes_of_a_message(kind: PiKind) -> None:
    with stage(kind) as here:
        # It writes for longer than everything below may take.
        begun = send(here, "slow 4000 20")
        assert (begun.returncode, begun.stdout, begun.stderr) == (0, "consumed\n", "")
        here.pi.wait_for("word0 word1", WAIT)
        for option, text in (("--steer", "north first"), ("--follow-up", "then the roses")):
            waits = send(here, option, text)
            assert (waits.returncode, waits.stdout, waits.stderr) == (0, "queued\n", "")
        refused = send(here, "another prompt")
        assert (refused.returncode, refused.stdout) == (1, "")
        assert refused.stderr == "mirrord: A turn is running: steer it, or follow up\n"
        here.pi.keys("escape")
        here.pi.wait_for("Operation aborted", WAIT)


def test_what_pi_refuses_for_want_of_a_key_is_its_reason_and_status_1(kind: PiKind, monkeypatch: pytest.MonkeyPatch) -> None:
    sign_out(monkeypatch)
    with stage(kind) as here:
        for options in ((), ("--steer",), ("--follow-up",), ("--wait",)):
            refused = send(here, *options, "hello")
            assert (refused.returncode, refused.stdout) == (1, ""), options
            assert refused.stderr.startswith("mirrord: No API key found for the selected model"), options
        command = [sys.executable, "-P", "-m", "mirrord", "attach", here.session_id]
        piped = subprocess.run(
            command, env=ours(here), cwd=here.home.work, input="/say hello\n", capture_output=True, text=True, timeout=60, check=False
        )
        assert piped.returncode == 1
        assert "'hello' was refused: No API key found for the selected model" in piped.stdout
        assert here.model.heard() == ()
