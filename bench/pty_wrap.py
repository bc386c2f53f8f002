"""`python bench/pty_wrap.py plain|followed|shared ARGV...`: a program in the terminal that `mirrord pi` makes.

Its screen is followed or not, and may be watched by clients when it is shared.
"""

from __future__ import annotations

import sys

from bridge.pty.fate import share
from bridge.pty.feed import ChildInfo, Feed, nobody
from bridge.pty.guard import run
from bridge.pty.outer import open_outer
from bridge.screen.start import start


def _follow(child: ChildInfo) -> Feed:
    return start(child.pid, shared=sys.argv[1] == "shared", columns=child.size.columns, rows=child.size.rows)


share(run(sys.argv[2:], open_outer(), _follow if sys.argv[1] != "plain" else nobody).status)
