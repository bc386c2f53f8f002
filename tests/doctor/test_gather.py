"""Promise: looking changes nothing, is never held up, and finds what is there."""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from shutil import which

import anyio.to_thread
import pytest

from bridge import pi_settings
from bridge.daemon_lock import DaemonLock
from bridge.extension_files import refresh
from bridge.paths import Paths, paths_here
from mirrord.clock import SystemClock
from mirrord.config import Config
from mirrord.doctor.checks import judge
from mirrord.doctor.facts import ExtensionFound, Listener, LockFound, PortFound
from mirrord.doctor.gather import daemon, gather, machine, pi, service, side_by_side, store
from mirrord.doctor.gather import listening as listens
from mirrord.doctor.row import Health
from mirrord.place import Place
from mirrord.service.install import write
from mirrord.service.launch import launch_here
from mirrord.service.managers import manager_here
from mirrord.settings import Settings
from mirrord.store import open_store
from mirrord.testing import fake_extension, hello, running_daemon
from tests.cli.commands import MIRRORD, PATIENCE


@pytest.fixture
def paths(own_settings: Settings) -> Paths:
    return own_settings.paths


def test_a_part_that_hangs_or_fails_holds_nobody_up() -> None:
    hang = threading.Event()
    before = time.monotonic()
    found, late = side_by_side({"fine": lambda: 1, "hangs": hang.wait, "fails": lambda: 1 // 0}, 0.1)
    hang.set()
    assert (found, late) == ({"fine": 1}, ("hangs", "fails"))
    assert time.monotonic() - before < 2


def tree(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Everything below, with modes, times and contents."""
    return {
        str(path): (path.lstat().st_mode, path.lstat().st_mtime_ns, path.read_bytes() if path.is_file() else b"")
        for path in sorted(folder.rglob("*"))
    }


def test_looking_at_all_of_it_changes_nothing(own_settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    base = own_settings.paths.runtime_dir.parent.parent
    for name in ("RUNTIME_DIR", "STATE_HOME", "DATA_HOME", "CONFIG_HOME"):
        monkeypatch.setenv(f"XDG_{name}", str(base / name.lower()))
    monkeypatch.setenv("HOME", str(base))
    monkeypatch.setenv("PI_CODING_AGENT_DIR", str(base / "agent"))
    monkeypatch.chdir(tmp_path)
    own_settings.paths.state_dir.mkdir(mode=0o700)
    open_store(own_settings.paths.state_dir, SystemClock()).close()
    refresh(own_settings.paths.data_dir)
    before = tree(base)
    facts = gather(os.environ)
    assert tree(base) == before
    assert facts.late == ()
    assert isinstance(facts.config, Config)
    assert (facts.store and facts.store.problem, facts.daemon and facts.daemon.status) == (None, None)


# ---- pi and its extension ----------------------------------------------------------------------------------------------


def test_a_pi_that_is_there_is_told_with_its_package(tmp_path: Path) -> None:
    script = tmp_path / "node_modules" / "pi" / "dist" / "cli.js"
    script.parent.mkdir(parents=True)
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    (script.parent.parent / "package.json").write_text('{"name": "pi", "version": "9.9.9"}')
    found = pi.find({"MIRRORD_PI": str(script), "PATH": ""})
    assert (found.path, found.package, found.node_problem) == (script, "pi 9.9.9", None)
    assert "no `pi` was found" in (pi.find({"PATH": ""}).why_not or "")


def test_the_copy_is_compared_and_every_second_entry_is_found(paths: Paths, tmp_path: Path) -> None:
    agent, work = tmp_path / "agent", tmp_path / "work"
    env = {"PI_CODING_AGENT_DIR": str(agent)}

    def find() -> ExtensionFound:
        return pi.find_extension(env, str(tmp_path), paths, str(work))

    assert (find().listed, find().copied) == ("absent", False)
    entry = refresh(paths.data_dir)
    pi_settings.install(agent / "settings.json", entry, paths.data_dir)
    assert (find().listed, find().differing, find().others) == ("installed", (), ())

    (entry.parent / "link.ts").write_text("// older")
    (entry.parent / "stray.ts").write_text("")
    assert find().differing == ("link.ts", "stray.ts")

    twin = work / ".pi" / "extensions" / "mirrord"
    twin.mkdir(parents=True)
    for file in entry.parent.glob("*.ts"):
        (twin / file.name).write_bytes(file.read_bytes())
    (work / ".pi" / "settings.json").write_text(json.dumps({"extensions": [str(entry.parent), "../other.ts"]}))
    assert find().others == (f"{entry.parent} in {work}/.pi/settings.json", str(twin))

    (agent / "settings.json").write_text("{")
    assert find().listed is None
    assert find().problem == (
        f"{agent}/settings.json cannot be understood (line 1, column 2: Expecting property name enclosed in double quotes); mend it"
    )


def install(base: Path, port: int, monkeypatch: pytest.MonkeyPatch, *cases: str) -> None:
    """The service's files in this home, and a systemctl that answers in these cases of its arguments."""
    (base / "bin").mkdir()
    systemctl = base / "bin" / "systemctl"
    systemctl.write_text('#!/bin/sh\nshift 2\ncase "$*" in\n' + "\n".join(f"{case};;" for case in cases) + "\nesac\n")
    systemctl.chmod(0o755)
    monkeypatch.setenv("PATH", f"{base / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(base))
    private = Path(os.environ["XDG_RUNTIME_DIR"], "systemd", "private")
    private.parent.mkdir()
    private.touch()
    manager = manager_here("linux", os.environ, str(base), os.getuid())
    write(manager.files(launch_here(port, paths_here(), os.environ)))


# ---- the daemon --------------------------------------------------------------------------------------------------------


@contextmanager
def listening_at(path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(str(path))
        sock.listen()
        yield sock


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
    return port


def test_who_holds_the_daemons_place_is_found_without_touching_the_lock(paths: Paths) -> None:
    paths.runtime_dir.mkdir(mode=0o700)
    assert daemon.look_at_lock(paths) == LockFound(False, None, "absent", "absent")
    with DaemonLock(paths.lock_file) as lock:
        lock.acquire(paths.control_socket)
        with listening_at(paths.control_socket):
            found = daemon.look_at_lock(paths)
        assert found.holder is not None
        assert (found.held, found.holder.pid, found.control, found.bridge) == (True, os.getpid(), "answers", "absent")
        assert daemon.look_at_lock(paths).control == "refused"
    assert daemon.look_at_lock(paths).held is False
    (paths.lock_file).write_text("nonsense")
    assert daemon.look_at_lock(paths).holder is None


def test_a_daemon_that_accepts_and_says_nothing_is_told_in_time(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(daemon, "STATUS_SECONDS", 0.2)
    paths.runtime_dir.mkdir(mode=0o700)
    with DaemonLock(paths.lock_file) as lock, listening_at(paths.control_socket):
        lock.acquire(paths.control_socket)
        found = daemon.ask(paths)
    assert found.status is None
    assert "says nothing" in (found.why_not or "")


def test_who_has_the_port_is_found() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        port = silent.getsockname()[1]
        assert daemon.look_at_port(port, "chosen") == PortFound(port, "chosen", None)
        silent.listen()
        found = daemon.look_at_port(port, "default").listener
    assert found is not None
    assert (found.uid, [pid for pid, _ in found.processes]) == (os.getuid(), [os.getpid()])
    assert daemon.look_at_port(0, "service").listener is None


def test_where_nothing_is_listed_a_port_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_proc(_: int) -> None:
        raise FileNotFoundError

    monkeypatch.setattr(listens, "at_port", no_proc)
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port = sock.getsockname()[1]
        assert daemon.look_at_port(port, "default").listener is None
        sock.listen()
        assert daemon.look_at_port(port, "default").listener == Listener()


@pytest.mark.skipif(which("systemd-socket-activate") is None, reason="there is no systemd here")
def test_looking_starts_no_daemon_where_systemd_waits_with_its_sockets(at_home: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = at_home.paths
    monkeypatch.setenv("HOME", str(paths.runtime_dir.parent.parent))
    monkeypatch.setenv("MIRRORD_PORT", str(port := free_port()))
    paths.runtime_dir.mkdir(mode=0o700)
    sockets = (f"127.0.0.1:{port}", *map(str, (paths.control_socket, paths.bridge_socket, paths.screen_socket)))
    places = (f"--setenv={name}={value}" for name, value in os.environ.items() if name.startswith(("XDG_", "MIRRORD_", "HOME")))
    command = ["systemd-socket-activate", *(f"--listen={each}" for each in sockets), *places, *MIRRORD, "serve"]
    with subprocess.Popen(command, umask=0o077, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        try:
            assert process.stderr is not None
            assert [process.stderr.readline()[:12] for _ in sockets] == [b"Listening on"] * len(sockets)
            facts = gather(os.environ)
            rows = {row.id: row for row in judge(facts)}
            assert facts.late == ()
            assert [rows[id_].health for id_ in ("lock", "daemon", "port")] == [Health.NEUTRAL, Health.NEUTRAL, Health.NEUTRAL]
            assert "systemd has its sockets" in rows["lock"].found
            # It waits still: it would have become the daemon.
            assert b"systemd-socket-activate" in Path(f"/proc/{process.pid}/cmdline").read_bytes()

            assert subprocess.run([*MIRRORD, "status"], capture_output=True, timeout=PATIENCE, check=False).returncode == 0
            rows = {row.id: row for row in judge(gather(os.environ))}
            assert [rows[id_].health for id_ in ("lock", "daemon", "port")] == [Health.OK, Health.OK, Health.OK]
        finally:
            process.kill()


def test_where_the_services_sockets_wait_nobody_knocks_and_nothing_is_wrong(at_home: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    paths, base = at_home.paths, at_home.paths.runtime_dir.parent.parent
    paths.runtime_dir.mkdir(mode=0o700)
    with socket.socket() as network, listening_at(paths.control_socket) as control, listening_at(paths.bridge_socket) as bridge:
        network.bind(("127.0.0.1", 0))
        network.listen()
        port = network.getsockname()[1]
        install(base, port, monkeypatch, "*'show mirrord.socket '*) echo active", "*) echo ActiveState=inactive")
        # Whoever has them cannot be looked into, as the user's systemd where it has a capability.
        monkeypatch.setattr(listens, "_processes", lambda _: iter(()))
        facts = gather(os.environ)
        for each in (network, control, bridge):
            each.setblocking(False)
            with pytest.raises(BlockingIOError):
                each.accept()
    assert facts.port == PortFound(port, "service", Listener(os.getuid()))
    assert facts.service is not None
    assert (facts.service.port, facts.service.waits, facts.service.pid) == (port, True, None)
    rows = {row.id: row.health for row in judge(facts)}
    assert [rows[id_] for id_ in ("lock", "daemon", "port", "service")] == [Health.NEUTRAL] * 4


# ---- the store ---------------------------------------------------------------------------------------------------------


def test_a_store_is_read_whole_damaged_newer_or_in_use(paths: Paths) -> None:
    folder = paths.state_dir
    folder.mkdir(mode=0o700)
    assert store.look(folder).format is None
    opened = open_store(folder, SystemClock())
    try:
        found = store.look(folder)
        assert (found.format, found.problem) == (found.known_format, None)
    finally:
        opened.close()
    assert store.look(folder).problem is None
    path = folder / "mirrord.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 99")
    assert store.look(folder).format == 99
    path.write_bytes(b"SQLite format 3\0" + b"\xff" * 5_000)
    assert store.look(folder).problem is not None
    assert not store.look(folder).blocked
    path.unlink()
    path.mkdir()
    assert store.look(folder).problem is not None
    assert not store.look(folder).blocked


# ---- service, machine --------------------------------------------------------------------------------------------------


def test_a_unit_is_found_with_what_it_starts(tmp_path: Path) -> None:
    env = {"PATH": "", "XDG_CONFIG_HOME": str(tmp_path)}
    assert service.look(env, str(tmp_path), "linux", 1000).installed == ()
    unit = tmp_path / "systemd" / "user" / "mirrord.service"
    unit.parent.mkdir(parents=True)
    unit.write_text('[Service]\nExecStart="/ve nv/bin/python" -P -m mirrord serve\n')
    found = service.look(env, str(tmp_path), "linux", 1000)
    assert (found.program, found.program_there, found.obstacle) == ("/ve nv/bin/python", False, "there is no systemctl on PATH")
    assert found.port is None
    unit.write_text(f"[Service]\nExecStart={os.__file__} -m mirrord\n")
    assert service.look(env, str(tmp_path), "linux", 1000).program_there


@pytest.mark.parametrize(
    ("env", "words"),
    [
        ({"SSH_CONNECTION": "1 2 3 4"}, "ssh"),
        ({"TMUX": "/tmp/x"}, "tmux"),
        ({"STY": "1.x"}, "screen"),
        ({"CODESPACES": "true"}, "Codespaces"),
        ({"WSL_DISTRO_NAME": "Debian"}, "wsl"),
    ],
)
def test_surroundings_are_recognised(env: dict[str, str], words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "_CONTAINER_MARKS", {})
    found = machine.surroundings(env)
    assert [found.ssh, found.multiplexer, found.container, found.wsl] == [
        words == "ssh",
        words if words in ("tmux", "screen") else None,
        words if words == "Codespaces" else None,
        words == "wsl" or found.wsl,
    ]


@pytest.mark.parametrize(
    ("zone", "known"), [("", True), ("UTC", True), ("Mars/Olympus", False), ("EST5EDT", True), (":/etc/localtime", True)]
)
def test_a_zone_that_the_system_does_not_know_is_found(zone: str, known: bool) -> None:
    assert machine.clock({"TZ": zone}).zone_known is known


def test_places_are_told_as_they_are(paths: Paths) -> None:
    assert {each.kind for each in machine.places(paths)} == {None}
    paths.state_dir.mkdir(mode=0o755)
    paths.state_dir.chmod(0o755)
    (paths.state_dir / "daemon.log").symlink_to("x")
    found = {each.name: (each.kind, each.mode) for each in machine.places(paths) if each.kind is not None}
    assert found["state folder"] == ("directory", 0o755)
    assert found["log"][0] == "link"


def test_a_data_folder_that_is_kept_elsewhere_is_where_it_leads_and_a_state_folder_is_a_link(paths: Paths, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    elsewhere.chmod(0o750)
    for folder in (paths.data_dir, paths.state_dir):
        folder.symlink_to(elsewhere)

    def kinds() -> list[tuple[str | None, int]]:
        found = {each.name: each for each in machine.places(paths)}
        return [(found[name].kind, found[name].mode) for name in ("data folder", "state folder")]

    assert kinds() == [("directory", 0o750), ("link", 0o777)]
    refresh(paths.data_dir)
    paths.data_dir.unlink()
    paths.data_dir.symlink_to(tmp_path / "nowhere")
    assert kinds()[0] == ("link", 0o777)
    paths.data_dir.unlink()
    paths.data_dir.symlink_to(__file__)
    assert kinds()[0] == ("link", 0o777)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder to another user")
def test_a_data_folder_that_leads_to_somebody_elses_is_a_link(paths: Paths, tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    os.chown(tmp_path / "theirs", 65_534, 65_534)
    paths.data_dir.symlink_to(tmp_path / "theirs")
    assert {each.name: each.kind for each in machine.places(paths)}["data folder"] == "link"


def test_looking_does_not_say_that_a_pi_is_about_to_start(paths: Paths) -> None:
    paths.runtime_dir.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as bridge:
        bridge.bind(str(paths.bridge_socket))
        assert daemon.look_at_lock(paths).bridge == "refused"
        bridge.listen()
        bridge.setblocking(False)
        assert daemon.look_at_lock(paths).bridge == "answers"
        with pytest.raises(BlockingIOError):
            bridge.accept()


async def test_inside_a_mirrored_pi_the_daemon_is_told_to_answer_others(own_settings: Settings, own_place: Place) -> None:
    async with (
        running_daemon(own_place, own_settings, SystemClock()),
        # This very process plays Pi here.
        fake_extension(own_settings.paths.bridge_socket, hello()),
    ):
        found = await anyio.to_thread.run_sync(daemon.ask, own_settings.paths)
    assert found.status is None
    assert "runs inside a mirrored Pi" in (found.notice or "")
