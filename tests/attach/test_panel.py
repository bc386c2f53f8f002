"""Promise: the panel shows what extensions show now, in rows that fit the terminal, and leaves at least half of it to the stream."""

from __future__ import annotations

import os

import pytest

from mirrord.attach.panel import AT_THE_TERMINAL, SURFACE_LINES, WORKING_TEXT, panel_lines
from mirrord.attach.surfaces import Board
from mirrord.wire import messages as wire
from mirrord.wire.surfaces import Indicator, Pill
from sanitize.width import text_width
from tests.attach.test_surfaces import told, widget

SIZE = os.terminal_size((60, 60))


def board(*messages: wire.ServerMessage) -> Board:
    made = Board()
    for message in messages:
        assert made.take(message)
    return made


def panel(*messages: wire.ServerMessage, works: bool = False, size: os.terminal_size = SIZE) -> list[str]:
    return panel_lines(board(*messages), works, size)


def test_where_nothing_is_shown_there_is_no_panel() -> None:
    assert panel() == []


def test_everything_has_its_place() -> None:
    jobs, notes = Pill("widget:jobs", "widget", "jobs", "jobs", "2 run"), Pill("widget:notes", "widget", "notes", "notes")
    messages = (
        told("setFooter", widget_lines=("the footer",)),
        told("setWidget", widget_key="notes", widget_placement="belowEditor", widget_lines=("a note",)),
        widget("review"),
        wire.ExtensionUIStrips("1-1", (jobs,), (notes,)),
        told("setCustomView", request_id="p", widget_lines=("@ .",), source="snake"),
        told("setHeader", widget_lines=("the header",)),
        told("setTitle", title="notes"),
    )
    assert panel(*messages, works=True) == [
        "─" * 59,
        "notes",
        "the header",
        f"view, by snake {AT_THE_TERMINAL}",
        "  @ .",
        f"● {WORKING_TEXT}",
        "[jobs: 2 run]",
        "jobs:",
        "  review",
        "[notes]",
        "notes:",
        "  a note",
        "the footer",
    ]


@pytest.mark.parametrize(
    ("messages", "row"),
    [
        ((), "● Working…"),
        ((told("setWorkingMessage", message="Checking…"),), "● Checking…"),
        ((told("setWorkingIndicator", working_indicator=Indicator(("◐", "◓"), 100)),), "◐ Working…"),
        ((told("setWorkingIndicator", working_indicator=Indicator(())),), "Working…"),
        ((told("setWorkingVisible", working_visible=False),), None),
        ((told("setWorkingVisible", working_visible=False), told("setWorkingVisible", working_visible=True)), "● Working…"),
    ],
)
def test_the_working_row_is_there_while_the_agent_works(messages: tuple[wire.ServerMessage, ...], row: str | None) -> None:
    assert panel(*messages, works=True)[1:] == ([] if row is None else [row])
    assert panel(*messages) == []


def test_a_long_widget_leaves_room_for_others_and_says_how_much_is_hidden() -> None:
    lines = panel(widget(*map(str, range(100))), widget("other", key="b"))
    assert lines[1:] == ["jobs:", *(f"  {n}" for n in range(SURFACE_LINES - 1)), "  (93 more lines)", "b:", "  other"]


@pytest.mark.parametrize("rows", [1, 2, 8, 24, 60])
def test_half_of_the_terminal_is_the_streams(rows: int) -> None:
    lines = panel(*(widget("x", key=str(n)) for n in range(64)), size=os.terminal_size((40, rows)))
    assert len(lines) <= max(rows // 2, 2)
    assert lines[-1].endswith("more lines)")


def test_no_row_is_wider_than_the_terminal() -> None:
    lines = panel(widget("日本語" * 40, key="k" * 90), told("setTitle", title="t" * 90), works=True)
    assert lines
    assert all(text_width(line) < SIZE.columns for line in lines)
