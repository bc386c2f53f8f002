"""Promise: before Pi starts, a daemon is started where none will be there, never in CI, and a running one is not started twice."""

from __future__ import annotations

import pytest

from bridge.daemon_lock import read_holder
from mirrord.cli.automation import is_automated
from mirrord.cli.owner import ask_daemon
from mirrord.cli.pi_preparation import prepare
from mirrord.client import DaemonStatus
from mirrord.client.replies import IdleExit
from mirrord.daemon.idle import IDLE_EXIT_SECONDS
from mirrord.detached import spawn_detached
from mirrord.settings import Settings


@pytest.fixture(autouse=True)
def any_port(monkeypatch: pytest.MonkeyPatch) -> None:
    """`mirrord pi` takes the one port that all daemons of this machine want."""
    monkeypatch.setenv("MIRRORD_PORT", "0")
    monkeypatch.delenv("CI", raising=False)


@pytest.mark.parametrize(
    ("value", "automated"), [("1", True), ("true", True), ("woodpecker", True), ("", False), ("0", False), ("False", False)]
)
def test_ci_is_whatever_says_so(value: str, automated: bool) -> None:
    assert is_automated({"CI": value}) is automated
    assert not is_automated({})


def test_in_ci_no_daemon_is_started_and_pi_gets_the_extension_all_the_same(at_home: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    entry = at_home.paths.data_dir / "extension" / "mirrord" / "index.ts"
    assert prepare(["hello"], private=False, show_code=False) == ["-e", str(entry), "hello"]
    assert read_holder(at_home.paths.lock_file) is None


def test_the_one_that_is_started_ends_after_ten_minutes_alone(at_home: Settings) -> None:
    prepare([], private=False, show_code=False)
    status = ask_daemon("status", DaemonStatus, kind="status")
    assert status.idle_exit is not None
    assert status.idle_exit.seconds == IDLE_EXIT_SECONDS
    assert status.idle_exit.at is not None


def test_one_that_runs_is_left_alone_but_for_a_knock(at_home: Settings) -> None:
    info = spawn_detached(Settings(at_home.paths, 0, idle_exit=900))
    before = ask_daemon("status", DaemonStatus, kind="status").idle_exit
    prepare([], private=False, show_code=False)
    after = ask_daemon("status", DaemonStatus, kind="status")
    assert after.pid == info.pid
    assert isinstance(before, IdleExit)
    assert isinstance(after.idle_exit, IdleExit)
    assert after.idle_exit.seconds == 900
    assert (after.idle_exit.at or 0) > (before.at or 0)
