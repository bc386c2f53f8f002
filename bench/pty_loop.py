"""`python -I -S bench/pty_loop.py ARGV...`: the smallest copy loop in Python that passes 64 KiB at once. The peer of ours in bench/pty.py.

It knows nothing of sizes, stops, signals, slow terminals, or of giving the terminal back when it is killed.
"""

from __future__ import annotations

import os
import pty
import select
import sys
import termios
import tty

_READ = 65536


def main() -> None:
    """Run it, copy until its terminal is closed, and restore ours."""
    before = termios.tcgetattr(0)
    pid, master = pty.fork()
    if not pid:
        os.execvp(sys.argv[1], sys.argv[1:])
    tty.setraw(0)
    try:
        while True:
            for fd in select.select([0, master], [], [])[0]:
                try:
                    data = os.read(fd, _READ)
                except OSError:
                    return
                target = master if fd == 0 else 1
                while data:
                    data = data[os.write(target, data) :]
    finally:
        termios.tcsetattr(0, termios.TCSANOW, before)


main()
