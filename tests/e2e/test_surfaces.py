"""Promise: of everything that an extension shows besides prompts, clients are told what docs/surfaces.md says, and so is who comes later.

Every row of tests/e2e/surface_table.py is played on both generations of Pi.
"""

from __future__ import annotations

from typing import Final

import msgspec
import pytest

from tests.e2e.showing import Showing, comes, kept, play
from tests.e2e.surface_table import MEMBERS, PAGE, ROWS, Row, page

ROW_IDS: Final = [f"{row.member} {row.again}".strip().replace(" ", "_") for row in ROWS]
STATES: Final = [row for row in ROWS if row.place and not row.place.startswith("views/")]
"""What is set once and stays."""

NOTHING: Final = {"workingRow/visible": True, "toolsExpanded": False}
"""What a snapshot has at the places of rows that nobody played, where it has something."""


@pytest.mark.parametrize("row", ROWS, ids=ROW_IDS)
def test_each_call_is_told_and_kept_and_cleared(showing: Showing, row: Row) -> None:
    for step in row.steps:
        showing.stage.pi.settle(0.05)
        showing.phone.forget()
        play(showing, step)
        comes(showing.told, [step.told])
        if row.place:
            assert kept(showing.later(), row.place) == step.kept
    if row.place:
        assert row.steps[-1].kept == NOTHING.get(row.place)
    elif row.steps[-1].told["method"] == "set_editor_text":
        showing.stage.pi.keys("ctrl+u")


def test_what_is_told_once_is_in_no_snapshot(showing: Showing) -> None:
    once = [step for row in ROWS if not row.place for step in row.steps]
    for step in once:
        play(showing, step)
        comes(lambda step=step: showing.told()[-1:], [step.told])  # type: ignore[misc] # of the step of this turn
        if step.command == "t-text":
            showing.stage.pi.keys("ctrl+u")
    text = msgspec.json.encode(showing.later()).decode()
    assert [step.call for step in once if str(step.told.get("message", step.told.get("text"))) in text] == []


def test_pi_has_no_member_that_the_table_does_not_mention(showing: Showing) -> None:
    showing.run("t-members", id="members")
    members = showing.stage.log.result("t-members", "members").value
    assert isinstance(members, list)
    assert set(members) == MEMBERS


def test_what_was_set_before_the_daemon_came_is_there_after(showing: Showing) -> None:
    def states() -> list[object]:
        snapshot = showing.snapshot()
        return [kept(snapshot, row.place) for row in STATES]

    with showing.restarted():
        for row in STATES:
            play(showing, row.steps[0])
    comes(states, [row.steps[0].kept for row in STATES])
    with showing.restarted():
        for row in STATES:
            play(showing, row.steps[-1])
        showing.rest()
    comes(states, [NOTHING.get(row.place) for row in STATES])


def test_the_page_is_current() -> None:
    assert PAGE.read_text() == page(), "write it anew: python -m tests.e2e.surface_table"
