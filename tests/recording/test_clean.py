"""Promise: whatever a file says, what is shown of it is clean, and links lead where they may and say; what a daemon said stays as it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import msgspec
import pytest
from msgspec.structs import replace

from bridge.limits import CHAT_TEXT_BYTES
from mirrord.client import chat_reducer
from mirrord.client.chat_reducer import ChatView
from mirrord.intake.streaming import GrowingText
from mirrord.recording import clean
from mirrord.recording.clean import LARGEST, Cleaner
from mirrord.wire import chat, extension_ui, messages, surfaces
from mirrord.wire.surfaces import ActivityRow, Block, NativeSurface, Presentation, TextSpan
from sanitize import text
from sanitize.spans import Line, Span
from tests.cli.attached import snapshot
from tests.cli.prompts import select
from tests.client.scripted_daemon import WELCOME
from tests.recording.test_recordings import NAMES, recording

EXAMPLES = Path(__file__).resolve().parents[2] / "fixtures" / "wire" / "messages.jsonl"

DIRTY = "ab\u202ec\x1b[31md\x1b]8;;https://evil.example\x07e\x1b]8;;\x07\u200bf\x9bAg\x00\r\nh\ti"
CLEAN = "abcdefg\nh\ti"
ONE_LINE = "abcdefg h i"

ATTACKS: list[messages.ServerMessage] = [
    extension_ui.ExtensionUINotification(session_id="1-1", method="notify", message=DIRTY, source=DIRTY),
    extension_ui.ExtensionUINotification(session_id="1-1", method="setWidget", widget_key=DIRTY, widget_lines=(DIRTY, DIRTY)),
    replace(select(), title=DIRTY, message=DIRTY, options=(DIRTY,), placeholder=DIRTY, prefill=DIRTY),
    extension_ui.ExtensionUISettled(session_id="1-1", id=DIRTY, outcome="answered", winner="remote", at=1, answer=DIRTY),
    messages.SessionChanged("changed", replace(WELCOME.sessions[0], cwd=DIRTY, notices=(DIRTY,), name=DIRTY)),
    replace(snapshot(select()), title=DIRTY, statuses=(messages.StatusEntry(DIRTY, DIRTY),)),
    messages.CommandResult(request_id="r", ok=True, data={DIRTY: [DIRTY, {"a": DIRTY}]}),
    messages.Error(code="forbidden", message=DIRTY),
]


def shown(block: Block) -> extension_ui.ExtensionUINotification:
    surface = NativeSurface(1, "widget:a", "widget", Presentation("surfacePanel"), (block,))
    return extension_ui.ExtensionUINotification(session_id="1-1", method="setWidget", widget_key="a", native_surface=surface)


def block_of(block: Block) -> Block:
    cleaned = Cleaner().message(shown(block))
    assert isinstance(cleaned, extension_ui.ExtensionUINotification)
    assert cleaned.native_surface is not None
    return cleaned.native_surface.blocks[0]


def texts(value: object) -> list[str]:
    """Every text in it, keys included."""
    match value:
        case str():
            return [value]
        case dict():
            return [found for pair in value.items() for each in pair for found in texts(each)]
        case list() | tuple():
            return [found for each in value for found in texts(each)]
    return []


# ---- texts -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: type(attack).__name__)
def test_no_text_of_a_message_keeps_escapes_controls_and_changes_of_direction(attack: messages.ServerMessage) -> None:
    found = texts(msgspec.to_builtins(Cleaner().message(attack)))
    assert {ONE_LINE, CLEAN} & set(found)
    assert all(text(each).text == each for each in found)


def test_a_text_has_lines_only_where_lines_are_shown() -> None:
    cleaned = Cleaner().message(ATTACKS[0])
    assert isinstance(cleaned, extension_ui.ExtensionUINotification)
    assert (cleaned.message, cleaned.source) == (CLEAN, ONE_LINE)


def test_every_field_that_may_have_lines_is_a_field() -> None:
    for kind, names in clean._SEVERAL_LINES.items():
        assert set(names) <= set(kind.__struct_fields__), kind


def test_a_number_is_one_that_every_client_can_hold() -> None:
    settled = extension_ui.ExtensionUISettled(session_id="1-1", id="p", outcome="answered", winner="remote", at=10**400)
    assert Cleaner().message(settled) == replace(settled, at=LARGEST)
    assert Cleaner().message(replace(settled, at=-(10**400))) == replace(settled, at=-LARGEST)


# ---- links -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "link", "leads"),
    [
        ("docs", "https://apple.com/docs", "https://apple.com/docs"),
        ("https://apple.com", "https://apple.com/", "https://apple.com/"),
        ("https://apple.com", "https://evil.example/", None),
        ("docs", "javascript:alert(1)", None),
        ("docs", "data:text/html,x", None),
        ("docs", "https://apple.com@evil.example/", None),
        ("docs", "https://apple.com/\x1b[31m", None),
    ],
)
def test_a_link_leads_where_it_may_and_where_its_text_says(said: str, link: str, leads: str | None) -> None:
    span = TextSpan(said, "accent", ("bold",), link)
    assert block_of(Block("text", spans=(span,))).spans == (replace(span, link=leads),)
    assert block_of(Block("terminal", lines=((), (span,)))).lines == ((), (replace(span, link=leads),))
    row = block_of(Block("activityList", rows=(ActivityRow("r", "a", children=(ActivityRow("s", "b", detail=said, link=link),)),))).rows
    assert row is not None
    assert row[0].children[0].link == leads
    drawn = chat.ChatDrawn((Line((Span(said, "code", (), link),)),), 80)
    message = chat.ChatMessage("e1", "custom", 1, "done", drawn=drawn)
    cleaned = Cleaner().message(everything(message))
    assert isinstance(cleaned, chat.ChatEvent)
    assert cleaned.snapshot is not None
    assert cleaned.snapshot.messages == (replace(message, drawn=chat.ChatDrawn((Line((Span(said, "code", (), leads),)),), 80)),)


def test_a_link_over_several_looks_is_one_link() -> None:
    spans = (TextSpan("https://app", None, (), "https://evil.example/"), TextSpan("le.com", "accent", (), "https://evil.example/"))
    assert block_of(Block("text", spans=spans)).spans == (TextSpan("https://app"), TextSpan("le.com", "accent"))


def test_a_caret_is_within_the_line_that_is_left() -> None:
    message = chat.ChatMessage("e1", "custom", 1, "done", drawn=chat.ChatDrawn((Line((Span("a\u202eb", "primary"),), 3),), 80))
    cleaned = Cleaner().message(everything(message))
    assert isinstance(cleaned, chat.ChatEvent)
    assert cleaned.snapshot is not None
    (made,) = cleaned.snapshot.messages or ()
    assert made.drawn == chat.ChatDrawn((Line((Span("ab", "primary"),), 2),), 80)


# ---- a conversation --------------------------------------------------------------------------------------------------


def everything(*told: chat.ChatMessage) -> chat.ChatEvent:
    return chat.ChatEvent(session_id="1-1", cursor="e:1", revision=1, snapshot=chat.ChatSnapshot(messages=told))


def appended(revision: int, *appends: chat.ChatAppend) -> chat.ChatEvent:
    return chat.ChatEvent(session_id="1-1", cursor=f"e:{revision}", revision=revision, appends=appends)


def answer(said: str, id_: str = "e1") -> chat.ChatMessage:
    return chat.ChatMessage(id_, "assistant", 1, "streaming", (chat.ChatPart("text", said),))


def read(*events: chat.ChatEvent) -> list[str]:
    """What a client shows of each message in the end."""
    view, cleaner = ChatView(), Cleaner()
    for event in events:
        frame = json.loads(msgspec.json.encode(cleaner.message(event)))
        view = chat_reducer.reduce(view, frame).view
    assert view.error is None
    return [part.get("text") or part.get("args") or "" for message in view.messages for part in message["parts"]]


@pytest.mark.parametrize(
    ("said", "deltas"),
    [
        ("", ["\U0001f469", "\u200d", "\U0001f4bb", " done"]),
        ("I ", ["\u2764", "\ufe0f", " it"]),
        ("", ["\u0915", "\u094d", "\u200d", "\u0937", "."]),
        ("", ["e", "\u0301" * 3, "\u0301" * 9, "\nnext"]),
        ("", ["\u8cc7" * 300, "\u6599" * 300, "\U0001f469", "\u200d\U0001f4bb"]),
        ("", ["a\x1b[3", "1mb", "\x1b", "]0;x\x07c"]),
    ],
)
def test_a_text_that_the_daemon_let_grow_is_not_touched(said: str, deltas: list[str]) -> None:
    growing, units = GrowingText(said), len(said.encode("utf-16-le")) // 2
    cleaner = Cleaner()
    cleaner.message(everything(answer(growing.shown)))
    for revision, delta in enumerate(deltas, 2):
        grown = growing.take(units, delta)
        units += len(delta.encode("utf-16-le")) // 2
        assert grown is not None
        event = appended(revision, chat.ChatAppend(0, 0, grown.offset, grown.text))
        assert cleaner.message(event) == event


@pytest.mark.parametrize(
    ("said", "appends", "shown"),
    [
        ("a", [(1, "\u202eb"), (2, "c")], "abc"),
        ("a\x1b", [(1, "[31mb")], "a[31mb"),
        ("a", [(1, "\x1b"), (1, "[31mb"), (6, "c")], "a[31mbc"),
        ("\U0001f469", [(2, "\u200d\U0001f4bb"), (3, "abc")], "\U0001f469abc"),
        ("e", [(1, "\u0301" * 8), (9, "\u0301" * 8)], "e" + "\u0301" * 8),
        ("", [(0, "a" * CHAT_TEXT_BYTES), (CHAT_TEXT_BYTES, "b")], "a" * (CHAT_TEXT_BYTES - 3) + "…"),
    ],
)
def test_a_text_that_grows_into_something_else_is_clean_all_the_same(said: str, appends: list[tuple[int, str]], shown: str) -> None:
    told = [appended(2 + place, chat.ChatAppend(0, 0, *append)) for place, append in enumerate(appends)]
    assert read(everything(answer(said)), *told) == [shown]


def test_a_text_is_followed_through_every_change_of_its_message() -> None:
    joined = chat.ChatAppend(1, 0, 2, "\u200d\U0001f4bb")
    started = chat.ChatAppend(0, 1, 0, "b\u202ec", chat.ChatPart("tool_call", tool_call_id=DIRTY, args="{\u202e"))
    patches = (
        chat.ChatPatch("add", "/messages/0", answer("new", "e0")),
        chat.ChatPatch("replace", "/messages/1", answer("\U0001f469")),
        chat.ChatPatch("add", "/messages/2", answer("gone", "e2")),
        chat.ChatPatch("remove", "/messages/2"),
    )
    change = chat.ChatEvent(session_id="1-1", cursor="e:2", revision=2, patches=patches, appends=(joined, started))
    assert read(everything(answer("x")), change) == ["new", "bc", "\U0001f469\u200d\U0001f4bb"]
    whole = chat.ChatEvent(
        session_id="1-1", cursor="e:3", revision=3, patches=(chat.ChatPatch("replace", "/messages", (answer("\u2764"),)),)
    )
    assert read(everything(), whole, appended(4, chat.ChatAppend(0, 0, 1, "\ufe0f"))) == ["\u2764\ufe0f"]


@pytest.mark.parametrize("path", ["/messages/7", "/messages/" + "9" * 5_000, "/messages/-1", "/elsewhere"])
def test_what_fits_nowhere_is_left_to_clients(path: str) -> None:
    cleaner = Cleaner()
    cleaner.message(everything(answer("a")))
    for patch in (chat.ChatPatch("replace", path, answer("b")), chat.ChatPatch("remove", path)):
        event = chat.ChatEvent(session_id="1-1", cursor="e:2", revision=2, patches=(patch,))
        assert cleaner.message(event) == event
    stray = appended(3, chat.ChatAppend(0, 9, 0, "x\u202e"), chat.ChatAppend(-1, 0, 0, "y"), chat.ChatAppend(0, 0, 99, "z"))
    assert [append.text for append in cleaner.message(stray).appends] == ["x", "y", "z"]  # type: ignore[union-attr]


# ---- what a daemon said ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_recording_of_a_daemon_is_as_it_was(name: str) -> None:
    assert recording(name).dirty == 0


def test_an_example_of_every_message_is_as_it_was() -> None:
    decoder = msgspec.json.Decoder(messages.ServerMessage)
    tags = {kind.__struct_config__.tag for kind in get_args(messages.ServerMessage)}
    seen = set()
    for line in EXAMPLES.read_bytes().splitlines():
        raw = json.loads(line)["message"]
        if raw["type"] in tags:
            message: messages.ServerMessage = decoder.decode(json.dumps(raw))
            if isinstance(message, extension_ui.ExtensionUIRequest):
                message = replace(message, prefill=None)  # content, which goes as it is to a client that can answer
            assert Cleaner().message(message) == message
            seen.add(raw["type"])
    assert seen == tags


def test_the_surface_of_an_unknown_block_is_cleaned_too() -> None:
    made = block_of(Block("later", title=DIRTY, markdown=DIRTY, accessibility=surfaces.Accessibility(label=DIRTY)))
    assert (made.title, made.markdown, made.accessibility) == (ONE_LINE, CLEAN, surfaces.Accessibility(label=ONE_LINE))
