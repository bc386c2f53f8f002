"""Which sessions that ended are listed no more. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from mirrord.core.held import weight
from mirrord.core.model import Moment
from mirrord.core.retention import Retention
from mirrord.core.session import Session
from mirrord.wire.limits import ENDED_SESSIONS


def outdated(sessions: Iterable[Session], retention: Retention, at: Moment) -> list[Session]:
    """Those that ended too long ago, or are too many or too large together; the ones that ended first go first.

    The newest one stays, however large it is: it ended this moment, and somebody looks at it.
    """
    ended = sorted((session for session in sessions if session.ended), key=lambda session: session.ended_at, reverse=True)
    gone, room = [], retention.bytes
    for number, session in enumerate(ended):
        room -= weight(session)
        if number >= ENDED_SESSIONS or (number > 0 and room < 0) or at.boot - session.ended_at > retention.seconds:
            gone.append(session)
    return gone[::-1]
