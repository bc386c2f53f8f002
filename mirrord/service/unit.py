"""A hardened unit for systemd's user manager and the sockets that start it, as text. Pure.

Everything in it is something that a *user's* manager can apply: without privileges it makes the service a user namespace of its own, in
which capabilities can be dropped and mounts changed, and the rest is seccomp. Where the system allows no such namespace,
`without_namespaces` takes those lines back.

What the unit does not have, and why:

PrivateIPC                        fails where nobody mounted /dev/mqueue, as in containers
PrivateTmp, TemporaryFileSystem   sessions may work below /tmp, and so may the sockets (`bridge/paths.py`)
ProtectProc, ProcSubset           who connects is followed up through its parents; one that belongs to another user (sudo) must be seen
ProtectHome=yes                   branches and changed lines are read where people work
PrivateNetwork, IPAddressDeny     devices come to 127.0.0.1, and notifications go out to push services
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mirrord.service.errors import UnusableName
from mirrord.service.launch import Launch
from mirrord.service_manager import SYSTEMD_UNIT

SERVICE: Final = SYSTEMD_UNIT
SOCKET: Final = "mirrord.socket"
DROP_IN: Final = "no-namespaces.conf"
WANTED_BY: Final = {SERVICE: "default.target", SOCKET: "sockets.target"}
"""What starts each at a login once it is enabled."""

WATCHDOG_SECONDS: Final = 60
"""A loop that stands still for so long is killed and started anew; a machine that swaps may well stall for ten seconds."""

START_SECONDS: Final = 60
"""It takes half a second, and a large store may have to be brought to a new format."""

STOP_SECONDS: Final = 5
"""An orderly end takes two at most."""

RESTART_SECONDS: Final = 1
STARTS: Final = (10, 60)
"""More than so many starts in so many seconds: something is wrong that another start does not mend."""

BACKLOG: Final = 128
"""As for the daemon's own socket on the network (`mirrord/server/socket.py`)."""

_NAMESPACES: Final = (
    ("PrivateUsers", "yes", "no"),
    ("PrivateMounts", "yes", "no"),
    ("PrivateDevices", "yes", "no"),
    ("ProtectSystem", "strict", "no"),
    ("ProtectHome", "read-only", "no"),
    ("ProtectKernelTunables", "yes", "no"),
    ("ProtectKernelModules", "yes", "no"),
    ("ProtectKernelLogs", "yes", "no"),
    ("ProtectControlGroups", "yes", "no"),
    ("ProtectClock", "yes", "no"),
    ("ProtectHostname", "yes", "no"),
    # Nothing is left in an empty list; `~` alone is the full one.
    ("CapabilityBoundingSet", "", "~"),
)
"""Option, value, and the value that takes it back: what needs a user namespace."""

_SECCOMP: Final = (
    ("NoNewPrivileges", "yes"),
    ("AmbientCapabilities", ""),
    ("RestrictAddressFamilies", "AF_UNIX AF_INET AF_INET6"),
    ("RestrictNamespaces", "yes"),
    ("RestrictRealtime", "yes"),
    ("RestrictSUIDSGID", "yes"),
    ("LockPersonality", "yes"),
    ("MemoryDenyWriteExecute", "yes"),
    ("SystemCallArchitectures", "native"),
    ("SystemCallFilter", "@system-service"),
    ("SystemCallFilter", "~@privileged @resources"),
    # Of those the one by which it lets Pi go first (`mirrord/daemon/scheduling.py`); asked for here, it could keep a unit from starting.
    ("SystemCallFilter", "sched_setscheduler"),
    ("SystemCallErrorNumber", "EPERM"),
    ("LimitCORE", "0"),
    ("UMask", "0077"),
)


def service_text(launch: Launch) -> str:
    """`mirrord.service`. It starts again after any failure, and never takes a Pi with it: no Pi is its child.

    Raises UnusableName for a program that systemd would not run.
    """
    starts, interval = STARTS
    return _text(
        (
            "Unit",
            (
                ("Description", "mirrord, which mirrors Pi to your devices"),
                ("Documentation", "man:mirrord(1)"),
                ("Requires", SOCKET),
                ("After", SOCKET),
                ("StartLimitIntervalSec", str(interval)),
                ("StartLimitBurst", str(starts)),
            ),
        ),
        (
            "Service",
            (
                ("Type", "notify"),
                ("NotifyAccess", "main"),
                ("ExecStart", " ".join((_program(launch.python), *(_word(word).replace("$", "$$") for word in launch.command[1:])))),
                ("ExecReload", "kill -HUP $MAINPID"),
                ("WatchdogSec", str(WATCHDOG_SECONDS)),
                ("Restart", "on-failure"),
                ("RestartSec", str(RESTART_SECONDS)),
                ("TimeoutStartSec", str(START_SECONDS)),
                ("TimeoutStopSec", str(STOP_SECONDS)),
                ("SyslogIdentifier", "mirrord"),
                *_environment(launch),
                ("WorkingDirectory", "/"),
                # The `-`: one that is missing is made by the daemon where it may, and named in its refusal where not.
                ("ReadWritePaths", " ".join(_word(f"-{folder}") for folder in (launch.paths.state_dir, launch.paths.runtime_dir))),
                *((name, value) for name, value, _ in _NAMESPACES),
                *_SECCOMP,
            ),
        ),
        ("Install", (("WantedBy", WANTED_BY[SERVICE]),)),
    )


def socket_text(launch: Launch) -> str:
    """`mirrord.socket`: whoever connects while the daemon is away waits for it, instead of being refused.

    With port 0 the daemon takes a port by itself.
    """
    paths = launch.paths
    listened = [_line(str(path)) for path in (paths.control_socket, paths.bridge_socket, paths.screen_socket)]
    if launch.port:
        listened.append(f"127.0.0.1:{launch.port}")
    return _text(
        ("Unit", (("Description", "Sockets of mirrord"), ("Documentation", "man:mirrord(1)"))),
        (
            "Socket",
            (
                *(("ListenStream", where) for where in listened),
                ("SocketMode", "0600"),
                ("DirectoryMode", "0700"),
                ("Backlog", str(BACKLOG)),
                ("RemoveOnStop", "yes"),
                ("FileDescriptorName", "mirrord"),
            ),
        ),
        ("Install", (("WantedBy", WANTED_BY[SOCKET]),)),
    )


def without_namespaces() -> str:
    """A drop-in for systems on which a user may make no namespaces: what needs them is off, the rest of the unit stays."""
    return _text(("Service", (*((name, off) for name, _, off in _NAMESPACES), ("ReadWritePaths", ""))))


def _environment(launch: Launch) -> Iterator[tuple[str, str]]:
    for name, value in launch.places.items():
        yield ("UnsetEnvironment", name) if value is None else ("Environment", _word(f"{name}={value}"))


def _text(*sections: tuple[str, tuple[tuple[str, str], ...]]) -> str:
    return "\n".join("\n".join((f"[{name}]", *(f"{key}={value}" for key, value in lines), "")) for name, lines in sections)


def _line(value: str) -> str:
    """A value that is the rest of its line. `%` begins a specifier."""
    return value.replace("%", "%%")


def _program(path: str) -> str:
    """The first word of a command. It may hold no variable, and systemd runs nothing that has a quote or a backslash in its name."""
    if any(character in path for character in "\"'\\"):
        raise UnusableName(path, "a quote or a backslash, which systemd allows in no program's name")
    return _word(path)


def _word(value: str) -> str:
    """One word among several."""
    escaped = _line(value).replace("\\", "\\\\").replace('"', '\\"')
    plain = escaped == value and not any(character in " '" for character in value)
    return escaped if plain and value else f'"{escaped}"'
