"""How a Pi that has lost its terminal is brought to its end: asked first, then made to. Pure: the caller has the clock."""

from __future__ import annotations

import signal
from typing import Final

TERM_SECONDS: Final = 2.0
"""Pi needs well under a second to end its session and save it after SIGHUP."""
KILL_SECONDS: Final = 5.0
"""Together with what comes before, Pi is gone within six seconds of its terminal."""

_STEPS: Final = ((0.0, signal.SIGHUP), (TERM_SECONDS, signal.SIGTERM), (KILL_SECONDS, signal.SIGKILL))


class Ending:
    """The steps of one ending, which begins at `now` seconds of the caller's monotonic clock."""

    def __init__(self, now: float) -> None:
        self._steps = [(now + after, number) for after, number in _STEPS]

    def due(self, now: float) -> signal.Signals | None:
        """The next signal, if its time has come; call it until there is none."""
        if self._steps and now >= self._steps[0][0]:
            return self._steps.pop(0)[1]
        return None

    def seconds_left(self, now: float) -> float | None:
        """How long until the next signal; None when the last one has been given."""
        return max(0.0, self._steps[0][0] - now) if self._steps else None
