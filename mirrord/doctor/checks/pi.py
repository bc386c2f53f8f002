"""Pi, and what of it can be mirrored."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mirrord.doctor.facts import Facts
from mirrord.doctor.row import Row, neutral, ok, problem, warning
from mirrord.words.capabilities import capability_lines

_INSTALL = "npm install -g @earendil-works/pi-coding-agent"

TRIED: Final = (
    "@mariozechner/pi-coding-agent 0.73.1",
    "@earendil-works/pi-coding-agent 0.80.10",
    "@earendil-works/pi-coding-agent 1.0.3",
    "@earendil-works/pi-coding-agent 1.6.0",
)
"""Packages of Pi that our extension was seen to mirror everything of, the oldest first; a test compares them with what was found."""


def program(facts: Facts) -> Iterator[Row]:
    """There is a Pi, and a Node that runs it."""
    pi = facts.pi
    if pi is None:
        return
    if pi.path is None:
        yield problem("pi", "Pi", pi.why_not or "there is none", _INSTALL)
    elif pi.node_problem is not None:
        yield problem("pi", "Pi", pi.node_problem, "put a newer Node first on PATH")
    else:
        yield ok("pi", "Pi", f"{pi.package or 'of unknown version'} at {pi.path}")


def capabilities(facts: Facts) -> Iterator[Row]:
    """What the extension found when it looked at each Pi that runs."""
    status = facts.status
    sessions = [each for each in status["sessions"] if each["status"]["state"] != "ended"] if status is not None else []
    if not sessions:
        yield _expected(facts)
    for session in sessions:
        about = f"Pi {session.get('pid', '?')}"
        first, *missing = [*capability_lines(session.get("capabilities", ())), *session.get("notices", ())] or [
            "its extension has not said yet"
        ]
        if missing:
            yield warning("capabilities", about, "; ".join(missing), "docs/compatibility.md says what each version of Pi can do")
        else:
            yield ok("capabilities", about, first)


def _expected(facts: Facts) -> Row:
    """No Pi runs that could be looked at, and nothing is certain before; what is known of this version is told meanwhile."""
    about, package = "What Pi can do", None if facts.pi is None else facts.pi.package
    later = "this one is looked at once it runs, mirrored"
    if package is None:
        return neutral("capabilities", about, "told once a mirrored Pi runs")
    if package in TRIED:
        return neutral("capabilities", about, f"{package} was tried, and mirrord mirrors everything of it; {later}")
    versions = ", ".join(map(_version, TRIED))
    return neutral("capabilities", about, f"{package} is none of those that were tried ({versions}); {later}")


def _version(package: str) -> str:
    return package.rpartition(" ")[2]
