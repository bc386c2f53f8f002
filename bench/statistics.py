"""Percentiles of a sample."""

from __future__ import annotations

import math
from collections.abc import Sequence


def percentile(samples: Sequence[float], percent: float) -> float:
    """The smallest sample that at least `percent` % of the samples do not exceed: always one that was measured.

    Raises:
        ValueError: there is no sample, or `percent` is not above 0 and at most 100.
    """
    if not samples:
        raise ValueError("there is no sample")
    if not 0 < percent <= 100:
        raise ValueError(f"{percent} is no percentage")
    # Rounded first: 99 % of 300 is 297.00000000000006 in binary.
    rank = math.ceil(round(len(samples) * percent / 100, 9))
    return sorted(samples)[rank - 1]
