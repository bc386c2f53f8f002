"""Promise: `mirrord doctor` says within five seconds what is wrong, to people and to programs; its exit status says whether anything is."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from tests.cli.commands import run
from tests.cli.daemons import daemon

SECONDS = 5.0
"""Promised; the start of Python on a busy machine comes on top."""

START_SECONDS = 5.0


@pytest.fixture
def pi(tmp_path: Path) -> dict[str, str]:
    """A Pi that is there."""
    script = tmp_path / "pi"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    return {"MIRRORD_PI": str(script), "MIRRORD_PORT": "0"}


def test_before_and_after_the_first_start(runtime: Path, pi: dict[str, str]) -> None:
    root = runtime.parent
    before = time.monotonic()
    done = run(root, "doctor", "--json", env=pi)
    assert time.monotonic() - before < SECONDS + START_SECONDS
    told = json.loads(done.stdout)
    health = {row["id"]: row["status"] for row in told["rows"]}
    assert (done.returncode, told["ok"], done.stderr) == (0, True, "")
    assert (health["pi"], health["daemon"], health["store"], health["extension"]) == ("ok", "neutral", "neutral", "warning")
    assert "problem" not in health.values()
    assert sorted(path.name for path in root.iterdir()) == ["mirrord"]

    with daemon(root):
        told = json.loads(run(root, "doctor", "--json", env=pi).stdout)
        health = {row["id"]: row["status"] for row in told["rows"]}
        assert {health[id_] for id_ in ("lock", "daemon", "version", "places", "private", "store", "port", "clock")} == {"ok"}

        (runtime / "control.sock").chmod(0o666)
        done = run(root, "doctor", env=pi)
        assert done.returncode == 1
        assert "PROBLEM  Control socket:" in done.stdout
        assert "chmod go=" in done.stdout
        assert max(len(line) for line in done.stdout.splitlines() if " " in line.strip()) <= 80
        assert "\x1b" not in done.stdout
