"""Promise: a Pi home is complete, private, and passes nothing of the person's environment on."""

from __future__ import annotations

import stat
from pathlib import Path

import msgspec
import pytest

from mirrord.demo.pi_home import PiHome, temporary_pi_home

URL = "http://127.0.0.1:1/v1"
# The longest socket name below a runtime folder that we allow for; sun_path holds 107 bytes and a NUL.
SOCKET_NAME = "mirrord/" + "n" * 32 + ".sock"


def test_the_environment_names_only_folders_of_the_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "of the person")
    monkeypatch.setenv("PI_CODING_AGENT_DIR", "/of/the/person")
    home = PiHome.make(tmp_path / "home", URL)
    environment = home.environment(Path("/first/bin"))
    assert "of the person" not in str(environment)
    assert environment["PATH"].startswith("/first/bin:")
    folders = [name for name, value in environment.items() if value.startswith("/") and name != "PATH"]
    assert {Path(environment[name]).is_relative_to(home.root) for name in folders} == {True}
    assert {"HOME", "TMPDIR", "PI_CODING_AGENT_DIR", "XDG_RUNTIME_DIR", "XDG_DATA_HOME"} <= set(folders)


def test_the_folders_are_private_as_a_runtime_folder_must_be(tmp_path: Path) -> None:
    home = PiHome.make(tmp_path / "home", URL)
    assert stat.S_IMODE(home.runtime.stat().st_mode) == 0o700
    assert home.work.is_dir()


def test_given_settings_replace_the_usual_ones(tmp_path: Path) -> None:
    home = PiHome.make(tmp_path / "home", URL, {"theme": "light", "extensions": ["/x.ts"]})
    settings = msgspec.json.decode(home.settings_file.read_bytes(), type=dict[str, object])
    assert (settings["theme"], settings["extensions"], settings["defaultModel"]) == ("light", ["/x.ts"], "scripted-1")
    assert URL in (home.agent / "models.json").read_text()


def test_a_temporary_home_has_room_for_a_socket_and_is_removed() -> None:
    with temporary_pi_home(URL) as home:
        assert len(str(home.runtime / SOCKET_NAME).encode()) <= 107
        root = home.root
        assert root.is_dir()
    assert not root.exists()
