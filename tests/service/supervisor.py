"""A service manager of the test's own: it makes the sockets, starts the daemon with them as systemd does, and hears what it is told."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from mirrord.settings import Settings
from tests.cli.commands import PATIENCE, environment

# What systemd does between fork and exec. The numbers that are copied from lie above those that are copied to.
STARTER: Final = """
import os, sys
count = int(sys.argv[1])
for place in range(count):
    os.dup2(int(sys.argv[2 + place]), 3 + place)
os.environ["LISTEN_PID"] = os.environ["WATCHDOG_PID"] = str(os.getpid())
os.execv(sys.executable, [sys.executable, "-P", "-m", "mirrord", *sys.argv[2 + count:]])
"""
ABOVE: Final = 100


class Supervisor:
    """Holds the sockets from the start of its block to the end, whatever becomes of the daemons that it starts."""

    def __init__(self, settings: Settings, watchdog: float = 60.0) -> None:
        self.paths = settings.paths
        self.root = settings.paths.runtime_dir.parent
        self.watchdog = watchdog
        self.process: subprocess.Popen[bytes] | None = None
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self.paths.runtime_dir.mkdir(0o700, exist_ok=True)
        self._notify = self._stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
        self._notify.bind(str(self.root / "notify"))
        self._notify.settimeout(PATIENCE)
        self.network = self._stack.enter_context(socket.socket())
        self.network.bind(("127.0.0.1", 0))
        self.network.listen()
        self.sockets = [self.network]
        for path in (self.paths.control_socket, self.paths.bridge_socket, self.paths.screen_socket):
            sock = self._stack.enter_context(socket.socket(socket.AF_UNIX))
            before = os.umask(0o177)
            try:
                sock.bind(str(path))
            finally:
                os.umask(before)
            sock.listen()
            self.sockets.append(sock)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self._stack.close()

    @property
    def port(self) -> int:
        port: int = self.network.getsockname()[1]
        return port

    def variables(self) -> dict[str, str]:
        """As a user's manager has them, with what was imported from a login among them."""
        return environment(
            self.root.parent,
            {
                "XDG_RUNTIME_DIR": str(self.root),
                **{f"XDG_{name}": str(self.root.parent / name.lower()) for name in ("STATE_HOME", "DATA_HOME", "CONFIG_HOME")},
                "NOTIFY_SOCKET": str(self.root / "notify"),
                "WATCHDOG_USEC": str(round(self.watchdog * 1_000_000)),
                "LISTEN_FDS": str(len(self.sockets)),
                "LISTEN_FDNAMES": ":".join(["mirrord"] * len(self.sockets)),
                "ANTHROPIC_API_KEY": "hunter2",
            },
        )

    def start(self) -> subprocess.Popen[bytes]:
        """The daemon, which need not answer yet."""
        copies = [os.dup(sock.fileno()) for sock in self.sockets]
        high = [ABOVE + place for place in range(len(copies))]
        for number, place in zip(copies, high, strict=True):
            os.dup2(number, place)
            os.close(number)
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-c", STARTER, str(len(high)), *map(str, high), "serve", "--port", str(self.port)],
                env=self.variables(),
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=high,
            )
        finally:
            for number in high:
                os.close(number)
        return self.process

    def hear(self) -> dict[str, str]:
        """The next message, as its assignments."""
        return dict(line.partition("=")[::2] for line in self._notify.recv(4096).decode().splitlines())

    def until(self, name: str) -> dict[str, str]:
        """The next message that says this; others are dropped."""
        while name not in (message := self.hear()):
            pass
        return message

    def silence(self, seconds: float) -> bool:
        """Whether nothing is heard for so long. What was said before is dropped."""
        self._notify.setblocking(False)
        try:
            while True:
                self._notify.recv(4096)
        except BlockingIOError:
            pass
        self._notify.settimeout(seconds)
        try:
            self._notify.recv(4096)
        except TimeoutError:
            return True
        finally:
            self._notify.settimeout(PATIENCE)
        return False

    def configure(self, toml: str) -> None:
        """The person's settings."""
        self.paths.config_file.parent.mkdir(0o700, exist_ok=True)
        self.paths.config_file.write_text(toml)

    def until_logged(self, words: str) -> None:
        """Return once the daemon's log has the words; a thread writes it."""
        log = self.paths.state_dir / "daemon.log"
        deadline = time.monotonic() + PATIENCE
        while words not in (log.read_text() if log.exists() else ""):
            assert time.monotonic() < deadline, f"the log has no {words}"
            threading.Event().wait(0.02)

    def end(self, number: signal.Signals) -> tuple[int, float]:
        """Send the signal; returns exit status and seconds until it had ended."""
        assert self.process is not None
        begun = time.monotonic()
        self.process.send_signal(number)
        return self.process.wait(PATIENCE), time.monotonic() - begun

    def environ(self) -> dict[str, str]:
        """Of the daemon that runs, as every program of this user can read it."""
        assert self.process is not None
        raw = Path(f"/proc/{self.process.pid}/environ").read_bytes().decode()
        return dict(entry.partition("=")[::2] for entry in raw.split("\0") if entry)
