"""Failed attempts per address, a token bucket each of a bounded number of addresses; and which refusals get a line in the log."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final

from mirrord.core.pace import Bucket

BURST: Final = 20
"""Failures that an address may have at once: a person who mistypes, a page that retries with an old credential."""

PER_SECOND: Final = 1.0
"""How fast the allowance comes back. Guessing 256 bits needs no slowing; attempts at pairing, which cost signatures and the disk, do."""

ADDRESSES: Final = 1024
"""Addresses remembered; the one that failed longest ago is forgotten first."""

LINES: Final = 10
"""Refusals for one reason that are logged at once: enough to see what somebody tries."""

LINES_PER_SECOND: Final = 1 / 60
"""And how fast that comes back. Anybody can be refused as often as he likes, a web page among them: a line each would rotate away
what the log has to say of everything else."""


@dataclass(slots=True)
class RefusalLines:
    """Which refusals are logged. `reason` is one of the gate's few words. Times are boot seconds."""

    _buckets: dict[str, Bucket] = field(default_factory=dict)
    _left_out: dict[str, int] = field(default_factory=dict)

    def due(self, reason: str, now: float) -> int | None:
        """None for one that gets no line; else how many got none since the last line about this reason."""
        if self._buckets.setdefault(reason, Bucket(LINES, LINES_PER_SECOND)).take(now):
            return self._left_out.pop(reason, 0)
        self._left_out[reason] = self._left_out.get(reason, 0) + 1
        return None


@dataclass(slots=True)
class FailureRate:
    """Counts failed attempts. Times are boot seconds. An address that is not known has its whole allowance."""

    burst: int = BURST
    per_second: float = PER_SECOND
    _buckets: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict)

    def __len__(self) -> int:
        """Addresses remembered."""
        return len(self._buckets)

    def exhausted(self, address: str, now: float) -> bool:
        """Whether this address failed so often that it is not even asked for its credential."""
        return self._left(address, now) < 1.0

    def failed(self, address: str, now: float) -> None:
        """Count one failure."""
        self._buckets[address] = (max(0.0, self._left(address, now) - 1.0), now)
        self._buckets.move_to_end(address)
        if len(self._buckets) > ADDRESSES:
            self._buckets.popitem(last=False)

    def _left(self, address: str, now: float) -> float:
        left, since = self._buckets.get(address, (float(self.burst), now))
        return min(float(self.burst), left + (now - since) * self.per_second)
