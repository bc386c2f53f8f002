"""Promise: a row says MET exactly when its goal was met, and the table and the JSON say the same."""

from __future__ import annotations

import json

import msgspec
import pytest

from bench.report import TIMES, Goal, Row, Statistic, table

SAMPLES = (*(100.0,) * 98, 200.0, 5000.0)


def row(goal: Goal | None = None, peer: tuple[str, float] | None = None) -> Row:
    return Row("remote", "an answer reaches Pi", SAMPLES, "µs", peer, goal)


def named(name: str) -> Row:
    return Row(name, "the time in one place", (1.0,), "µs")


@pytest.mark.parametrize(
    ("statistic", "value"),
    [("p50", 100), ("p99", 200), ("ratio", 2)],
)
def test_a_goal_is_met_at_its_bound_and_missed_above(statistic: Statistic, value: float) -> None:
    assert row(Goal(statistic, value), ("rpc", 50)).verdict == "MET"
    assert row(Goal(statistic, value - 0.01), ("rpc", 50)).verdict == "MISSED"


def test_a_goal_for_the_speed_is_met_from_its_bound_on() -> None:
    assert row(Goal("speed", 15), ("pyte", 1500)).verdict == "MET"
    assert row(Goal("speed", 15.01), ("pyte", 1500)).verdict == "MISSED"


def test_the_table_shows_a_speed_where_that_is_the_goal() -> None:
    line = table([row(Goal("speed", 2.4), ("pyte", 1734))]).splitlines()[2]
    assert line.endswith(f"speed 17.3{TIMES} pyte  speed ≥ 2.4{TIMES}  MET")


def test_without_a_goal_there_is_no_verdict() -> None:
    assert row().met is None
    assert row().verdict == ""


def test_the_ratio_is_of_the_medians_and_needs_a_peer() -> None:
    assert row(peer=("rpc", 40)).ratio == 2.5
    assert row().ratio is None


def test_the_table_has_a_line_for_each_row_and_says_what_each_measured() -> None:
    lines = table([row(Goal("ratio", 2.5), ("rpc", 50)), row(), *(named(f"site {number}") for number in range(5))]).splitlines()
    assert lines[0].split() == ["name", "n", "p50", "p99", "max", "unit", "ratio", "to", "peer", "goal"]
    assert lines[2].split() == ["remote", "100", "100", "200", "5000", "µs", f"2.00{TIMES}", "rpc", "ratio", "≤", f"2.5{TIMES}", "MET"]
    assert lines[3].split() == ["remote", "100", "100", "200", "5000", "µs"]
    assert lines[-2:] == ["remote, remote: an answer reaches Pi", "site 0 and 4 like it: the time in one place"]


def test_numbers_stand_under_each_other() -> None:
    lines = table([row(), Row("daemon", "its memory", (7.04,), "MB")]).splitlines()
    assert [line[:24] for line in lines[2:4]] == ["remote  100  100  200  5", "daemon    1  7.0  7.0   "]


def test_the_json_has_every_column() -> None:
    written = json.loads(msgspec.json.encode(row(Goal("p99", 150), ("rpc", 50)).as_json()))
    assert written == {
        "name": "remote",
        "measured": "an answer reaches Pi",
        "unit": "µs",
        "n": 100,
        "min": 100,
        "p50": 100,
        "p99": 200,
        "max": 5000,
        "peer": "rpc",
        "ratio": 2,
        "speed": 0.5,
        "goal": "p99 ≤ 150",
        "met": False,
    }
