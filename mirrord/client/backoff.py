"""How long to wait before the next try to connect. Pure: chance and time are passed in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

FIRST_SECONDS: Final = 0.25
"""A daemon that is restarted answers within a second."""

MOST_SECONDS: Final = 5.0
"""The longest wait: a person who started the daemon again does not look on for longer."""

STABLE_SECONDS: Final = 5.0
"""A connection that stood for so long was no failure; one that is cut sooner, again and again, must not be made in a tight loop."""


@dataclass(slots=True)
class Backoff:
    """Waits that double from FIRST_SECONDS to MOST_SECONDS, each cut by chance so that many clients do not come at once."""

    _next: float = FIRST_SECONDS

    def wait(self, chance: float) -> float:
        """Seconds until the next try; `chance` is a random number in [0, 1)."""
        seconds = self._next * (0.5 + chance / 2)
        self._next = min(self._next * 2, MOST_SECONDS)
        return seconds

    def stood(self, seconds: float) -> None:
        """A connection ended that had stood so long."""
        if seconds >= STABLE_SECONDS:
            self._next = FIRST_SECONDS
