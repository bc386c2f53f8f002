"""Promise (design FIXED 7): no field reaches a recording without a rule, and what is typed leaves nothing behind, not even its length."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import msgspec
import msgspec.inspect as inspect
import pytest
from msgspec.structs import replace

from mirrord.client.frames import decode
from mirrord.recording.redact import PLACEHOLDER, redact
from mirrord.recording.rules import RULES, Rule
from mirrord.wire import chat, messages
from mirrord.wire.messages import ServerMessage
from mirrord.wire.parts import Truncation
from sanitize.spans import Line, Span

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "wire"
LINES = [json.loads(line) for file in ("messages.jsonl", "surfaces.jsonl") for line in (FIXTURES / file).read_text().splitlines()]
TOLD = {f"{place} {line['name']}": line["message"] for place, line in enumerate(LINES) if line.get("from") == "server"}


def structs_of(kind: inspect.Type, found: set[type[msgspec.Struct]]) -> set[type[msgspec.Struct]]:
    """Every struct that a message may hold."""
    if isinstance(kind, inspect.StructType):
        if kind.cls in found:
            return found
        found.add(kind.cls)
        for each in kind.fields:
            structs_of(each.type, found)
    for name in ("types", "item_types", "item_type", "key_type", "value_type", "type"):
        inner = getattr(kind, name, None)
        for each in inner if isinstance(inner, tuple) else (inner,):
            if isinstance(each, inspect.Type):
                structs_of(each, found)
    return found


def message(told: dict[str, Any]) -> ServerMessage:
    found = decode(json.dumps(told)).message
    assert found is not None
    return found


def test_every_field_of_every_struct_that_the_daemon_sends_has_a_rule_and_no_rule_is_left_over() -> None:
    structs = structs_of(inspect.type_info(ServerMessage), set())
    assert structs == set(RULES)
    assert {kind: set(RULES[kind]) for kind in structs} == {kind: set(kind.__struct_fields__) for kind in structs}
    assert {rule for rules in RULES.values() for rule in rules.values()} == set(get_args(Rule))


@pytest.mark.parametrize("conversation", [False, True])
def test_redacting_what_was_redacted_changes_nothing(conversation: bool) -> None:
    for told in TOLD.values():
        once = redact(message(told), conversation)
        assert redact(once, conversation) == once
        assert decode(msgspec.json.encode(once).decode()).message == once


def request(**fields: Any) -> messages.ExtensionUIRequest:
    return messages.ExtensionUIRequest(session_id="1-1", id="p", method="editor", title="Edit", opened_at=1, **fields)


def test_an_editors_text_leaves_nothing_behind_however_it_came() -> None:
    cut = (Truncation("prefill", 1, 2), Truncation("title", 3, 4))
    inline, pieces, none = request(prefill="plan", truncated=cut), request(prefill_parts=7, truncated=cut[1:]), request(truncated=cut[1:])
    assert redact(inline) == redact(pieces) == redact(none) == request(prefill=PLACEHOLDER, truncated=cut[1:])
    assert redact(inline, conversation=True) == redact(inline)


def handoff(**fields: Any) -> messages.ExtensionUINotification:
    return messages.ExtensionUINotification(session_id="1-1", method="set_editor_text", handoff_id="h", paste=True, **fields)


def test_a_text_that_was_handed_over_leaves_nothing_behind_however_it_came() -> None:
    assert redact(handoff(text="secret")) == redact(handoff(text_parts=3)) == handoff(text=PLACEHOLDER)


def test_what_a_dialog_draws_is_left_out_and_that_it_is_there_is_kept() -> None:
    drawn = messages.ExtensionUINotification(
        session_id="1-1", method="setCustomView", request_id="p", overlay=False, typing=True, widget_lines=("> secret",)
    )
    assert redact(drawn, conversation=True) == replace(drawn, widget_lines=None)
    widget = replace(drawn, method="setWidget", widget_key="jobs", typing=None, overlay=None)
    assert redact(widget) == widget


def row(**fields: Any) -> chat.ChatMessage:
    return chat.ChatMessage(id="a", kind="user", at=1, state="done", **fields)


def test_rows_of_a_conversation_of_any_length_are_the_same() -> None:
    short = row(parts=(chat.ChatPart("text", "x"), chat.ChatPart("tool_call", name="bash", args="{}"), chat.ChatPart("image", bytes=1)))
    long = row(
        parts=(chat.ChatPart("text", "y" * 999), chat.ChatPart("tool_call", name="bash", args="long"), chat.ChatPart("image", bytes=99)),
        truncated=(Truncation("parts.0", 1, 2),),
        drawn=chat.ChatDrawn((Line((Span("secret", "primary"),)),), 80),
        tokens_before=7,
    )
    events = [
        chat.ChatEvent(session_id="1-1", cursor="e:1", revision=1, snapshot=chat.ChatSnapshot(messages=(each,))) for each in (short, long)
    ]
    assert redact(events[0]) == redact(events[1])
    assert redact(events[1], conversation=True) == events[1]


def test_text_that_is_appended_stays_one_placeholder() -> None:
    append = chat.ChatAppend(0, 0, 12_345, "more", start=chat.ChatPart("text", "m"))
    event = chat.ChatEvent(session_id="1-1", cursor="e:1", revision=2, appends=(append,))
    kept = redact(event)
    assert isinstance(kept, chat.ChatEvent)
    assert kept.appends == (chat.ChatAppend(0, 0, 0, PLACEHOLDER, start=chat.ChatPart("text", PLACEHOLDER)),)


def test_names_of_devices_of_the_machine_and_of_folders_are_left_out_and_choices_are_kept() -> None:
    settled = messages.ExtensionUISettled(
        session_id="1-1", id="p", outcome="answered", winner="remote", at=1, winner_name="Ada's phone", answer="banana"
    )
    assert redact(settled, conversation=True) == replace(settled, winner_name=PLACEHOLDER)
    workspace = chat.ChatWorkspace("garden", "main", 12, 3)
    event = chat.ChatEvent(session_id="1-1", cursor="e:1", revision=1, snapshot=chat.ChatSnapshot(workspace=workspace))
    kept = redact(event, conversation=True)
    assert isinstance(kept, chat.ChatEvent)
    assert kept.snapshot == chat.ChatSnapshot(workspace=chat.ChatWorkspace(PLACEHOLDER, PLACEHOLDER))
    for told in TOLD.values():
        text = msgspec.json.encode(redact(message(told), conversation=True)).decode()
        assert "/home/ada" not in text
