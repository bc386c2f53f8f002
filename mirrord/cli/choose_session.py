"""Which session a word on the command line means."""

from __future__ import annotations

from collections.abc import Sequence

import click

from mirrord.client.clean import one_line
from mirrord.errors import MirrordError
from mirrord.wire.messages import Session

LISTED = 12
"""Sessions named in an error; more would hide the sentence."""


class NoSession(MirrordError):
    """There is nothing to attach to."""

    def __init__(self) -> None:
        super().__init__("no Pi session is running; start one with `mirrord pi`")


class UnknownSession(MirrordError):
    """The word names none of the sessions."""

    def __init__(self, wanted: str, sessions: Sequence[Session]) -> None:
        super().__init__(f"no session is called {one_line(wanted)!r}; there are: {_listed(sessions)}")


class SeveralSessions(MirrordError):
    """The word, or no word, fits more than one. `verb` is the command that wants to know, as it is typed."""

    def __init__(self, sessions: Sequence[Session], verb: str) -> None:
        super().__init__(f"several sessions: {_listed(sessions)}; say which: {verb} {one_line(sessions[0].session_id)}")


def choose(sessions: Sequence[Session], wanted: str | None, *, ended: bool = False) -> Session:
    """The session that is meant: the only one, or the one with this id, this conversation name, or this beginning of its id.

    Unless `ended`, those that are over are not considered. Raises `NoSession`, `UnknownSession` or `SeveralSessions`.
    """
    living = [session for session in sessions if ended or session.status.state != "ended"]
    if not living:
        raise NoSession
    if wanted is None:
        fitting = living
    else:
        exact = [session for session in living if wanted in (session.session_id, session.conversation_id)]
        named = [session for session in living if session.name == wanted]
        begun = [session for session in living if session.session_id.startswith(wanted)]
        fitting = exact or named or begun
    if not fitting:
        raise UnknownSession(wanted or "", living)
    if len(fitting) > 1:
        raise SeveralSessions(fitting, _verb())
    return fitting[0]


def _verb() -> str:
    """The command that was typed, such as `mirrord send`: click knows, so that no verb can forget to say."""
    context = click.get_current_context(silent=True)
    return "mirrord attach" if context is None else context.command_path


def _listed(sessions: Sequence[Session]) -> str:
    shown = [f"{one_line(each.session_id)} ({one_line(each.name or each.cwd)})" for each in sessions[:LISTED]]
    more = len(sessions) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")
