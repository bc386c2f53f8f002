"""Promise: a recording holds one session as clients see it, ends by itself at its size or the session's end, and can be read again."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from mirrord.client.frames import Frame, decode
from mirrord.core.chat.fragments import frames
from mirrord.recording import format
from mirrord.recording.explain import explained
from mirrord.recording.file import CannotWrite, recording_file
from mirrord.recording.format import read
from mirrord.recording.recorder import Recorder
from mirrord.recording.redact import PLACEHOLDER
from mirrord.wire import chat, messages
from tests.cli.attached import settled, snapshot
from tests.cli.prompts import select, session
from tests.client.scripted_daemon import WELCOME

START = 1_700_000_000_000
LONG = chat.ChatEvent(
    session_id="1-1",
    cursor="e:2",
    revision=2,
    snapshot=chat.ChatSnapshot(messages=(chat.ChatMessage("a", "user", 1, "done", (chat.ChatPart("text", "secret" * 20_000),)),)),
)


def frame(message: messages.ServerMessage) -> Frame:
    return decode(msgspec.json.encode(message).decode())


def recorded(path: Path, recorder: Recorder, *told: messages.ServerMessage, why: format.Why = "stopped") -> format.Recording:
    content = recorder.begin(WELCOME)
    for place, message in enumerate(told, 1):
        content += recorder.take(frame(message), START + place * 10)
    path.write_bytes(content + recorder.end(START + 1_000, why))
    return read(path)


def test_one_session_is_recorded_with_its_times_and_nothing_of_another(tmp_path: Path) -> None:
    other = session("2-2")
    elsewhere = messages.Snapshot("2-2", "e:1", other, (), (), None, messages.Working(False, 1))
    changed = messages.SessionChanged("changed", other)
    made = recorded(tmp_path / "r", Recorder("1-1", START), snapshot(select()), changed, elsewhere, settled("s", "apple"))
    assert [(each.at, type(each.frame.message).__name__) for each in made.told] == [
        (0, "Welcome"),
        (10, "Snapshot"),
        (40, "ExtensionUISettled"),
    ]
    assert made.header.pi == "1.6.0"
    assert made.header.started_at == START
    assert made.end == format.End(1_000, "stopped")


def test_an_event_in_pieces_is_recorded_whole_and_clean(tmp_path: Path) -> None:
    pieces = frames(LONG)
    assert len(pieces) > 1
    made = recorded(tmp_path / "r", Recorder("1-1", START), snapshot(), *pieces)
    event = made.told[-1].frame.message
    assert isinstance(event, chat.ChatEvent)
    assert "secret" not in made.told[-1].frame.text
    assert len(made.told) == 3


def test_pieces_that_do_not_fit_together_are_never_recorded(tmp_path: Path) -> None:
    first, second, *_ = frames(LONG)
    made = recorded(tmp_path / "r", Recorder("1-1", START, conversation=True), second, first, first, settled("s"))
    assert [type(each.frame.message).__name__ for each in made.told] == ["Welcome", "ExtensionUISettled"]


def test_how_often_a_dialog_is_drawn_anew_is_not_told(tmp_path: Path) -> None:
    def view(text: str, typing: bool = True) -> messages.ExtensionUINotification:
        return messages.ExtensionUINotification(
            session_id="1-1",
            method="setCustomView",
            request_id="p",
            overlay=False,
            typing=typing,
            widget_lines=(text,),
            cursor=f"e:{len(text)}",
        )

    made = recorded(tmp_path / "r", Recorder("1-1", START), view("s"), view("se"), view("sec"), view("sec", typing=False))
    assert [getattr(each.frame.message, "typing", None) for each in made.told[1:]] == [True, False]


def test_it_is_over_with_the_session_and_full_at_its_size(tmp_path: Path) -> None:
    living, ended = Recorder("1-1", START), Recorder("1-1", START)
    recorded(tmp_path / "r", living, snapshot())
    recorded(tmp_path / "r", ended, snapshot(), messages.SessionChanged("changed", session(state="ended")))
    assert (living.over, ended.over) == (False, True)
    small = Recorder("1-1", START, limit=1_500)
    made = recorded(tmp_path / "s", small, *[settled(f"p{number}") for number in range(100)], why="size")
    assert small.full
    assert small.size <= 1_500
    assert 1 < len(made.told) < 100
    assert made.end is not None


def test_a_message_of_a_later_daemon_is_counted_and_left_out(tmp_path: Path) -> None:
    recorder = Recorder("1-1", START)
    path = tmp_path / "r"
    later = decode('{"type": "hologram", "sessionId": "1-1", "text": "secret"}')
    path.write_bytes(recorder.begin(WELCOME) + recorder.take(later, START) + recorder.end(START, "lost"))
    made = read(path)
    assert made.end == format.End(0, "lost", unknown=1)
    assert "1 messages of types that were not known" in "\n".join(explained(made))


# ---- the file --------------------------------------------------------------------------------------------------------


def test_a_file_is_there_once_it_is_whole_and_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "bug.jsonl"
    with recording_file(path) as file:
        file.write(b"one")
        assert not path.exists()
        file.write(b" two")
    assert path.read_bytes() == b"one two"
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(CannotWrite, match="choose another"), recording_file(path):
        pass
    assert path.read_bytes() == b"one two"


def test_of_a_recording_that_failed_nothing_is_left(tmp_path: Path) -> None:
    def fail() -> None:
        with recording_file(tmp_path / "bug.jsonl") as file:
            file.write(b"one")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert list(tmp_path.iterdir()) == []


def test_the_page_about_it_shows_lines_that_are_read(tmp_path: Path) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "debugging.md").read_text()
    lines = page.partition("```json\n")[2].partition("```")[0]
    (tmp_path / "r").write_text(lines)
    made = read(tmp_path / "r")
    assert [type(each.frame.message).__name__ for each in made.told] == ["ExtensionUISettled"]
    assert made.end == format.End(2_210, "stopped")


# ---- what a person is told -------------------------------------------------------------------------------------------


def test_the_explanation_says_what_is_in_it_and_what_is_not(tmp_path: Path) -> None:
    told = (snapshot(select()), LONG, settled("s", "apple"))
    lines = "\n".join(explained(recorded(tmp_path / "r", Recorder("1-1", START), *told)))
    assert "1  chat_event" in lines
    assert "Not in it: the conversation's texts" in lines
    assert "ALSO IN IT" not in lines
    assert "CAREFUL" not in lines
    assert "ALSO IN IT" in "\n".join(explained(recorded(tmp_path / "s", Recorder("1-1", START, conversation=True), *told)))


def test_the_explanation_warns_of_a_file_that_holds_more_than_its_header_says(tmp_path: Path) -> None:
    recorded(tmp_path / "r", Recorder("1-1", START), snapshot(), LONG)
    text = (tmp_path / "r").read_text()
    assert json.dumps(PLACEHOLDER) in text
    (tmp_path / "r").write_text(text.replace(PLACEHOLDER, "secret", 3))
    assert "CAREFUL" in "\n".join(explained(read(tmp_path / "r")))
