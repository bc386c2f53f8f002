"""Promise: `mirrord tui` says in one sentence what it lacks: its extra, or a terminal."""

from __future__ import annotations

import importlib.util
import sys
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
    for missing, command in (
        (("textual",), f"{sys.executable} -m pip install"),
        (("textual", "pip"), f"uv pip install --python {sys.executable}"),
    ):
        monkeypatch.setattr(
            importlib.util, "find_spec", lambda name, package=None, missing=missing: None if name in missing else found(name, package)
        )
        assert run_here(["tui"]) == 1
        assert f"install it with `{command} 'textual>=8'`, or use" in capsys.readouterr().err
