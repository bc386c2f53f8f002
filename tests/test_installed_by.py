"""Promise: whoever uninstalls is told the one command that removes the package, as it was installed."""

from __future__ import annotations

import importlib.util
import sys
import tomllib
from collections.abc import Mapping
from importlib.metadata import Distribution
from pathlib import Path

import pytest

from mirrord.cli import tui
from mirrord.installed_by import command_to_add, how_to_remove, removal
from mirrord.push import vapid


class Installed(Distribution):
    """A distribution with these files in its dist-info."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = files

    def read_text(self, filename: str) -> str | None:
        return self._files.get(filename)

    def locate_file(self, path: object) -> Path:
        raise AssertionError("nothing is located")


@pytest.mark.parametrize(
    ("files", "installer", "has_pip", "told"),
    [
        ({"pipx_metadata.json": '{"main_package": {"package": "pi-mirrord"}}'}, "pip", True, "run: pipx uninstall env"),
        ({"pipx_metadata.json": '{"main_package": {"package": "other"}}'}, "pip", True, "run: pipx uninject env pi-mirrord"),
        ({"pipx_metadata.json": "broken"}, "uv", False, "run: pipx uninstall env"),
        ({"uv-receipt.toml": ""}, "uv", False, "run: uv tool uninstall pi-mirrord"),
        ({}, "uv\n", False, "run: uv pip uninstall --python '/a b/python' pi-mirrord"),
        ({}, "pip\n", True, "run: '/a b/python' -m pip uninstall pi-mirrord"),
        ({}, "pip\n", False, "run: pip --python '/a b/python' uninstall pi-mirrord"),
        ({}, None, True, "run: '/a b/python' -m pip uninstall pi-mirrord"),
        ({}, "debian\n", True, "use debian, which installed pi-mirrord"),
    ],
)
def test_it_is_told_by_what_the_installer_left(
    tmp_path: Path, files: Mapping[str, str], installer: str | None, has_pip: bool, told: str
) -> None:
    prefix = tmp_path / "env"
    prefix.mkdir()
    for name, text in files.items():
        (prefix / name).write_text(text)
    installed = Installed({} if installer is None else {"INSTALLER": installer})
    assert removal(prefix, "/a b/python", installed, has_pip=has_pip) == told


@pytest.mark.parametrize(
    ("has_pip", "told"),
    [(True, "'/a b/python' -m pip install 'one>=2'"), (False, "uv pip install --python '/a b/python' 'one>=2'")],
)
def test_what_adds_a_package_adds_it_to_this_very_environment(monkeypatch: pytest.MonkeyPatch, has_pip: bool, told: str) -> None:
    monkeypatch.setattr(sys, "executable", "/a b/python")
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: has_pip or None)
    assert command_to_add("one>=2") == told


def test_what_is_said_to_be_missing_is_what_the_extras_bring() -> None:
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["optional-dependencies"] == {"push": [vapid.REQUIREMENT], "tui": [tui.REQUIREMENT]}


def test_this_one_was_installed_by_pip() -> None:
    assert how_to_remove().endswith("-m pip uninstall pi-mirrord")
