"""Promise: what sessions hold is counted by kind, and goes to nothing when they have ended."""

from __future__ import annotations

from mirrord.core.held import SESSION_BYTES
from tests.core.playbook import Playbook, select


def test_what_is_asked_is_held_until_it_is_settled() -> None:
    book = Playbook()
    book.attach()
    assert book.core.held() == {"conversations": 0, "journals": 0, "surfaces": 0, "prompts": 0, "handoffs": 0}
    book.opens(select("p"))
    held = book.core.held()
    assert 0 < held["prompts"] <= held["journals"] < 1_000
    book.settles("p")
    assert book.core.held()["prompts"] == 0
    assert SESSION_BYTES < 16 * 1024 * 1024
