"""What was found on this machine. Gathered in `gather/`, judged in `checks/`; a part that took too long is None."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from bridge.daemon_lock import Holder
from bridge.paths import Paths
from mirrord.config import Config

Answer = Literal["answers", "refused", "absent", "silent"]
"""Of a unix socket: somebody accepts; nobody does although it is there; it is not there; it neither accepts nor refuses."""

DATA_FOLDER: Final = "data folder"
"""The name of the place that others may look into, and that may be a link: what it has is a copy of what mirrord's package has."""

Origin = Literal["service", "chosen", "default"]
"""Of a port: the service that is installed names it; somebody chose it in the settings; nobody did, and the next free one will do."""


def chosen_port(config: Config) -> int | None:
    """The port of these settings; None where it is only the default."""
    setting = config.settings["port"]
    assert isinstance(setting.value, int)
    return None if setting.source in ("default", "safe") else setting.value


@dataclass(frozen=True, slots=True)
class PiFound:
    """`why_not` is one sentence when there is none to run. `package`: name and version, where it says."""

    path: Path | None
    package: str | None = None
    why_not: str | None = None
    node_problem: str | None = None


@dataclass(frozen=True, slots=True)
class ExtensionFound:
    """How Pi is told to load our extension, and whether what it loads is of this version.

    `listed`: `installed`, `outdated` or `absent` in Pi's settings; None when they cannot be read, `problem` then says why.
    `others`: further places from which a Pi in this folder would load it too. `differing`: files of the copy that are not as packaged.
    """

    settings: Path
    entry: Path
    listed: str | None
    copied: bool
    differing: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class PlaceFound:
    """A file or folder of ours. `kind`: `directory`, `socket`, `file`, `link`, `other`; None when there is none.

    A data folder that is a link to a directory of this user is that directory.
    """

    name: str
    path: Path
    kind: str | None
    mode: int = 0
    uid: int = 0
    writable: bool = True


@dataclass(frozen=True, slots=True)
class Listener:
    """Who listens: `uid` where it is known, and the processes that have the socket, by pid and name, as far as they can be looked into."""

    uid: int | None = None
    processes: tuple[tuple[int, str], ...] = ()

    def __str__(self) -> str:
        if self.processes:
            return " and ".join(f"{name} (pid {pid})" for pid, name in self.processes)
        return "another program" if self.uid is None else f"a program of user {self.uid}"

    @property
    def starts(self) -> bool:
        """Whether it is systemd, which starts a program for whoever connects."""
        return any(name.startswith("systemd") for _, name in self.processes)

    @property
    def ours(self) -> bool:
        """Whether it is a daemon of mirrord, of this user."""
        return any(name.partition(".")[0] == "mirrord" for _, name in self.processes)


@dataclass(frozen=True, slots=True)
class LockFound:
    """`held`: whether a process holds the lock now; `holder` is who noted itself, if it lives."""

    held: bool | None
    holder: Holder | None
    control: Answer
    bridge: Answer
    by: Listener | None = None
    """Who answers on the control socket, where that can be told."""


@dataclass(frozen=True, slots=True)
class DaemonFound:
    """The daemon's own status, or one sentence why there is none; `now` is when it was told, ms since the epoch.

    `notice`: why we may only look, in the daemon's words.
    """

    status: Mapping[str, Any] | None
    why_not: str | None = None
    now: int = 0
    notice: str | None = None


@dataclass(frozen=True, slots=True)
class PortFound:
    """The port that a daemon would take; `listener` None: it is free."""

    port: int
    origin: Origin
    listener: Listener | None


@dataclass(frozen=True, slots=True)
class ClockFound:
    """`wall` in seconds since the epoch; `newest_file` likewise, of a file that was made in the past."""

    wall: float
    newest_file: float
    zone: str
    zone_known: bool


@dataclass(frozen=True, slots=True)
class StoreFound:
    """`format` None: there is no store. `problem`: why it cannot be read."""

    path: Path
    format: int | None
    known_format: int
    size: int = 0
    problem: str | None = None
    set_aside: tuple[str, ...] = ()
    blocked: bool = False
    """Whether the disk or its modes are the problem, and not what is in the file, which a daemon would set aside."""


@dataclass(frozen=True, slots=True)
class ServiceFound:
    """`obstacle`: why the manager cannot be asked here. `state` is its words where the service is installed.

    `program` and `port` are what the installed unit says, `program_there` whether that is still there. `at_login`: whether it is started
    then. `waits`: whether the manager has the sockets and starts a daemon for whoever connects.
    """

    manager: str
    obstacle: str | None
    installed: tuple[str, ...] = ()
    program: str | None = None
    program_there: bool = True
    state: str | None = None
    failed: bool = False
    pid: int | None = None
    port: int | None = None
    at_login: bool = True
    waits: bool = False


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where this runs: words for people."""

    ssh: bool = False
    multiplexer: str | None = None
    container: str | None = None
    wsl: bool = False
    root: bool = False


@dataclass(frozen=True, slots=True)
class TerminalFound:
    """What is known of the terminal that this was started in."""

    is_terminal: bool
    name: str
    encoding: str
    locale_is_utf8: bool
    columns: int
    rows: int
    wrappable: bool


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything. None: it was not found out in time."""

    paths: Paths
    version: str
    uid: int
    pi: PiFound | None = None
    extension: ExtensionFound | None = None
    places: tuple[PlaceFound, ...] | None = None
    lock: LockFound | None = None
    daemon: DaemonFound | None = None
    port: PortFound | None = None
    clock: ClockFound | None = None
    store: StoreFound | None = None
    service: ServiceFound | None = None
    config: Config | None = None
    surroundings: Surroundings | None = None
    terminal: TerminalFound | None = None
    late: tuple[str, ...] = ()
    """Parts that took too long."""

    @property
    def status(self) -> Mapping[str, Any] | None:
        """What the daemon says of itself, where one answers."""
        return None if self.daemon is None else self.daemon.status

    @property
    def holder(self) -> Holder | None:
        """The daemon that noted itself in the lock, if it lives."""
        return None if self.lock is None else self.lock.holder

    @property
    def chosen_port(self) -> int | None:
        """The port that somebody chose in the settings."""
        return None if self.config is None else chosen_port(self.config)

    @property
    def awaited(self) -> bool:
        """Whether no daemon runs, and whoever connects has one started."""
        lock = self.lock
        if lock is None or lock.holder is not None or lock.held or lock.control != "answers":
            return False
        if lock.by is not None and lock.by.processes:
            return lock.by.starts
        return self.service is not None and self.service.waits
