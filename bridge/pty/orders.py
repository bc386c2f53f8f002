"""What the guard asks of the worker, and what it is told, through a socket pair: one byte each."""

from __future__ import annotations

from typing import Final

PAUSE: Final = b"P"
"""Pass on what Pi wrote so far, then leave the terminal alone; answered by PAUSED."""
RESUME: Final = b"R"
"""Look at the size, then copy; answered by RESUMED. Also when it was not paused."""
FINISH: Final = b"F"
"""Pi has ended: pass on what it wrote, then end with DONE."""

PAUSED: Final = b"p"
RESUMED: Final = b"r"

DONE: Final = 0
"""Exit status of a worker that has passed on everything."""
NO_TERMINAL: Final = 3
"""Exit status of a worker whose terminal has gone: the window was closed, the connection broke."""
FAILED: Final = 70
"""sysexits(3): an error of ours."""
