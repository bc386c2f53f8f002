"""What a measurement found, as a row that says whether a goal was met; the rows as a table and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from bench.statistics import percentile

Unit = Literal["µs", "MB"]
Statistic = Literal["p50", "p99", "ratio"]

TIMES = "\N{MULTIPLICATION SIGN}"
HEADINGS = ("name", "n", "p50", "p99", "max", "unit", "ratio to peer", "goal", "")


@dataclass(frozen=True, slots=True)
class Goal:
    """`statistic` of the row is at most `at_most`, in the row's unit; a ratio has none."""

    statistic: Statistic
    at_most: float

    def __str__(self) -> str:
        sign = TIMES if self.statistic == "ratio" else ""
        return f"{self.statistic} ≤ {self.at_most:g}{sign}"


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement. `measured` says in a line what was measured; `peer` is the name and the p50 of what it stands beside."""

    name: str
    measured: str
    samples: tuple[float, ...]
    unit: Unit
    peer: tuple[str, float] | None = None
    goal: Goal | None = None

    @property
    def p50(self) -> float:
        return percentile(self.samples, 50)

    @property
    def p99(self) -> float:
        return percentile(self.samples, 99)

    @property
    def ratio(self) -> float | None:
        """This p50 by the peer's."""
        return None if self.peer is None else self.p50 / self.peer[1]

    @property
    def met(self) -> bool | None:
        """Whether the goal was met; None without one. A goal for a ratio needs a peer."""
        if self.goal is None:
            return None
        values = {"p50": self.p50, "p99": self.p99, "ratio": self.ratio}
        value = values[self.goal.statistic]
        assert value is not None, f"{self.name} has no peer"
        return value <= self.goal.at_most

    @property
    def verdict(self) -> str:
        return {True: "MET", False: "MISSED", None: ""}[self.met]

    def as_json(self) -> Mapping[str, object]:
        """Every column, and the samples' extremes; absent things are null."""
        return {
            "name": self.name,
            "measured": self.measured,
            "unit": self.unit,
            "n": len(self.samples),
            "min": min(self.samples),
            "p50": self.p50,
            "p99": self.p99,
            "max": max(self.samples),
            "peer": None if self.peer is None else self.peer[0],
            "ratio": self.ratio,
            "goal": None if self.goal is None else str(self.goal),
            "met": self.met,
        }


def table(rows: Sequence[Row]) -> str:
    """The rows under their headings, then a line for each that says what it measured."""
    cells = [HEADINGS, *(_cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(HEADINGS))]
    lines = [_line(line, widths) for line in cells]
    lines.insert(1, _line(tuple("-" * width for width in widths), widths))
    return "\n".join([*lines, "", *(f"{row.name}: {row.measured}" for row in rows)])


def _cells(row: Row) -> tuple[str, ...]:
    ratio = "" if row.ratio is None or row.peer is None else f"{row.ratio:.2f}{TIMES} {row.peer[0]}"
    goal = "" if row.goal is None else str(row.goal)
    numbers = (_number(row, value) for value in (row.p50, row.p99, max(row.samples)))
    return (row.name, str(len(row.samples)), *numbers, row.unit, ratio, goal, row.verdict)


def _number(row: Row, value: float) -> str:
    return f"{value:.1f}" if row.unit == "MB" or value < 100 else f"{value:.0f}"


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Names and words to the left, numbers to the right."""
    padded = (
        cell.rjust(width) if 1 <= column <= 4 else cell.ljust(width) for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return "  ".join(padded).rstrip()
