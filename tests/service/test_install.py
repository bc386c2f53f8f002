"""Promise: install and uninstall do what they show, once, with the manager that is there; and what cannot be is one sentence."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bridge.daemon_lock import read_holder
from mirrord.service import managers
from mirrord.service.errors import NoServiceManager, ServiceFailed, ServiceNotWritable
from mirrord.service.install import changes, removals, remove, write
from mirrord.service.launch import Launch, launch_here
from mirrord.service.managers import Launchd, Systemd, manager_here
from mirrord.service_manager import LAUNCHD_LABEL
from mirrord.settings import Settings
from mirrord.testing import settings_in
from tests.cli.commands import run
from tests.cli.daemons import stop

UNITS = ("mirrord.service", "mirrord.socket")


def program(folder: Path, name: str, script: str) -> None:
    """A manager's client that notes what it is asked."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f'#!/bin/sh\necho "{name} $*" >> "{folder}/asked"\n{script}\n')
    path.chmod(0o755)


@pytest.fixture
def bin_folder(tmp_path: Path) -> Path:
    return tmp_path / "bin"


def asked(folder: Path) -> list[str]:
    """What was asked since the last time, without what only looks."""
    log = folder / "asked"
    lines = log.read_text().splitlines() if log.exists() else []
    log.unlink(missing_ok=True)
    return [line.replace(" --user --no-ask-password", "") for line in lines if " show " not in line and " print " not in line]


def launch(base: Path, port: int = 20_000) -> Launch:
    return launch_here(port, settings_in(base).paths, {})


# ---- files -----------------------------------------------------------------------------------------------------------


def test_what_is_there_already_is_no_change_and_what_changes_is_shown(tmp_path: Path) -> None:
    one, two = tmp_path / "new" / "one", tmp_path / "new" / "two"
    write({one: b"a\nb\n", two: b"same\n"})
    (changed,) = changes({one: b"a\nc\n", two: b"same\n"})
    assert [line for line in changed.diff() if line[0] in "+-" and line[1] not in "+-"] == ["-b", "+c"]
    (new,) = changes({tmp_path / "three": b"x\n"})
    assert "--- /dev/null" in list(new.diff())


def test_a_unit_that_is_kept_elsewhere_is_written_there(tmp_path: Path) -> None:
    kept = tmp_path / "dotfiles"
    kept.write_text("old")
    link = tmp_path / "mirrord.service"
    link.symlink_to(kept)
    write({link: b"new"})
    assert link.is_symlink()
    assert kept.read_text() == "new"


def test_what_is_removed_was_there_and_a_folder_of_drop_ins_goes_with_its_last_one(tmp_path: Path) -> None:
    drop_in = tmp_path / "mirrord.service.d" / "no-namespaces.conf"
    write({drop_in: b"x"})
    gone = removals((drop_in, tmp_path / "never"))
    assert [change.path for change in gone] == [drop_in]
    remove(gone)
    assert not drop_in.parent.exists()
    assert removals((drop_in,)) == ()


def test_a_folder_that_cannot_be_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ServiceNotWritable, match="cannot be written"):
        write({tmp_path / "file" / "unit": b""})
    (tmp_path / "folder").mkdir()
    with pytest.raises(ServiceNotWritable, match="cannot be read"):
        changes({tmp_path / "folder": b""})


# ---- systemd ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def systemd(tmp_path: Path, bin_folder: Path) -> Systemd:
    (tmp_path / "runtime" / "systemd").mkdir(parents=True)
    (tmp_path / "runtime" / "systemd" / "private").touch()
    program(bin_folder, "systemctl", "")
    env = {"PATH": f"{bin_folder}:/usr/bin:/bin", "XDG_RUNTIME_DIR": str(tmp_path / "runtime")}
    made = manager_here("linux", env, str(tmp_path / "home"), 1000)
    assert isinstance(made, Systemd)
    return made


def test_systemd_is_asked_for_now_and_for_every_login(systemd: Systemd, bin_folder: Path) -> None:
    assert systemd.obstacle() is None
    systemd.enable()
    assert systemd.use() is None
    both = "mirrord.socket mirrord.service"
    assert asked(bin_folder) == [
        "systemctl daemon-reload",
        f"systemctl enable {both}",
        f"systemctl stop {both}",
        f"systemctl reset-failed {both}",
        "systemctl start mirrord.socket",
        "systemctl start mirrord.service",
    ]
    write({path: b"" for path in systemd.written()})
    systemd.drop()
    systemd.forget()
    assert asked(bin_folder)[:2] == [f"systemctl disable --now {both}", "systemctl daemon-reload"]


def test_systemd_is_asked_to_disable_only_what_it_knows(systemd: Systemd, bin_folder: Path) -> None:
    write({systemd.folder / "mirrord.socket": b""})
    systemd.drop()
    assert asked(bin_folder) == ["systemctl disable --now mirrord.socket"]
    (systemd.folder / "mirrord.socket").unlink()
    systemd.drop()
    assert asked(bin_folder) == []


@pytest.mark.parametrize("code", ["217", "218", "226"])
def test_a_start_that_fails_for_want_of_namespaces_is_made_without_them(systemd: Systemd, bin_folder: Path, code: str) -> None:
    drop_in = systemd.drop_in
    program(bin_folder, "systemctl", f'case "$*" in *show*) echo {code};; *"start mirrord.service") [ -e "{drop_in}" ];; esac')
    notice = systemd.use()
    assert notice is not None
    assert str(drop_in) in notice
    assert "PrivateUsers=no" in drop_in.read_text()


def test_any_other_failure_is_told_in_the_managers_words(systemd: Systemd, bin_folder: Path) -> None:
    program(bin_folder, "systemctl", 'case "$*" in *show*) echo 1;; *"start mirrord.service") echo "Job failed." >&2; exit 1;; esac')
    with pytest.raises(ServiceFailed, match=r"`systemctl .* start mirrord.service` failed: Job failed\.; `mirrord service logs`"):
        systemd.use()
    assert not systemd.drop_in.exists()


def test_systemds_words_about_the_service_are_put_together(systemd: Systemd, bin_folder: Path) -> None:
    shown = "ActiveState=active\\nSubState=running\\nMainPID=12\\nResult=watchdog\\nNRestarts=2\\nStatusText=busy"
    program(bin_folder, "systemctl", f'printf "{shown}\\n"')
    state = systemd.state()
    assert (state.pid, state.words) == (12, "active (running), last result: watchdog, started anew 2 times; busy")


@pytest.mark.parametrize(
    ("said", "at_login"),
    [("enabled\\n\\nenabled", True), ("enabled\\n\\ndisabled", True), ("disabled\\n\\ndisabled", False), ("\\n", True)],
)
def test_systemd_says_whether_it_starts_the_service_at_login(systemd: Systemd, bin_folder: Path, said: str, at_login: bool) -> None:
    program(bin_folder, "systemctl", f'[ "$4 $5" = "mirrord.socket mirrord.service" ] && printf "{said}\\n"')
    assert systemd.at_login() is at_login


def test_systemd_says_whether_it_has_the_sockets(systemd: Systemd, bin_folder: Path) -> None:
    for said, waits in (("active", True), ("inactive", False), ("failed", False)):
        program(bin_folder, "systemctl", f'[ "$4" = mirrord.socket ] && echo {said}')
        assert systemd.waits() is waits


def test_where_no_user_manager_runs_that_is_the_obstacle(systemd: Systemd, tmp_path: Path) -> None:
    (tmp_path / "runtime" / "systemd" / "private").unlink()
    assert "no user manager" in (systemd.obstacle() or "")
    assert "no systemctl" in (Systemd({"PATH": "/nowhere"}, tmp_path).obstacle() or "")


def test_a_manager_that_hangs_is_given_up(systemd: Systemd, bin_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(bin_folder, "systemctl", "sleep 5")
    monkeypatch.setattr(managers, "REQUEST_SECONDS", 0.1)
    with pytest.raises(ServiceFailed, match="took longer"):
        systemd.restart()


def test_a_journal_that_can_be_read_is_the_log_and_an_empty_one_is_none(systemd: Systemd, bin_folder: Path) -> None:
    program(bin_folder, "journalctl", "")
    assert systemd.log_command(5, follow=False) is None
    program(bin_folder, "journalctl", "echo a line")
    command = systemd.log_command(5, follow=True)
    assert command is not None
    assert command[1:] == ("--user", "--unit=mirrord.service", "--no-pager", "--quiet", "--lines=5", "--follow")


# ---- launchd ---------------------------------------------------------------------------------------------------------


def test_launchd_loads_the_agent_anew_and_takes_it_out(tmp_path: Path, bin_folder: Path) -> None:
    program(bin_folder, "launchctl", "")
    made = manager_here("darwin", {"PATH": f"{bin_folder}:/usr/bin:/bin"}, str(tmp_path), 501)
    assert isinstance(made, Launchd)
    target, file = f"gui/501/{LAUNCHD_LABEL}", tmp_path / "Library" / "LaunchAgents" / f"{LAUNCHD_LABEL}.plist"
    assert list(made.files(launch(tmp_path))) == [file]
    assert made.obstacle() is None
    made.enable()
    made.use()
    made.restart()
    made.drop()
    assert asked(bin_folder) == [
        f"launchctl enable {target}",
        f"launchctl bootout {target}",
        f"launchctl bootstrap gui/501 {file}",
        f"launchctl kickstart -k {target}",
        f"launchctl bootout {target}",
    ]
    printed = "gui/501/pi.mirrord = {\\n\\tstate = running\\n\\tpid = 77\\n\\tlast exit code = 1\\n}"
    program(bin_folder, "launchctl", f'printf "{printed}\\n"')
    assert (made.state().pid, made.state().words) == (77, "running, last exit code 1")
    assert (made.at_login(), made.waits()) == (True, False)
    for said, at_login in (("disabled", False), ("true", False), ("enabled", True), ("false", True)):
        program(bin_folder, "launchctl", f"echo '\t\"pi.mirrord\" => {said}'")
        assert made.at_login() is at_login
    program(bin_folder, "launchctl", "exit 113")
    assert made.state().pid is None
    assert "nobody is logged in" in (made.obstacle() or "")


def test_a_client_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(NoServiceManager, match="is it on PATH"):
        Launchd({"PATH": "/nowhere"}, tmp_path, 501).restart()


# ---- the verbs -------------------------------------------------------------------------------------------------------


@pytest.fixture
def root(own_settings: Settings) -> Iterator[Path]:
    base = own_settings.paths.runtime_dir.parent
    yield base
    stop(base)


LINUX = pytest.mark.skipif(sys.platform == "darwin", reason="systemd's files")


@LINUX
def test_write_only_writes_shows_and_asks_nobody(root: Path, bin_folder: Path) -> None:
    program(bin_folder, "systemctl", "")
    env = {"PATH": f"{bin_folder}:{os.environ['PATH']}"}
    done = run(root, "service", "install", "--write-only", "--port", "20000", env=env)
    assert done.returncode == 0, done.stderr
    assert f"+ExecStart={sys.executable} -P -m mirrord serve --port 20000" in done.stdout
    assert "was not asked to use it" in done.stdout
    folder = root / "config_home" / "systemd" / "user"
    assert sorted(path.name for path in folder.iterdir()) == sorted(UNITS)
    again = run(root, "service", "install", "--write-only", "--port", "20000", env=env)
    assert "+" not in again.stdout
    assert asked(bin_folder) == []

    gone = run(root, "service", "uninstall", env=env)
    assert [line.split()[0] for line in gone.stdout.splitlines()[-2:]] == ["Removed", "Removed"]
    assert list(folder.iterdir()) == []
    assert run(root, "service", "uninstall", env=env).stdout == "No service is installed.\n"
    status = run(root, "service", "status", env=env)
    assert (status.returncode, status.stdout) == (1, "not installed; `mirrord service install` does that\n")


@LINUX
def test_a_service_that_runs_from_files_that_were_only_written_is_enabled_and_goes_on(root: Path, bin_folder: Path) -> None:
    program(bin_folder, "systemctl", 'case "$*" in *show*) echo MainPID=1;; esac')
    (root / "bus").touch()
    env = {"PATH": f"{bin_folder}:{os.environ['PATH']}"}
    assert run(root, "service", "install", "--write-only", "--port", "20000", env=env).returncode == 0
    for _ in range(2):
        done = run(root, "service", "install", "--port", "20000", env=env)
        assert (done.returncode, done.stdout) == (0, "The service runs already (pid 1).\n")
        assert asked(bin_folder) == ["systemctl daemon-reload", "systemctl enable mirrord.socket mirrord.service"]


@LINUX
def test_a_daemon_that_is_not_the_services_makes_room_for_it_though_the_files_are_the_same(root: Path, bin_folder: Path) -> None:
    program(bin_folder, "systemctl", 'case "$*" in *show*) echo MainPID=1;; esac')
    (root / "bus").touch()
    env = {"PATH": f"{bin_folder}:{os.environ['PATH']}"}
    assert run(root, "service", "install", "--write-only", "--port", "20000", env=env).returncode == 0
    assert run(root, "serve", "--port", "0", "--detach").returncode == 0
    done = run(root, "service", "install", "--port", "20000", env=env)
    assert done.returncode == 0, done.stderr
    assert read_holder(root / "mirrord" / "daemon.lock") is None
    assert asked(bin_folder)[-1] == "systemctl start mirrord.service"


@LINUX
def test_links_that_start_it_at_a_login_go_also_where_no_manager_can_be_asked(root: Path) -> None:
    folder = root / "config_home" / "systemd" / "user"
    places = {"default.target.wants/mirrord.service": UNITS[0], "sockets.target.wants/mirrord.socket": UNITS[1]}
    foreign = folder / "default.target.wants" / "mine.service"
    assert run(root, "service", "install", "--write-only", "--port", "20000").returncode == 0
    for place, name in places.items():
        (folder / place).parent.mkdir()
        (folder / place).symlink_to(folder / name)
    foreign.symlink_to(folder / "mine.service")
    # A file that somebody removed by hand leaves a link that leads nowhere.
    (folder / UNITS[1]).unlink()
    gone = run(root, "service", "uninstall")
    assert (gone.returncode, gone.stderr) == (0, "")
    assert "cannot be asked to stop it" in gone.stdout
    for path in (folder / UNITS[0], *(folder / place for place in places)):
        assert f"Removed {path}.\n" in gone.stdout
    assert [path for path in folder.rglob("*")] == [foreign.parent, foreign]

    foreign.with_name(UNITS[0]).symlink_to(folder / UNITS[0])
    assert run(root, "service", "uninstall").stdout.endswith(f"Removed {foreign.with_name(UNITS[0])}.\n")
    foreign.with_name(UNITS[0]).symlink_to("/usr/lib/systemd/user/mirrord.service")
    assert run(root, "service", "uninstall").stdout == "No service is installed.\n"


@LINUX
def test_without_a_manager_nothing_is_written_and_what_to_do_is_one_sentence(root: Path) -> None:
    done = run(root, "service", "install")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert "--write-only" in done.stderr
    assert not (root / "config_home" / "systemd").exists()


@LINUX
def test_without_a_journal_the_log_is_the_daemons_own(root: Path, bin_folder: Path) -> None:
    bin_folder.mkdir()
    env = {"PATH": str(bin_folder)}
    assert "there is no log" in run(root, "service", "logs", env=env).stderr
    log = root / "state_home" / "mirrord" / "daemon.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    lines = [f"2026-12-01T05:00:0{second}.000Z INFO daemon: event {second}\n" for second in range(3)]
    log.write_text("".join(lines))
    assert run(root, "service", "logs", "-n", "2", env=env).stdout == "".join(lines[1:])
