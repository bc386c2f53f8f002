"""The daemon's status as lines for people. Pure; every text is cleaned."""

from __future__ import annotations

from collections.abc import Iterator

from mirrord.cli.attach_view import STATE_WORDS, duration, session_title
from mirrord.cli.columns import columns
from mirrord.client.clean import one_line
from mirrord.client.replies import DaemonStatus
from mirrord.wire.messages import Session


def table(status: DaemonStatus, now: int) -> Iterator[str]:
    """Daemon, sessions, clients, and what is wrong; `now` in ms since the epoch."""
    yield f"mirrord {one_line(status.version)}, pid {status.pid}, up {duration(status.uptime)}"
    yield f"  address  {one_line(status.url)}"
    yield f"  socket   {one_line(status.socket)}"
    yield ""
    living = [session for session in status.sessions if session.status.state != "ended"]
    if living:
        yield from columns([("SESSION", "NAME", "STATE", "SINCE", "PROMPTS"), *(_session_row(each, now) for each in living)])
    else:
        yield "No session. Start one with `mirrord pi`."
    for session in living:
        for notice in session.notices:
            yield f"  {one_line(session.session_id)}: {one_line(notice)}"
    yield ""
    yield from columns(
        [("CLIENT", "KIND", "ROLE", "CREDENTIAL"), *(tuple(map(one_line, (c.name, c.kind, c.role, c.credential))) for c in status.clients)]
    )
    for link in status.links:
        if link.refused is not None:
            yield f"The extension in Pi {link.pid or '?'} was refused: {one_line(link.refused)}"


def _session_row(session: Session, now: int) -> tuple[str, ...]:
    return (
        one_line(session.session_id),
        session_title(session),
        STATE_WORDS[session.status.state],
        duration((now - session.status.since) / 1000),
        f"{session.open_prompts} waiting" if session.open_prompts else "-",
    )
