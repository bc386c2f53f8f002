"""Promise: sessions that ended are listed as long as days, bytes and number allow, whatever the wall clock says; the newest always."""

from __future__ import annotations

import pytest

from mirrord.core.catchup import Journal
from mirrord.core.held import weight
from mirrord.core.model import Moment, TerminalId
from mirrord.core.outdated import outdated
from mirrord.core.retention import DAY_SECONDS, USUAL, Calendar, Retention
from mirrord.core.session import Session
from mirrord.wire import messages as wire
from mirrord.wire.limits import ENDED_SESSIONS
from tests.core.playbook import terminal

WALL = 1_700_000_000_000


def session(number: int, ended_at: float | None, notes: int = 0) -> Session:
    """A session with so many events in its journal."""
    made = Session(terminal(TerminalId(f"t{number}")), Journal("run1"), since=1)
    for _ in range(notes):
        made.journal.advance()
        made.journal.record(wire.Error(code="malformed", message="x" * 1_000))
    if ended_at is not None:
        made.end("quit", Moment(WALL, ended_at))
    return made


def gone(sessions: list[Session], retention: Retention, boot: float = 100.0, wall: int = WALL) -> list[str]:
    return [each.terminal.id for each in outdated(sessions, retention, Moment(wall, boot))]


def test_one_that_lives_is_never_outdated() -> None:
    assert gone([session(1, None, notes=10)], Retention(days=0, bytes=0), boot=1e9) == []


@pytest.mark.parametrize(("late", "expected"), [(0.0, []), (1.0, ["t1"])])
def test_days_are_counted_by_the_clock_that_nobody_sets(late: float, expected: list[str]) -> None:
    ended = [session(1, 100.0)]
    assert gone(ended, Retention(days=2), boot=100.0 + 2 * DAY_SECONDS + late, wall=WALL + 900 * DAY_SECONDS) == expected


def test_the_oldest_gives_way_when_they_are_too_large_together_and_the_newest_stays() -> None:
    sessions = [session(1, 3.0, notes=2), session(2, 1.0, notes=2), session(3, 2.0, notes=2)]
    size = weight(sessions[0])
    assert size > 2_000
    assert gone(sessions, Retention(bytes=3 * size)) == []
    assert gone(sessions, Retention(bytes=2 * size)) == ["t2"]
    assert gone(sessions, Retention(bytes=0)) == ["t2", "t3"]


def test_more_than_so_many_are_not_kept() -> None:
    sessions = [session(number, float(number)) for number in range(ENDED_SESSIONS + 2)]
    assert gone(sessions, USUAL) == ["t0", "t1"]


@pytest.mark.parametrize(
    ("wall", "believed"),
    [(0, True), (3_599_000, True), (-3_599_000, True), (3_601_000, False), (-3_601_000, False), (400 * DAY_SECONDS * 1000, False)],
)
def test_a_clock_that_was_set_is_not_believed_on_that_day_and_again_on_the_next(wall: int, believed: bool) -> None:
    calendar = Calendar(Moment(WALL, 0.0))
    first = Moment(WALL + DAY_SECONDS * 1000 + wall, float(DAY_SECONDS))
    assert calendar.before(USUAL, first) == (first.wall - USUAL.ms if believed else None)
    second = Moment(first.wall + DAY_SECONDS * 1000, 2.0 * DAY_SECONDS)
    assert calendar.before(USUAL, second) == second.wall - USUAL.ms
