"""systemd's user manager and launchd: where the service's files are, and what is asked of the manager. Blocks."""

from __future__ import annotations

import os
import re
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from typing import Final

from mirrord.service import launchd, unit
from mirrord.service.errors import NoServiceManager, ServiceFailed
from mirrord.service.install import write
from mirrord.service.launch import Launch
from mirrord.service_manager import LAUNCHD_LABEL, absolute, has_user_manager

REQUEST_SECONDS: Final = 90.0
"""A start waits until the daemon is ready, for which the unit gives it 60 s."""

_NO_NAMESPACES: Final = frozenset(("217", "218", "226"))
"""systemd.exec(5): EXIT_USER, EXIT_CAPABILITIES, EXIT_NAMESPACE; what a start ends with where the system allows a user no namespaces."""

WITHOUT_NAMESPACES: Final = (
    "This system lets a user make no namespaces, so the service can write where you can and keeps your capabilities; system calls and "
    "privileges are restricted all the same ({file} says what is off; remove it and install again when that has changed)."
)


@dataclass(frozen=True, slots=True)
class State:
    """`words` as the manager says it; `pid` of the daemon that it runs."""

    words: str
    pid: int | None = None
    failed: bool = False


class Manager(ABC):
    """One manager, for one person. `env` is all that its client gets."""

    name: str

    def __init__(self, env: Mapping[str, str], home: Path) -> None:
        self.env = env
        self.home = home

    @abstractmethod
    def files(self, launch: Launch) -> dict[Path, bytes]:
        """What is to be written."""

    @abstractmethod
    def written(self) -> tuple[Path, ...]:
        """Every file of ours that may be there, for taking it away."""

    @abstractmethod
    def links(self) -> tuple[Path, ...]:
        """What is there of the manager's own that leads to those files, and nowhere without them."""

    @abstractmethod
    def obstacle(self) -> str | None:
        """Why the manager cannot be asked here; None when it can."""

    @abstractmethod
    def enable(self) -> None:
        """Know the files as they are now, and start the service at every login. May be done again. Raises ServiceFailed."""

    @abstractmethod
    def use(self) -> str | None:
        """Take the files that are there into use now; what runs ends in order first.

        Returns a sentence when it could not be as it should. Raises ServiceFailed.
        """

    @abstractmethod
    def drop(self) -> None:
        """Stop the service and have it start no more; the files are still there. Raises ServiceFailed."""

    @abstractmethod
    def forget(self) -> None:
        """The files are gone."""

    @abstractmethod
    def restart(self) -> None:
        """End what runs in order and start it anew. Raises ServiceFailed."""

    @abstractmethod
    def state(self) -> State:
        """How the service is."""

    @abstractmethod
    def at_login(self) -> bool:
        """Whether the files that are there are used at each login; also True where the manager does not say."""

    @abstractmethod
    def waits(self) -> bool:
        """Whether the manager has the sockets of the daemon, so that it starts one for whoever connects."""

    @abstractmethod
    def log_command(self, lines: int, follow: bool) -> tuple[str, ...] | None:
        """The program that shows the manager's own log of the service; None where it has none that can be read."""

    def ask(self, *command: str) -> str:
        """What the program says. Raises ServiceFailed with its last line."""
        done = self.try_to(*command)
        if done.returncode != 0:
            said = (done.stderr or done.stdout).strip().splitlines()
            reason = said[-1] if said else f"exit status {done.returncode}"
            raise ServiceFailed(f"`{' '.join(command)}` failed: {reason}; `mirrord service logs` shows more")
        return done.stdout

    def try_to(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a program of the manager's. Raises NoServiceManager when there is none, ServiceFailed when it takes too long."""
        try:
            return subprocess.run(
                command,
                env=self.env,
                cwd="/",
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=REQUEST_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise ServiceFailed(f"`{' '.join(command)}` took longer than {REQUEST_SECONDS:.0f} s") from None
        except OSError as error:
            raise NoServiceManager(f"`{command[0]}` cannot be run ({error.strerror}); is it on PATH?") from error


class Systemd(Manager):
    """A user's own manager."""

    name = "systemd's user manager"

    def __init__(self, env: Mapping[str, str], home: Path) -> None:
        super().__init__(env, home)
        self.folder = (absolute(env, "XDG_CONFIG_HOME") or home / ".config") / "systemd" / "user"
        self.drop_in = self.folder / f"{unit.SERVICE}.d" / unit.DROP_IN

    def files(self, launch: Launch) -> dict[Path, bytes]:
        service, sockets = unit.service_text(launch), unit.socket_text(launch)
        return {self.folder / unit.SERVICE: service.encode(), self.folder / unit.SOCKET: sockets.encode()}

    def written(self) -> tuple[Path, ...]:
        return self.folder / unit.SERVICE, self.folder / unit.SOCKET, self.drop_in

    def links(self) -> tuple[Path, ...]:
        # `disable` takes them away, of units whose files are still there.
        made = {self.folder / f"{target}.wants" / name: self.folder / name for name, target in unit.WANTED_BY.items()}
        return tuple(link for link, file in made.items() if link.is_symlink() and os.path.realpath(link) == os.path.realpath(file))

    def obstacle(self) -> str | None:
        if which("systemctl", path=self.env.get("PATH")) is None:
            return "there is no systemctl on PATH"
        if not has_user_manager(self.env):
            return "no user manager of systemd runs for XDG_RUNTIME_DIR (log in, instead of su or sudo, and there is one)"
        return None

    def enable(self) -> None:
        self._systemctl("daemon-reload")
        self._systemctl("enable", unit.SOCKET, unit.SERVICE)

    def use(self) -> str | None:
        self._systemctl("stop", unit.SOCKET, unit.SERVICE)
        self.try_to(*self._command("reset-failed", unit.SOCKET, unit.SERVICE))
        try:
            self._start()
        except ServiceFailed:
            if self.drop_in.exists() or self._shown("ExecMainStatus") not in _NO_NAMESPACES:
                raise
            self._do_without_namespaces()
            return WITHOUT_NAMESPACES.format(file=self.drop_in)
        return None

    def drop(self) -> None:
        # It disables none when it does not know one of them: somebody may have removed a file by hand.
        units = [name for name in (unit.SOCKET, unit.SERVICE) if (self.folder / name).exists()]
        if units:
            self._systemctl("disable", "--now", *units)

    def forget(self) -> None:
        self._systemctl("daemon-reload")
        self.try_to(*self._command("reset-failed", unit.SOCKET, unit.SERVICE))

    def restart(self) -> None:
        # One that failed too often is not started otherwise.
        self.try_to(*self._command("reset-failed", unit.SOCKET, unit.SERVICE))
        self._systemctl("restart", unit.SERVICE)

    def state(self) -> State:
        shown = self._systemctl("show", unit.SERVICE, "--property=ActiveState,SubState,MainPID,Result,NRestarts,StatusText")
        values = dict(line.partition("=")[::2] for line in shown.splitlines())
        pid = int(values.get("MainPID") or 0)
        words = f"{values.get('ActiveState', 'unknown')} ({values.get('SubState', 'unknown')})"
        if values.get("Result", "success") != "success":
            words += f", last result: {values['Result']}"
        if values.get("NRestarts", "0") != "0":
            words += f", started anew {values['NRestarts']} times"
        if values.get("StatusText"):
            words += f"; {values['StatusText']}"
        return State(words, pid or None, values.get("ActiveState") == "failed")

    def at_login(self) -> bool:
        # One of the two is enough: the socket starts the service.
        said = self._systemctl("show", unit.SOCKET, unit.SERVICE, "--property=UnitFileState", "--value").split()
        return not said or any(word.startswith("enabled") for word in said)

    def waits(self) -> bool:
        return self._systemctl("show", unit.SOCKET, "--property=ActiveState", "--value").strip() == "active"

    def log_command(self, lines: int, follow: bool) -> tuple[str, ...] | None:
        program = which("journalctl", path=self.env.get("PATH"))
        if program is None:
            return None
        command = (program, "--user", f"--unit={unit.SERVICE}", "--no-pager", "--quiet")
        if not self.try_to(*command, "--lines=1").stdout.strip():
            return None
        return (*command, f"--lines={lines}", *(("--follow",) if follow else ()))

    def _do_without_namespaces(self) -> None:
        write({self.drop_in: unit.without_namespaces().encode()})
        self._systemctl("stop", unit.SOCKET, unit.SERVICE)
        self._systemctl("daemon-reload")
        self.try_to(*self._command("reset-failed", unit.SOCKET, unit.SERVICE))
        self._start()

    def _start(self) -> None:
        self._systemctl("start", unit.SOCKET)
        self._systemctl("start", unit.SERVICE)

    def _shown(self, name: str) -> str:
        return self._systemctl("show", unit.SERVICE, f"--property={name}", "--value").strip()

    def _systemctl(self, *arguments: str) -> str:
        return self.ask(*self._command(*arguments))

    def _command(self, *arguments: str) -> tuple[str, ...]:
        return ("systemctl", "--user", "--no-ask-password", *arguments)


class Launchd(Manager):
    """The launchd of whoever is logged in."""

    name = "launchd"

    def __init__(self, env: Mapping[str, str], home: Path, uid: int) -> None:
        super().__init__(env, home)
        self.domain = f"gui/{uid}"
        self.file = home / "Library" / "LaunchAgents" / f"{LAUNCHD_LABEL}.plist"

    def files(self, launch: Launch) -> dict[Path, bytes]:
        return {self.file: launchd.plist(launch)}

    def written(self) -> tuple[Path, ...]:
        return (self.file,)

    def links(self) -> tuple[Path, ...]:
        return ()

    def obstacle(self) -> str | None:
        if which("launchctl", path=self.env.get("PATH")) is None:
            return "there is no launchctl on PATH"
        if self.try_to("launchctl", "print", self.domain).returncode != 0:
            return f"launchd has no {self.domain}: nobody is logged in at the screen"
        return None

    def enable(self) -> None:
        self.ask("launchctl", "enable", self._target)

    def use(self) -> str | None:
        # One that is loaded keeps what it was loaded with.
        self.try_to("launchctl", "bootout", self._target)
        self.ask("launchctl", "bootstrap", self.domain, str(self.file))
        return None

    def drop(self) -> None:
        self.try_to("launchctl", "bootout", self._target)

    def forget(self) -> None:
        return  # It knows a service by what was loaded, and that is gone.

    def restart(self) -> None:
        self.ask("launchctl", "kickstart", "-k", self._target)

    def state(self) -> State:
        printed = self.try_to("launchctl", "print", self._target)
        if printed.returncode != 0:
            return State("not loaded")
        state, pid, exited = (
            found[1] if (found := re.search(rf"^\s*{name} = (.+)$", printed.stdout, re.MULTILINE)) else None
            for name in ("state", "pid", "last exit code")
        )
        words = (state or "loaded") + (f", last exit code {exited}" if exited not in (None, "0", "(never exited)") else "")
        return State(words, int(pid) if pid is not None and pid.isdecimal() else None)

    def at_login(self) -> bool:
        disabled = self.try_to("launchctl", "print-disabled", self.domain).stdout
        return re.search(rf'"{re.escape(LAUNCHD_LABEL)}" => (disabled|true)\b', disabled) is None

    def waits(self) -> bool:
        return False

    def log_command(self, lines: int, follow: bool) -> tuple[str, ...] | None:
        return None

    @property
    def _target(self) -> str:
        return f"{self.domain}/{LAUNCHD_LABEL}"


def manager_here(platform: str, env: Mapping[str, str], home: str, uid: int) -> Manager:
    """The manager of this `sys.platform`."""
    return Launchd(env, Path(home), uid) if platform == "darwin" else Systemd(env, Path(home))
