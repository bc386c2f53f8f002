"""Promise: whatever is wrong with what is to be a recording, a person is told in one sentence; what is not known of one is passed over."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from mirrord.recording import format
from mirrord.recording.explain import explained
from mirrord.recording.format import LATEST, LONGEST, READ_BYTES, NotARecording, read
from mirrord.recording.recorder import Recorder
from mirrord.wire import chat, extension_ui, messages
from tests.cli.attached import snapshot
from tests.cli.commands import run
from tests.client.scripted_daemon import WELCOME
from tests.recording.test_recorder import START, frame, recorded

HEADER = format.line(format.Header(format=1, mirrord="0", protocol=1, capabilities=(), started_at=1))
GAP = '{"type": "gap", "sessionId": "s", "since": "c"}'
END = b'{"type": "end", "at": 1, "why": "stopped"}\n'


def said(message: str = GAP, at: int | str = 1) -> bytes:
    return f'{{"type": "said", "at": {at}, "message": {message}}}\n'.encode()


def header(**changed: object) -> bytes:
    return json.dumps(json.loads(HEADER) | changed).encode() + b"\n"


WRONG: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "it is empty"),
    "no JSON": (b"hello\n", "line 1 is not one of a recording"),
    "a blank line": (HEADER + b"\n" + END, "line 2 is not one of a recording"),
    "no header": (END, "it does not begin with a header"),
    "a later format": (header(format=2), "a later mirrord made it"),
    "a later protocol": (header(protocol=2), "a later mirrord made it"),
    "no format": (header(format=0), "there never was a mirrord"),
    "a beginning before there were clocks": (header(startedAt=-1), "line 1 is not one"),
    "a beginning that no calendar has": (header(startedAt=LATEST + 1), "line 1 is not one"),
    "a beginning that is no number": (header(startedAt="now"), "line 1 is not one"),
    "two recordings": (HEADER + END + HEADER, "line 3 begins another one"),
    "a line that was cut": (HEADER + said() + said()[:-10], "it was cut in the middle of line 3"),
    "a character that was cut": (HEADER + said()[:-1] + "é".encode()[:1], "it was cut in the middle of line 2"),
    "bytes that are no UTF-8": (b"\xff\xfe" + HEADER, "line 1 is not one"),
    "a text that is no UTF-8": (HEADER.replace(b'"0"', b'"\xff"'), "line 1 is not one"),
    "a message that is no UTF-8": (HEADER + said(GAP).replace(b'"c"', b'"\xff"'), "line 2 holds a message that cannot be read"),
    "half a character": (HEADER + said(GAP.replace('"c"', '"\\ud800"')), "line 2 is not one"),
    "a message without its fields": (HEADER + said('{"type": "gap"}'), "line 2 holds a message that cannot be read"),
    "a message that is none": (HEADER + said("[]"), "line 2 holds a message that cannot be read"),
    "no message": (HEADER + b'{"type": "said", "at": 1}\n', "line 2 is not one"),
    "a piece of a message": (
        HEADER + said('{"type": "chat_frame", "sessionId": "s", "event": 1, "index": 0, "count": 1, "data": "{\\"\\\\u202e\\"}"}'),
        "line 2 holds a piece of a message",
    ),
    "a time with more digits than a clock": (HEADER + said(at=10**400), "line 2 is not one"),
    "a time with more digits than a number": (HEADER + said(at="1" * 10_000), "line 2 is not one"),
    "a time after a year": (HEADER + said(at=LONGEST + 1), "line 2 is not one"),
    "a time before the start": (HEADER + said(at=-1), "line 2 is not one"),
    "a time that is none": (HEADER + said(at="1e3"), "line 2 is not one"),
    "an end with more digits than a clock": (HEADER + END.replace(b"1", b"1" + b"0" * 400), "line 2 is not one"),
    "a time that goes back": (HEADER + said(at=5) + said(at=4), "line 3 is of a time before the line above it"),
    "an end before the last message": (HEADER + said(at=5) + END, "line 3 is of a time before the line above it"),
    "brackets without an end": (HEADER + b"[" * 100_000 + b"\n", "line 2 is not one"),
    "brackets in a message": (HEADER + said("[" * 100_000), "line 2 "),
    "blocks in blocks": (
        HEADER
        + said(
            '{"type": "extension_ui_notification", "sessionId": "s", "method": "setWidget", "nativeSurface": {"version": 1, "id": "w", '
            '"source": "widget", "presentation": {"style": "surfacePanel"}, "blocks": ['
            + '{"type": "section", "blocks": [' * 60
            + "]}" * 60
            + "]}}"
        ),
        "line 2 holds a message that cannot be read",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_recording_is_refused_in_one_sentence(tmp_path: Path, name: str) -> None:
    content, why = WRONG[name]
    path = tmp_path / "r"
    path.write_bytes(content)
    with pytest.raises(NotARecording) as refused:
        read(path)
    assert str(refused.value).startswith(f"{path} cannot be read as a recording: {why}")
    assert "\n" not in str(refused.value)


def test_a_file_that_is_none_or_too_large_is_refused_without_reading_all_of_it(tmp_path: Path) -> None:
    with pytest.raises(NotARecording, match="No such file"):
        read(tmp_path / "none")
    with pytest.raises(NotARecording, match="Is a directory"):
        read(tmp_path)
    with pytest.raises(NotARecording, match=f"more than {READ_BYTES:,} bytes"):
        read(Path("/dev/zero"))
    with (tmp_path / "r").open("wb") as file:
        file.write(HEADER + b'{"type": "said", "at": 1, "message": "')
        os.truncate(file.fileno(), 1 << 30)
    with pytest.raises(NotARecording, match=f"more than {READ_BYTES:,} bytes"):
        read(tmp_path / "r")


@pytest.mark.parametrize("command", [("replay",), ("record", "--explain")])
def test_a_person_sees_the_sentence_and_no_traceback(tmp_path: Path, command: tuple[str, ...]) -> None:
    content, why = WRONG["a time with more digits than a clock"]
    (tmp_path / "r").write_bytes(content)
    done = run(tmp_path, *command, str(tmp_path / "r"))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert why in done.stderr


def test_what_is_not_known_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "r"
    path.write_bytes(HEADER + b'{"type": "note", "text": "of a later format"}\n' + said('{"type": "hologram"}') + said())
    known, gap = read(path).told
    assert known.frame.message is None
    assert gap.frame.message == messages.Gap(session_id="s", since="c")


def test_what_is_read_is_clean_and_nothing_else_is_left_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "r"
    hostile = {"type": "gap", "sessionId": "s", "since": "a\u202eb", "later": "\u202e"}
    link = '{"type": "text", "spans": [{"text": "https://apple.com", "link": "https://evil.example/"}]}'
    surface = f'{{"version": 1, "id": "w", "source": "widget", "presentation": {{"style": "surfacePanel"}}, "blocks": [{link}]}}'
    widget = f'{{"type": "extension_ui_notification", "sessionId": "s", "method": "setWidget", "nativeSurface": {surface}}}'
    path.write_bytes(HEADER + said(json.dumps(hostile)) + said(widget) + said())
    made = read(path)
    assert made.dirty == 2
    gap, shown, _ = (told.frame for told in made.told)
    assert gap.message == messages.Gap(session_id="s", since="ab")
    assert json.loads(gap.text) == {"type": "gap", "sessionId": "s", "since": "ab"}
    assert isinstance(shown.message, extension_ui.ExtensionUINotification)
    assert "evil" not in shown.text
    assert "CAREFUL: 2 messages hold what no mirrord says" in "\n".join(explained(made))


def test_a_clock_that_is_set_back_while_it_is_recorded_takes_no_time_back(tmp_path: Path) -> None:
    recorder = Recorder("1-1", START)
    content = recorder.begin(WELCOME)
    for at in (5_000, -60_000, 6_000, 10 * LONGEST):
        content += recorder.take(frame(snapshot()), START + at)
    (tmp_path / "r").write_bytes(content + recorder.end(START, "stopped"))
    made = read(tmp_path / "r")
    assert [told.at for told in made.told] == [0, 5_000, 5_000, 6_000, LONGEST]
    assert made.end == format.End(LONGEST, "stopped")


def test_a_file_that_was_cut_is_read_up_to_a_whole_line_or_refused(tmp_path: Path) -> None:
    whole = recorded(tmp_path / "r", Recorder("1-1", START), snapshot(), chat.ChatEvent(session_id="1-1", cursor="e:1", revision=1))
    content = (tmp_path / "r").read_bytes()
    ends = {place for place in range(1, len(content)) if b"\n" in content[place - 1 : place + 1]}
    for length in sorted(ends | set(range(1, len(content), 13))):
        (tmp_path / "cut").write_bytes(content[:length])
        if length in ends:
            made = read(tmp_path / "cut")
            assert made.told == whole.told[: len(made.told)]
            assert made.end in (None, whole.end)
        else:
            with pytest.raises(NotARecording, match="it was cut in the middle of line"):
                read(tmp_path / "cut")
