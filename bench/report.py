"""What a measurement found, as a row that says whether a goal was met; the rows as a table and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from bench.statistics import percentile

Unit = Literal["µs", "ms", "B", "kB", "MB", "px", "nodes", "tasks", "frames", "messages", "wake-ups"]
Statistic = Literal["p50", "p99", "ratio", "speed"]

TIMES = "\N{MULTIPLICATION SIGN}"
MANY = 3
HEADINGS = ("name", "n", "p50", "p99", "max", "unit", "ratio to peer", "goal", "")


@dataclass(frozen=True, slots=True)
class Goal:
    """`statistic` of the row is at most `bound`, in the row's unit. A ratio has none, nor has a speed, which is at least `bound`."""

    statistic: Statistic
    bound: float

    def __str__(self) -> str:
        sign = "≥" if self.statistic == "speed" else "≤"
        return f"{self.statistic} {sign} {self.bound:g}{TIMES if self.statistic in ('ratio', 'speed') else ''}"

    def met_by(self, value: float) -> bool:
        return value >= self.bound if self.statistic == "speed" else value <= self.bound


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
    def speed(self) -> float | None:
        """How many times this is done while the peer does it once."""
        return None if self.peer is None else self.peer[1] / self.p50

    @property
    def met(self) -> bool | None:
        """Whether the goal was met; None without one. A goal for a ratio or a speed needs a peer."""
        if self.goal is None:
            return None
        values = {"p50": self.p50, "p99": self.p99, "ratio": self.ratio, "speed": self.speed}
        value = values[self.goal.statistic]
        assert value is not None, f"{self.name} has no peer"
        return self.goal.met_by(value)

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
            "speed": self.speed,
            "goal": None if self.goal is None else str(self.goal),
            "met": self.met,
        }


def table(rows: Sequence[Row]) -> str:
    """The rows under their headings, then a line that says what was measured, for all rows that measured the same."""
    cells = [HEADINGS, *(_cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(HEADINGS))]
    lines = [_line(line, widths) for line in cells]
    lines.insert(1, _line(tuple("-" * width for width in widths), widths))
    explanations: dict[str, list[str]] = {}
    for row in rows:
        explanations.setdefault(row.measured, []).append(row.name)
    return "\n".join([*lines, "", *(f"{_naming(names)}: {measured}" for measured, names in explanations.items())])


def _naming(names: Sequence[str]) -> str:
    """All of them, unless there are many."""
    return ", ".join(names) if len(names) <= MANY else f"{names[0]} and {len(names) - 1} like it"


def _cells(row: Row) -> tuple[str, ...]:
    goal = "" if row.goal is None else str(row.goal)
    numbers = (_number(row, value) for value in (row.p50, row.p99, max(row.samples)))
    return (row.name, str(len(row.samples)), *numbers, row.unit, _beside_peer(row), goal, row.verdict)


def _beside_peer(row: Row) -> str:
    """The ratio; where the goal is a speed, that, of which a small ratio would show too little."""
    if row.peer is None or row.ratio is None or row.speed is None:
        return ""
    if row.goal is not None and row.goal.statistic == "speed":
        return f"speed {row.speed:.3g}{TIMES} {row.peer[0]}"
    return f"{row.ratio:.2f}{TIMES} {row.peer[0]}"


def _number(row: Row, value: float) -> str:
    return f"{value:.1f}" if row.unit in ("kB", "MB") or value < 100 else f"{value:.0f}"


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Names and words to the left, numbers to the right."""
    padded = (
        cell.rjust(width) if 1 <= column <= 4 else cell.ljust(width) for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return "  ".join(padded).rstrip()
