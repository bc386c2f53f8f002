"""Promise: the status is 0 when everything was measured, goals missed or not, else 1; what was measured is told anyway."""

from __future__ import annotations

import json
from pathlib import Path

import anyio
import pytest

from bench.__main__ import main
from bench.report import Goal, Row
from bench.world import NotMeasured

MISSED = Row("slow", "something slow", (3.0,), "µs", goal=Goal("p50", 2))


async def slow(quick: bool, profile: Path | None) -> list[Row]:
    return [MISSED] if quick else [MISSED, MISSED]


async def broken(quick: bool, profile: Path | None) -> list[Row]:
    """Fails as code in nested task groups does."""

    async def fail() -> None:
        raise NotMeasured("Pi did not start")

    async with anyio.create_task_group() as outer, anyio.create_task_group() as inner:
        inner.start_soon(fail)
        outer.start_soon(anyio.sleep, 0)
    return []


async def buggy(quick: bool, profile: Path | None) -> list[Row]:
    raise ZeroDivisionError


def test_a_missed_goal_is_said_and_is_no_failure(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([], {"slow": slow}) == 0
    assert capsys.readouterr().out.count("MISSED") == 2


def test_quick_is_passed_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--quick"], {"slow": slow}) == 0
    assert capsys.readouterr().out.count("MISSED") == 1


def test_what_could_not_be_measured_is_said_with_its_reason(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([], {"broken": broken, "slow": slow}) == 1
    said = capsys.readouterr()
    assert "broken was not measured: Pi did not start" in said.err
    assert "slow" in said.out


def test_only_what_was_asked_for_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--only", "slow"], {"broken": broken, "slow": slow}) == 0


def test_a_bug_is_no_measurement_that_failed() -> None:
    with pytest.raises(ZeroDivisionError):
        main([], {"buggy": buggy})


def test_the_json_file_has_the_rows_and_the_failures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "bench.json"
    assert main(["--quick", "--json", str(file)], {"broken": broken, "slow": slow}) == 1
    written = json.loads(file.read_text())
    assert [row["name"] for row in written["rows"]] == ["slow"]
    assert written["failures"] == ["broken was not measured: Pi did not start"]


def test_the_folder_for_profiles_is_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--profile", str(tmp_path / "a" / "b")], {"slow": slow}) == 0
    assert (tmp_path / "a" / "b").is_dir()
