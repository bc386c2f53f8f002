"""Daemon, command line and extension are of one version."""

from __future__ import annotations

from collections.abc import Iterator

from mirrord.doctor.facts import Facts
from mirrord.doctor.row import Row, neutral, ok, problem, warning


def daemon(facts: Facts) -> Iterator[Row]:
    """The daemon that runs is of this version."""
    status = facts.status
    if status is None:
        yield neutral("version", "Versions", f"this is mirrord {facts.version}; no daemon to compare it with")
    elif status["version"] != facts.version:
        words = f"the daemon that runs is {status['version']}, this is {facts.version}"
        yield warning("version", "Versions", words, "mirrord restart")
    else:
        yield ok("version", "Versions", f"daemon and command line are {facts.version}")


def extensions(facts: Facts) -> Iterator[Row]:
    """The extension in each Pi is of the daemon's version, and none was turned away."""
    status = facts.status
    for link in status["links"] if status is not None else ():
        about, version = f"Extension in Pi {link.get('pid', '?')}", str(link.get("bridgeVersion", "unknown"))
        if link.get("refused"):
            yield problem("extension-link", about, f"it was turned away: {link['refused']}", "type /reload in that Pi")
        elif version != facts.version:
            yield warning("extension-link", about, f"it is {version}, this is {facts.version}", "type /reload in that Pi")
        else:
            yield ok("extension-link", about, f"connected, {version}")
