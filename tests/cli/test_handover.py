"""Promise: a daemon makes room for the next one whether it answers or not, and devices find that one where they look for it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest

from bridge.daemon_lock import Holder, read_holder
from bridge.process import is_alive
from mirrord import detached
from mirrord.cli import handover, run
from mirrord.cli.handover import DaemonStays, answering_daemon, daemon_here, first_free, next_port, port_here, port_of, stop_daemon
from mirrord.client import CommandRefused, DaemonStatus, connection
from mirrord.detached import spawn_detached
from mirrord.errors import PortNotUsable
from mirrord.settings import DEFAULT_PORT, SPARE_PORTS, Settings
from mirrord.wire import messages as wire

LINUX = pytest.mark.skipif(sys.platform == "darwin", reason="systemd's files")

# What a manager does for `start`: it runs the unit, which tells it how it goes.
STARTS = f"""#!/bin/sh
case "$*" in *" start mirrord.service") ;; *) exit;; esac
NOTIFY_SOCKET="$XDG_STATE_HOME/nobody" "{sys.executable}" -m mirrord serve --port 0 >/dev/null 2>&1 </dev/null &
"""

# Holds the lock as a daemon does, and is past all orders.
HANGS = """
import signal, sys
from pathlib import Path
from bridge.daemon_lock import DaemonLock
signal.signal(signal.SIGTERM, signal.SIG_IGN)
lock = DaemonLock(Path(sys.argv[1]))
lock.acquire(Path(sys.argv[2]))
print("held", flush=True)
signal.pause()
"""


@pytest.fixture
def here(at_home: Settings, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """A home of this process's own, in which no daemon runs."""
    for name in ("MIRRORD_PORT", "MIRRORD_IDLE_EXIT"):
        monkeypatch.delenv(name, raising=False)
    home = at_home.paths.runtime_dir.parent.parent
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PI_CODING_AGENT_DIR", str(home / "pi"))
    monkeypatch.setenv("TMPDIR", str(home))
    return at_home


@dataclass(frozen=True)
class Verb:
    """`mirrord WORDS`, in this process: exit status, and what was said on each stream."""

    capsys: pytest.CaptureFixture[str]

    def __call__(self, *words: str) -> tuple[int, str, str]:
        self.capsys.readouterr()
        ended = run(list(words))
        return ended, *self.capsys.readouterr()


@pytest.fixture
def verb(capsys: pytest.CaptureFixture[str]) -> Verb:
    return Verb(capsys)


def holder_of(settings: Settings) -> Holder:
    holder = read_holder(settings.paths.lock_file)
    assert holder is not None
    return holder


def configure(settings: Settings, text: str) -> None:
    settings.paths.config_file.parent.mkdir(parents=True)
    settings.paths.config_file.write_text(text)


@contextmanager
def taken_port() -> Iterator[int]:
    """A port that another program has while the block runs."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port: int = other.getsockname()[1]
        yield port


def status() -> DaemonStatus:
    running = daemon_here()
    assert running is not None
    return running


# ---- the port --------------------------------------------------------------------------------------------------------


def test_devices_find_the_next_daemon_where_the_last_one_was_unless_the_settings_say_another_port(own_settings: Settings) -> None:
    paths = own_settings.paths
    nobody_chose = Settings(paths, DEFAULT_PORT, spare_ports=SPARE_PORTS)
    assert next_port(nobody_chose, DEFAULT_PORT + 1) == DEFAULT_PORT + 1
    assert next_port(Settings(paths, 0), 20_000) == 20_000
    assert next_port(Settings(paths, 20_000), 20_000) == 20_000
    with taken_port() as port:
        pass
    assert next_port(Settings(paths, port), 20_000) == port
    assert next_port(Settings(paths, port), None) == port
    assert next_port(Settings(paths, 0, given=frozenset({"port"})), 20_000) == 0


def test_a_port_of_another_program_is_refused_when_asked_for_and_gives_way_when_it_was_the_default(own_settings: Settings) -> None:
    with taken_port() as port:
        with pytest.raises(PortNotUsable, match=f"port {port}"):
            next_port(Settings(own_settings.paths, port), 20_000)
        assert port < first_free(Settings(own_settings.paths, port, spare_ports=20)) <= port + 20


def test_what_a_daemon_says_of_its_port_counts_before_what_the_one_before_it_noted() -> None:
    says = DaemonStatus("1", 1, "ws://127.0.0.1:20000/v1/ws", "", 0.0, (), ())
    assert port_of(says, Holder(2, "1", "s", 20_001)) == 20_000
    assert port_of(None, Holder(2, "1", "s", 20_001)) == 20_001
    assert port_of(None, Holder(2, "1", "s")) is None
    assert port_of(None) is None


def forget_port(settings: Settings) -> None:
    """As an older daemon would have noted itself."""
    noted = holder_of(settings)
    settings.paths.lock_file.write_bytes(msgspec.json.encode(Holder(noted.pid, noted.start_time, noted.socket)))


def test_a_daemon_that_noted_no_port_is_asked_for_it(here: Settings) -> None:
    assert port_here(here.paths) is None
    spawn_detached(here)
    port = port_of(status())
    assert port == holder_of(here).port == port_here(here.paths)
    forget_port(here)
    assert port_here(here.paths) == port


# ---- a restart -------------------------------------------------------------------------------------------------------


def test_restart_puts_another_daemon_in_the_place_of_the_one_that_runs_with_its_port(here: Settings, verb: Verb) -> None:
    assert "no mirrord daemon is running" in verb("restart")[2]
    assert verb("serve", "--port", "0", "--detach", "--idle-exit", "600")[0] == 0
    before, holder = status(), holder_of(here)
    ended, said, wrong = verb("restart")
    assert (ended, wrong) == (0, "")
    after = status()
    assert after.pid != holder.pid
    assert said == f"The daemon was restarted in the background (pid {after.pid}, was {holder.pid}).\n"
    assert after.url == before.url
    assert after.idle_exit is not None
    assert after.idle_exit.seconds == 600


def test_a_port_that_was_configured_meanwhile_counts_from_the_restart_on(here: Settings, verb: Verb) -> None:
    spawn_detached(here)
    with taken_port() as port:
        configure(here, f"port = {port}\n")
        before = status()
        ended, _, wrong = verb("restart")
        assert ended == 1
        assert f"port {port}" in wrong
        assert status().pid == before.pid
    assert verb("restart")[0] == 0
    assert port_of(status()) == port


@LINUX
def test_a_restart_hands_over_to_the_service_where_one_is_installed(here: Settings, monkeypatch: pytest.MonkeyPatch, verb: Verb) -> None:
    monkeypatch.setattr(detached, "SERVICE_SECONDS", 15.0)
    home = here.paths.runtime_dir.parent.parent
    spawn_detached(here)
    assert verb("service", "install", "--write-only")[0] == 0
    (here.paths.runtime_dir.parent / "bus").touch()
    (home / "systemctl").write_text(STARTS)
    (home / "systemctl").chmod(0o755)
    monkeypatch.setenv("PATH", str(home), prepend=os.pathsep)
    ended, said, wrong = verb("restart")
    assert (ended, wrong) == (0, "")
    assert said.startswith("The daemon was restarted by the service manager (pid ")
    assert status().managed


# ---- a daemon that does not answer -----------------------------------------------------------------------------------


@pytest.fixture
def frozen(here: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Holder]:
    """The daemon that runs here was stopped by SIGSTOP, and nobody waits long for it."""
    monkeypatch.setattr(connection, "OPEN_SECONDS", 0.5)
    spawn_detached(here)
    holder = holder_of(here)
    os.kill(holder.pid, signal.SIGSTOP)
    yield holder
    if is_alive(holder.pid, holder.start_time):
        os.kill(holder.pid, signal.SIGKILL)


def test_one_that_stands_still_leaves_its_port_to_the_next_one(
    here: Settings, frozen: Holder, monkeypatch: pytest.MonkeyPatch, verb: Verb
) -> None:
    monkeypatch.setenv("MIRRORD_PORT", "0")
    ended, _, wrong = verb("restart")
    assert (ended, wrong) == (0, "")
    assert frozen.port is not None
    assert holder_of(here).port == port_of(status()) == frozen.port


@LINUX
def test_one_that_stands_still_leaves_its_port_to_the_service(
    here: Settings, frozen: Holder, monkeypatch: pytest.MonkeyPatch, verb: Verb
) -> None:
    monkeypatch.setenv("MIRRORD_PORT", "0")
    home = here.paths.runtime_dir.parent.parent
    (here.paths.runtime_dir.parent / "bus").touch()
    (home / "systemctl").write_text("#!/bin/sh\n")
    (home / "systemctl").chmod(0o755)
    monkeypatch.setenv("PATH", str(home), prepend=os.pathsep)
    ended, said, wrong = verb("service", "install")
    assert (ended, wrong) == (0, "")
    assert f"+ListenStream=127.0.0.1:{frozen.port}\n" in said
    assert not is_alive(frozen.pid, frozen.start_time)


def test_one_that_stands_still_and_noted_no_port_is_replaced_all_the_same_and_said_to_tell_none(
    here: Settings, frozen: Holder, monkeypatch: pytest.MonkeyPatch, verb: Verb
) -> None:
    monkeypatch.setenv("MIRRORD_PORT", "0")
    forget_port(here)
    assert port_here(here.paths) is None
    assert verb("serve", "--detach") == (
        0,
        "",
        f"mirrord: mirrord is already running (pid {frozen.pid}, at a port that it does not tell)\n",
    )
    assert verb("serve", "--detach", "--port", str(frozen.port))[0] == 1
    assert verb("restart")[0] == 0
    assert holder_of(here).pid == status().pid != frozen.pid


def log_of(settings: Settings) -> str:
    return (settings.paths.state_dir / "daemon.log").read_text()


def test_one_that_stands_still_ends_in_order_for_a_restart(
    here: Settings, frozen: Holder, monkeypatch: pytest.MonkeyPatch, verb: Verb
) -> None:
    monkeypatch.setenv("MIRRORD_PORT", "0")
    ended, said, wrong = verb("restart")
    assert (ended, wrong) == (0, "")
    assert not is_alive(frozen.pid, frozen.start_time)
    assert f"was {frozen.pid})" in said
    assert holder_of(here).pid == status().pid
    assert "daemon: told to stop signal=SIGTERM" in log_of(here)


@pytest.mark.usefixtures("frozen")
def test_one_that_stands_still_does_not_keep_mirrord_here(here: Settings, verb: Verb) -> None:
    ended, _, wrong = verb("uninstall", "--purge", "--yes")
    assert (ended, wrong) == (0, "")
    assert read_holder(here.paths.lock_file) is None
    assert not here.paths.runtime_dir.exists()


def test_one_that_stands_still_gives_its_port_to_the_service(here: Settings, monkeypatch: pytest.MonkeyPatch, verb: Verb) -> None:
    with taken_port() as port:
        pass
    configure(here, f"port = {port}\n")
    assert verb("serve", "--detach")[0] == 0
    holder = holder_of(here)
    monkeypatch.setattr(connection, "OPEN_SECONDS", 0.5)
    os.kill(holder.pid, signal.SIGSTOP)
    assert answering_daemon(here.paths) is None
    assert not is_alive(holder.pid, holder.start_time)
    assert first_free(Settings(here.paths, port)) == port


def test_one_of_a_version_that_we_do_not_understand_is_ended_as_well(here: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    spawn_detached(here)
    monkeypatch.setattr(wire, "PROTOCOL_MIN", 998)
    monkeypatch.setattr(wire, "PROTOCOL_MAX", 999)
    assert answering_daemon(here.paths) is None
    assert read_holder(here.paths.lock_file) is None


def test_one_whose_sockets_are_gone_is_ended_as_well(here: Settings) -> None:
    spawn_detached(here)
    here.paths.control_socket.unlink()
    assert answering_daemon(here.paths) is None
    assert read_holder(here.paths.lock_file) is None


def test_whoever_the_daemon_refuses_ends_nothing(here: Settings, monkeypatch: pytest.MonkeyPatch, verb: Verb) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise CommandRefused("forbidden", "This program runs inside a mirrored Pi")

    spawn_detached(here)
    holder = holder_of(here)
    monkeypatch.setattr(handover, "ask_daemon", refuse)
    with pytest.raises(CommandRefused):
        answering_daemon(here.paths)
    assert verb("restart")[0] == 1
    assert holder_of(here) == holder


@contextmanager
def hanging(lock: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that holds the lock and obeys nothing."""
    lock.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    command = [sys.executable, "-c", HANGS, str(lock), str(lock.with_name("control.sock"))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "held\n"
            yield process
        finally:
            process.kill()


def test_one_that_obeys_no_order_is_killed(here: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handover, "END_SECONDS", 0.3)
    with hanging(here.paths.lock_file) as process:
        stop_daemon(here.paths)
        assert process.wait() == -signal.SIGKILL


def test_one_that_cannot_be_told_from_another_process_is_left_to_the_person(here: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handover, "END_SECONDS", 0.3)
    with hanging(here.paths.lock_file) as process:
        here.paths.lock_file.write_text(f'{{"pid": {process.pid}, "startTime": null, "socket": ""}}')
        with pytest.raises(DaemonStays, match=f"end it with `kill -9 {process.pid}`"):
            stop_daemon(here.paths)
        assert process.poll() is None
