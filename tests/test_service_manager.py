"""Promise: the system's service manager is asked exactly where it serves our runtime directory and has an unmasked unit of ours."""

from __future__ import annotations

import os
import socket
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from bridge.daemon_lock import read_holder
from bridge.process import look
from mirrord import detached, service_manager
from mirrord.detached import spawn_detached
from mirrord.errors import DaemonNotStarted
from mirrord.service_manager import LAUNCHD_LABEL, start_command
from mirrord.settings import DEFAULT_PORT, Settings

LINUX_ONLY = pytest.mark.skipif(sys.platform == "darwin", reason="systemd's own paths")


@dataclass
class Machine:
    """A home and an environment in which `systemctl` and `launchctl` are programs of the test."""

    home: Path
    env: dict[str, str]

    def command(self, platform: str = "linux") -> tuple[str, ...] | None:
        return start_command(self.env, platform, 501, str(self.home))

    def install(self, folder: Path, text: str = "[Service]\n") -> Path:
        unit = folder / "systemd" / "user" / "mirrord.service"
        unit.parent.mkdir(parents=True, exist_ok=True)
        unit.write_text(text)
        return unit


def program(folder: Path, name: str, text: str = "#!/bin/sh\n") -> Path:
    path = folder / name
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    for name in ("bin", "runtime/systemd", "home"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "runtime" / "systemd" / "private").touch()
    program(tmp_path / "bin", "systemctl")
    program(tmp_path / "bin", "launchctl")
    # Data folders of the test's own as well: the machine that runs it may have a unit.
    return Machine(
        tmp_path / "home",
        {"PATH": str(tmp_path / "bin"), "XDG_RUNTIME_DIR": str(tmp_path / "runtime"), "XDG_DATA_DIRS": str(tmp_path / "share")},
    )


@pytest.mark.parametrize("folder", ["home/.config", "runtime", "home/.local/share", "share"])
def test_a_unit_in_a_usual_place_is_found(machine: Machine, tmp_path: Path, folder: str) -> None:
    assert machine.command() is None
    machine.install(tmp_path / folder)
    assert machine.command() == (str(tmp_path / "bin/systemctl"), "--user", "--no-ask-password", "start", "mirrord.service")


def test_xdg_variables_say_where_the_persons_units_are(machine: Machine, tmp_path: Path) -> None:
    machine.install(tmp_path / "elsewhere")
    machine.env["XDG_CONFIG_HOME"] = str(tmp_path / "elsewhere")
    assert machine.command() is not None


@pytest.mark.parametrize("mask", ["empty", "null"])
def test_a_masked_unit_is_none_and_hides_those_after_it(machine: Machine, tmp_path: Path, mask: str) -> None:
    machine.install(tmp_path / "share")
    unit = machine.install(tmp_path / "home" / ".config", "")
    if mask == "null":
        unit.unlink()
        unit.symlink_to("/dev/null")
    assert machine.command() is None


@pytest.mark.parametrize("missing", ["systemctl", "manager", "runtime"])
def test_without_a_manager_of_our_runtime_directory_the_unit_is_of_no_use(machine: Machine, tmp_path: Path, missing: str) -> None:
    machine.install(tmp_path / "share")
    match missing:
        case "systemctl":
            (tmp_path / "bin" / "systemctl").unlink()
        case "manager":
            (tmp_path / "runtime" / "systemd" / "private").unlink()
        case _:
            del machine.env["XDG_RUNTIME_DIR"]
    assert machine.command() is None


def test_an_agent_of_launchd_is_kickstarted(machine: Machine, tmp_path: Path) -> None:
    assert machine.command("darwin") is None
    agents = machine.home / "Library" / "LaunchAgents"
    agents.mkdir(parents=True)
    (agents / f"{LAUNCHD_LABEL}.plist").touch()
    assert machine.command("darwin") == (str(tmp_path / "bin/launchctl"), "kickstart", f"gui/501/{LAUNCHD_LABEL}")


# ---- a start ---------------------------------------------------------------------------------------------------------

# What a manager does for `start`: runs the unit with an environment of its own, and not as a child of who asked.
STARTS = f"""#!/bin/sh
echo "$@" >> "$XDG_STATE_HOME/asked"
env > "$XDG_STATE_HOME/environment"
"{sys.executable}" -m mirrord serve --port 0 >/dev/null 2>&1 </dev/null &
"""


@pytest.fixture
def managed(at_home: Settings, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Settings of a daemon as `mirrord pi` starts it, where a unit is installed."""
    base = at_home.paths.runtime_dir.parent.parent
    Machine(base, {}).install(base / "config_home")
    (base / "runtime_dir" / "bus").touch()
    monkeypatch.setenv("PATH", str(base), prepend=os.pathsep)
    monkeypatch.setattr(detached, "SERVICE_SECONDS", 10.0)
    return Settings(at_home.paths, DEFAULT_PORT, idle_exit=600)


def root(settings: Settings) -> Path:
    return settings.paths.runtime_dir.parent.parent


@LINUX_ONLY
def test_the_manager_starts_it_and_gets_no_secret(managed: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "hunter2")
    program(root(managed), "systemctl", STARTS)
    info = spawn_detached(managed)
    holder = read_holder(managed.paths.lock_file)
    assert holder is not None
    assert holder.pid == info.pid
    state = managed.paths.state_dir.parent
    assert (state / "asked").read_text() == "--user --no-ask-password start mirrord.service\n"
    assert "hunter2" not in (state / "environment").read_text()
    process = look(info.pid)
    assert process is not None
    assert info.started
    monkeypatch.setattr(service_manager, "request_start", lambda *_: True)
    again = spawn_detached(managed)
    assert (again, again.started) == (info, False)


@LINUX_ONLY
def test_a_port_of_ones_own_is_not_the_units(managed: Settings) -> None:
    program(root(managed), "systemctl", STARTS)
    spawn_detached(Settings(managed.paths, port=0, given=frozenset({"port"})))
    assert not (managed.paths.state_dir.parent / "asked").exists()


@LINUX_ONLY
@pytest.mark.parametrize("manager", ["exit 1", "exit 0", "sleep 5"])
def test_one_that_fails_lies_or_hangs_is_gone_around(managed: Settings, monkeypatch: pytest.MonkeyPatch, manager: str) -> None:
    program(root(managed), "systemctl", f"#!/bin/sh\n{manager}\n")
    monkeypatch.setattr(service_manager, "REQUEST_SECONDS", 0.2)
    monkeypatch.setattr(detached, "SERVICE_SECONDS", 0.2)
    with socket.socket() as taken:
        # That it was started directly shows by what it says of the port, which nobody else's daemon then holds.
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(DaemonNotStarted, match="cannot be used"):
            spawn_detached(Settings(managed.paths, taken.getsockname()[1]))
