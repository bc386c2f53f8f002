"""Promise: whatever is wrong is one row with the fix, what cannot apply is neutral, and a healthy machine has nothing to mend."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bridge.daemon_lock import Holder
from mirrord.config import read_config
from mirrord.doctor.checks import judge
from mirrord.doctor.checks.pi import TRIED
from mirrord.doctor.facts import (
    DaemonFound,
    ExtensionFound,
    Facts,
    Listener,
    LockFound,
    Origin,
    PiFound,
    PlaceFound,
    PortFound,
    ServiceFound,
    Surroundings,
)
from mirrord.doctor.report import as_object, has_problem, lines
from mirrord.doctor.row import Health, Row
from tests.doctor.facts import CAPABLE, ENTRY, HEALTHY, NOW, PATHS, SETTINGS, changed, config, status
from tools.compatibility import recorded


def place(name: str, kind: str = "file", mode: int = 0o600, uid: int = 1000, writable: bool = True) -> Facts:
    return replace(HEALTHY, places=(PlaceFound(name, PATHS.state_dir / "x", kind, mode, uid, writable),))


def lock(**values: Any) -> Facts:
    return replace(HEALTHY, lock=replace(LockFound(False, None, "absent", "absent"), **values), daemon=DaemonFound(None, "no daemon"))


def daemon(now: int = NOW, **values: Any) -> Facts:
    return replace(HEALTHY, daemon=DaemonFound(status(**values), None, now))


OTHER = Listener(1000, ((12, "http.server"),))
SYSTEMD = Listener(1000, ((3, "systemd"),))
UNIT = ("/u/mirrord.service",)


def idle(**values: Any) -> ServiceFound:
    """A service that is installed and does not run."""
    return replace(ServiceFound("systemd's user manager", None, UNIT, state="inactive (dead)", port=17673), **values)


def extension(listed: str | None, copied: bool = True, problem: str | None = None) -> Facts:
    return replace(HEALTHY, extension=ExtensionFound(SETTINGS, ENTRY, listed, copied, problem=problem))


def service(**values: Any) -> Facts:
    return replace(HEALTHY, service=replace(ServiceFound("systemd's user manager", None), **values))


def unused(**values: Any) -> Facts:
    """No daemon runs, and what its lock and its sockets look like then."""
    return replace(
        HEALTHY, lock=LockFound(False, None, "absent", "absent"), daemon=DaemonFound(None), port=PortFound(17673, "default", None), **values
    )


def taken(origin: Origin, listener: Listener = OTHER, **values: Any) -> Facts:
    """As `unused`, and somebody has the port."""
    return replace(unused(**values), port=PortFound(17673, origin, listener))


def awaited(by: Listener | None = SYSTEMD, **values: Any) -> Facts:
    """No daemon runs, and systemd has its sockets."""
    facts = taken("service", by or SYSTEMD, service=idle(waits=True), **values)
    return replace(facts, lock=LockFound(False, None, "answers", "answers", by))


P, W, N = Health.PROBLEM, Health.WARNING, Health.NEUTRAL
HOLDER = Holder(7, "4711", "s")

SPOILT: list[tuple[Facts, str, Health, str, str | None]] = [
    (replace(HEALTHY, pi=PiFound(None, why_not="no `pi` was found")), "pi", P, "no `pi` was found", "npm install -g"),
    (changed("pi", node_problem="Pi needs Node 22"), "pi", P, "Pi needs Node 22", "newer Node"),
    (daemon(sessions=[]), "capabilities", N, "1.6.0 was tried, and mirrord mirrors everything of it", None),
    (
        replace(daemon(sessions=[]), pi=PiFound(Path("/pi"), "pi 2.0.0")),
        "capabilities",
        N,
        "pi 2.0.0 is none of those that were tried (0.73.1",
        None,
    ),
    (replace(daemon(sessions=[]), pi=PiFound(Path("/pi"))), "capabilities", N, "told once a mirrored Pi runs", None),
    (
        daemon(sessions=[{"pid": 9, "status": {"state": "idle"}, "capabilities": ["notify"]}]),
        "capabilities",
        W,
        "not choices: choices are made at the terminal",
        "docs/compatibility.md",
    ),
    (daemon(sessions=[{"pid": 9, "status": {"state": "ended"}}]), "capabilities", N, "looked at once it runs", None),
    (extension("outdated"), "extension", P, "older mirrord", "mirrord extension install"),
    (extension("absent"), "extension", W, "only a Pi that `mirrord pi` starts", "mirrord extension install"),
    (extension(None, problem="settings.json cannot be understood (line 3)"), "extension", P, "line 3", None),
    (extension("installed", copied=False), "extension-copy", P, "which Pi is told to load", "mirrord extension install"),
    (extension("absent", copied=False), "extension-copy", N, "none yet", None),
    (changed("extension", differing=("a.ts", "b.ts", "c.ts", "d.ts")), "extension-copy", P, "(a.ts, b.ts, c.ts and others)", "/reload"),
    (changed("extension", listed="absent", differing=("a.ts",)), "extension-copy", N, "(a.ts); the next `mirrord pi` brings", None),
    (changed("extension", others=("/x in /w/.pi/settings.json",)), "extension-once", P, "elsewhere too: /x in /w/.pi", "remove"),
    (lock(), "lock", N, "no daemon runs", "mirrord serve"),
    (replace(lock(control="answers"), service=None), "lock", P, "another program accepts on", "stop that program"),
    (lock(control="answers", by=OTHER), "lock", P, "http.server (pid 12) accepts on", "stop that program"),
    (awaited(), "lock", N, "systemd has its sockets", None),
    (awaited(by=None), "lock", N, "systemd has its sockets", None),
    (awaited(), "daemon", N, "none runs", None),
    (awaited(), "service", N, "whoever connects starts it", None),
    (awaited(), "port", N, "systemd has it", None),
    (lock(held=True), "lock", P, "did not note who it is", "fuser"),
    (lock(holder=HOLDER), "lock", P, "does not hold the lock", "mirrord restart"),
    (lock(held=True, holder=HOLDER, control="refused"), "lock", P, "control.sock: nobody accepts on it", "mirrord restart"),
    (lock(held=True, holder=HOLDER, control="answers", bridge="absent"), "lock", P, "bridge.sock: it is gone", "mirrord restart"),
    (lock(held=None, holder=HOLDER, control="silent"), "lock", P, "nothing comes back", "mirrord restart"),
    (lock(), "daemon", N, "none runs", None),
    (lock(held=True, holder=HOLDER), "daemon", P, "no daemon", "mirrord restart"),
    (replace(HEALTHY, daemon=DaemonFound(None, notice="It runs inside Pi.")), "daemon", W, "It runs inside Pi.", "outside of Pi"),
    (
        replace(daemon(port=17674), port=PortFound(17673, "default", OTHER)),
        "port",
        W,
        "http.server (pid 12) has this one",
        "stop that program, then: port = 17673 in the settings",
    ),
    (
        replace(daemon(port=17674), port=PortFound(17673, "default", None)),
        "port",
        W,
        "at port 17674 instead; devices",
        "port = 17673 in the settings (mirrord config path), then mirrord restart",
    ),
    (replace(HEALTHY, port=PortFound(20_000, "chosen", None)), "port", W, "at port 17673 instead", "mirrord restart"),
    (replace(HEALTHY, port=PortFound(20_000, "service", None)), "port", W, "at port 17673 instead", "mirrord service install"),
    (daemon(port=20_000), "port", N, "at port 20000 instead, as it was told", None),
    (taken("default"), "port", N, "http.server (pid 12) listens there; `mirrord pi` takes the next", None),
    (taken("chosen"), "port", P, "http.server (pid 12) listens there", "or choose another port: mirrord config path"),
    (taken("chosen", Listener(0)), "port", P, "a program of user 0 listens there", "stop that program"),
    (taken("chosen", Listener()), "port", P, "another program listens there", "stop that program"),
    (taken("chosen", Listener(1000, ((9, "mirrord"),))), "port", P, "another daemon of mirrord has it", "mirrord config show --origin"),
    (taken("service", service=idle()), "port", P, "http.server (pid 12) listens there", "mirrord service install --port PORT"),
    (daemon(version="0.9"), "version", W, "the daemon that runs is 0.9, this is 1.0", "mirrord restart"),
    (daemon(links=[{"pid": 9, "bridgeVersion": "0.9"}]), "extension-link", W, "it is 0.9", "type /reload"),
    (daemon(links=[{"pid": 9, "refused": "Upgrade mirrord."}]), "extension-link", P, "turned away: Upgrade mirrord.", "type /reload"),
    (place("state folder", "file"), "places", P, "is a file, not a directory", "mv "),
    (place("state folder", "directory", 0o755), "places", P, "open to other users (mode 0755)", "chmod go= "),
    (place("state folder", "directory", 0o700, uid=0), "places", P, "belongs to user 0", "sudo chown -R 1000 /"),
    (place("data folder", "link"), "places", P, "is a link, not a directory", "mv "),
    (place("data folder", "directory", 0o775), "places", P, "open to other users (mode 0775)", "chmod go-w "),
    (place("runtime folder", "directory", 0o700, uid=0), "places", P, "belongs to user 0", "sudo rm -r /"),
    (place("bridge socket", "socket", uid=0), "private", P, "belongs to user 0", "sudo rm -r /"),
    (place("store", uid=0), "private", P, "belongs to user 0", "sudo chown 1000 /"),
    (place("state folder", "directory", 0o500, writable=False), "places", P, "cannot be used by you (mode 0500)", "chmod u+rwx "),
    (place("log", mode=0o000, writable=False), "private", P, "cannot be used by you (mode 0000)", "chmod u+rw "),
    (place("log", writable=False), "private", P, "though its mode allows it", "read-only: findmnt"),
    (place("control socket", "link"), "private", P, "is a link, not a socket", "mv "),
    (place("store", mode=0o644), "private", P, "mode 0644", "chmod go= "),
    (changed("store", format=None), "store", N, "none yet", None),
    (changed("store", problem="database disk image is malformed"), "store", P, "malformed", "mirrord restart"),
    (changed("store", problem="disk I/O error", blocked=True), "store", P, "cannot be opened: disk I/O error", "mend the disk"),
    (changed("store", format=5), "store", P, "newer mirrord (format 5, this one knows 4)", "upgrade"),
    (changed("store", set_aside=("/s/mirrord.db.corrupt-1",)), "store-aside", W, "mirrord.db.corrupt-1", "rm "),
    (service(), "service", N, "none is installed", "mirrord service install"),
    (service(installed=UNIT, program="/gone", program_there=False), "service", P, "starts /gone, which is not there", "service install"),
    (service(installed=UNIT, obstacle="there is no systemctl"), "service", N, "there is no systemctl", None),
    (service(installed=UNIT, state="failed (failed)", failed=True), "service", P, "failed (failed)", "mirrord service logs"),
    (service(installed=UNIT, state="active", pid=8), "service", W, "(pid 7) is not its own", "mirrord service install"),
    (service(installed=UNIT, state="inactive"), "service", W, "it did not start (pid 7)", "mirrord service install"),
    (unused(service=idle()), "service", W, "inactive (dead); it does not run", "mirrord service install"),
    (unused(service=idle(port=18_000)), "service", W, "it does not run", "mirrord service install --port 18000"),
    (changed("service", at_login=False), "service-login", W, "does not start it then", "mirrord service install"),
    (replace(HEALTHY, config=config("prot = 1")), "config", W, "did you mean port?", "mirrord config check"),
    (replace(HEALTHY, config=config("ask = 1")), "config", P, "every session stays private", "mirrord config check"),
    (replace(HEALTHY, config=config("[notify]\nmirror = false")), "config", P, "belongs above", "mirrord config check"),
    (replace(HEALTHY, config=config("mirror = false")), "config", W, "sessions stay private", "config show --origin"),
    (replace(HEALTHY, config=read_config(Path("/dev/null"), {})), "config", P, "it is no file; every session stays private", "check"),
    (changed("clock", wall=1.0), "clock", P, "before mirrord was installed", "timedatectl"),
    (daemon(now=NOW + 3_600_000), "clock", W, "set forward by 3600 s", "mirrord restart"),
    (daemon(now=NOW - 3_600_000), "clock", W, "set back by 3600 s", "mirrord restart"),
    (changed("clock", zone_known=False), "zone", W, "counts as UTC", "unset TZ"),
    (replace(HEALTHY, surroundings=Surroundings(ssh=True)), "ssh", N, "came over SSH", "ssh -L 17673:127.0.0.1:17673"),
    (replace(HEALTHY, surroundings=Surroundings(multiplexer="tmux")), "multiplexer", N, "inside tmux", None),
    (replace(HEALTHY, surroundings=Surroundings(container="Docker")), "container", N, "Docker", None),
    (replace(HEALTHY, surroundings=Surroundings(wsl=True)), "wsl", N, "http://localhost:17673/", None),
    (replace(HEALTHY, surroundings=Surroundings(root=True)), "root", N, "this is root", None),
    (changed("terminal", is_terminal=False), "terminal", N, "not started in one", None),
    (changed("terminal", name="dumb", wrappable=False), "terminal", W, "TERM=dumb", "export TERM"),
    (changed("terminal", locale_is_utf8=False, encoding="ANSI_X3.4-1968"), "terminal", W, "ANSI_X3.4-1968", "export LANG"),
    (changed("terminal", columns=30), "terminal", W, "30 columns", "wider"),
    (replace(HEALTHY, pi=None, late=("pi",)), "late", W, "could not be looked at in time", "try again"),
]


def test_on_a_healthy_machine_nothing_is_wrong() -> None:
    rows = judge(HEALTHY)
    assert {row.health for row in rows} == {Health.OK}
    assert [*lines(rows, 80, False)][-1] == "Nothing is wrong."


@pytest.mark.parametrize(
    "facts",
    [
        replace(changed("service", port=20_000), port=PortFound(20_000, "service", SYSTEMD), daemon=DaemonFound(status(port=20_000))),
        replace(changed("service", port=0), port=PortFound(0, "service", None)),
        replace(daemon(port=20_000), port=PortFound(20_000, "chosen", Listener(1000, ((7, "mirrord"),)))),
        replace(HEALTHY, daemon=DaemonFound(None, notice="It runs inside Pi.")),
        unused(service=ServiceFound("launchd", None)),
        taken("default", service=ServiceFound("launchd", None)),
        awaited(),
    ],
    ids=["a service at a port of its own", "at any port", "a port of one's own", "inside Pi", "no daemon", "another program", "awaited"],
)
def test_a_port_that_is_as_it_was_wished_is_no_warning(facts: Facts) -> None:
    assert [row for row in judge(facts) if row.id in ("port", "service", "lock") and row.health in (P, W)] == []


def test_a_service_whose_port_the_settings_do_not_have_any_more_is_told_and_no_warning() -> None:
    facts = replace(HEALTHY, config=config("port = 20000"), port=PortFound(17673, "service", SYSTEMD))
    (row,) = [row for row in judge(facts) if row.id == "port"]
    assert (row.health, row.fix) == (N, "mirrord service install")
    assert "the settings say 20000" in row.found


def test_a_copy_that_only_mirrord_pi_loads_is_made_anew_by_it_and_nobody_is_told_to_mirror_every_pi() -> None:
    found = ExtensionFound(SETTINGS, ENTRY, "absent", True, differing=("a.ts",))
    rows = [row for row in judge(replace(HEALTHY, extension=found)) if row.id == "extension-copy"]
    assert [(row.health, row.fix) for row in rows] == [(N, None)]
    assert not has_problem(judge(replace(HEALTHY, extension=found)))


@pytest.mark.parametrize(("mode", "words"), [(0o700, "yours alone"), (0o755, "others may look into the data folder")])
def test_a_data_folder_of_ones_own_making_may_be_looked_into(mode: int, words: str) -> None:
    (row,) = [row for row in judge(place("data folder", "directory", mode)) if row.id == "places"]
    assert row.health is Health.OK
    assert words in row.found


def test_the_versions_that_are_said_to_be_mirrored_whole_are_those_that_were_seen_to_be() -> None:
    whole = [
        one for one in recorded() if {*CAPABLE} <= {*one.capabilities} and not (one.notices or one.failing_calls or one.failing_prompts)
    ]
    assert tuple(f"{one.package} {one.version}" for one in whole) == TRIED


@pytest.mark.parametrize(("facts", "id_", "health", "found", "fix"), SPOILT, ids=[f"{each[1]}: {each[3][:40]}" for each in SPOILT])
def test_what_is_wrong_is_one_row_with_what_helps(facts: Facts, id_: str, health: Health, found: str, fix: str | None) -> None:
    rows = judge(facts)
    (row,) = [row for row in rows if row.id == id_ and row.health is not Health.OK]
    assert (row.health, row.fix is None) == (health, fix is None)
    assert found in row.found
    assert fix is None or (row.fix is not None and fix in row.fix)
    assert not row.found.endswith(".") or row.found.endswith("Upgrade mirrord.") or row.found.endswith("inside Pi.")
    assert has_problem(rows) is any(each.health is P for each in rows)


@pytest.mark.parametrize(
    "part", ["pi", "extension", "places", "lock", "daemon", "port", "clock", "store", "service", "surroundings", "terminal"]
)
def test_what_could_not_be_looked_at_says_so_and_spoils_nothing_else(part: str) -> None:
    missing: dict[str, Any] = {part: None}
    rows = judge(replace(HEALTHY, **missing, late=(part,)))
    assert [row.about for row in rows if row.id == "late"] == [part]
    assert not has_problem(rows)


def test_every_check_that_can_fail_is_in_the_table() -> None:
    assert {row.id for row in judge(HEALTHY)} - {"clock"} <= {each[1] for each in SPOILT}


@pytest.mark.parametrize("columns", [20, 60, 80, 200])
@pytest.mark.parametrize("facts", [HEALTHY, *(each[0] for each in SPOILT[::7])])
def test_lines_fit_the_terminal_and_nothing_in_them_acts_on_it(facts: Facts, columns: int) -> None:
    shown = [*lines(judge(facts), columns, False)]
    assert all(line.isprintable() for line in shown)
    # A path or a command has no place to break.
    assert all(len(line) <= max(columns, 40) or " " not in line.strip() for line in shown)


def test_hostile_texts_are_cleaned() -> None:
    evil = "\x1b[2Ja\x9bb\u202e"
    facts = daemon(links=[{"pid": 9, "refused": evil}], version=evil)
    facts = replace(facts, pi=PiFound(Path(f"/{evil}"), evil), extension=ExtensionFound(Path(evil), Path(evil), None, False, problem=evil))
    for each in (facts, replace(facts, daemon=DaemonFound(None, evil)), replace(facts, daemon=DaemonFound(None, notice=evil))):
        assert all(line.isprintable() for line in lines(judge(each), 80, False))


def test_colours_are_added_to_the_same_words_and_programs_get_data() -> None:
    rows = [Row("a", "About", P, "it broke", "mend it"), Row("b", "Other", N, "cannot apply")]
    plain, coloured = "\n".join(lines(rows, 80, False)), "\n".join(lines(rows, 80, True))
    assert "\x1b[31mPROBLEM\x1b[0m" in coloured
    assert coloured.replace("\x1b[31m", "").replace("\x1b[2m", "").replace("\x1b[0m", "") == plain
    assert plain.splitlines() == [
        "PROBLEM  About: it broke",
        "         → mend it",
        "-        Other: cannot apply",
        "",
        "1 problem; each with what helps.",
    ]
    assert as_object(rows) == {
        "ok": False,
        "rows": [
            {"id": "a", "about": "About", "status": "problem", "found": "it broke", "fix": "mend it"},
            {"id": "b", "about": "Other", "status": "neutral", "found": "cannot apply", "fix": None},
        ],
    }
