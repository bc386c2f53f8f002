"""Promise: session status colours preserve the host mapping, for every state of ours, and the page for clients says the same."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from mirrord.wire.messages import State
from mirrord.wire.tones import CONTRACT_STATUS, TONES, tone

PAGE = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("status", "colour"),
    [
        ("completed", "success"),
        ("failed", "error"),
        ("cancelled", "warning"),
        ("disconnected", "warning"),
        ("queued", "info"),
        ("running", "muted"),
        ("", "muted"),
    ],
)
def test_completed_success_failed_error_cancelled_and_disconnected_warning_queued_info_every_other_muted(status: str, colour: str) -> None:
    assert tone(status) == colour


def test_what_is_settled_is_completed_and_what_is_out_of_reach_is_disconnected() -> None:
    coloured = {state: tone(state) for state in get_args(State) if tone(state) != "muted"}
    assert coloured == {"your_turn": "success", "failed": "error", "detached": "warning"}
    assert set(CONTRACT_STATUS) <= set(get_args(State))
    assert set(CONTRACT_STATUS.values()) <= set(TONES)


def test_the_page_for_clients_has_the_same_table() -> None:
    table = dict(re.findall(r"^\| `(\w+)` \| `(success|error|warning|info|muted)` \|$", PAGE, re.MULTILINE))
    assert table == {state: tone(state) for state in get_args(State)}
