"""Promise: the newest frames are kept, within bounds, as ASCII; of what is typed here nothing is kept; a held list stays as it is."""

from __future__ import annotations

import json

import pytest

from mirrord.tui import protocol_log
from mirrord.tui.protocol_log import HIDDEN, LOG_FRAMES, ProtocolLog

SECRET = "hunter2 \N{SNOWMAN}"


@pytest.mark.parametrize(
    "message",
    [
        {"type": "extension_ui_response", "id": "p", "responseId": "r", "value": SECRET},
        {"type": "extension_ui_response", "id": "p", "responseId": "r", "answers": {"q": SECRET}},
        {"type": "content_part", "responseId": "r", "part": 0, "parts": 2, "text": SECRET},
        {"type": "chat_action", "sessionId": "1-1", "clientTurnId": "t", "action": "submit", "text": SECRET},
        {"type": "command", "requestId": "1", "name": "compact", "args": {"sessionId": "1-1", "instructions": SECRET}},
    ],
)
def test_what_is_typed_here_is_not_kept(message: dict[str, object]) -> None:
    log = ProtocolLog()
    log.put("out", json.dumps(message), 1)
    (kept,) = log.shown()
    assert "hunter2" not in kept.text
    assert HIDDEN in kept.text
    assert json.loads(kept.text).keys() == message.keys()


def test_what_comes_is_kept_as_it_came_in_ascii() -> None:
    log = ProtocolLog()
    message = {"type": "extension_ui_notification", "method": "notify", "message": SECRET, "later": {"field": 1}}
    log.put("in", json.dumps(message, ensure_ascii=False), 7)
    (kept,) = log.shown()
    assert json.loads(kept.text) == message
    assert kept.text.isascii()
    assert (kept.at, kept.direction, kept.kind, kept.what) == (7, "in", "extension_ui_notification", "notify")


def test_a_type_cannot_write_control_characters() -> None:
    log = ProtocolLog()
    log.put("in", json.dumps({"type": "a\x1b[31m", "id": "b\x07"}), 1)
    log.put("in", "[1, 2]", 1)
    first, second = log.shown()
    assert (first.kind, first.what) == ("a\\u001b[31m", "b\\u0007")
    assert second.kind == "(no message)"


def test_frames_that_hold_the_text_are_shown_in_any_case() -> None:
    log = ProtocolLog(wanted="SNAP")
    for kind in ("snapshot", "session", "snap"):
        log.put("in", json.dumps({"type": kind}), 1)
    assert [frame.kind for frame in log.shown()] == ["snapshot", "snap"]
    log.wanted = "out "
    assert list(log.shown()) == []


def test_the_newest_are_kept_by_number_and_by_size(monkeypatch: pytest.MonkeyPatch) -> None:
    log = ProtocolLog()
    for number in range(LOG_FRAMES + 5):
        log.put("in", json.dumps({"type": "gap", "id": str(number)}), 1)
    assert [frame.what for frame in log.shown()][:1] == ["5"]
    assert log.total == LOG_FRAMES + 5
    monkeypatch.setattr(protocol_log, "LOG_CHARACTERS", 1_000)
    log.put("in", json.dumps({"type": "gap", "id": "last", "text": "x" * 2_000}), 1)
    assert [frame.what for frame in log.shown()] == ["last"]


def test_a_held_list_gets_nothing_new_and_everything_afterwards() -> None:
    log = ProtocolLog()
    log.put("in", '{"type": "one"}', 1)
    log.pause(True)
    log.put("in", '{"type": "two"}', 1)
    assert [frame.kind for frame in log.shown()] == ["one"]
    log.pause(False)
    assert [frame.kind for frame in log.shown()] == ["one", "two"]


def test_a_long_frame_is_laid_out_in_part_and_says_so() -> None:
    log = ProtocolLog()
    log.put("in", json.dumps({"type": "snapshot", "lines": ["x" * 100] * 1_000}), 1)
    (frame,) = log.shown()
    assert len(frame.laid_out()) < 70_000
    assert "characters more; y copies all of it" in frame.laid_out()
