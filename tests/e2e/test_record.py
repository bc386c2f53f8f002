"""Promise: anyone can record the real Pi anew, and what is recorded renders to the screens that were noted beside it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sanitize.counters import Counters
from sanitize.pens import Pens
from sanitize.roles import Palette
from sanitize.terminal import Terminal
from tests.harness.record import main

STEPS = [
    {"mark": "open", "line": '/t-select {"title": "Which one?", "id": "a", "options": ["one", "two"]}', "shows": "^ *Which one[?]$"},
    {"mark": "down", "keys": ["down"], "shows": "→ two"},
    {"mark": "enter", "keys": ["enter"], "gone": "→ two"},
    {"mark": "quit", "keys": ["ctrl+d"], "ends": True},
]


def test_a_session_is_recorded_with_the_screen_at_each_step(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    steps = tmp_path / "steps.json"
    steps.write_text(json.dumps(STEPS))
    assert main(["select", str(steps), "--pi", "pi-1.6.0-regular", "--columns", "80", "--rows", "24", "--out", str(tmp_path)]) == 0
    file = Path(capsys.readouterr().out.rstrip("\n"))
    assert file.name == "select-pi1.6.0-regular-80x24.bin"
    raw, sidecar = file.read_bytes(), json.loads(file.with_suffix(".json").read_text("utf-8"))
    assert list(sidecar["pyteScreens"]) == ["startup-done", "open", "down", "enter", "quit"]
    assert any("→ two" in row for row in sidecar["pyteScreens"]["down"])
    assert not any("→ two" in row for row in sidecar["pyteScreens"]["enter"])

    terminal, at = Terminal(80, 24, Pens(Palette()), Counters()), 0
    for mark in sidecar["marks"]:
        terminal.feed(raw[at : mark["offset"]])
        at = mark["offset"]
        if mark["label"] in sidecar["pyteScreens"]:
            shown = [line.text.rstrip() for line in terminal.lines()]
            assert shown + [""] * (24 - len(shown)) == [row.rstrip() for row in sidecar["pyteScreens"][mark["label"]]], mark["label"]
    assert at == len(raw) == sidecar["bytes"]
