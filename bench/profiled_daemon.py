"""`python bench/profiled_daemon.py FOLDER serve ...`: the command line under cProfile; FOLDER/daemon.pstats has the profile at the end."""

from __future__ import annotations

import cProfile
import sys
from pathlib import Path

# Started as a file, so the folder of the packages is not on the path.
sys.path[0] = str(Path(__file__).resolve().parent.parent)

from mirrord.cli import run  # noqa: E402


def main() -> int:
    profiler = cProfile.Profile()
    try:
        return profiler.runcall(run, sys.argv[2:])
    finally:
        profiler.dump_stats(Path(sys.argv[1]) / "daemon.pstats")


if __name__ == "__main__":
    sys.exit(main())
