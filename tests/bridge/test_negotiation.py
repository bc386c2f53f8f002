"""Promise: two ranges that meet agree on their highest common number, and two that do not get one sentence that says what to do."""

from __future__ import annotations

import itertools

from bridge.messages import PROTOCOL_MAX, PROTOCOL_MIN, ProtocolRange, Refused
from bridge.negotiation import negotiate


def test_every_range_that_meets_ours_is_accepted_and_no_other() -> None:
    for low, high in itertools.combinations_with_replacement(range(PROTOCOL_MIN - 2, PROTOCOL_MAX + 3), 2):
        meets = low <= PROTOCOL_MAX and high >= PROTOCOL_MIN
        chosen = negotiate(ProtocolRange(low, high), "0")
        assert isinstance(chosen, int) is meets
        assert isinstance(chosen, Refused) or low <= chosen <= high
