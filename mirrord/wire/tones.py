"""In which colour a client shows what a session does: the contract's mapping, and what it calls our states."""

from __future__ import annotations

from typing import Final, Literal

Tone = Literal["success", "error", "warning", "info", "muted"]
"""A role of colour; what it looks like is the client's."""

TONES: Final[dict[str, Tone]] = {
    "completed": "success",
    "failed": "error",
    "cancelled": "warning",
    "disconnected": "warning",
    "queued": "info",
}
"""The contract's words; every other status is muted."""

CONTRACT_STATUS: Final[dict[str, str]] = {
    "your_turn": "completed",
    "detached": "disconnected",
}
"""States of ours that the contract calls something else."""


def tone(state: str) -> Tone:
    """The tone of a session's state, of ours or in the contract's words; also of one that a later daemon has."""
    return TONES.get(CONTRACT_STATUS.get(state, state), "muted")
