"""What a session does, from what Pi tells of itself: the same words told again mean the same state since the same time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mirrord.core.chat.conversation import Conversation
from mirrord.core.chat.timeline import Timeline
from mirrord.wire.messages import State
from sanitize import label

LINE_CLUSTERS: Final = 160
"""Of the answer's last line: what a list of sessions has room for."""


@dataclass(frozen=True, slots=True)
class Doing:
    """A state, since when by Pi's clock (None where Pi does not say), and one line about it."""

    state: State
    since: int | None = None
    detail: str | None = None


def doing(conversation: Conversation) -> Doing | None:
    """What Pi does, as far as its own words go; None when its extension tells no conversation. Prompts and menus are not in here."""
    told = conversation.state
    if told is None:
        return None
    agent = told.agent
    if agent.retrying is not None:
        retry = agent.retrying
        return Doing("retrying", told.since, f"{retry.attempt} of {retry.max_attempts}: {retry.error}")
    if not told.idle or agent.compacting or agent.bash:
        return Doing("working", told.since)
    last = agent.last_turn
    if last is None:
        return Doing("idle", told.since, agent.cannot_run)
    if last.outcome == "error":
        return Doing("failed", last.at, agent.cannot_run or last.error)
    return Doing("your_turn", last.at, agent.cannot_run or last_line(conversation.timeline))


def last_line(timeline: Timeline) -> str | None:
    """The last line of the last answer, None when there is none."""
    for row in reversed(timeline.rows):
        if row.message.kind == "user":
            return None
        if row.message.kind != "assistant":
            continue
        for part in reversed(row.message.parts):
            line = _last_line((part.text or "") if part.type == "text" else "")
            if line:
                return line
    return None


def _last_line(text: str) -> str:
    return label(text.rstrip().rpartition("\n")[2], limit=LINE_CLUSTERS).text
