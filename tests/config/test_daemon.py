"""Promise: a daemon runs as configured; a reload changes what may change while it runs, and tells of the rest."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bridge.paths import Paths, locate
from mirrord.config import daemon_settings, read_config, reload
from mirrord.settings import DEFAULT_PORT, SPARE_PORTS, Settings


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    made = locate({"XDG_CONFIG_HOME": str(tmp_path)}, "linux", os.getuid(), str(tmp_path))
    made.config_file.parent.mkdir()
    return made


def started(paths: Paths, text: str, env: dict[str, str] | None = None, **flags: float | str) -> Settings:
    paths.config_file.write_text(text)
    return daemon_settings(paths, read_config(paths.config_file, env or {}, flags), deserted_after=600.0, spare=True)


def test_the_settings_of_a_daemon_that_nobody_configured(paths: Paths) -> None:
    assert started(paths, "") == Settings(paths, DEFAULT_PORT, idle_exit=600.0, spare_ports=SPARE_PORTS)


def test_every_setting_of_the_daemon_reaches_it(paths: Paths) -> None:
    text = """
port = 1
idle_exit = 2
log_level = "warning"
retention_days = 3
retention_bytes = "4 MiB"
notify.command = ["a", "b"]
notify.titles = true
push.contact = "mailto:ada@example.org"
"""
    assert started(paths, text) == Settings(
        paths,
        1,
        idle_exit=2.0,
        log_level="warning",
        retention_days=3,
        retention_bytes=4 * 1024**2,
        notify_command=("a", "b"),
        notify_titles=True,
        push_contact="mailto:ada@example.org",
    )


def test_a_port_that_somebody_chose_is_taken_or_nothing(paths: Paths) -> None:
    assert started(paths, f"port = {DEFAULT_PORT}\n").spare_ports == 0
    assert started(paths, "port = 65535\n").port == 65_535


def test_no_seconds_of_loneliness_are_never(paths: Paths) -> None:
    assert started(paths, "idle_exit = 0\n").idle_exit is None
    assert started(paths, "", idle_exit=0.0).idle_exit is None


def test_a_reload_changes_what_may_change_and_tells_of_the_rest(paths: Paths) -> None:
    before = started(paths, 'log_level = "info"\nport = 1\n')
    paths.config_file.write_text('log_level = "error"\nport = 2\n[notify]\ncommand = ["x"]\n')
    found = reload(before, {})
    assert (found.changed, found.waiting, found.problems) == (("log_level", "notify.command"), ("port",), ())
    assert (found.settings.log_level, found.settings.notify_command, found.settings.port) == ("error", ("x",), 1)
    assert reload(found.settings, {}).changed == ()


def test_a_reload_leaves_alone_what_a_flag_decided(paths: Paths) -> None:
    before = started(paths, "", log_level="warning", port=5)
    paths.config_file.write_text('log_level = "error"\nport = 7\n')
    found = reload(before, {"MIRRORD_LOG_LEVEL": "info"})
    assert (found.changed, found.waiting) == ((), ())
    assert found.settings == before


def test_a_reload_of_a_broken_file_changes_nothing_and_says_why(paths: Paths) -> None:
    before = started(paths, 'log_level = "error"\n')
    paths.config_file.write_text("log_level = \n")
    found = reload(before, {})
    assert (found.settings, found.changed, found.waiting) == (before, (), ())
    assert "cannot be used" in found.problems[0].sentence


def test_what_is_wrong_goes_with_the_settings_until_it_is_mended(paths: Paths) -> None:
    before = started(paths, "prot = 1\n")
    assert [complaint.rpartition("/")[2] for complaint in before.complaints] == ["config.toml:1: prot is no setting; did you mean port?"]
    paths.config_file.write_text("")
    assert reload(before, {}).settings.complaints == ()
