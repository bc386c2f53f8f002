"""Fakes for tests, of this project and of programs that use its packages; each keeps the promises of the real thing."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class FakeClock:
    """A `mirrord.clock.Clock` that stands still until it is told to move."""

    wall_ms: int = 1_700_000_000_000
    boot_seconds: float = 1_000.0

    def wall(self) -> int:
        """Milliseconds since the epoch."""
        return self.wall_ms

    def boot(self) -> float:
        """Seconds since the machine started."""
        return self.boot_seconds

    def advance(self, seconds: float) -> None:
        """Both clocks go on, as when the machine runs or sleeps."""
        if seconds < 0:
            raise ValueError("a clock does not go backwards; set_wall does")
        self.boot_seconds += seconds
        self.wall_ms += round(seconds * 1000)

    def set_wall(self, wall_ms: int) -> None:
        """Somebody sets the clock; deadlines do not notice."""
        self.wall_ms = wall_ms
