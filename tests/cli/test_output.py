"""Promise: output that cannot be written is one sentence and status 1, whatever printed it; nobody's traceback is the person's."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from mirrord.logs import FILE_NAME
from tests.cli.commands import MIRRORD, PATIENCE, environment, run
from tests.cli.daemons import daemon, stop

SAID = "mirrord: the output could not be written: No space left on device\n"

pytestmark = pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")


@pytest.fixture
def root(runtime: Path) -> Iterator[Path]:
    yield runtime.parent
    stop(runtime.parent)


@pytest.fixture
def served(root: Path) -> Iterator[Path]:
    with daemon(root):
        yield root


def to_full_disk(root: Path, *arguments: str, errors_too: bool = False, unbuffered: bool = False) -> subprocess.CompletedProcess[str]:
    """`mirrord ARGUMENTS` with its output, and with `errors_too` its errors, on a disk without room."""
    with open("/dev/full", "wb") as full:
        return subprocess.run(
            [*MIRRORD, *arguments],
            env=environment(root, {"PYTHONUNBUFFERED": "1"} if unbuffered else None),
            stdin=subprocess.DEVNULL,
            stdout=full,
            stderr=full if errors_too else subprocess.PIPE,
            text=True,
            timeout=PATIENCE,
            check=False,
        )


@pytest.mark.parametrize(
    "arguments",
    [
        ("--help",),
        ("--version",),
        ("send", "--help"),
        ("config", "show"),
        ("doctor",),
        ("extension", "path"),
        ("completion", "bash"),
        # More than a buffer holds.
        ("schema",),
        ("logs",),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("unbuffered", [False, True], ids=["", "-u"])
def test_without_a_daemon(root: Path, arguments: tuple[str, ...], unbuffered: bool) -> None:
    log = root / "state_home" / "mirrord" / FILE_NAME
    log.parent.mkdir(parents=True)
    log.write_text("2026-05-01T12:00:00.000Z INFO event: number number=1\n")
    done = to_full_disk(root, *arguments, unbuffered=unbuffered)
    assert (done.returncode, done.stderr) == (1, SAID)


@pytest.mark.parametrize(
    "arguments", [("status",), ("status", "--json"), ("devices",), ("pair",), ("pair", "--no-wait", "--json")], ids=" ".join
)
def test_with_a_daemon(served: Path, arguments: tuple[str, ...]) -> None:
    done = to_full_disk(served, *arguments)
    assert (done.returncode, done.stderr) == (1, SAID)


def test_errors_that_nobody_can_be_told_change_no_status(root: Path) -> None:
    assert to_full_disk(root, "--help", errors_too=True).returncode == 1
    assert to_full_disk(root, "status", errors_too=True).returncode == 1, "no daemon runs"
    assert to_full_disk(root, "nothing", errors_too=True).returncode == 2


def test_a_disk_that_is_full_after_a_part_counts_as_well(root: Path) -> None:
    """A file that may hold one block."""
    words = " ".join([*MIRRORD, "schema"])
    done = subprocess.run(
        ["bash", "-c", f"trap '' XFSZ; ulimit -f 1; {words} >{root}/schema.json"],
        env=environment(root),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, "mirrord: the output could not be written: File too large\n")


@pytest.mark.parametrize("more", [(), ("--json",)], ids=["", "--json"])
def test_a_token_that_nobody_saw_opens_nothing_and_its_name_is_free(served: Path, more: tuple[str, ...]) -> None:
    done = to_full_disk(served, "pair", "--token", "script", *more)
    assert (done.returncode, done.stderr) == (1, SAID)
    assert run(served, "devices").stdout == "No device may connect. Pair one with `mirrord pair`.\n"
    assert run(served, "pair", "--token", "script").returncode == 0


def test_a_token_whose_reader_went_away_opens_nothing(served: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [*MIRRORD, "pair", "--token", "script"],
        env=environment(served),
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    os.close(writer)
    assert done.returncode != 0
    assert done.stderr == ""
    assert run(served, "devices").stdout.startswith("No device may connect.")


def test_a_token_that_somebody_saw_stays_when_the_words_beside_it_are_lost(served: Path) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*MIRRORD, "pair", "--token", "script"],
            env=environment(served),
            stdout=subprocess.PIPE,
            stderr=full,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    assert (done.returncode, len(done.stdout.split())) == (0, 1)
    assert "script" in run(served, "devices").stdout
