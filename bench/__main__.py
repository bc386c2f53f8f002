"""`python -m bench`: measures and prints a table. The status is 0 also when goals were missed, 1 when something could not be measured."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import anyio
import msgspec

from bench import answers, callbacks, chat, flood, load, memory, pty, sanitize, screen, slow, start, storm, surfaces, web
from bench.report import Row, table
from bench.world import NotMeasured

Measure = Callable[[bool, Path | None], Awaitable[list[Row]]]

MEASUREMENTS: Final[Mapping[str, Measure]] = {
    "answers": answers.measure,
    "callbacks": callbacks.measure,
    "flood": flood.measure,
    "load": load.measure,
    "memory": memory.measure,
    "pty": pty.measure,
    "chat": chat.measure,
    "web": web.measure,
    "sanitize": sanitize.measure,
    "screen": screen.measure,
    "slow": slow.measure,
    "start": start.measure,
    "storm": storm.measure,
    "surfaces": surfaces.measure,
}


def main(arguments: Sequence[str] | None = None, measurements: Mapping[str, Measure] = MEASUREMENTS) -> int:
    """Runs what was asked for; returns the exit status."""
    asked = _parser(measurements).parse_args(arguments)
    if asked.profile is not None:
        asked.profile.mkdir(parents=True, exist_ok=True)
    rows: list[Row] = []
    failures: list[str] = []
    before = _load()
    for name in asked.only or measurements:
        print(f"measuring {name} ...", file=sys.stderr, flush=True)
        try:
            rows += anyio.run(measurements[name], asked.quick, asked.profile)
        except* NotMeasured as failed:
            failures += [f"{name} was not measured: {reason}" for reason in _reasons(failed)]
    print(f"{_machine()}; load {before} before, {_load()} after\n\n{table(rows)}")
    for failure in failures:
        print(failure, file=sys.stderr)
    if asked.json is not None:
        report = {
            "machine": _machine(),
            "loadBefore": before,
            "loadAfter": _load(),
            "rows": [row.as_json() for row in rows],
            "failures": failures,
        }
        asked.json.write_bytes(msgspec.json.format(msgspec.json.encode(report)) + b"\n")
    return 1 if failures else 0


def _parser(measurements: Mapping[str, Measure]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measures what mirrord promises about speed and memory.")
    parser.add_argument("--quick", action="store_true", help="few rounds, to try it; the numbers say little")
    parser.add_argument("--only", action="append", choices=list(measurements), help="measure this alone; may be repeated")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows there as well")
    parser.add_argument(
        "--profile", type=Path, metavar="FOLDER", help="profile the daemon, Pi and sanitize into this folder; numbers are wrong then"
    )
    return parser


def _reasons(failed: BaseExceptionGroup[NotMeasured]) -> list[str]:
    """The messages inside, however deep."""
    return [
        reason for error in failed.exceptions for reason in (_reasons(error) if isinstance(error, BaseExceptionGroup) else [str(error)])
    ]


def _machine() -> str:
    return f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"


def _load() -> str:
    return " ".join(f"{load:.2f}" for load in os.getloadavg())


if __name__ == "__main__":
    sys.exit(main())
