"""Promise: one line an event, private, bounded and never in the way; what a peer wrote cannot forge a line."""

from __future__ import annotations

import logging
import re
import stat
from pathlib import Path

import pytest

from mirrord import logs
from mirrord.logs import LOG_BYTES, LOG_FILES, VALUE_CHARS, failed, logging_to, note, warn


def written(directory: Path) -> list[str]:
    """The lines of the log."""
    return (directory / "daemon.log").read_text("utf-8").splitlines()


def test_an_event_is_one_line_with_time_level_and_values(tmp_path: Path) -> None:
    with logging_to(tmp_path, quiet=True):
        note("link: up", id=7, peer=None, fast=True, terminal="4711-99")
        warn("gate: refused", reason="two words")
    first, second = written(tmp_path)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z INFO link: up id=7 fast=true terminal=4711-99", first)
    assert second.endswith('WARNING gate: refused reason="two words"')


def test_a_value_cannot_forge_a_line_or_act_on_a_terminal(tmp_path: Path) -> None:
    with logging_to(tmp_path, quiet=True):
        note("x", name="a\n2026-01-01T00:00:00.000Z ERROR forged\x1b[2J\u202e\u2028")
    (line,) = written(tmp_path)
    assert line.isascii()
    assert line.isprintable()


def test_a_value_is_cut(tmp_path: Path) -> None:
    with logging_to(tmp_path, quiet=True):
        note("x", fits="a" * VALUE_CHARS, long="b" * (VALUE_CHARS + 1))
    (line,) = written(tmp_path)
    assert line.endswith(f"fits={'a' * VALUE_CHARS} long={'b' * VALUE_CHARS}")


def test_a_bug_of_ours_comes_with_its_traceback(tmp_path: Path) -> None:
    with logging_to(tmp_path, quiet=True):
        try:
            raise RuntimeError("our own words")
        except RuntimeError as error:
            failed("daemon: failed", error)
    lines = written(tmp_path)
    assert lines[0].endswith("ERROR daemon: failed")
    assert lines[-1] == "RuntimeError: our own words"


def test_the_file_is_the_users_alone_and_no_link_is_followed(tmp_path: Path) -> None:
    with logging_to(tmp_path, quiet=True):
        note("x")
    assert stat.S_IMODE((tmp_path / "daemon.log").stat().st_mode) == 0o600
    (tmp_path / "daemon.log").unlink()
    (tmp_path / "target").write_text("")
    (tmp_path / "daemon.log").symlink_to(tmp_path / "target")
    with logging_to(tmp_path, quiet=True):
        note("x")
    assert (tmp_path / "target").read_text() == ""


def test_files_are_rotated_and_bounded_in_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "LOG_BYTES", 1000)
    with logging_to(tmp_path, quiet=True):
        for number in range(200):
            note("x", number=number, filler="y" * 50)
    files = sorted(tmp_path.iterdir())
    assert len(files) == LOG_FILES + 1
    assert all(file.stat().st_size <= 1000 for file in files)
    assert written(tmp_path)[-1].split()[3] == "number=199"
    assert LOG_BYTES * (LOG_FILES + 1) <= 4 * 1024 * 1024


def test_a_log_that_cannot_be_written_stops_nobody(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with logging_to(tmp_path / "missing", quiet=True):
        note("x")
    assert capsys.readouterr().err == ""


def test_what_the_event_loop_reports_is_in_the_log_too(tmp_path: Path) -> None:
    with logging_to(tmp_path, quiet=True):
        logging.getLogger("asyncio").error("socket.accept() out of system resource")
    (line,) = written(tmp_path)
    assert line.endswith("ERROR socket.accept() out of system resource")


def test_a_queue_that_is_full_loses_lines_instead_of_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "WAITING_LINES", 1)
    with logging_to(tmp_path, quiet=True):
        for number in range(5_000):
            note("x", number=number)
    assert 1 <= len(written(tmp_path)) <= 5_000


def test_unless_quiet_the_log_is_on_stderr_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with logging_to(tmp_path):
        note("x", n=1)
    assert capsys.readouterr().err.endswith("INFO x n=1\n")
    note("after the block")
    assert capsys.readouterr().err == ""
