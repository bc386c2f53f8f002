"""Promise: `mirrord pi` runs Pi with the extension loaded and nothing else changed, and Pi starts whatever happens to us."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import anyio
import pytest

from mirrord.cli.pi_preparation import explained_when_slow
from mirrord.client import pair
from mirrord.demo.terminal import Terminal
from tests.bridge.pty.outside import descendants, soon
from tests.cli.commands import MIRRORD, PATIENCE, environment, run
from tests.cli.daemons import daemon, stop

# Stands in for Pi: tells what it was given, then waits for Enter so that its screen can be read.
PI = f"""#!{sys.executable}
import json, os, sys
json.dump({{"pid": os.getpid(), "argv": sys.argv, "env": dict(os.environ)}}, open(os.environ["TOLD"], "w"))
print("pi is here", flush=True)
if sys.stdin.isatty():
    input()
if "--exit" in sys.argv:
    sys.exit(int(sys.argv[-1]))
"""


@pytest.fixture
def root(runtime: Path) -> Iterator[Path]:
    yield runtime.parent
    stop(runtime.parent)


@pytest.fixture
def pi(root: Path) -> Path:
    program = root / "bin" / "pi"
    program.parent.mkdir()
    program.write_text(PI)
    program.chmod(0o755)
    return program


def in_pi_environment(root: Path, pi: Path, extra: Mapping[str, str] | None = None) -> dict[str, str]:
    told = {
        "TOLD": str(root / "told.json"),
        "PATH": f"{pi.parent}{os.pathsep}{os.environ['PATH']}",
        "PI_CODING_AGENT_DIR": str(root / "agent"),
    }
    return environment(root, {**told, **(extra or {})})


@contextmanager
def mirrord_pi(root: Path, pi: Path, *arguments: str, extra: Mapping[str, str] | None = None, rows: int = 30) -> Iterator[Terminal]:
    """`mirrord pi ARGUMENTS` in a terminal, with the stand-in on PATH."""
    with Terminal([*MIRRORD, "pi", *arguments], env=in_pi_environment(root, pi, extra), cwd=root, rows=rows) as terminal:
        yield terminal


def told(root: Path) -> dict[str, object]:
    words: dict[str, object] = json.loads((root / "told.json").read_text())
    return words


def entry(root: Path) -> str:
    return str(root / "data_home" / "mirrord" / "extension" / "mirrord" / "index.ts")


def test_pi_has_the_extension_first_and_every_word_kept(root: Path, pi: Path) -> None:
    with daemon(root), mirrord_pi(root, pi, "--model", "m", "--unknown-option", "two words", "--", "-x") as terminal:
        terminal.wait_for("pi is here", PATIENCE)
        assert told(root)["argv"] == [str(pi), "-e", entry(root), "--model", "m", "--unknown-option", "two words", "--", "-x"]
        assert Path(entry(root)).is_file()


@pytest.mark.parametrize(("term", "said"), [("dumb", "TERM=dumb names no terminal"), ("", "TERM is not set")])
def test_in_a_terminal_without_modes_pi_takes_our_place_and_is_mirrored(root: Path, pi: Path, term: str, said: str) -> None:
    with daemon(root), mirrord_pi(root, pi, "--no-pair", extra={"TERM": term}) as terminal:
        shown = terminal.wait_for("pi is here", PATIENCE)
        assert told(root)["pid"] == terminal.pid, "no process of ours is left"
    assert f"mirrord: {said}" in shown
    assert told(root)["argv"] == [str(pi), "-e", entry(root)]


def test_the_exit_status_is_pis(root: Path, pi: Path) -> None:
    with daemon(root), mirrord_pi(root, pi, "--exit", "7") as terminal:
        terminal.wait_for("pi is here", PATIENCE)
        terminal.line("")
        assert terminal.wait_exit(PATIENCE) == 7


@pytest.mark.parametrize("runs", [3, pytest.param(200, marks=[pytest.mark.soak, pytest.mark.timeout(1200)])])
def test_many_runs_leave_no_process_descriptor_or_socket(root: Path, pi: Path, runs: int) -> None:
    """With the daemon and a follower each time."""

    def held(pid: int) -> tuple[list[str], list[str]]:
        return os.listdir(f"/proc/{pid}/fd"), sorted(os.listdir(root / "mirrord"))

    pids: list[int] = []
    with daemon(root) as process:
        before = held(process.pid)
        for _ in range(runs):
            with mirrord_pi(root, pi, "--no-pair") as terminal:
                terminal.wait_for("pi is here", PATIENCE)
                pids += descendants(terminal.pid)
                terminal.line("")
                assert terminal.wait_exit(PATIENCE) == 0
        assert len(pids) == 4 * runs, "worker, follower, leader and Pi"
        soon(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in pids))
        soon(lambda: held(process.pid) == before)


def test_an_extension_in_pis_settings_is_not_named_again(root: Path, pi: Path) -> None:
    assert run(root, "extension", "install", env=in_pi_environment(root, pi)).returncode == 0
    with daemon(root), mirrord_pi(root, pi, "-c") as terminal:
        terminal.wait_for("pi is here", PATIENCE)
    assert told(root)["argv"] == [str(pi), "-c"]


def test_pis_environment_is_what_it_would_be_without_us(root: Path, pi: Path) -> None:
    with daemon(root):
        token = run(root, "pair", "--token", "phone").stdout.strip()
        with mirrord_pi(root, pi) as terminal:
            terminal.wait_for("pi is here", PATIENCE)
            assert told(root)["env"] == in_pi_environment(root, pi)
            assert token not in json.dumps(told(root))


def test_a_daemon_is_started_when_none_runs_and_outlives_pi(root: Path, pi: Path) -> None:
    with mirrord_pi(root, pi) as terminal:
        terminal.wait_for("pi is here", PATIENCE)
        terminal.line("")
        assert terminal.wait_exit(PATIENCE) == 0
    status = run(root, "status", "--json")
    assert status.returncode == 0
    assert json.loads(status.stdout)["pid"] != told(root)["pid"]


def test_with_no_paired_device_a_code_is_shown_before_pi_starts(root: Path, pi: Path) -> None:
    with daemon(root), mirrord_pi(root, pi, rows=40) as terminal:
        shown = terminal.wait_for("pi is here", PATIENCE)
        found = re.search(r"http://\S+#pair=(\S+)", shown)
        assert found is not None
        assert "type /mirrord pair in Pi for a new one" in shown.replace("\n", " ")
        assert shown.index("#pair=") < shown.index("pi is here")
        anyio.run(pair, found[0], found[1], "phone")
        with mirrord_pi(root, pi) as second:
            assert "#pair=" not in second.wait_for("pi is here", PATIENCE)


@pytest.mark.parametrize("off", ["--no-pair", "CI", "config"])
def test_no_code_is_shown_where_nobody_wants_it(root: Path, pi: Path, off: str) -> None:
    if off == "config":
        config = root / "config_home" / "mirrord" / "config.toml"
        config.parent.mkdir(parents=True)
        config.write_text("show_pairing = false\n")
    arguments, extra = (("--no-pair",) if off == "--no-pair" else ()), ({"CI": "1"} if off == "CI" else None)
    with daemon(root), mirrord_pi(root, pi, *arguments, "hello", extra=extra) as terminal:
        shown = terminal.wait_for("pi is here", PATIENCE)
    assert "#pair=" not in shown
    assert told(root)["argv"] == [str(pi), "-e", entry(root), "hello"]


def test_pi_starts_with_a_warning_when_the_daemon_cannot(root: Path, pi: Path) -> None:
    (root / "mirrord").chmod(0o755)
    with mirrord_pi(root, pi) as terminal:
        shown = terminal.wait_for("pi is here", PATIENCE)
        (root / "mirrord").chmod(0o700)
    unwrapped = shown.replace("\n", "")
    assert "mirrord: " in unwrapped
    assert "is open to other users" in unwrapped
    assert "Traceback" not in unwrapped
    assert told(root)["argv"] == [str(pi), "-e", entry(root)]


def test_pi_starts_without_the_extension_when_it_cannot_be_copied(root: Path, pi: Path) -> None:
    (root / "data_home").write_text("a file where the data directory must be")
    with daemon(root), mirrord_pi(root, pi, "hello") as terminal:
        shown = terminal.wait_for("pi is here", PATIENCE).replace("\n", "")
    assert "Pi starts unmirrored" in shown
    assert told(root)["argv"] == [str(pi), "hello"]


@pytest.mark.parametrize("arguments", [("install", "npm:x"), ("-p", "hello"), ("--mode", "json")])
def test_what_holds_no_conversation_runs_as_it_is_and_starts_nothing(root: Path, pi: Path, arguments: tuple[str, ...]) -> None:
    with mirrord_pi(root, pi, *arguments) as terminal:
        terminal.wait_for("pi is here", PATIENCE)
    assert told(root)["argv"] == [str(pi), *arguments]
    assert run(root, "status").returncode == 1, "no daemon was started"


def test_a_pi_without_a_terminal_runs_as_it_is(root: Path, pi: Path) -> None:
    done = run(root, "pi", "hello", env=in_pi_environment(root, pi))
    assert (done.returncode, done.stdout, done.stderr) == (0, "pi is here\n", "")
    assert told(root)["argv"] == [str(pi), "hello"]


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_standard_stream_that_is_closed_is_no_error_of_ours(root: Path, pi: Path, closed: str) -> None:
    words = shlex.join([*MIRRORD, "pi", "--no-pair", "--exit", "7"])
    script = f"{words} {closed}; echo status=$?"
    with daemon(root), Terminal(["/bin/sh", "-c", script], env=in_pi_environment(root, pi), cwd=root) as terminal:
        if closed == "2>&-":
            terminal.wait_for("pi is here", PATIENCE)
        terminal.line("")
        terminal.wait_for("status=7", PATIENCE)
        assert "Traceback" not in terminal.history_text()
    assert told(root)["argv"] == [str(pi), *(["-e", entry(root)] if closed == "2>&-" else []), "--exit", "7"]


@pytest.mark.parametrize("word", ["0", " Off "])
def test_a_session_that_is_to_be_private_is_left_alone(root: Path, pi: Path, word: str) -> None:
    with mirrord_pi(root, pi, extra={"MIRRORD": word}) as terminal:
        terminal.wait_for("pi is here", PATIENCE)
    assert told(root)["argv"] == [str(pi)]
    assert run(root, "status").returncode == 1


@pytest.mark.parametrize(
    ("config", "private"),
    [("mirror = true", False), ('exclude = ["/elsewhere"]', False), ("mirror = false", True), ('exclude = ["{root}"]', True), ("=", True)],
)
def test_a_folder_that_is_to_be_private_has_the_extension_but_no_daemon_no_code_and_no_follower(
    root: Path, pi: Path, config: str, private: bool
) -> None:
    file = root / "config_home" / "mirrord" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text(config.format(root=root))
    with mirrord_pi(root, pi, "--share-screen", rows=50) as terminal:
        shown = terminal.wait_for("pi is here", PATIENCE)
        followers = [pid for pid in descendants(terminal.pid) if b"bridge.screen.run" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    assert told(root)["argv"] == [str(pi), "-e", entry(root)]
    assert ("mirrord: this session is private (" in shown, "#pair=" in shown, len(followers)) == (private, not private, not private)
    assert run(root, "status").returncode == private, "a daemon only for a Pi that may be mirrored"


def test_no_pi_is_one_sentence(root: Path) -> None:
    done = run(root, "pi", env={"PATH": "/nonexistent"})
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "mirrord: no `pi` was found on PATH; install it with `npm install -g @earendil-works/pi-coding-agent`, or name it with --pi PATH\n"
    )


def test_a_node_that_is_too_old_is_one_sentence(root: Path) -> None:
    package = root / "package"
    package.mkdir()
    (package / "package.json").write_text(
        '{"name": "@earendil-works/pi-coding-agent", "version": "1.6.0", "engines": {"node": ">=22.19.0"}}'
    )
    for name, text in (("pi", "#!/usr/bin/env node\n"), ("node", "#!/bin/sh\necho v20.20.2\n")):
        (package / name).write_text(text)
        (package / name).chmod(0o755)
    done = run(root, "pi", env={"PATH": f"{package}{os.pathsep}{os.environ['PATH']}"})
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"mirrord: @earendil-works/pi-coding-agent 1.6.0 needs Node >=22.19.0, and {package}/node is 20.20.2; "
        "put a newer Node first on PATH and try again\n"
    )


def test_a_slow_start_of_the_daemon_is_explained_in_one_line() -> None:
    lines: list[str] = []
    spoke = threading.Event()

    def say(line: str) -> None:
        lines.append(line)
        spoke.set()

    with explained_when_slow("starting…", say, patience=0.0):
        assert spoke.wait(PATIENCE)
    with explained_when_slow("never said", say, patience=PATIENCE):
        pass
    assert lines == ["starting…"]
