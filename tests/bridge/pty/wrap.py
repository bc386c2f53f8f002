"""`python wrap.py ARGV...`: what `mirrord pi` does once it knows what to run."""

from __future__ import annotations

import sys

from bridge.pty.fate import share
from bridge.pty.feed import nobody
from bridge.pty.guard import run
from bridge.pty.outer import open_outer


def main() -> None:
    ended = run(sys.argv[1:], open_outer(), nobody)
    if ended.problem is not None:
        sys.exit(f"wrap: {ended.problem}")
    share(ended.status)


if __name__ == "__main__":
    main()
