"""Record what the real Pi writes in a terminal, with the screen at each step beside it.

    python -m tests.harness.record NAME STEPS.json [--pi KIND] [--columns N] [--rows N] [--env NAME=VALUE ...] [--out FOLDER]

STEPS.json is a list of steps. Each has a `mark`, the name of the moment when it is done, and what is typed: `line` (text and Enter) or
`keys` (their names). It is done once the screen has come to rest and shows `shows` (a regular expression, with ^ and $ at each row),
no longer shows `gone` (a text), or Pi has ended (`ends`):

    [{"mark": "open", "line": "/t-select {\\"title\\": \\"Which?\\"}", "shows": "^ *Which[?]$"},
     {"mark": "enter", "keys": ["down", "enter"], "gone": "Which?"},
     {"mark": "quit", "keys": ["ctrl+d"], "ends": true}]

The model is scripted (mirrord/demo/scripted_model.py) and the commands of tests/harness/exerciser.ts are there. It makes
NAME-piVERSION-MODE-COLUMNSxROWS.bin and .json in FOLDER, fixtures/sanitize/recordings otherwise, and prints the first path.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import msgspec

from mirrord.demo.pi_home import temporary_pi_home
from mirrord.demo.screen import Screen
from mirrord.demo.scripted_model import ScriptedModel
from mirrord.demo.terminal import Terminal
from tests.harness.pi import EXERCISER, FULLSCREEN, KINDS, ROOT, PiKind, running_pi

FOLDER: Final = ROOT / "fixtures" / "sanitize" / "recordings"
PATIENCE: Final = 30.0
"""How long a step may take, in seconds: a turn of the scripted model takes less than one on an idle machine."""


class Step(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """One thing that is typed, and how it is known to be done."""

    mark: str
    line: str = ""
    keys: list[str] = []
    shows: str = ""
    gone: str = ""
    ends: bool = False


class Mark(msgspec.Struct, frozen=True, omit_defaults=True):
    """A moment: so many bytes had been written. `input` is what was typed then."""

    label: str
    offset: int
    input: str = ""


class Sidecar(msgspec.Struct, frozen=True, rename="camel"):
    """What stands beside a recording. `pyte_screens` are the rows at some marks, without blanks at their end."""

    pi: str
    tui_mode: str
    cols: int
    rows: int
    env: dict[str, str]
    terminal_answers_queries: bool
    bytes: int
    marks: list[Mark]
    pyte_screens: dict[str, list[str]]


@dataclass
class _Recorder:
    terminal: Terminal
    columns: int
    rows: int
    marks: list[Mark] = field(default_factory=list)
    screens: dict[str, list[str]] = field(default_factory=dict)

    def mark(self, label: str) -> None:
        """Notes this moment, or the next one at which no frame is half drawn."""
        while True:
            data = self.terminal.output()
            screen = Screen(self.columns, self.rows)
            screen.feed(data)
            if not screen.in_frame:
                break
            self.terminal.settle(timeout=PATIENCE)
        self.marks.append(Mark(label, len(data)))
        self.screens[label] = screen.text().split("\n")

    def play(self, step: Step) -> None:
        """Types what the step says and marks when it is done."""
        self.marks.append(Mark(f"{step.mark}:send", len(self.terminal.output()), step.line or "+".join(step.keys)))
        if step.line:
            self.terminal.line(step.line)
        self.terminal.keys(*step.keys)
        if step.shows:
            self.terminal.wait_for(re.compile(step.shows, re.MULTILINE), PATIENCE)
        if step.gone:
            self.terminal.wait_gone(step.gone, PATIENCE)
        if step.ends:
            self.terminal.wait_exit(PATIENCE)
        else:
            self.terminal.settle(timeout=PATIENCE)
        self.mark(step.mark)


def record(
    kind: PiKind, steps: Sequence[Step], *, columns: int = 100, rows: int = 30, env: Mapping[str, str] | None = None
) -> tuple[bytes, Sidecar]:
    """Run Pi through the steps; gives all that it wrote and what stands beside it. NotShown when a step is not done in time."""
    with (
        ScriptedModel() as model,
        temporary_pi_home(model.base_url) as home,
        running_pi(kind, home, extensions=[EXERCISER], env=env, columns=columns, rows=rows) as terminal,
    ):
        recorder = _Recorder(terminal, columns, rows)
        recorder.mark("startup-done")
        for step in steps:
            recorder.play(step)
        data = terminal.output()[: recorder.marks[-1].offset]
    mode = "fullscreen" if kind is FULLSCREEN else "regular"
    return data, Sidecar(kind.version, mode, columns, rows, dict(env or {}), False, len(data), recorder.marks, recorder.screens)


def main(arguments: Sequence[str]) -> int:
    """The command line; gives the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.harness.record", description="Record the real Pi; see the module's text.")
    parser.add_argument("name")
    parser.add_argument("steps", type=Path)
    parser.add_argument("--pi", choices=[kind.name for kind in KINDS], default=FULLSCREEN.name)
    parser.add_argument("--columns", type=int, default=100)
    parser.add_argument("--rows", type=int, default=30)
    parser.add_argument("--env", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--out", type=Path, default=FOLDER)
    given = parser.parse_args(arguments)
    steps = msgspec.json.decode(given.steps.read_bytes(), type=list[Step])
    env = dict(pair.split("=", 1) for pair in given.env)
    (kind,) = (kind for kind in KINDS if kind.name == given.pi)
    data, sidecar = record(kind, steps, columns=given.columns, rows=given.rows, env=env)
    given.out.mkdir(parents=True, exist_ok=True)
    file = given.out / f"{given.name}-pi{sidecar.pi}-{sidecar.tui_mode}-{given.columns}x{given.rows}.bin"
    file.write_bytes(data)
    file.with_suffix(".json").write_bytes(msgspec.json.format(msgspec.json.encode(sidecar), indent=1) + b"\n")
    print(file)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
