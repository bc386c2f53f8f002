"""Promise: rows are found by their ids alone, stand in the order of their predecessors, and are as many as fit, the newest first."""

from __future__ import annotations

import pytest

from mirrord.core.chat.changes import Added, Appended, Removed, Replaced, patches_between, seen
from mirrord.core.chat.timeline import Timeline
from mirrord.wire.chat import ChatPart, ChatPatch
from mirrord.wire.limits import CHAT_BYTES, CHAT_ROWS
from tests.core.chat.talk import row


def timeline(*ids: str, more: bool = False) -> Timeline:
    """One with these rows."""
    made = Timeline()
    made.begin(more)
    for place, id_ in enumerate(ids):
        made.put(row(id_, id_), ids[place - 1] if place else None)
    assert made.ready()
    return made


def ids(lines: Timeline) -> list[str]:
    return [each.message.id for each in lines.rows]


def test_a_page_counts_when_it_is_whole_and_replaces_everything_at_once() -> None:
    lines = timeline("a", "b")
    lines.begin(more=True)
    lines.put(row("c"), None)
    assert ids(lines) == ["a", "b"]
    assert lines.ready()
    assert (ids(lines), lines.more, lines.first) == (["c"], True, "c")
    assert not lines.ready(), "without a beginning there is no end"


def test_a_page_that_never_became_whole_changes_nothing() -> None:
    lines = timeline("a")
    lines.begin(more=False)
    lines.put(row("c"), None)
    lines.abandon()
    assert not lines.ready()
    assert ids(lines) == ["a"]
    assert lines.put(row("b"), "a") == [Added(1, row("b"))]


def test_a_row_stands_after_its_predecessor() -> None:
    lines = timeline("a", "c")
    assert lines.put(row("b"), "a") == [Added(1, row("b"))]
    assert lines.put(row("first"), None) == [Added(0, row("first"))]
    assert ids(lines) == ["first", "a", "b", "c"]


@pytest.mark.parametrize(
    ("id_", "after", "order"),
    [("a", "c", "bcad"), ("d", "a", "adbc"), ("d", None, "dabc"), ("b", "d", "acdb"), ("b", "a", "abcd"), ("a", None, "abcd")],
)
def test_a_known_row_with_another_predecessor_moves_and_stays_the_same_row(id_: str, after: str | None, order: str) -> None:
    lines = timeline("a", "b", "c", "d")
    serial = next(each.serial for each in lines.rows if each.message.id == id_)
    known = seen(lines.rows)
    lines.put(row(id_, "anew"), after)
    assert "".join(ids(lines)) == order
    assert next(each for each in lines.rows if each.message.id == id_).serial == serial
    assert patches_between(known, lines.rows)


def test_a_row_whose_predecessor_is_older_than_the_window_is_older_too() -> None:
    lines = timeline("c", "d", more=True)
    assert lines.put(row("a"), "long gone") == []
    assert lines.put(row("a"), None) == []
    assert lines.put(row("c", "anew"), "long gone") == [Replaced(0, row("c", "anew"))], "the first row keeps its place"


def test_text_is_appended_only_where_it_follows() -> None:
    lines = timeline("a")
    assert lines.append("a", 0, 1, " 🌷", None) == [Appended(0, 0, 1, " 🌷", None)]
    assert lines.append("a", 0, 4, "!", None) == [Appended(0, 0, 4, "!", None)]
    assert lines.rows[0].message.parts[0].text == "a 🌷!"
    assert lines.append("a", 0, 3, "x", None) is None, "in the middle of a character"
    assert lines.append("a", 0, 6, "x", None) is None, "past the end"
    assert lines.append("a", 1, 0, "x", None) is None, "a part that is not there"
    assert lines.append("a", 2, 0, "x", ChatPart("text")) is None, "not the next part"
    assert lines.append("a", 1, 3, "x", ChatPart("text")) is None, "a new part begins at 0"
    assert len(lines.rows[0].units) == 1
    assert lines.append("gone", 0, 0, "x", None) == []
    assert lines.append("a", 0, 2, "roses", None) == [Appended(0, 0, 2, "roses", None)], "its end was made anew"
    assert lines.append("a", 1, 0, '{"c', ChatPart("tool_call", name="bash")) is not None
    assert lines.append("a", 1, 3, "md", None) is not None
    assert [part.text or part.args for part in lines.rows[0].message.parts] == ["a roses", '{"cmd']


def test_a_temporary_id_is_confirmed_in_place() -> None:
    lines = timeline("a", "live:1", "c")
    serial = lines.rows[1].serial
    (change,) = lines.confirm("live:1", "b")
    assert isinstance(change, Replaced)
    assert (change.index, change.message.id, change.message.entry_id, change.message.live_id) == (1, "b", "b", "live:1")
    assert lines.rows[1].serial == serial
    assert lines.confirm("live:1", "b") == []


def test_a_row_that_was_told_as_an_entry_before_is_not_there_twice() -> None:
    lines = timeline("a", "live:1", "b")
    assert lines.confirm("live:1", "b") == [Removed(1)]
    assert ids(lines) == ["a", "b"]


def test_the_window_holds_the_newest_rows_and_says_that_there_are_older_ones() -> None:
    lines = timeline(*(f"e{number}" for number in range(CHAT_ROWS)))
    assert not lines.more
    assert lines.put(row("new"), f"e{CHAT_ROWS - 1}") == [Added(CHAT_ROWS, row("new")), Removed(0)]
    assert (lines.more, lines.first, len(lines.rows)) == (True, "e1", CHAT_ROWS)


def test_the_window_is_bounded_in_bytes_and_the_newest_row_always_stays() -> None:
    lines = timeline("a", "b")
    half = "x" * (CHAT_BYTES // 2)
    lines.put(row("c", half), "b")
    assert ids(lines) == ["a", "b", "c"]
    lines.put(row("d", half), "c")
    assert ids(lines) == ["d"]
    assert lines.append("d", 0, len(half), half, None) is not None
    assert ids(lines) == ["d"]
    assert lines.bytes > CHAT_BYTES


def test_new_text_that_lets_older_rows_go_names_the_place_after_that() -> None:
    lines = timeline("a", "b")
    lines.put(row("c", "x" * (CHAT_BYTES - 500)), "b")
    assert lines.append("c", 0, CHAT_BYTES - 500, "y" * 400, None) == [
        Removed(0),
        Removed(0),
        Appended(0, 0, CHAT_BYTES - 500, "y" * 400, None),
    ]


def test_a_page_that_is_too_large_is_cut_at_its_old_end() -> None:
    lines = Timeline()
    lines.begin(more=False)
    for number in range(CHAT_ROWS + 3):
        lines.put(row(f"e{number}"), None)
    lines.ready()
    assert (len(lines.rows), lines.more, lines.first) == (CHAT_ROWS, True, "e3")


def test_what_streams_when_pi_dies_is_aborted() -> None:
    lines = Timeline()
    lines.put(row("a"), None)
    lines.put(row("b", state="streaming"), "a")
    (change,) = lines.cut_off()
    assert isinstance(change, Replaced)
    assert change.message.state == "aborted"
    assert lines.cut_off() == []


def test_patches_between_two_states_name_only_what_differs() -> None:
    lines = timeline("a", "b", "c", "d")
    known = seen(lines.rows)
    assert patches_between(known, lines.rows) == ()
    lines.remove("b")
    lines.put(row("c", "anew"), "a")
    lines.put(row("e"), "d")
    assert patches_between(known, lines.rows) == (
        ChatPatch("remove", "/messages/1"),
        ChatPatch("replace", "/messages/1", row("c", "anew")),
        ChatPatch("add", "/messages/3", row("e")),
    )
