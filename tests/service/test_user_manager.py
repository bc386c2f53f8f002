"""Promise: in the sandbox that systemd's user manager really makes of the unit, the product works whole: extension, history, Git, answers.

The manager is the test's own, for a user that nobody is. Where none can be started this is skipped, and nothing else shows it.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from mirrord.service import unit
from tests.places import may_dump
from tests.service.user_manager import RUN_USER, USER, UserManager, obstacle, user_manager

WHY_NOT = obstacle()
PORT = 18_673
pytestmark = [
    pytest.mark.soak,
    pytest.mark.timeout(300),
    pytest.mark.skipif(WHY_NOT is not None, reason=f"NOT PROVEN HERE, the unit under a real user manager: {WHY_NOT}"),
]
SEEN = {"messages": 2, "prompts": ["Pick a fruit"], "branch": "garden", "additions": 2, "deletions": 1, "role": "owner"}


@pytest.fixture
def manager() -> Iterator[UserManager]:
    with user_manager() as made:
        yield made


def main_pid(manager: UserManager) -> int:
    return int(manager.systemctl("show", unit.SERVICE, "--property=MainPID", "--value"))


def status(pid: int) -> dict[str, str]:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return dict(line.split(":\t", 1) for line in lines if ":\t" in line)


def play(manager: UserManager, env: dict[str, str]) -> list[dict[str, object]]:
    """The scene, by this person in a shell of this environment: what is seen before the daemon is killed, and after that."""
    done = manager.run(sys.executable, "-P", "-c", PLAY, env=env)
    assert done.returncode == 0, done.stderr
    seen: list[dict[str, object]] = json.loads(done.stdout)
    return seen


PLAY = f"import sys; sys.path.insert(0, {str(Path(__file__).parents[2])!r}); from tests.service.scene import main; main()"


def test_installed_it_is_restricted_as_it_says_and_comes_back_after_a_kill(manager: UserManager) -> None:
    installed = manager.mirrord("service", "install", "--port", str(PORT))
    assert installed.returncode == 0, installed.stderr
    assert "+CapabilityBoundingSet=" in installed.stdout
    assert "The service runs" in installed.stdout
    assert not (manager.home / ".config/systemd/user" / f"{unit.SERVICE}.d").exists()
    pid = main_pid(manager)
    is_now = status(pid)
    assert (is_now["CapBnd"], is_now["CapEff"], is_now["NoNewPrivs"], is_now["Seccomp"]) == ("0" * 16, "0" * 16, "1", "2")
    assert (is_now["Uid"].split()[0], is_now["Umask"]) == (str(USER), "0077")
    assert b"hunter2" not in Path(f"/proc/{pid}/environ").read_bytes()
    assert not may_dump(pid)
    # It sees the person's files and cannot change them; its own it can.
    probe = f"/proc/{pid}/root{manager.home}"
    assert os.statvfs(probe).f_flag & os.ST_RDONLY
    assert not os.statvfs(f"{probe}/.local/state/mirrord").f_flag & os.ST_RDONLY
    assert os.statvfs(f"/proc/{pid}/root/usr").f_flag & os.ST_RDONLY

    again = manager.mirrord("service", "install", "--port", str(PORT))
    assert again.stdout == f"The service runs already (pid {pid}).\n"
    assert manager.mirrord("service", "status").returncode == 0

    os.kill(pid, signal.SIGKILL)
    deadline = time.monotonic() + 30
    while main_pid(manager) in (0, pid) or manager.systemctl("is-active", unit.SERVICE) != "active":
        assert time.monotonic() < deadline, manager.systemctl("status", unit.SERVICE)
        threading.Event().wait(0.2)
    assert manager.mirrord("status").returncode == 0

    second = main_pid(manager)
    assert manager.mirrord("restart").returncode == 0
    assert main_pid(manager) not in (0, pid, second)

    gone = manager.mirrord("service", "uninstall")
    assert (gone.returncode, gone.stdout.count("Removed")) == (0, 2)
    assert main_pid(manager) == 0
    assert not [path for path in manager.home.rglob("*mirrord.s*") if path.name.startswith(unit.SERVICE[:8])]
    assert [path.name for path in (manager.runtime / "mirrord").iterdir()] == ["daemon.lock"]


def test_files_that_were_only_written_are_handed_the_daemon_by_a_restart_and_are_enabled_by_an_install(manager: UserManager) -> None:
    assert manager.mirrord("serve", "--detach", "--port", str(PORT)).returncode == 0
    assert manager.mirrord("service", "install", "--write-only").returncode == 0
    restarted = manager.mirrord("restart")
    pid = main_pid(manager)
    assert (restarted.returncode, restarted.stderr) == (0, "")
    assert f"by the service manager (pid {pid}, was " in restarted.stdout
    assert json.loads(manager.mirrord("status", "--json").stdout)["port"] == PORT
    assert manager.systemctl("is-enabled", unit.SERVICE, unit.SOCKET).split() == ["disabled", "disabled"]
    assert manager.mirrord("service", "install").stdout == f"The service runs already (pid {pid}).\n"
    assert manager.systemctl("is-enabled", unit.SERVICE, unit.SOCKET).split() == ["enabled", "enabled"]
    # Where the manager cannot be asked, nothing is left that would start it.
    nobody = manager.environment(XDG_RUNTIME_DIR="")
    assert manager.mirrord("service", "uninstall", env=nobody).stdout.count("Removed") == 4
    assert [path for path in (manager.home / ".config").rglob("*mirrord*")] == []


def test_everything_goes_with_one_command(manager: UserManager) -> None:
    assert manager.mirrord("service", "install", "--port", str(PORT)).returncode == 0
    gone = manager.mirrord("uninstall", "--purge", "--yes")
    assert (gone.returncode, gone.stderr) == (0, "")
    assert main_pid(manager) == 0
    assert [path for folder in (manager.home, manager.runtime) for path in folder.rglob("*mirrord*")] == []


def test_an_extension_connects_by_the_normal_path_and_history_and_git_are_read(manager: UserManager) -> None:
    assert manager.mirrord("service", "install", "--port", str(PORT)).returncode == 0
    assert play(manager, manager.environment()) == [SEEN, SEEN]


@pytest.mark.parametrize("runtime", ["", f"{RUN_USER}/{'long' * 30}"], ids=["no runtime directory", "one that is too long"])
def test_an_extension_connects_by_the_fallback_path_as_well(manager: UserManager, runtime: str) -> None:
    env = manager.environment(XDG_RUNTIME_DIR=runtime)
    assert manager.mirrord("service", "install", "--write-only", "--port", str(PORT), env=env).returncode == 0
    manager.systemctl("daemon-reload")
    manager.systemctl("start", unit.SOCKET)
    assert play(manager, env) == [SEEN, SEEN]
    assert status(main_pid(manager))["CapBnd"] == "0" * 16


def test_where_a_user_may_make_no_namespaces_it_runs_without_and_says_so(manager: UserManager) -> None:
    # What such a system does when the service asks for one.
    forbid = manager.home / ".config/systemd/user" / f"{unit.SERVICE}.d"
    for folder in (manager.home / ".config", forbid.parents[1], forbid.parent, forbid):
        folder.mkdir(exist_ok=True)
        os.chown(folder, USER, USER)
    (forbid / "90-test.conf").write_text("[Service]\nPrivateUsers=no\n")
    installed = manager.mirrord("service", "install", "--port", str(PORT))
    assert installed.returncode == 0, installed.stderr
    assert "lets a user make no namespaces" in installed.stdout
    is_now = status(main_pid(manager))
    assert (is_now["NoNewPrivs"], is_now["Seccomp"]) == ("1", "2")
    assert manager.mirrord("status").returncode == 0
