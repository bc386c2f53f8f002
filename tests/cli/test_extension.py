"""Promise: one command puts the extension into Pi's settings, one takes it out, and each says what it did."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.commands import run


def test_install_status_path_and_uninstall(tmp_path: Path) -> None:
    settings = tmp_path / "agent" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"theme": "dark"}\n')
    env = {"PI_CODING_AGENT_DIR": str(settings.parent)}

    def said(*command: str) -> str:
        done = run(tmp_path, "extension", *command, env=env)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout.rstrip("\n")

    entry = str(tmp_path / "data_home" / "mirrord" / "extension" / "mirrord" / "index.ts")
    assert said("status") == f"not installed: {settings} does not load it; only `mirrord pi` does"
    assert said("path") == entry
    assert Path(entry).is_file()
    assert said("install") == f"Added to {settings}. Type /reload in a Pi that runs already."
    assert json.loads(settings.read_text()) == {"theme": "dark", "extensions": [entry]}
    assert said("install") == f"{settings} has it already."
    assert said("status") == f"installed: {settings} loads {entry}"
    assert said("uninstall") == f"Removed from {settings}. A Pi that runs already is mirrored until /reload."
    assert entry not in settings.read_text()
    assert said("uninstall") == f"{settings} does not have it."


def test_the_home_directory_has_pis_settings_when_no_variable_names_them(tmp_path: Path) -> None:
    assert run(tmp_path, "extension", "install").returncode == 0
    assert "extensions" in json.loads((tmp_path / ".pi" / "agent" / "settings.json").read_text())


def test_settings_that_cannot_be_understood_are_left_alone_with_the_line_to_add(tmp_path: Path) -> None:
    settings = tmp_path / "settings.json"
    settings.write_text("{ broken")
    done = run(tmp_path, "extension", "install", env={"PI_CODING_AGENT_DIR": str(tmp_path)})
    assert done.returncode == 1
    assert done.stderr.startswith(f"mirrord: {settings} was not changed (")
    assert 'add this to it by hand: "extensions": [' in done.stderr
    looked = run(tmp_path, "extension", "status", env={"PI_CODING_AGENT_DIR": str(tmp_path)})
    assert looked.returncode == 1
    assert looked.stderr.startswith(f"mirrord: {settings} cannot be understood (line 1, column 3: ")
    assert looked.stderr.endswith("); mend it\n")
    assert settings.read_text() == "{ broken"
