"""Promise: `mirrord tui` says in one sentence what it lacks: its extra, or a terminal."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from mirrord.cli import run as run_here
from tests.cli.commands import run


def test_without_a_terminal_it_names_attach(tmp_path: Path) -> None:
    done = run(tmp_path, "tui")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "mirrord: `mirrord tui` needs a terminal; without one use `mirrord attach`\n"


def test_without_its_extra_it_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, package=None: None if name == "textual" else found(name, package))
    assert run_here(["tui"]) == 1
    assert "pip install 'pi-mirrord[tui]'" in capsys.readouterr().err
