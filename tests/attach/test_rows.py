"""Promise: a conversation is written as it grows, each line once, with no control character; what is new is told whatever way it came."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from mirrord.attach.rows import FIRST_ROWS, OUTPUT_LINES, Rows, short_args, shortened
from mirrord.client import chat_reducer
from mirrord.client.chat_reducer import ChatView
from mirrord.wire import chat as wire
from mirrord.wire.parts import Truncation
from sanitize.spans import Line, Span


def text(content: str) -> wire.ChatPart:
    return wire.ChatPart("text", content)


def thought(content: str) -> wire.ChatPart:
    return wire.ChatPart("thinking", content)


def row(id_: str, *parts: wire.ChatPart, kind: str = "assistant", state: wire.MessageState = "done", **more: Any) -> wire.ChatMessage:
    return wire.ChatMessage(id=id_, kind=kind, at=1, state=state, parts=parts, **more)


class Paper:
    """What is written of a conversation that is told event by event."""

    def __init__(self, columns: int | None = None, *, dims: bool = False, mine: tuple[str, ...] = ()) -> None:
        self.rows = Rows(lambda: columns, dims)
        self.view = chat_reducer.connect(ChatView())
        self.mine = mine
        self._revision = 0

    def says(self, *messages: wire.ChatMessage) -> list[str]:
        """All messages are these."""
        return self._event(wire.ChatSnapshot(messages=messages))

    def patch(self, op: Any, index: int, message: wire.ChatMessage) -> list[str]:
        return self._event(patches=(wire.ChatPatch(op, f"/messages/{index}", message),))

    def grows(self, index: int, offset: int, content: str, part: int = 0, start: wire.ChatPart | None = None) -> list[str]:
        return self._event(appends=(wire.ChatAppend(index, part, offset, content, start),))

    def _event(self, snapshot: wire.ChatSnapshot | None = None, **more: Any) -> list[str]:
        self._revision += 1
        said = wire.ChatEvent(session_id="1-1", cursor="e:1", revision=self._revision, snapshot=snapshot, **more)
        self.view = chat_reducer.reduce(self.view, msgspec.json.decode(msgspec.json.encode(said))).view
        assert self.view.error is None
        return list(self.rows.changed(self.view, self.mine))


def test_each_kind_of_message_is_a_few_lines() -> None:
    assert Paper(mine=("t1",)).says(
        row("1", text("Plan the beds"), kind="user"),
        row("2", text("North\nfirst"), kind="user", client_turn_id="t1"),
        row("3", thought("Which bed?"), text("I plant tulips.\nThen roses."), wire.ChatPart("tool_call", name="bash")),
        row("4", text("one\ntwo"), kind="tool", tool_name="bash", args='{"command":"cat plan.md"}', duration_ms=31),
        row("5", text("gone"), kind="bash", state="error", command="ls nowhere", exit_code=2, excluded=True),
        row("6", text("They planted."), kind="compaction", tokens_before=12_000),
        row("7", text("Came back."), kind="branch_summary"),
        row("8", text("hello"), kind="custom", custom_type="greeter"),
        row("9", kind="custom", custom_type="chart", drawn=wire.ChatDrawn((Line((Span("▇▅", "accent"),)),), 80)),
    ) == [
        "User: Plan the beds",
        "You: North",
        "    first",
        "(thinks: Which bed?)",
        "Pi: I plant tulips.",
        "    Then roses.",
        "[bash] cat plan.md: done after 31 ms",
        "    │ one",
        "    │ two",
        "[!] (kept from Pi) ls nowhere: failed with exit status 2",
        "    │ gone",
        "Compacted (there were 12,000 tokens): They planted.",
        "From another branch: Came back.",
        "[greeter] hello",
        "[chart] ▇▅",
    ]


def test_an_answer_is_written_line_by_line_as_it_grows() -> None:
    paper = Paper(columns=30)
    assert paper.says(row("live:1", state="streaming")) == []
    assert paper.grows(0, 0, "I plant ", start=text("")) == []
    assert paper.grows(0, 8, "tulips in the ") == []
    assert paper.grows(0, 22, "north ") == ["Pi: I plant tulips in the"]
    assert paper.grows(0, 28, "bed.\nThen") == ["    north bed."]
    assert paper.patch("replace", 0, row("e1", text("I plant tulips in the north bed.\nThen"), live_id="live:1")) == ["    Then"]
    assert paper.patch("replace", 0, row("e1", text("I plant tulips in the north bed.\nThen"))) == [], "it was written"


def test_a_thought_is_told_short_and_once() -> None:
    paper = Paper(dims=True)
    assert paper.says(row("live:1", thought("Which"), state="streaming")) == []
    assert paper.grows(0, 5, " bed first?\nThe north one has") == ["\x1b[2m(thinks: Which bed first? …)\x1b[22m"]
    assert paper.grows(0, 40 - 6, " sun") == []
    assert paper.patch("replace", 0, row("live:1", thought("Which bed first?\nThe north one has sun"))) == []


def test_a_tool_is_told_when_it_begins_and_when_it_ends_with_its_last_lines() -> None:
    paper = Paper()
    running = row("live:2", kind="tool", state="streaming", tool_name="bash", args='{"command":"make"}')
    assert paper.says(running) == ["[bash] make …"]
    assert paper.grows(0, 0, "a\nb\n", start=text("")) == []
    said = "\n".join(f"line {number}" for number in range(OUTPUT_LINES + 3))
    ended = row("e2", text(said), kind="tool", state="error", tool_name="bash", is_error=True, duration_ms=61_500, live_id="live:2")
    assert paper.patch("replace", 0, ended) == [
        "[bash] failed after 61.5 s",
        "    │ … (3 more)",
        *(f"    │ line {number}" for number in range(3, OUTPUT_LINES + 3)),
    ]


@pytest.mark.parametrize(
    ("state", "error", "last"), [("error", "Overloaded\nretry", "      retry"), ("aborted", None, "    ! It was stopped.")]
)
def test_an_answer_that_failed_or_was_stopped_says_so(state: wire.MessageState, error: str | None, last: str) -> None:
    assert Paper().says(row("1", text("I pl"), state=state, error=error))[-1] == last


def test_what_is_not_displayed_is_not_written() -> None:
    assert Paper().says(row("1", text("secret plan"), kind="custom", custom_type="x", display=False)) == []


def test_what_was_cut_is_said() -> None:
    cut = row("1", text("abc"), truncated=(Truncation("parts.0", 262_144, 901_120),))
    assert Paper().says(cut)[-1] == "    (parts.0: 262,144 of 901,120 bytes)"


def test_an_image_is_a_line() -> None:
    assert Paper().says(row("1", text("look"), wire.ChatPart("image", mime_type="image/png"), kind="user"))[-1] == "    (image, image/png)"


def test_of_many_messages_the_last_are_written_and_the_others_on_demand() -> None:
    paper = Paper()
    messages = [row(f"e{number}", text(f"{number}"), kind="user") for number in range(25)]
    assert paper.says(*messages) == ["(15 earlier messages; /older shows them)", *(f"User: {number}" for number in range(15, 25))]
    assert paper.rows.oldest == "e15"
    assert [each["id"] for each in paper.rows.older(paper.view)] == [f"e{number}" for number in range(15 - FIRST_ROWS, 15)]
    assert [each["id"] for each in paper.rows.older(paper.view)] == [f"e{number}" for number in range(5)]
    assert (paper.rows.older(paper.view), paper.rows.oldest) == ((), "e0")
    paper.rows.older_came([row("d9"), row("e")])
    assert paper.rows.oldest == "d9", "from there on it is asked for"


def test_a_snapshot_after_a_new_connection_writes_what_is_new_alone() -> None:
    paper = Paper()
    paper.says(row("e1", text("one"), kind="user"), row("live:1", text("I pl"), state="streaming"))
    paper.view = chat_reducer.connect(paper.view)
    paper._revision = 0
    assert paper.says(
        row("e1", text("one"), kind="user"), row("e2", text("I plant.\nNow"), live_id="live:1"), row("e3", text("more"), kind="user")
    ) == ["Pi: I plant.", "    Now", "User: more"]


def test_a_text_that_was_replaced_is_written_anew() -> None:
    paper = Paper()
    paper.says(row("live:1", text("one\ntwo\n"), state="streaming"))
    assert paper.patch("replace", 0, row("live:1", text("other\nthing"))) == ["    (it was written anew)", "    other", "    thing"]


def test_no_text_reaches_the_terminal_as_a_command() -> None:
    evil = "a\x1b]0;owned\x07b\x1b[2Jc\x9b31md\u202ee"
    lines = Paper(dims=True).says(
        row("1", text(evil), kind="user"),
        row("2", thought(evil), text(evil), state="error", error=evil),
        row("3", text(evil), kind="tool", tool_name=evil, args=evil),
        row("4", text(evil), kind="bash", command=evil),
        row("5", text(evil), kind="custom", custom_type=evil),
        row("6", kind="custom", custom_type="x", drawn=wire.ChatDrawn((Line((Span(evil, "primary"),)),), 80)),
    )
    shown = "".join(lines).replace("\x1b[2m", "").replace("\x1b[22m", "")
    assert shown.isprintable()
    assert "owned" not in shown


@pytest.mark.parametrize(
    ("args", "shown"),
    [
        ('{"command": "ls -l", "timeout": 3}', "ls -l"),
        ('{"path": "a.md"}', "a.md"),
        ('{"depth": 3}', '{"depth": 3}'),
        ("{}", ""),
        (None, ""),
        ('{"com', '{"com'),
        ("[" * 9_000, "[" * 120 + " …"),
    ],
)
def test_arguments_are_one_line(args: str | None, shown: str) -> None:
    assert short_args(args) == shown


def test_a_text_is_shortened_to_its_first_line() -> None:
    assert shortened("\n one\ntwo") == "one …"
