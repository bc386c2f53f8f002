"""What `make test` runs: pytest with these arguments, and a few tests that failed once more, alone.

Thousands of tests play the real Pi and real browsers in real time, several at once. A machine that stands still for a
second can fail one of them where nothing is wrong; a fault fails it again. What passes only alone is named at the end
of the run: it is a race, of the test or of ours, for whoever reads it to mend.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
AT_MOST = 3
"""How many tests get a second look. More than a few at once are no accident."""


class Failures:
    """A plugin that notes the ids of the tests that failed, in the order in which they did."""

    def __init__(self) -> None:
        self.ids: dict[str, None] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.ids[report.nodeid] = None


def run(arguments: Sequence[str], root: Path = ROOT) -> int:
    """The exit code of the run, 0 also where every test that failed passed alone."""
    failures = Failures()
    code = pytest.main([*arguments], plugins=[failures])
    if code != pytest.ExitCode.TESTS_FAILED or not 0 < len(failures.ids) <= AT_MOST:
        return int(code)
    print(f"\n==> once more, alone: {' '.join(failures.ids)}", flush=True)
    again = subprocess.run([sys.executable, "-P", "-m", "pytest", "-q", *failures.ids], cwd=root, check=False)
    if again.returncode == 0:
        print("\nUNSTABLE, failed above and passed alone:", *failures.ids, sep="\n  ", flush=True)
    return again.returncode


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
