"""Promise: `mirrord logs` shows the newest events, from when on one likes, and goes on over a rotation."""

from __future__ import annotations

import json
import threading
from pathlib import Path

from mirrord.cli import log_files
from mirrord.log_lines import entries
from mirrord.logs import FILE_NAME
from mirrord.words import colour
from tests.cli.commands import run

LINES = [f"2026-05-01T12:00:0{number}.000Z INFO event: number number={number}" for number in range(6)]


def test_the_newest_events_are_shown(runtime: Path) -> None:
    root = runtime.parent
    done = run(root, "logs")
    assert (done.returncode, done.stderr) == (1, f"mirrord: there is no log in {root}/state_home/mirrord; no daemon has run yet\n")
    state = root / "state_home" / "mirrord"
    state.mkdir(parents=True)
    (state / "daemon.log.1").write_text("\n".join(LINES[:3]) + "\n")
    (state / "daemon.log").write_text("\n".join(LINES[3:]) + "\n")
    assert run(root, "logs").stdout.splitlines() == LINES
    assert run(root, "logs", "-n", "2").stdout.splitlines() == LINES[-2:]
    assert run(root, "logs", "-n", "0").stdout == ""
    assert run(root, "logs", "--since", "2026-05-01T12:00:04Z").stdout.splitlines() == LINES[4:]
    told = [json.loads(line) for line in run(root, "logs", "--json", "-n", "1").stdout.splitlines()]
    assert told == [{"time": "2026-05-01T12:00:05.000Z", "level": "info", "event": "event: number", "values": {"number": 5}}]
    assert run(root, "logs", "--since", "soon").returncode == 2


def test_a_followed_log_goes_on_over_a_rotation(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    path.write_text(f"{LINES[0]}\n")
    lines = log_files.follow(tmp_path, _Impatient())
    assert next(lines) is None
    with path.open("a") as file:
        file.write(f"{LINES[1]}\n{LINES[2][:20]}")
        file.flush()
        assert [next(lines), next(lines)] == [LINES[1], None]
        file.write(f"{LINES[2][20:]}\n")
    path.rename(tmp_path / f"{FILE_NAME}.1")
    path.write_text(f"{LINES[3]}\n")
    assert [line for line in (next(lines) for _ in range(4)) if line is not None][:2] == [LINES[2], LINES[3]]


class _Impatient(threading.Event):
    """Waits for nothing."""

    def wait(self, timeout: float | None = None) -> bool:
        return self.is_set()


def test_a_line_cannot_act_on_the_terminal_and_colour_is_ours_alone() -> None:
    (entry,) = entries(["2026-05-01T12:00:00.000Z WARNING x\x1b[2J"])
    assert log_files.painted(entry, False).isprintable()
    assert log_files.painted(entry, True).startswith("\x1b[33m2026")


def test_colour_is_for_terminals_that_have_it() -> None:
    assert colour.wanted({"TERM": "xterm"}, is_terminal=True)
    assert not colour.wanted({"TERM": "xterm"}, is_terminal=False)
    assert not colour.wanted({"TERM": "xterm", "NO_COLOR": "1"}, is_terminal=True)
    assert not colour.wanted({"TERM": "dumb"}, is_terminal=True)
    assert not colour.wanted({}, is_terminal=True)
