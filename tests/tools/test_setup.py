"""Promise: a set-up step runs once, again when an input changes or its result is gone, and again when it failed."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from tools import setup


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(setup, "CACHE", tmp_path / "cache")
    return tmp_path / "cache"


@pytest.fixture
def result(tmp_path: Path) -> Path:
    file = tmp_path / "result"
    file.touch()
    return file


def due(result: Path, *inputs: str | Path) -> bool:
    with setup.stamped("step", *inputs, result=result) as must_run:
        return must_run


def test_a_step_runs_once(result: Path) -> None:
    assert [due(result, "a"), due(result, "a")] == [True, False]


def test_a_step_runs_again_when_a_string_or_a_file_among_its_inputs_changes(result: Path, tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    lock.write_text("one")
    assert [due(result, "a", lock), due(result, "b", lock), due(result, "b", lock)] == [True, True, False]
    lock.write_text("two")
    assert due(result, "b", lock)


def test_a_step_runs_again_when_its_result_is_gone(result: Path) -> None:
    due(result, "a")
    result.unlink()
    assert due(result, "a")


def test_a_step_that_failed_runs_again(result: Path) -> None:
    def fail() -> None:
        with setup.stamped("step", "a", result=result):
            raise setup.SetupError("no network")

    with pytest.raises(setup.SetupError):
        fail()
    assert due(result, "a")


def fake(folder: Path, name: str, says: str) -> None:
    folder.mkdir(exist_ok=True)
    program = folder / name
    program.write_text(f"#!/bin/sh\necho '{says}'\n")
    program.chmod(0o755)


@pytest.mark.parametrize(
    ("version", "taken"),
    [("22.19.0", True), ("22.18.9", False), ("24.0.0", True), ("20.20.2", False), ("", False), ("nonsense", False)],
)
def test_the_systems_node_is_taken_from_22_19_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, taken: bool) -> None:
    fake(tmp_path / "bin", "node", f"{version} /real/node")
    fake(tmp_path / "bin", "npm", "11.0.0")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/bin")
    expected = (Path("/real/node"), tmp_path / "bin" / "npm") if taken else None
    assert setup.system_node() == expected


def test_node_without_npm_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(tmp_path / "bin", "node", "24.0.0 /real/node")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert setup.system_node() is None


def test_what_set_up_itself_put_on_the_path_is_not_the_systems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for program in ("node", "npm"):
        fake(tmp_path / "bin", program, "24.0.0 /real/node")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/bin")
    monkeypatch.setattr(setup, "ROOT", tmp_path)
    assert setup.system_node() is None


def test_an_environment_that_is_a_link_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shared = tmp_path / "shared"
    (shared / "bin").mkdir(parents=True)
    (tmp_path / ".venv").symlink_to(shared)
    monkeypatch.setattr(setup, "VENV", tmp_path / ".venv")
    with pytest.raises(setup.SetupError, match=r"is a link to .*; remove the link"):
        setup.set_up_python()
    assert (shared / "bin").exists()


def test_a_browser_of_the_system_is_taken_by_any_of_its_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(setup, "BROWSERS", [name for name in setup.BROWSERS if not name.startswith("/")])
    assert setup.system_browser() is None
    fake(tmp_path / "bin", "google-chrome", "Google Chrome 150")
    assert setup.system_browser() == tmp_path / "bin" / "google-chrome"


def test_who_is_not_root_is_told_how_to_install_a_browser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(tmp_path / "bin", "apt-get", "nothing is installed by this test")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(setup, "geteuid", lambda: 1000)
    with pytest.raises(setup.SetupError, match=r"sudo apt-get install -y --no-install-recommends chromium fonts-dejavu-core"):
        setup.install("Chromium", setup.BROWSER_PACKAGES, "much")


def test_of_the_programs_that_tests_run_only_those_that_are_missing_are_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[tuple[str, ...]] = []
    monkeypatch.setattr(setup, "apt", lambda *arguments: ran.append(arguments))
    monkeypatch.setattr(setup, "geteuid", lambda: 0)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    for name in ("apt-get", *setup.PROGRAMS):
        fake(tmp_path / "bin", name, "here")
    setup.set_up_programs()
    assert ran == []
    (tmp_path / "bin" / "screen").unlink()
    (tmp_path / "bin" / "groff").unlink()
    setup.set_up_programs()
    assert ran[-1] == ("install", "-y", "--no-install-recommends", "screen", "groff-base")


def test_another_browser_is_installed_where_it_is_there_under_none_of_its_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[tuple[str, ...]] = []
    monkeypatch.setattr(setup, "apt", lambda *arguments: ran.append(arguments))
    monkeypatch.setattr(setup, "geteuid", lambda: 0)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    for name in ("apt-get", "WebKitWebDriver", "firefox"):
        fake(tmp_path / "bin", name, "here")
    setup.set_up_engines()
    assert ran[-1][3:] == ("xvfb",)
    (tmp_path / "bin" / "firefox").unlink()
    setup.set_up_engines()
    assert ran[-1][3:] == ("xvfb", "firefox-esr")


def test_an_unknown_step_ends_with_status_2_and_names_the_steps(capsys: pytest.CaptureFixture[str]) -> None:
    assert setup.main(["nodes"]) == 2
    assert "no step 'nodes'; it has python, node" in capsys.readouterr().err


def test_a_failed_step_ends_in_one_sentence(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        setup.run([sys.executable, "-c", "raise SystemExit(3)"], hint="Do this instead.")

    monkeypatch.setattr(setup, "STEPS", {"python": fail})
    assert setup.main([]) == 1
    assert capsys.readouterr().err == "Set-up stopped: Do this instead.\n"


def test_without_a_name_every_step_runs_but_those_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []
    steps = {name: partial(ran.append, name) for name in setup.STEPS}
    monkeypatch.setattr(setup, "STEPS", steps)
    assert setup.main([]) == 0
    assert ran == ["python", "node", "pi", "typescript", "web"]
    assert setup.main(["browser", "xterm", "programs", "extensions", "engines", "pi-versions"]) == 0
    assert ran[5:] == ["browser", "xterm", "programs", "extensions", "engines", "pi-versions"]


def test_the_locks_carry_hashes_and_name_no_place() -> None:
    for lock in setup.REQUIREMENTS.glob("*.txt"):
        text = lock.read_text()
        pins = [line for line in text.splitlines() if "==" in line]
        assert pins
        assert all(line.endswith("\\") for line in pins), "a hash follows each pin"
        assert "://" not in text
        assert "--find-links" not in text
    for lock in setup.ROOT.glob("tools/*/package-lock.json"):
        assert '"resolved"' not in lock.read_text()


def test_help_names_every_goal_of_the_makefile() -> None:
    shown = subprocess.run(["make", "help"], cwd=setup.ROOT, capture_output=True, text=True, check=True).stdout
    for goal in ("setup", "run", "demo", "test", "check", "bench", "soak", "screenshots", "clean", "help"):
        assert f"make {goal} " in shown
