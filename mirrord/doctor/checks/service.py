"""The service, where one is installed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mirrord.doctor.facts import Facts
from mirrord.doctor.row import Row, neutral, ok, problem, warning
from mirrord.settings import DEFAULT_PORT

INSTALL: Final = "mirrord service install"
"""It may be run again; a daemon that runs already makes room."""


def installed(facts: Facts) -> Iterator[Row]:
    """What it starts is there, it runs or waits, and the daemon that runs is its own."""
    found = facts.service
    if found is None:
        return
    about = "Service"
    if not found.installed:
        yield neutral("service", about, f"none is installed for {found.manager}", INSTALL)
    elif not found.program_there:
        words = f"it starts {found.program or ''}, which is not there any more"
        yield problem("service", about, words, installing(facts))
    elif found.obstacle is not None:
        yield neutral("service", about, f"installed, and its state cannot be asked here: {found.obstacle}")
    elif found.failed:
        yield problem("service", about, found.state or "it failed", "mirrord service logs")
    else:
        yield from _running(facts, about, found.state or "", found.pid)


def at_login(facts: Facts) -> Iterator[Row]:
    """It is started at each login, for which it was installed."""
    found = facts.service
    if found is not None and found.state is not None and not found.at_login:
        yield warning("service-login", "Service, at login", f"{found.manager} does not start it then", installing(facts))


def installing(facts: Facts) -> str:
    """The command that has the service run, from each login on, at the port that it has: it would take another one by itself."""
    port = None if facts.service is None else facts.service.port
    if port is None or facts.chosen_port is not None:
        return INSTALL
    by_itself = facts.status["port"] if facts.status is not None else DEFAULT_PORT
    return INSTALL if port == by_itself else f"{INSTALL} --port {port}"


def _running(facts: Facts, about: str, state: str, pid: int | None) -> Iterator[Row]:
    holder = facts.holder
    if holder is not None and pid is not None and holder.pid != pid:
        yield warning("service", about, f"{state}; the daemon that runs (pid {holder.pid}) is not its own", installing(facts))
    elif holder is not None and pid is None:
        yield warning("service", about, f"{state}; a daemon runs that it did not start (pid {holder.pid})", installing(facts))
    elif pid is not None:
        yield ok("service", about, state)
    elif facts.service is not None and facts.service.waits:
        yield neutral("service", about, f"{state}; its sockets wait, and whoever connects starts it")
    else:
        yield warning("service", about, f"{state}; it does not run, so devices reach nothing", installing(facts))
