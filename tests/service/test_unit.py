"""Promise: the unit is valid, exposes as little as its score says, means the places it was installed for, and can do without namespaces."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from shutil import which

import pytest

from bridge.paths import locate
from mirrord.service import unit
from mirrord.service.errors import UnusableName
from mirrord.service.launch import PLACES, Launch, launch_here

FIXTURES = Path(__file__).parents[2] / "fixtures" / "service"
SYSTEMD = pytest.mark.skipif(which("systemd-analyze") is None, reason="systemd-analyze is missing: run `tools/setup.py programs`")
DESKTOP = {"XDG_RUNTIME_DIR": "/run/user/1000"}


def launch(env: Mapping[str, str] = DESKTOP, *, python: str = "/home/ada/.local/bin/python3", port: int = 17673) -> Launch:
    """Of somebody called Ada."""
    return Launch(python, port, locate(env, "linux", 1000, "/home/ada"), {name: env.get(name) for name in PLACES})


def values(text: str, name: str) -> list[str]:
    return re.findall(rf"^{name}=(.*)$", text, re.MULTILINE)


def written(folder: Path, made: Launch) -> Path:
    """The unit and its sockets as files; returns the unit's."""
    folder.joinpath(unit.SOCKET).write_text(unit.socket_text(made))
    service = folder / unit.SERVICE
    service.write_text(unit.service_text(made))
    return service


def analyze(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = {"PATH": os.environ["PATH"], "XDG_RUNTIME_DIR": str(folder), "HOME": str(folder), "LC_ALL": "C.UTF-8"}
    return subprocess.run(["systemd-analyze", *arguments], cwd=folder, env=env, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("name", "text"), [(unit.SERVICE, unit.service_text), (unit.SOCKET, unit.socket_text)])
def test_it_is_the_text_that_was_agreed_on(name: str, text: Callable[[Launch], str]) -> None:
    assert text(launch()) == (FIXTURES / name).read_text()


def test_the_way_back_is_the_text_that_was_agreed_on() -> None:
    assert unit.without_namespaces() == (FIXTURES / unit.DROP_IN).read_text()


@SYSTEMD
@pytest.mark.parametrize("relaxed", [False, True])
def test_systemd_finds_nothing_wrong_with_it(tmp_path: Path, relaxed: bool) -> None:
    service = written(tmp_path, launch(python=sys.executable))
    if relaxed:
        drop_ins = tmp_path / f"{unit.SERVICE}.d"
        drop_ins.mkdir()
        (drop_ins / unit.DROP_IN).write_text(unit.without_namespaces())
    verified = analyze(tmp_path, "verify", "--user", "--man=no", str(service), str(tmp_path / unit.SOCKET))
    assert (verified.returncode, verified.stderr) == (0, "")


@SYSTEMD
def test_it_exposes_no_more_than_2_of_10_and_the_gate_tells_a_unit_that_does(tmp_path: Path) -> None:
    service = written(tmp_path, launch())
    assert analyze(tmp_path, "security", "--offline=true", "--threshold=20", str(service)).returncode == 0
    service.write_text("".join(line for line in unit.service_text(launch()).splitlines(keepends=True) if "CapabilityB" not in line))
    assert analyze(tmp_path, "security", "--offline=true", "--threshold=20", str(service)).returncode != 0


@SYSTEMD
@pytest.mark.parametrize("name", ["with a space", "100%", '"quoted"', "back\\slash", "ünïcödé", "$HOME", "it's"])
def test_a_place_of_any_name_stays_what_it_is(tmp_path: Path, name: str) -> None:
    odd = tmp_path / name
    python = (tmp_path if set(name) & set("\"'\\") else odd) / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text("#!/bin/sh\n")
    python.chmod(0o755)
    made = launch({"XDG_RUNTIME_DIR": str(odd), "XDG_STATE_HOME": str(odd)}, python=str(python))
    service = written(tmp_path, made)
    verified = analyze(tmp_path, "verify", "--user", "--man=no", str(service), str(tmp_path / unit.SOCKET))
    assert (verified.returncode, verified.stderr) == (0, "")


def test_a_name_that_would_begin_another_line_is_refused() -> None:
    with pytest.raises(UnusableName, match="line break"):
        launch({"XDG_STATE_HOME": "/home/ada/\n[Service]"})


@pytest.mark.parametrize("name", ['"quoted"', "back\\slash", "it's"])
def test_a_program_that_systemd_would_not_run_is_refused(name: str) -> None:
    with pytest.raises(UnusableName, match="a quote or a backslash"):
        unit.service_text(launch(python=f"/home/ada/{name}/python"))


def test_it_means_the_places_of_whoever_installs_it_set_or_not() -> None:
    text = unit.service_text(launch(DESKTOP | {"XDG_STATE_HOME": "/data/state"}))
    assert values(text, "Environment") == ["XDG_RUNTIME_DIR=/run/user/1000", "XDG_STATE_HOME=/data/state"]
    assert values(text, "UnsetEnvironment") == ["XDG_DATA_HOME", "XDG_CONFIG_HOME"]
    assert values(text, "ReadWritePaths") == ["-/data/state/mirrord -/run/user/1000/mirrord"]


def test_without_a_runtime_directory_its_sockets_are_where_the_extension_looks_then() -> None:
    text = unit.socket_text(launch({}))
    assert values(text, "ListenStream")[1] == str(locate({}, "linux", 1000, "/home/ada").bridge_socket)
    assert "-/home/ada/.local/state/mirrord/run" in values(unit.service_text(launch({})), "ReadWritePaths")[0]


def test_with_any_free_port_the_daemon_takes_one_itself() -> None:
    assert not [where for where in values(unit.socket_text(launch(port=0)), "ListenStream") if "127.0.0.1" in where]


def test_the_installed_interpreter_runs_it_and_imports_from_no_folder() -> None:
    made = launch_here(17673, locate(DESKTOP, "linux", 1000, "/home/ada"), DESKTOP)
    assert made.command[:2] == (sys.executable, "-P")
    assert made.places == {"XDG_RUNTIME_DIR": "/run/user/1000", "XDG_STATE_HOME": None, "XDG_DATA_HOME": None, "XDG_CONFIG_HOME": None}


def test_the_way_back_takes_back_what_is_there() -> None:
    text = unit.service_text(launch())
    for line in unit.without_namespaces().splitlines()[1:]:
        assert values(text, line.partition("=")[0])
