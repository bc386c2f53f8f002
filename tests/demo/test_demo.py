"""Promise: the demo ends with 0 only when everything it tells happened, and leaves nothing behind however it ends."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mirrord.demo.steps import STEPS
from mirrord.demo.terminal import Terminal
from tests.harness.pi import FULLSCREEN, OLD, ROOT, node, pi_program

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(120)]

DEMO = (sys.executable, "-m", "mirrord", "demo")
PATIENCE = 60.0


def environment() -> dict[str, str]:
    return {"PATH": f"{node().parent}{os.pathsep}{os.environ['PATH']}", "HOME": "/nonexistent", "LANG": "C.UTF-8", "TERM": "xterm-256color"}


def worlds_of(pid: int) -> set[str]:
    """Folders of the demos that children of this process live in."""
    found = set()
    for child in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((child / "stat").read_text().rpartition(")")[2].split()[1])
            places = re.findall(rb"XDG_RUNTIME_DIR=(/tmp/mirrord-[^/]+)/run", (child / "environ").read_bytes())
        except (OSError, ValueError):
            continue
        if parent == pid:
            found |= {place.decode() for place in places}
    return found


def living_in(world: str) -> list[str]:
    """Command lines of processes whose environment names this folder."""
    living = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if f"={world}/".encode() in (process / "environ").read_bytes():
                living.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue
    return living


def assert_nothing_is_left(world: str) -> None:
    assert not Path(world).exists()
    assert living_in(world) == []


@contextmanager
def headless(pi: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    command = [*DEMO, "--headless", "--pi", str(pi), *arguments]
    with subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def test_every_step_happens_and_is_told_in_words(tmp_path: Path) -> None:
    with headless(pi_program(FULLSCREEN, tmp_path)) as demo:
        story, errors = demo.communicate(timeout=PATIENCE)
    assert (demo.returncode, errors) == (0, "")
    for words in (
        "Pi asks, in the terminal and on the phone: Which fruit would you like? [apple / banana / cherry]",
        "The person at the terminal presses ↓ and Enter.",
        "answered “green” by “phone”.",
        "It is refused",
        "nobody answered in time",
        f"All {len(STEPS)} steps went as they should.",
    ):
        assert words in story
    assert without_times(shown_in_readme()) in without_times(story)


def shown_in_readme() -> str:
    """The output that README.md shows."""
    readme = (ROOT / "README.md").read_text()
    return next(block for block in readme.split("```")[1::2] if "1. Choose in the terminal" in block).strip()


def without_times(story: str) -> str:
    return re.sub(r"After [0-9.]+ m?s ", "After a moment ", story)


def test_every_step_happens_on_the_older_generation_and_is_told_to_programs(tmp_path: Path) -> None:
    with headless(pi_program(OLD, tmp_path), "--json") as demo:
        assert demo.stdout is not None
        first = demo.stdout.readline()
        (world,) = worlds_of(demo.pid)
        rest, errors = demo.communicate(timeout=PATIENCE)
    assert (demo.returncode, errors) == (0, "")
    told = [json.loads(line) for line in [first, *rest.splitlines()]]
    assert [(step["step"], step["method"], step["winner"], step["outcome"]) for step in told] == [
        (step.name, step.question.method, step.winner, step.outcome) for step in STEPS
    ]
    assert all(0 < step["ms"] < 10_000 for step in told)
    assert_nothing_is_left(world)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_demo_that_is_ended_in_the_middle_leaves_nothing(number: signal.Signals, tmp_path: Path) -> None:
    with headless(pi_program(FULLSCREEN, tmp_path), "--json") as demo:
        assert demo.stdout is not None
        demo.stdout.readline()
        (world,) = worlds_of(demo.pid)
        assert living_in(world)
        demo.send_signal(number)
        _, errors = demo.communicate(timeout=PATIENCE)
    assert (demo.returncode, errors) == (128 + number, "")
    assert_nothing_is_left(world)


def test_a_pi_that_does_not_ask_fails_the_demo_with_its_screen(tmp_path: Path) -> None:
    program = tmp_path / "pi"
    program.write_text("#!/bin/sh\necho I only look like scripted-1; exec sleep 60\n")
    program.chmod(0o755)
    with headless(program) as demo:
        worlds: set[str] = set()
        watch = threading.Event()
        while not worlds and demo.poll() is None:
            worlds = worlds_of(demo.pid)
            watch.wait(0.05)
        out, errors = demo.communicate(timeout=PATIENCE)
    assert (demo.returncode, out) == (1, "")
    assert "The terminal showed:\n┌" in errors
    assert "I only look like scripted-1" in errors
    assert errors.endswith("mirrord: the demo could not begin: Pi started, and mirrord did not see it\n")
    for world in worlds:
        assert_nothing_is_left(world)


def test_a_person_can_attach_with_the_line_that_is_shown(tmp_path: Path) -> None:
    pi = pi_program(FULLSCREEN, tmp_path)
    with Terminal([*DEMO, "--pi", str(pi)], env=environment(), cwd=tmp_path, columns=400) as terminal:
        # Before it is asked for: a key that came early is none less.
        terminal.send(" ")
        terminal.wait_for("scripted-1", PATIENCE)
        (line,) = re.findall(r"^  (env XDG_RUNTIME_DIR=.* attach)\r?$", terminal.output().decode(), re.MULTILINE)
        (world,) = worlds_of(terminal.pid)
        terminal.settle(0.3, PATIENCE)
        terminal.line("/demo-select")
        terminal.wait_for("→ apple", PATIENCE)
        with Terminal(["/bin/sh", "-c", line], env=environment(), cwd=tmp_path) as other:
            other.wait_for("2  banana", PATIENCE)
            other.wait_for(re.compile(r"^>", re.MULTILINE), PATIENCE)
            other.line("2")
            other.wait_for("Your answer was taken.", PATIENCE)
            terminal.wait_for('demo-select got "banana"', PATIENCE)
            terminal.wait_gone("→ apple", PATIENCE)
            terminal.settle(0.3, PATIENCE)
            terminal.keys("ctrl+d")
            other.wait_for("The session has ended.", PATIENCE)
            assert other.wait_exit(PATIENCE) == 0
        assert terminal.wait_exit(PATIENCE) == 0
    assert_nothing_is_left(world)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_demo_that_is_left_before_pi_starts_leaves_nothing(number: signal.Signals, tmp_path: Path) -> None:
    with Terminal([*DEMO, "--pi", str(pi_program(FULLSCREEN, tmp_path))], env=environment(), cwd=tmp_path) as terminal:
        terminal.wait_for("Press any key", PATIENCE)
        (world,) = worlds_of(terminal.pid)
        if number is signal.SIGINT:
            terminal.keys("ctrl+c")
        else:
            os.kill(terminal.pid, number)
        assert terminal.wait_exit(PATIENCE) == 128 + number
        assert "Traceback" not in terminal.history_text()
    assert_nothing_is_left(world)


@pytest.mark.parametrize("arguments", [(), ("--json",)])
def test_without_a_terminal_the_person_is_told_about_headless(arguments: tuple[str, ...]) -> None:
    done = subprocess.run([*DEMO, *arguments], env=environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--headless" in done.stderr
