"""What was taken away from a text, so that nothing disappears without a trace."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Counters:
    """Sums since they were made. One instance is given to everything that renders for one surface."""

    sequences: int = 0
    """Escape sequences and control strings that were dropped because they are not on the list of what is obeyed."""
    links: int = 0
    """Runs of text that had a link which may not leave; their text stayed."""
    truncated: int = 0
    """Lines that were cut, or left out, because of a limit."""
    emulated: int = 0
    """Lines that needed the emulator."""

    def as_json(self) -> dict[str, int]:
        """Name → sum."""
        return {"sequences": self.sequences, "links": self.links, "truncated": self.truncated, "emulated": self.emulated}
