"""What the sessions hold in memory, in bytes as JSON, by kind. Each kind has a bound for one session. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from bridge.limits import CONTENT_BYTES
from mirrord.core.catchup import JOURNAL_BYTES
from mirrord.core.session import Session
from mirrord.wire.limits import CHAT_BYTES, CONTENTS_BYTES, PROMPTS_BYTES
from mirrord.wire.surface_limits import HANDOFFS, SURFACES_BYTES

SESSION_BYTES: Final = CHAT_BYTES + JOURNAL_BYTES + SURFACES_BYTES + PROMPTS_BYTES + CONTENTS_BYTES + HANDOFFS * CONTENT_BYTES
"""The most that one session holds."""


def weight(session: Session) -> int:
    """What one session holds, all kinds together."""
    return sum(_by_kind(session).values())


def held(sessions: Iterable[Session]) -> dict[str, int]:
    """By kind, all sessions together."""
    total = dict.fromkeys(("conversations", "journals", "surfaces", "prompts", "handoffs"), 0)
    for session in sessions:
        for kind, size in _by_kind(session).items():
            total[kind] += size
    return total


def _by_kind(session: Session) -> dict[str, int]:
    return {
        "conversations": session.conversation.timeline.bytes,
        "journals": session.journal.bytes,
        "surfaces": session.display.surfaces.bytes,
        "prompts": session.prompts.bytes,
        "handoffs": session.display.handoffs.bytes,
    }
