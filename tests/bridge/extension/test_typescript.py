"""Promise: the extension's own tests, which are TypeScript beside this file, pass under the Node that runs Pi."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
NODE = HERE.parents[2] / ".cache" / "node" / "bin" / "node"
TESTS = sorted(HERE.glob("*.test.ts"))


def test_they_were_found() -> None:
    assert len(TESTS) > 10


@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.name)
def test_node(path: Path) -> None:
    # Run within another test runner of Node, or told to by a person, Node would report in another form.
    env = {name: value for name, value in os.environ.items() if not name.startswith("NODE_")}
    command = [str(NODE), "--disable-warning=ExperimentalWarning", "--test-reporter=spec", str(path)]
    result = subprocess.run(command, env=env, capture_output=True, text=True, timeout=50, check=False)
    assert result.returncode == 0, result.stdout[-8_000:] + result.stderr[-2_000:]
