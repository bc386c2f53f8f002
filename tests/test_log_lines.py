"""Promise: what the log writes is read back as it was meant, tracebacks included, and time is asked for as people say it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from mirrord.log_lines import entries, since
from mirrord.logs import failed, logging_to, note, warn

NOW = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)


def test_every_kind_of_line_is_read_back(tmp_path: Path) -> None:
    with logging_to(tmp_path, quiet=True):
        note("daemon: ready", pid=7, url="ws://127.0.0.1:1/v1/ws", quiet=False)
        warn("store: set aside", why='two "words" a=b\nnext', size=1.5)
        try:
            raise OSError(28, "No space left on device")
        except OSError as error:
            failed("daemon: failed", error)
        note("client: gone")
    found = list(entries((tmp_path / "daemon.log").read_text().splitlines()))
    assert [(entry.level, entry.event, entry.values) for entry in found] == [
        ("INFO", "daemon: ready", {"pid": 7, "url": "ws://127.0.0.1:1/v1/ws", "quiet": False}),
        ("WARNING", "store: set aside", {"why": 'two "words" a=b\nnext', "size": 1.5}),
        ("ERROR", "daemon: failed", {}),
        ("INFO", "client: gone", {}),
    ]
    assert found[2].trace[-1] == "OSError: [Errno 28] No space left on device"
    assert found[0].as_object()["values"]["pid"] == 7
    assert "\n".join(entry.text for entry in found) + "\n" == (tmp_path / "daemon.log").read_text()


def test_an_event_whose_beginning_was_rotated_away_is_left_out() -> None:
    assert [entry.event for entry in entries(["  File", "KeyError", "2026-05-01T12:00:00.000Z INFO x"])] == ["x"]


def test_a_followed_log_tells_an_event_as_soon_as_nothing_more_comes() -> None:
    lines = iter(["2026-05-01T12:00:00.000Z ERROR x", "trace", None, "2026-05-01T12:00:01.000Z INFO y", None])
    told = entries(lines)
    assert next(told).trace == ("trace",)
    assert next(told).event == "y"


@pytest.mark.parametrize(
    ("text", "oldest"),
    [
        ("10min", "2026-05-01T11:50:00.000Z"),
        ("2 h", "2026-05-01T10:00:00.000Z"),
        ("3d", "2026-04-28T12:00:00.000Z"),
        ("2026-05-01T12:00:00+02:00", "2026-05-01T10:00:00.000Z"),
    ],
)
def test_since_is_said_as_people_do(text: str, oldest: str) -> None:
    assert since(text, NOW) == oldest


@pytest.mark.parametrize("text", ["", "soon", "5 years", "-1h", "2026-13-01"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the caller has the words
        since(text, NOW)
