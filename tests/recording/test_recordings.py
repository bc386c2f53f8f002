"""Promise: recordings of the real Pi decode, hold nothing that would be left out today, and lead a client to what stood on the screen.

`tests/harness/record_sessions.py` makes them.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from mirrord.attach.surfaces import Board
from mirrord.client.chat import Conversation, read_message
from mirrord.client.frames import Frame, decode
from mirrord.recording.explain import explained
from mirrord.recording.format import Recording, read
from mirrord.recording.redact import PLACEHOLDER, redact
from mirrord.recording.replay import end_state, frames
from mirrord.wire import chat, messages

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "recordings"
NAMES = sorted(path.stem for path in FOLDER.glob("*.jsonl"))


def recording(name: str) -> Recording:
    return read(FOLDER / f"{name}.jsonl")


def conversation(made: Recording) -> Conversation:
    """What a client shows that followed it from the beginning."""
    state = end_state(made)
    assert state.session is not None
    client = Conversation(state.session.session_id)
    client.subscribe()
    for frame in frames(made):
        client.take(frame)
    return client


def test_there_are_recordings_of_each_kind() -> None:
    assert NAMES == ["conversation", "prompts", "surfaces"]


@pytest.mark.parametrize("name", NAMES)
def test_every_message_is_known_and_redacts_to_itself(name: str) -> None:
    made = recording(name)
    for frame in frames(made):
        assert frame.message is not None
        assert redact(frame.message, made.header.conversation) == frame.message
    assert "CAREFUL" not in "\n".join(explained(made))
    assert "typed freely" not in (FOLDER / f"{name}.jsonl").read_text()


@pytest.mark.parametrize("name", NAMES)
def test_who_comes_at_the_end_is_told_what_who_followed_it_knows(name: str) -> None:
    made = recording(name)
    state, along = end_state(made), Board()
    assert state.snapshot is not None
    for frame in frames(made):
        if isinstance(frame.message, messages.Snapshot):
            along.replace(frame.message)
        elif frame.message is not None:
            along.take(frame.message)
    late = Board()
    late.replace(state.snapshot)
    assert late.entries == along.entries
    event = state.conversation()
    assert event is not None
    late_chat = Conversation(event.session_id)
    late_chat.subscribe()
    told = msgspec.json.encode(event).decode()
    late_chat.take(_frame(told))
    assert late_chat.view.messages == conversation(made).view.messages
    assert late_chat.view.error is None


def _frame(text: str) -> Frame:
    return decode(text)


def test_prompts_lead_to_the_one_that_is_open() -> None:
    state = end_state(recording("prompts"))
    assert state.snapshot is not None
    assert [prompt.title for prompt in state.snapshot.prompts] == ["Still open?"]
    assert state.snapshot.session.status.state == "waiting"
    settled = [frame.message for frame in frames(recording("prompts")) if isinstance(frame.message, messages.ExtensionUISettled)]
    assert [(each.outcome, each.winner, each.answer) for each in settled] == [
        ("answered", "remote", "banana"),
        ("answered", "terminal", "Yes"),
        ("answered", "remote", None),
        ("cancelled", "remote", None),
        ("timed_out", "none", None),
    ]


def test_surfaces_lead_to_what_is_shown_last() -> None:
    state = end_state(recording("surfaces"))
    assert state.snapshot is not None
    shown = {surface.key: surface.widget_lines for surface in state.snapshot.surfaces}
    assert shown == {"jobs": ("✓ Review", "● Tests")}
    assert [(status.key, status.text) for status in state.snapshot.statuses] == [("job", "building")]
    assert state.snapshot.title == "tulips"
    assert state.snapshot.header is not None
    assert state.snapshot.strips is not None
    assert [pill.id for pill in state.snapshot.strips.above] == ["widget:jobs"]


def test_a_conversation_leads_to_its_rows() -> None:
    rows = [read_message(message) for message in conversation(recording("conversation")).view.messages]
    assert [row.kind for row in rows] == ["user", "assistant", "user", "assistant", "tool", "assistant", "bash"]
    assert {row.state for row in rows} == {"done"}
    assert rows[-1].command == "echo from the shell"


def test_without_its_texts_a_conversation_leads_to_the_same_rows() -> None:
    made = recording("conversation")
    whole = conversation(made)
    shortened = Conversation(whole.session_id)
    shortened.subscribe()
    for frame in frames(made):
        if isinstance(frame.message, chat.ChatEvent):
            shortened.take(_frame(msgspec.json.encode(redact(frame.message)).decode()))
    assert shortened.view.error is None
    before, after = ([read_message(message) for message in each.view.messages] for each in (whole, shortened))
    assert [(row.id, row.kind, row.state) for row in after] == [(row.id, row.kind, row.state) for row in before]
    assert {part.text for row in after for part in row.parts if part.type in ("text", "thinking")} == {PLACEHOLDER}
