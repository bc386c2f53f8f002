"""Promise: `mirrord uninstall` takes all that mirrord keeps here and nothing else, says what, and may be run again."""

from __future__ import annotations

import json
import os
import pty
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which

import pytest

from bridge import pi_settings
from bridge.daemon_lock import read_holder
from bridge.extension_files import refresh
from bridge.paths import locate
from mirrord.service.install import write
from mirrord.service.launch import launch_here
from mirrord.service.managers import manager_here
from tests.cli.commands import MIRRORD, PATIENCE, environment, run
from tests.cli.daemons import daemon

PURGE = ("uninstall", "--purge", "--yes")
KEEP = ("uninstall", "--keep-data", "--yes")
SETTINGS = '{"theme": "dark"}\n'
PACKAGE = "To remove the package itself, run: "


@pytest.fixture
def root(runtime: Path) -> Path:
    """A home in which each of mirrord's places is; its path is short enough for sockets."""
    return runtime.parent


def everything(root: Path) -> dict[str, str]:
    """Each path below `root` and what it is."""
    return {
        str(path.relative_to(root)): str(path.readlink()) if path.is_symlink() else path.read_text() if path.is_file() else ""
        for path in sorted(root.rglob("*"))
    }


def installed(root: Path) -> Path:
    """With the extension in Pi's settings, the service's files, settings, and what a daemon wrote; gives Pi's settings file."""
    settings = root / ".pi" / "agent" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(SETTINGS)
    (root / "config_home" / "mirrord").mkdir(parents=True)
    (root / "config_home" / "mirrord" / "config.toml").write_text("retention_days = 3\n")
    # As `mirrord extension install` and `mirrord service install --write-only` do it, without a process for each.
    env = environment(root)
    paths = locate(env, sys.platform, os.getuid(), env["HOME"])
    pi_settings.install(settings, refresh(paths.data_dir), paths.data_dir)
    write(manager_here(sys.platform, env, env["HOME"], os.getuid()).files(launch_here(0, paths, env)))
    state = paths.state_dir
    state.mkdir(mode=0o700, parents=True)
    for name in (
        "daemon.log",
        "daemon.log.1",
        "start.log",
        "service.log",
        "mirrord.db",
        "mirrord.db-wal",
        "mirrord.db.corrupt-20261201T083000Z",
    ):
        (state / name).write_text("x")
    return settings


@contextmanager
def at_a_terminal(root: Path, *words: str, typed: str) -> Iterator[tuple[int, str]]:
    """Exit status and output of a command whose input is a terminal."""
    ours, theirs = pty.openpty()
    try:
        with subprocess.Popen(
            [*MIRRORD, *words], env=environment(root), stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as process:
            os.write(ours, typed.encode())
            output, _ = process.communicate(timeout=PATIENCE)
        yield process.returncode, output
    finally:
        os.close(ours)
        os.close(theirs)


def test_a_home_is_as_it_was_before_and_again_when_it_is_done_again(root: Path) -> None:
    settings = installed(root)
    with daemon(root):
        assert run(root, "pair", "--token", "phone").returncode == 0
        done = run(root, *PURGE)
        assert (done.returncode, done.stderr) == (0, "")
        assert read_holder(root / "mirrord" / "daemon.lock") is None
    lines = done.stdout.splitlines()
    assert lines[0] == f"Removed the line in {settings}."
    for gone in ("config_home/systemd/user/mirrord.service", "mirrord", "state_home/mirrord", "data_home/mirrord", "config_home/mirrord"):
        assert f"Removed {root / gone}." in lines
    assert lines[-1].startswith(PACKAGE)
    left = {name: text for name, text in everything(root).items() if (root / name).is_file()}
    assert left == {".pi/agent/settings.json": SETTINGS}
    assert [name for name in everything(root) if "mirrord" in name] == []
    again = run(root, *PURGE)
    assert (again.returncode, again.stderr) == (0, "")
    assert again.stdout.splitlines()[0] == "There was nothing else to remove."
    assert again.stdout.splitlines()[1].startswith(PACKAGE)


def test_data_that_are_kept_are_named_and_a_later_mirrord_has_them(root: Path) -> None:
    settings = installed(root)
    done = run(root, *KEEP)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"Kept {root}/state_home/mirrord/mirrord.db." in done.stdout
    assert f"Kept {root}/config_home/mirrord/config.toml." in done.stdout
    assert "extensions" not in settings.read_text()
    assert not (root / "data_home" / "mirrord").exists()
    assert len(list((root / "state_home" / "mirrord").iterdir())) == 7
    assert "not mirrord's" not in done.stdout


def test_without_a_terminal_it_has_to_be_said_what_becomes_of_the_data(root: Path) -> None:
    installed(root)
    before = everything(root)
    for words in ((), ("--yes",)):
        done = run(root, "uninstall", *words)
        assert done.returncode == 1
        assert done.stderr.startswith("mirrord: nothing was removed, since nobody can be asked")
        assert done.stderr.count("\n") == 1
    assert run(root, "uninstall", "--purge", "--keep-data").returncode == 2
    assert everything(root) == before


def test_at_a_terminal_it_asks_for_each_and_no_is_the_default(root: Path) -> None:
    installed(root)
    before = everything(root)
    with at_a_terminal(root, "uninstall", typed="\n") as (status, output):
        assert (status, everything(root)) == (1, before)
        assert output.endswith("Nothing was removed.\n")
    with at_a_terminal(root, "uninstall", typed="y\n\n") as (status, output):
        assert status == 0
        assert "Forget paired devices, log and settings too" in output
        assert (root / "state_home" / "mirrord" / "mirrord.db").exists()
    with at_a_terminal(root, "uninstall", typed="y\ny\n") as (status, _):
        assert status == 0
        assert not (root / "state_home" / "mirrord").exists()


def test_half_an_installation_goes_as_well(root: Path) -> None:
    installed(root)
    (root / "config_home" / "systemd" / "user" / "mirrord.service").unlink()
    (root / "data_home" / "mirrord" / "extension" / "mirrord" / "index.ts").unlink()
    (root / "state_home" / "mirrord" / "mirrord.db").unlink()
    (root / "data_home" / "mirrord" / "extension" / "mirrord" / f".text.ts.{'0' * 16}.tmp").write_text("killed in between")
    assert run(root, *PURGE).returncode == 0
    assert [name for name in everything(root) if "mirrord" in name] == []


def test_what_is_not_ours_is_left_with_its_folder_and_named(root: Path) -> None:
    installed(root)
    strange = {
        "data_home/mirrord/extension/mirrord/notes.txt": "mine",
        "state_home/mirrord/report.jsonl": "a recording",
        "config_home/mirrord/other.toml": "mine",
        "config_home/systemd/user/mine.service": "mine",
    }
    for name, text in strange.items():
        (root / name).write_text(text)
    (root / "mirrord" / "bridge.sock").write_text("no socket")
    (root / "state_home" / "mirrord" / "daemon.log.2").mkdir()
    done = run(root, *PURGE)
    assert done.returncode == 0
    left = {name for name in everything(root) if (root / name).is_file() and ".pi" not in name}
    assert left == {*strange, "mirrord/bridge.sock"}
    for name in (*list(strange)[:3], "mirrord/bridge.sock", "state_home/mirrord/daemon.log.2"):
        assert f"Left {root / name}, which is not mirrord's." in done.stdout


def test_a_link_is_removed_as_a_link_and_never_followed(root: Path) -> None:
    settings = installed(root)
    mine = root / "dotfiles"
    mine.mkdir()
    for name, kept in (("config_home/mirrord/config.toml", "config.toml"), (".pi/agent/settings.json", "settings.json")):
        (root / name).rename(mine / kept)
        (root / name).symlink_to(mine / kept)
    copy = root / "data_home" / "mirrord" / "extension" / "mirrord"
    copy.rename(mine / "copy")
    copy.symlink_to(mine / "copy")
    done = run(root, *PURGE)
    assert done.returncode == 0
    assert (mine / "config.toml").read_text() == "retention_days = 3\n"
    assert not (root / "config_home" / "mirrord").exists()
    assert settings.is_symlink()
    assert json.loads((mine / "settings.json").read_text()) == {"theme": "dark"}
    assert (mine / "copy" / "index.ts").exists()
    assert f"Left {copy}, which is not mirrord's." in done.stdout


def test_what_pis_loader_keeps_of_the_extension_goes_and_nothing_of_others(root: Path) -> None:
    cache = root / "tmp" / "jiti"
    cache.mkdir(parents=True)
    for name in ("mirrord-index.acea01e9.mjs", "mirrord-chat_rows.00000000.mjs", "garden-index.acea01e9.mjs", "mirrord-notes.txt"):
        (cache / name).write_text("x")
    done = run(root, *KEEP, env={"TMPDIR": str(root / "tmp")})
    assert done.returncode == 0
    assert sorted(path.name for path in cache.iterdir()) == ["garden-index.acea01e9.mjs", "mirrord-notes.txt"]


def test_settings_of_pis_that_cannot_be_changed_stop_it_before_the_copy_is_gone(root: Path) -> None:
    settings = installed(root)
    settings.write_text("{ broken")
    done = run(root, *PURGE)
    assert done.returncode == 1
    assert done.stderr.startswith(f"mirrord: {settings} was not changed (")
    assert (root / "data_home" / "mirrord" / "extension" / "mirrord" / "index.ts").exists()


@pytest.mark.skipif(os.getuid() == 0 and which("setpriv") is None, reason="root may remove whatever it likes")
def test_what_cannot_be_removed_is_said_and_the_exit_status_tells(root: Path) -> None:
    installed(root)
    state = root / "state_home" / "mirrord"
    state.chmod(stat.S_IRUSR | stat.S_IXUSR)
    # Without its capabilities, root is held to modes as well.
    words = ("setpriv", "--bounding-set=-all", "--inh-caps=-all") if os.getuid() == 0 else ()
    done = subprocess.run([*words, *MIRRORD, *PURGE], env=environment(root), capture_output=True, text=True, timeout=PATIENCE, check=False)
    state.chmod(stat.S_IRWXU)
    assert done.returncode == 1
    assert f"{state}/daemon.log could not be removed: Permission denied." in done.stderr
    assert not (root / "data_home" / "mirrord").exists()
    assert run(root, *PURGE).returncode == 0
    assert not state.exists()
