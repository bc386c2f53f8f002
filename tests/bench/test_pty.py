"""Promise: in each way that is measured the program's bytes arrive and its echo comes back, so what is timed is the same work."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import pty

WAYS = sorted(pty.candidates(Path("/nonexistent")))


@pytest.mark.parametrize("way", WAYS)
def test_a_flood_and_an_echo(way: str, tmp_path: Path) -> None:
    before = pty.candidates(tmp_path)[way]
    file = tmp_path / "data"
    file.write_bytes(b"a line of a log\r\n" * 1000)
    assert pty._flood(before, (*pty.PYTHON, "-c", pty._CHILD, str(file), "200000")) > 0
    with pty._running(before, (*pty.PYTHON, "-c", pty._ECHO)) as terminal:
        assert pty._echoed(terminal, b"k") > 0
