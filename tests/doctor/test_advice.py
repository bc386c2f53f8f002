"""Promise: what is advised, done as it is written, mends what was found, and loses nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from shutil import which
from typing import Any

import anyio
import pytest

from bridge.paths import Paths
from mirrord.clock import SystemClock
from mirrord.doctor.checks import judge
from mirrord.doctor.facts import Facts
from mirrord.doctor.gather import machine, store
from mirrord.doctor.row import Health, Row
from mirrord.settings import Settings
from mirrord.store import open_store
from mirrord.wire.roles import Role
from tests.cli.commands import MIRRORD, PATIENCE, environment, run
from tests.cli.daemons import daemon, stop
from tests.service import user_manager as managers

NOBODY = 64_242
WHY_NO_MANAGER = managers.obstacle()


def found(paths: Paths) -> list[Row]:
    """What is wrong with our places and the store in them."""
    facts = Facts(paths, "1.0", os.getuid(), places=machine.places(paths), store=store.look(paths.state_dir))
    return [row for row in judge(facts) if row.health in (Health.PROBLEM, Health.WARNING)]


def do(row: Row) -> None:
    assert row.fix is not None
    # Root needs no sudo, and not every machine has one.
    subprocess.run(["sh", "-c", row.fix.removeprefix("sudo ")], check=True, timeout=PATIENCE)


@pytest.fixture
def places(own_settings: Settings) -> Paths:
    """Folders, a store with a device in it, and a log, in a place whose name a shell would read otherwise."""
    state = own_settings.paths.state_dir.parent / "it's $HOME" / "mirrord"
    state.mkdir(mode=0o700, parents=True)
    opened = open_store(state, SystemClock())
    try:
        anyio.run(opened.mint, "phone", Role.CONTROLLER)
    finally:
        opened.close()
    (state / "daemon.log").touch(0o600)
    paths = replace(own_settings.paths, state_dir=state)
    paths.runtime_dir.mkdir(mode=0o700)
    return paths


def devices(paths: Paths) -> list[str]:
    opened = open_store(paths.state_dir, SystemClock())
    try:
        return [device.name for device in opened.devices]
    finally:
        opened.close()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("names", [(".",), ("mirrord.db",), ("daemon.log",), (".", "mirrord.db", "daemon.log")])
def test_what_belongs_to_somebody_else_is_taken_back_with_what_is_in_it(places: Paths, names: tuple[str, ...]) -> None:
    for name in names:
        os.chown(places.state_dir / name, NOBODY, NOBODY)
    rows = found(places)
    assert len(rows) == len(names)
    assert all("belongs to user 64242" in row.found for row in rows)
    for row in rows:
        do(row)
    assert found(places) == []
    assert devices(places) == ["phone"]


@pytest.mark.parametrize(
    ("name", "mode"), [(".", 0o755), (".", 0o500), ("mirrord.db", 0o666), ("mirrord.db", 0o000), ("daemon.log", 0o200)]
)
def test_a_mode_that_is_not_ours_is_set_right(places: Paths, name: str, mode: int) -> None:
    (places.state_dir / name).chmod(mode)
    for row in found(places):
        do(row)
    assert found(places) == []
    assert devices(places) == ["phone"]


@pytest.mark.skipif(os.getuid() == 0 and which("setpriv") is None, reason="root may open whatever it likes")
def test_a_store_that_may_not_be_opened_is_made_ours_and_not_set_aside(own_settings: Settings) -> None:
    root, state = own_settings.paths.runtime_dir.parent.parent, own_settings.paths.state_dir
    state.mkdir(mode=0o700)
    open_store(state, SystemClock()).close()
    (state / "mirrord.db").chmod(0o000)
    # Without its capabilities, root is held to modes as well.
    words = ("setpriv", "--bounding-set=-all", "--inh-caps=-all") if os.getuid() == 0 else ()
    told = doctor(words, environment(root))
    row = told["store"]
    assert row["status"] == "problem"
    assert "cannot be opened" in row["found"]
    subprocess.run(["sh", "-c", row["fix"]], check=True, timeout=PATIENCE)
    assert doctor(words, environment(root))["store"]["status"] == "ok"


def test_a_daemon_whose_socket_is_gone_is_replaced_by_one_that_answers(own_settings: Settings) -> None:
    root = own_settings.paths.runtime_dir.parent.parent
    with daemon(root) as process:
        try:
            (root / "mirrord" / "control.sock").unlink()
            row = doctor((), environment(root))["lock"]
            assert (row["status"], row["fix"]) == ("problem", "mirrord restart")
            assert "it is gone" in row["found"]
            done = run(root, "restart", env={"MIRRORD_PORT": "0"})
            assert done.returncode == 0, done.stderr
            assert process.wait(PATIENCE) == 0
            assert doctor((), environment(root))["lock"]["status"] == "ok"
        finally:
            stop(root)


def doctor(words: tuple[str, ...], env: Mapping[str, str]) -> dict[str, Any]:
    """The rows, by their ids."""
    done = subprocess.run([*words, *MIRRORD, "doctor", "--json"], env=env, capture_output=True, text=True, timeout=PATIENCE, check=False)
    return {row["id"]: row for row in json.loads(done.stdout)["rows"]}


@pytest.mark.soak
@pytest.mark.timeout(120)
@pytest.mark.skipif(WHY_NO_MANAGER is not None, reason=f"NOT PROVEN HERE, the advice under a real user manager: {WHY_NO_MANAGER}")
def test_a_service_that_does_not_run_as_it_should_is_told_and_mended_at_the_port_that_it_has() -> None:
    with managers.user_manager() as manager:

        def rows() -> dict[str, Any]:
            listed = json.loads(manager.mirrord("doctor", "--json").stdout)["rows"]
            return {row["id"]: row for row in listed if row["id"] in ("lock", "daemon", "port", "service", "service-login")}

        def health() -> dict[str, str]:
            return {id_: row["status"] for id_, row in rows().items()}

        def mend(id_: str) -> None:
            program, *words = rows()[id_]["fix"].split()
            assert program == "mirrord"
            done = manager.mirrord(*words)
            assert done.returncode == 0, done.stderr
            assert health() == well

        well = dict.fromkeys(("lock", "daemon", "port", "service"), "ok")
        assert manager.mirrord("service", "install", "--port", "18674").returncode == 0
        assert health() == well

        manager.systemctl("stop", "mirrord.service")
        assert health() == dict.fromkeys(well, "neutral")
        assert manager.systemctl("is-active", "mirrord.service") == "inactive"

        manager.systemctl("stop", "mirrord.socket")
        assert health() == {"lock": "neutral", "daemon": "neutral", "port": "ok", "service": "warning"}
        mend("service")

        manager.systemctl("disable", "mirrord.socket", "mirrord.service")
        assert health() == {**well, "service-login": "warning"}
        mend("service-login")

        manager.systemctl("stop", "mirrord.socket", "mirrord.service")
        with subprocess.Popen(manager.command(sys.executable, "-P", "-m", "mirrord", "serve", "--port", "18675")) as other:
            deadline = time.monotonic() + PATIENCE
            while manager.mirrord("status").returncode != 0:
                assert other.poll() is None
                assert time.monotonic() < deadline
            assert health()["service"] == "warning"
            mend("service")
        assert rows()["port"]["about"] == "Port 18674"
