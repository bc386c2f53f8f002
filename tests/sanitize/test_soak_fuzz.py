"""Promise: nothing that atheris finds in twenty minutes makes anything fail; each way in is a target of its own."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SECONDS = int(os.environ.get("MIRRORD_FUZZ_SECONDS", "1200"))


@pytest.mark.soak
@pytest.mark.timeout(0)
@pytest.mark.skipif(
    importlib.util.find_spec("atheris") is None, reason="atheris is not installed; make soak does, where there is a build of it"
)
@pytest.mark.parametrize("target", ["screen", "lines", "plain", "links"])
def test_atheris_finds_nothing(target: str) -> None:
    fuzzed = subprocess.run(
        [sys.executable, "-m", "tests.sanitize.soak_fuzz", target, "--seconds", str(SECONDS)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    assert fuzzed.returncode == 0, fuzzed.stdout[-5000:]
    assert "Done " in fuzzed.stdout
