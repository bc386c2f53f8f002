"""Promise: the daemon that `mirrord pi` starts has nothing of the terminal it came from, and outlives it with all its clients."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest
from anyio.from_thread import start_blocking_portal

from bridge.daemon_lock import Holder, read_holder
from bridge.paths import Paths, locate
from bridge.process import is_alive, look
from mirrord.client import Local
from mirrord.demo.pi_home import PiHome
from mirrord.demo.terminal import Terminal
from mirrord.wire import messages as wire
from tests.e2e.remote import connected
from tests.e2e.stage import until
from tests.harness.pi import FULLSCREEN, environment, pi_program, ready
from tests.places import default_port, wait_until_dead

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="what a process has is read from /proc")

CANARY: Final = "sk-canary-hunter2"
ALLOWED: Final = {"HOME", "PATH", "LANG", "TZ"}
STARTED: Final = 20.0
ENDED: Final = 10.0


@contextmanager
def mirrord_pi(home: PiHome) -> Iterator[tuple[Terminal, Holder, Paths]]:
    """The real Pi, started by `mirrord pi` where no daemon runs; whatever daemon runs at the end is stopped."""
    pi = pi_program(FULLSCREEN, home.root / "bin")
    env = environment(home, {"ANTHROPIC_API_KEY": CANARY, "MIRRORD_TOKEN": CANARY, "SSH_AUTH_SOCK": "/tmp/agent", "TZ": "UTC"})
    paths = locate(env, sys.platform, os.getuid(), env["HOME"])
    with default_port():
        try:
            with Terminal([sys.executable, "-P", "-m", "mirrord", "pi", "--no-pair", "--pi", pi], env=env, cwd=home.work) as terminal:
                ready(terminal)
                holder = read_holder(paths.lock_file)
                assert holder is not None
                yield terminal, holder, paths
        finally:
            last = read_holder(paths.lock_file)
            if last is not None:
                os.kill(last.pid, 15)
                wait_until_dead(last.pid, last.start_time)


def test_it_has_no_secret_no_terminal_no_folder_and_no_descriptor_of_its_starter(home: PiHome) -> None:
    with mirrord_pi(home) as (terminal, daemon, paths):
        proc = Path(f"/proc/{daemon.pid}")
        environ = dict(entry.split(b"=", 1) for entry in (proc / "environ").read_bytes().split(b"\0") if entry)
        names = {name.decode() for name in environ}
        assert names >= {"HOME", "PATH", "LANG", "TZ", "XDG_RUNTIME_DIR", "XDG_STATE_HOME"}
        assert not {name for name in names if name not in ALLOWED and not name.startswith(("XDG_", "MIRRORD_"))}
        assert not {name for name, value in environ.items() if CANARY.encode() in value}
        assert CANARY not in (proc / "cmdline").read_text()

        process = look(daemon.pid)
        assert process is not None
        assert process.terminal == ""
        assert os.getsid(daemon.pid) not in (os.getsid(terminal.pid), os.getsid(0))
        assert os.getpgid(daemon.pid) != os.getpgid(terminal.pid)
        assert (proc / "cwd").readlink() == Path("/")

        held = {int(link.name): os.readlink(link) for link in (proc / "fd").iterdir()}
        log = str(paths.state_dir / "start.log")
        assert (held.pop(0), held.pop(1), held.pop(2)) == ("/dev/null", log, log)
        own = (str(paths.state_dir), str(paths.runtime_dir), "socket:", "anon_inode:")
        assert not [target for target in held.values() if not target.startswith(own)]
        status = dict(line.split(":\t", 1) for line in (proc / "status").read_text().splitlines())
        assert status["Umask"] == "0077"


def test_closing_the_terminal_leaves_it_and_its_clients_running(home: PiHome) -> None:
    with (
        start_blocking_portal("asyncio") as portal,
        mirrord_pi(home) as (terminal, daemon, paths),
        connected(portal, Local(paths.control_socket), "attach") as client,
    ):
        session = client.welcome.sessions[0] if client.welcome.sessions else client.wait(wire.SessionChanged).session
        client.subscribe(session.session_id)
        terminal.hang_up()
        client.wait(wire.SessionChanged, lambda told: told.session.status.state == "ended", ENDED)
        until(lambda: not terminal.alive, ENDED, "Pi still runs")
        assert is_alive(daemon.pid, daemon.start_time)
        client.subscribe(session.session_id)
