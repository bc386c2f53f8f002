"""The machine and the terminal: nothing here is mirrord's to mend."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mirrord.doctor.facts import Facts
from mirrord.doctor.row import Row, neutral, ok, problem, warning

SKEW_SECONDS: Final = 60.0
"""A clock that is set moves by so much; drift and small corrections are not worth a word."""

_DAY: Final = 86_400
_NARROW: Final = 40
"""Columns below which cards and codes cannot be drawn."""


def clock(facts: Facts) -> Iterator[Row]:
    """The wall clock is no time of the past, and was not set while the daemon ran."""
    found = facts.clock
    if found is None:
        return
    about = "Clock"
    if found.wall < found.newest_file - _DAY:
        yield problem(
            "clock", about, "it shows a time before mirrord was installed, so times on devices are wrong", "timedatectl set-ntp true"
        )
        return
    status = facts.status
    started = status.get("startedAt") if status is not None else None
    if facts.daemon is None or status is None or started is None:
        yield ok("clock", about, "plausible")
        return
    skew = (facts.daemon.now - started) / 1000 - status["uptime"]
    if abs(skew) > SKEW_SECONDS:
        words = f"it was set {'forward' if skew > 0 else 'back'} by {abs(skew):.0f} s since the daemon started"
        yield warning("clock", about, f"{words}; deadlines are right all the same", "mirrord restart (if times that are shown look wrong)")
    else:
        yield ok("clock", about, "as it was when the daemon started, sleep included")


def zone(facts: Facts) -> Iterator[Row]:
    """TZ names a zone that the system knows."""
    found = facts.clock
    if found is None:
        return
    if found.zone_known:
        yield ok("zone", "Time zone", found.zone)
    else:
        yield warning("zone", "Time zone", "TZ names a zone that this system does not know, which counts as UTC", "unset TZ")


def around(facts: Facts) -> Iterator[Row]:
    """What this runs in, and what follows from it."""
    found = facts.surroundings
    if found is None:
        return
    port = facts.status["port"] if facts.status is not None else facts.port.port if facts.port is not None else 0
    if found.ssh:
        tunnel = f"on the device: ssh -L {port}:127.0.0.1:{port} THIS_MACHINE, then http://127.0.0.1:{port}/"
        yield neutral("ssh", "SSH", "this shell came over SSH; a browser elsewhere needs a tunnel", tunnel)
    if found.multiplexer is not None:
        yield neutral("multiplexer", "Multiplexer", f"inside {found.multiplexer}: sessions survive a closed window")
    if found.container is not None:
        yield neutral("container", "Container", f"{found.container}: devices reach 127.0.0.1 inside it only where the port is published")
    if found.wsl:
        yield neutral("wsl", "WSL", f"a browser on Windows reaches it at http://localhost:{port}/; Pi has to run inside WSL too")
    if found.root:
        yield neutral("root", "User", "this is root: everything of another user's Pi is another daemon's")


def terminal(facts: Facts) -> Iterator[Row]:
    """The terminal can show what we draw and can be given back."""
    found = facts.terminal
    if found is None:
        return
    about = "Terminal"
    if not found.is_terminal:
        yield neutral("terminal", about, "this was not started in one")
    elif not found.wrappable:
        yield warning(
            "terminal",
            about,
            f"TERM={found.name} names none that could be given back; Pi runs straight in it",
            "export TERM=xterm-256color",
        )
    elif not found.locale_is_utf8:
        yield warning("terminal", about, f"its encoding is {found.encoding}: most signs are lost", "export LANG=C.UTF-8")
    elif found.columns < _NARROW:
        yield warning("terminal", about, f"{found.columns} columns are too few for a code to scan", "make the window wider")
    else:
        yield ok("terminal", about, f"{found.name}, {found.columns}x{found.rows}, UTF-8")
