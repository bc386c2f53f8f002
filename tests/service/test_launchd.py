"""Promise: the agent is a property list that says how the daemon is started, ended and started again."""

from __future__ import annotations

import plistlib
from pathlib import Path

from bridge.paths import locate
from mirrord.service import launchd
from mirrord.service.launch import PLACES, Launch
from mirrord.service_manager import LAUNCHD_LABEL

FIXTURE = Path(__file__).parents[2] / "fixtures" / "service" / f"{LAUNCHD_LABEL}.plist"
ENV = {"XDG_CONFIG_HOME": "/Users/ada/<config> & more"}
LAUNCH = Launch("/Users/ada/venv/bin/python", 17673, locate(ENV, "darwin", 501, "/Users/ada"), {name: ENV.get(name) for name in PLACES})


def test_it_is_the_text_that_was_agreed_on() -> None:
    assert launchd.plist(LAUNCH) == FIXTURE.read_bytes()


def test_a_parser_reads_what_was_meant() -> None:
    agent = plistlib.loads(launchd.plist(LAUNCH))
    assert agent["Label"] == LAUNCHD_LABEL
    assert agent["ProgramArguments"] == [*LAUNCH.command]
    assert agent["EnvironmentVariables"] == ENV
    assert agent["KeepAlive"] == {"SuccessfulExit": False}
    assert agent["StandardErrorPath"] == "/Users/ada/Library/Application Support/mirrord/state/service.log"
    assert agent["Umask"] == 0o077
