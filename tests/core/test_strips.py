"""Promise: pills are those of the contract's rules, in the order things were set, each in its strip."""

from __future__ import annotations

import pytest

from mirrord.core.strips import Widget, strips
from mirrord.wire.messages import StatusEntry
from mirrord.wire.surfaces import Pill, Strips


def widget(key: str, heading: str | None = None, *, below: bool = False, line: str = "line", source: str | None = None) -> Widget:
    return Widget(key, "belowEditor" if below else "aboveEditor", heading, line, source)


def shown(made: Strips) -> tuple[list[tuple[str, str, str | None]], list[tuple[str, str, str | None]]]:
    """Of each strip: id, label and attached status of each pill."""
    above, below = ([(pill.id, pill.label, pill.status) for pill in pills] for pills in (made.above, made.below))
    return above, below


@pytest.mark.parametrize(
    ("widgets", "statuses", "above", "below"),
    [
        pytest.param([], [], [], [], id="empty strips"),
        pytest.param([widget("jobs", "Jobs · 2")], [], [("widget:jobs", "Jobs · 2", None)], [], id="the author's heading"),
        pytest.param([widget("jobs")], [], [("widget:jobs", "jobs", None)], [], id="the key without a heading"),
        pytest.param([widget("", line="● Review")], [], [("widget:", "● Review", None)], [], id="the first line without a key"),
        pytest.param(
            [widget("jobs", "Jobs")],
            [StatusEntry("jobs", "2 of 3")],
            [("widget:jobs", "Jobs", "2 of 3")],
            [],
            id="a status with the widget's key is attached",
        ),
        pytest.param(
            [widget("jobs")], [StatusEntry("jobs", "2 of 3")], [("widget:jobs", "2 of 3", None)], [], id="and is the label before the key"
        ),
        pytest.param(
            [widget("jobs"), widget("fleet", below=True)],
            [StatusEntry("fleet", "2 sessions"), StatusEntry("git", "main")],
            [("widget:jobs", "jobs", None), ("status:git", "main", None)],
            [("widget:fleet", "2 sessions", None)],
            id="placements stay apart, a status alone is above",
        ),
        pytest.param(
            [widget("jobs", "Jobs", source="planner")],
            [StatusEntry("progress", "40 %", "planner")],
            [("widget:jobs", "Jobs", "40 %")],
            [],
            id="the one status of an extension with one widget is attached",
        ),
        pytest.param(
            [widget("jobs", "Jobs", source="planner")],
            [StatusEntry("progress", "40 %", "planner"), StatusEntry("eta", "noon", "planner")],
            [("widget:jobs", "Jobs", None), ("status:progress", "40 %", None), ("status:eta", "noon", None)],
            [],
            id="of two statuses neither is",
        ),
        pytest.param(
            [widget("a", source="planner"), widget("b", source="planner", below=True)],
            [StatusEntry("progress", "40 %", "planner")],
            [("widget:a", "a", None), ("status:progress", "40 %", None)],
            [("widget:b", "b", None)],
            id="with two widgets it is not",
        ),
        pytest.param(
            [widget("jobs", "Jobs", source="planner")],
            [StatusEntry("progress", "40 %", "clock"), StatusEntry("eta", "noon")],
            [("widget:jobs", "Jobs", None), ("status:progress", "40 %", None), ("status:eta", "noon", None)],
            [],
            id="a status of another extension, or of an unknown one, is not",
        ),
        pytest.param(
            [widget("jobs"), widget("clock")],
            [StatusEntry("x", "y")],
            [("widget:jobs", "jobs", None), ("widget:clock", "clock", None), ("status:x", "y", None)],
            [],
            id="unknown extensions are not one extension",
        ),
        pytest.param(
            [widget("jobs", "Jobs", source="planner")],
            [StatusEntry("jobs", "2 of 3", "clock"), StatusEntry("x", "40 %", "planner")],
            [("widget:jobs", "Jobs", "2 of 3"), ("status:x", "40 %", None)],
            [],
            id="the key counts for more than the extension",
        ),
        pytest.param(
            [widget("a", "A", source="planner"), widget("b", "B", source="clock")],
            [StatusEntry("b", "x", "planner")],
            [("widget:a", "A", None), ("widget:b", "B", "x")],
            [],
            id="a status is attached once",
        ),
        pytest.param(
            [widget("fleet", below=True, source="fleet"), widget("fleet2", source="fleet")],
            [StatusEntry("queue", "1", "fleet"), StatusEntry("more", "2", "fleet")],
            [("widget:fleet2", "fleet2", None)],
            [("widget:fleet", "fleet", None), ("status:queue", "1", None), ("status:more", "2", None)],
            id="a status alone stands where its extension's first widget does",
        ),
    ],
)
def test_the_rules(
    widgets: list[Widget], statuses: list[StatusEntry], above: list[tuple[str, str, str | None]], below: list[tuple[str, str, str | None]]
) -> None:
    assert shown(strips(widgets, statuses)) == (above, below)


def test_a_pill_says_what_it_is_and_whose() -> None:
    made = strips([widget("jobs", source="planner")], [StatusEntry("git", "main", "git")])
    assert made.above == (
        Pill("widget:jobs", "widget", "jobs", "jobs", None, "planner"),
        Pill("status:git", "status", "git", "main", None, "git"),
    )
