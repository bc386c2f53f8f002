"""Promise: a gigabyte of output reaches the terminal as fast as it reads, costs no memory, and its last screen is at a client soon."""

from __future__ import annotations

import anyio
import pytest

from bench.flood import floods
from bench.report import table

pytestmark = [pytest.mark.soak, pytest.mark.timeout(300)]


def test_a_gigabyte(capsys: pytest.CaptureFixture[str]) -> None:
    rows = anyio.run(floods, 1_000, 1)
    with capsys.disabled():
        print(f"\n{table(rows)}")
    assert [row.name for row in rows if not row.met] == []
