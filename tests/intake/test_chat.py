"""Promise: what an extension tells of its conversation is clean and within bounds before the core has it, and every cut is listed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge import chat as said
from bridge.limits import CHAT_TEXT_BYTES, DRAWN_LINES
from mirrord.core.chat import events
from mirrord.core.model import LinkId, Moment
from mirrord.intake.chat import COMMANDS, PARTS, QUEUE_ITEMS, STREAMING_ROWS, VALUE_DEPTH, ChatIntake
from mirrord.wire import chat as wire
from mirrord.wire.parts import Truncation

AT = Moment(1, 1.0)
EVIL = "a\x1b[31mb\u202ec\x07\x9b"
CLEAN = "abc"
FIXTURE = Path(__file__).parents[2] / "fixtures" / "bridge" / "messages.jsonl"
EXAMPLES = [
    example["message"]
    for example in map(json.loads, FIXTURE.read_text("utf-8").splitlines())
    if example["from"] == "extension"
    and example["message"]["type"] in {kind.__struct_config__.tag for kind in said.FromExtensionChat.__args__}
]


def intake() -> ChatIntake:
    return ChatIntake(LinkId(1))


def told(taker: ChatIntake, row: said.ChatRow) -> wire.ChatMessage:
    event = taker.event(said.ChatRowTold(seq=1, row=row, after=None), AT)
    assert isinstance(event, events.RowTold)
    return event.message


def row(**fields: Any) -> said.ChatRow:
    given: dict[str, Any] = {"id": "a", "kind": "assistant", "at": 1, "state": "done"} | fields
    return said.ChatRow(**given)


def texts_of(value: Any) -> list[str]:
    """Every text in a JSON value."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for each in value.values() for text in texts_of(each)] + [text for each in value for text in texts_of(each)]
    return [text for each in value for text in texts_of(each)] if isinstance(value, list) else []


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["type"])
def test_every_text_of_every_message_is_cleaned(example: dict[str, Any]) -> None:
    keep = {"state", "stage", "type", "outcome", "steeringMode", "followUpMode", "requestId", "clientTurnId"}

    def poison(value: Any, name: str = "") -> Any:
        if isinstance(value, str):
            return value if name in keep or (name == "kind" and value in ("steer", "follow_up", "compaction")) else value + EVIL
        if isinstance(value, dict):
            return {key: poison(each, key) for key, each in value.items()}
        return [poison(each, name) for each in value] if isinstance(value, list) else value

    message = msgspec.json.decode(json.dumps(poison(example)), type=said.FromExtensionChat)
    event = intake().event(message, AT)
    assert event is not None
    for text in texts_of(msgspec.to_builtins(event)):
        assert not set(text) & set("\x1b\u202e\x07\x9b")


def test_a_row_keeps_what_it_says() -> None:
    example = next(example["row"] for example in EXAMPLES if example["type"] == "chat_row" and example["row"]["kind"] == "tool")
    shown = msgspec.to_builtins(told(intake(), msgspec.convert(example, said.ChatRow)))
    assert {name: value for name, value in shown.items() if name != "drawn"} == {
        name: tuple(value) if name in ("parts", "truncated") else value for name, value in example.items() if name != "drawn"
    }
    assert [line["spans"][0]["text"] for line in shown["drawn"]["lines"]] == ["$ cat plan.md", "north: tulips"]
    assert shown["drawn"]["lines"][0]["spans"][0]["traits"] == ("bold",)


def test_a_text_over_its_limit_is_cut_and_listed_and_the_extensions_own_cuts_keep_their_numbers() -> None:
    long = "x" * (CHAT_TEXT_BYTES + 1)
    shown = told(
        intake(), row(parts=(said.ChatPart("text", long), said.ChatPart("text", long)), truncated=(said.ChatCut("parts.1", 5, 99),))
    )
    assert len((shown.parts[0].text or "").encode()) == CHAT_TEXT_BYTES
    assert set(shown.truncated) == {Truncation("parts.0", CHAT_TEXT_BYTES, CHAT_TEXT_BYTES + 1), Truncation("parts.1", 5, 99)}


def test_more_parts_and_lines_than_anybody_shows_are_left_out_and_that_is_said() -> None:
    shown = told(intake(), row(parts=tuple(said.ChatPart("text", "x") for _ in range(PARTS + 1)), drawn=said.ChatDrawn(("x",) * 200, 80)))
    assert len(shown.parts) == PARTS
    assert shown.truncated == (Truncation("parts", PARTS, PARTS + 1),)
    assert shown.drawn is not None
    assert len(shown.drawn.lines) == DRAWN_LINES


def test_an_image_has_no_text_and_a_call_has_arguments() -> None:
    shown = told(
        intake(),
        row(parts=(said.ChatPart("image", "AAAA", mime_type="image/png", bytes=9), said.ChatPart("tool_call", args=EVIL, name="bash"))),
    )
    assert shown.parts == (wire.ChatPart("image", mime_type="image/png", bytes=9), wire.ChatPart("tool_call", args=CLEAN, name="bash"))


def test_text_that_streams_is_told_as_it_grows() -> None:
    taker = intake()
    told(taker, row(id="live:1", state="streaming", parts=(said.ChatPart("text", "Tul\x1b[1m"),)))
    event = taker.event(said.ChatDelta(seq=1, id="live:1", part=0, offset=7, text="ips"), AT)
    assert event == events.TextAppended(at=AT, link=LinkId(1), id="live:1", part=0, offset=3, text="ips")
    begun = taker.event(said.ChatDelta(seq=1, id="live:1", part=1, offset=0, text='{"c', start=said.ChatPart("tool_call", name="bash")), AT)
    assert begun == events.TextAppended(
        at=AT, link=LinkId(1), id="live:1", part=1, offset=0, text='{"c', start=wire.ChatPart("tool_call", name="bash", args="")
    )
    assert taker.event(said.ChatDelta(seq=1, id="live:1", part=1, offset=3, text="\x1b[0"), AT) is None


def test_a_row_that_was_confirmed_goes_on_under_its_new_id() -> None:
    taker = intake()
    told(taker, row(id="live:1", state="streaming", parts=(said.ChatPart("text", "a"),)))
    taker.event(said.ChatConfirm(seq=1, id="live:1", entry_id="e1"), AT)
    assert isinstance(taker.event(said.ChatDelta(seq=1, id="e1", part=0, offset=1, text="b"), AT), events.TextAppended)
    assert isinstance(taker.event(said.ChatDelta(seq=1, id="live:1", part=0, offset=1, text="b"), AT), events.ChatBroken)


@pytest.mark.parametrize(
    "delta",
    [
        said.ChatDelta(seq=1, id="gone", part=0, offset=0, text="x"),
        said.ChatDelta(seq=1, id="live:1", part=0, offset=2, text="x"),
        said.ChatDelta(seq=1, id="live:1", part=1, offset=0, text="x"),
        said.ChatDelta(seq=1, id="live:1", part=-1, offset=0, text="x"),
        said.ChatDelta(seq=1, id="live:1", part=0, offset=0, text="x", start=said.ChatPart("text")),
    ],
)
def test_a_delta_that_does_not_follow_is_said_to_be_broken(delta: said.ChatDelta) -> None:
    taker = intake()
    told(taker, row(id="live:1", state="streaming", parts=(said.ChatPart("text", "a"),)))
    assert isinstance(taker.event(delta, AT), events.ChatBroken)


def test_no_delta_follows_a_row_that_is_done_or_is_older_than_what_is_kept() -> None:
    taker = intake()
    told(taker, row(parts=(said.ChatPart("text", "a"),)))
    assert isinstance(taker.event(said.ChatDelta(seq=1, id="a", part=0, offset=1, text="b"), AT), events.ChatBroken)
    for number in range(STREAMING_ROWS + 1):
        told(taker, row(id=f"live:{number}", state="streaming", parts=(said.ChatPart("text", "a"),)))
    assert isinstance(taker.event(said.ChatDelta(seq=1, id="live:0", part=0, offset=1, text="b"), AT), events.ChatBroken)
    assert isinstance(taker.event(said.ChatDelta(seq=1, id="live:1", part=0, offset=1, text="b"), AT), events.TextAppended)


def test_the_queue_is_bounded_and_numbered() -> None:
    event = intake().event(said.ChatQueue(seq=1, items=(said.ChatQueueItem("steer", EVIL),) * (QUEUE_ITEMS + 1)), AT)
    assert isinstance(event, events.QueueTold)
    assert len(event.items) == QUEUE_ITEMS
    assert event.items[1] == wire.QueuedFollowUp("steer", 1, CLEAN)


@given(
    st.lists(
        st.tuples(st.sampled_from(["live:1", "live:2", "x"]), st.integers(-1, 3), st.integers(-1, 9), st.text(max_size=5), st.booleans())
    )
)
def test_no_delta_raises(deltas: list[tuple[str, int, int, str, bool]]) -> None:
    taker = intake()
    told(taker, row(id="live:1", state="streaming", parts=(said.ChatPart("text", "🌷"),)))
    for id_, part, offset, text, starts in deltas:
        delta = said.ChatDelta(seq=1, id=id_, part=part, offset=offset, text=text, start=said.ChatPart("text") if starts else None)
        assert isinstance(taker.event(delta, AT), events.TextAppended | events.ChatBroken | None)


def test_what_an_action_gives_back_is_clean_and_cut_where_it_is_nested_deeper_than_anybody_reads() -> None:
    deep = '{"type":"action_result","seq":1,"requestId":"r","ok":true,"data":{"a":' + "[" * 900 + "1" + "]" * 900 + "}}"
    event = intake().event(msgspec.json.decode(deep, type=said.ActionResult), AT)
    assert isinstance(event, events.ActionDone)
    assert json.dumps(event.data).count("[") == VALUE_DEPTH - 1
    event = intake().event(said.ActionResult(seq=1, request_id="r", ok=True, data={EVIL: [EVIL, 1, None, {EVIL: True}]}), AT)
    assert isinstance(event, events.ActionDone)
    assert event.data == {CLEAN: [CLEAN, 1, None, {CLEAN: True}]}


def test_a_slash_command_that_may_not_be_shown_as_it_is_named_is_left_out() -> None:
    listed = (
        said.ChatCommand("plant", f"Plants\nbeds {EVIL}", "extension"),
        said.ChatCommand(EVIL, "Could not be sent by its clean name"),
        said.ChatCommand("", "Has no name"),
        said.ChatCommand("water"),
    )
    event = intake().event(said.ActionResult(seq=1, request_id="ada/chat_commands.1", ok=True, commands=listed), AT)
    assert isinstance(event, events.ActionDone)
    assert event.commands == (wire.ChatSlashCommand("plant", f"Plants beds {CLEAN}", "extension"), wire.ChatSlashCommand("water"))
    many = tuple(said.ChatCommand(f"c{number}") for number in range(COMMANDS + 1))
    event = intake().event(said.ActionResult(seq=1, request_id="r", ok=True, commands=many), AT)
    assert isinstance(event, events.ActionDone)
    assert event.commands is not None
    assert len(event.commands) == COMMANDS
