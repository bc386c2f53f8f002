"""Promise: what extensions show is told whole when it comes and in a short line when it changes; what was replaced unseen is never told."""

from __future__ import annotations

from typing import Any

import pytest

from mirrord.attach.surfaces import TYPING_SENTENCE, Board
from mirrord.wire import messages as wire
from mirrord.wire.surfaces import Block, CustomView, Indicator, NativeSurface, Pill, Presentation, Strips, Surface, TextSpan, WorkingRow
from tests.cli.attached import snapshot
from tests.cli.prompts import session


def told(method: wire.NotificationMethod, **fields: Any) -> wire.ExtensionUINotification:
    return wire.ExtensionUINotification(session_id="1-1", method=method, **fields)


def widget(*lines: str, key: str = "jobs", **fields: Any) -> wire.ExtensionUINotification:
    return told("setWidget", widget_key=key, widget_lines=lines, widget_placement="aboveEditor", **fields)


def native(*lines: str, title: str = "Jobs") -> NativeSurface:
    block = Block("terminal", lines=tuple((TextSpan(line),) for line in lines))
    return NativeSurface(1, "widget:jobs", "widget", Presentation("surfacePanel", title), (block,))


def changes(board: Board, *messages: wire.ServerMessage) -> list[str]:
    for message in messages:
        assert board.take(message)
    return list(board.changes())


CLEAR_WIDGET = told("setWidget", widget_key="jobs", widget_placement="aboveEditor")


@pytest.mark.parametrize(
    ("set_", "lines", "clear", "cleared"),
    [
        (told("setTitle", title="notes"), ["- title: notes"], told("setTitle"), "- title: (cleared)"),
        (
            told("setStatus", status_key="job", status_text="building"),
            ["- job: building"],
            told("setStatus", status_key="job"),
            "- job: (cleared)",
        ),
        (widget("one", "two"), ["- jobs:", "  one", "  two"], CLEAR_WIDGET, "- jobs (cleared)"),
        (
            widget("drawn", native_surface=native("one"), source="plan"),
            ["- Jobs, by plan:", "  one"],
            CLEAR_WIDGET,
            "- Jobs (cleared)",
        ),
        (
            widget("drawn", native_surface=native("one", title="What runs"), source="jobs"),
            ["- jobs (What runs):", "  one"],
            CLEAR_WIDGET,
            "- jobs (What runs) (cleared)",
        ),
        (told("setHeader", widget_lines=("h",)), ["- header:", "  h"], told("setHeader"), "- header (cleared)"),
        (told("setFooter", widget_lines=("f",)), ["- footer:", "  f"], told("setFooter"), "- footer (cleared)"),
        (
            told("setCustomView", request_id="p", overlay=False, typing=False, widget_lines=("@ .",), source="snake"),
            ["- view, by snake:", "  @ ."],
            told("setCustomView", request_id="p"),
            "- view (cleared)",
        ),
        (
            told("setCustomView", request_id="p", typing=True),
            ["- view:", f"  {TYPING_SENTENCE}"],
            told("setCustomView", request_id="p"),
            "- view (cleared)",
        ),
        (
            told("setWorkingMessage", message="Checking…"),
            ["- working row: Checking…"],
            told("setWorkingMessage"),
            "- working row: (cleared)",
        ),
        (
            wire.ExtensionUIStrips(
                "1-1", (Pill("widget:jobs", "widget", "jobs", "Jobs", "2 run"), Pill("status:a", "status", "a", "x")), ()
            ),
            ["- pills above: [Jobs: 2 run] [x]"],
            wire.ExtensionUIStrips("1-1", (), ()),
            "- pills above: (empty)",
        ),
    ],
    ids=lambda value: getattr(value, "method", None),
)
def test_it_is_told_when_it_comes_and_when_it_goes(
    set_: wire.ServerMessage, lines: list[str], clear: wire.ServerMessage, cleared: str
) -> None:
    board = Board()
    assert changes(board, set_) == lines
    assert changes(board, set_) == [], "the same again is no change"
    assert changes(board, clear) == [cleared]
    assert changes(board, clear) == []


def test_a_change_is_one_short_line() -> None:
    board = Board()
    changes(board, widget("Jobs", "review runs", "tests wait", "docs wait"))
    assert changes(board, widget("Jobs", "review done", "tests wait", "docs wait")) == ["- jobs: review done"]
    assert changes(board, widget("Jobs", "review done", "tests run", "docs run")) == ["- jobs: tests run (1 more line changed)"]
    assert changes(board, widget("Jobs")) == ["- jobs: (3 lines changed)"], "lines that are gone are counted"


def test_a_pill_that_says_something_else_is_not_told_again() -> None:
    board = Board()
    changes(board, wire.ExtensionUIStrips("1-1", (Pill("status:a", "status", "a", "one"),), ()))
    assert changes(board, wire.ExtensionUIStrips("1-1", (Pill("status:a", "status", "a", "two"),), ())) == []
    assert list(board.everything()) == ["- pills above: [two]"]


def test_of_what_came_while_nobody_looked_only_the_last_is_told() -> None:
    board = Board()
    flood = [widget(f"step {n}") for n in range(1000)]
    assert changes(board, *flood) == ["- jobs:", "  step 999"]
    assert changes(board, *flood, CLEAR_WIDGET) == ["- jobs (cleared)"]
    assert changes(board, *flood, CLEAR_WIDGET) == [], "it came and went unseen"


def test_a_snapshot_is_all_there_is() -> None:
    board = Board()
    changes(board, widget("gone", key="old"))
    board.replace(
        wire.Snapshot(
            session_id="1-1",
            cursor="e:1",
            session=session(),
            prompts=(),
            statuses=(wire.StatusEntry("job", "building"),),
            title="notes",
            working=wire.Working(False, 1),
            surfaces=(Surface("jobs", "belowEditor", ("one",)),),
            header=Surface("header", "aboveEditor", ("top",)),
            footer=Surface("footer", "belowEditor", ("bottom",)),
            views=(CustomView("p", False, False, ("board",)), CustomView("q", False, True)),
            strips=Strips(below=(Pill("widget:jobs", "widget", "jobs", "jobs"),)),
            working_row=WorkingRow(True, "Checking…", Indicator(("◐",))),
        )
    )
    everything = list(board.changes())
    assert everything == [
        "- title: notes",
        "- job: building",
        "- working row: Checking…",
        "- pills below: [jobs]",
        "- header:",
        "  top",
        "- footer:",
        "  bottom",
        "- jobs:",
        "  one",
        "- view:",
        "  board",
        "- view:",
        f"  {TYPING_SENTENCE}",
    ]
    assert list(board.everything()) == everything


@pytest.mark.parametrize(
    "message",
    [told("notify", message="x"), told("set_editor_text", text="x"), told("setToolsExpanded"), told("setHiddenThinkingLabel"), snapshot()],
    ids=lambda message: getattr(message, "method", "snapshot"),
)
def test_what_is_said_once_is_not_kept(message: wire.ServerMessage) -> None:
    board = Board()
    assert not board.take(message)
    assert list(board.changes()) == []
