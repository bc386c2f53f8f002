"""The command `screen_watch`: a client wants to see a session's screen, or no longer."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from mirrord.core.effects import Effect
from mirrord.core.model import Client, TerminalId
from mirrord.core.requests import failed
from mirrord.core.screen import NotShared
from mirrord.core.session import Session
from mirrord.wire.messages import Command, CommandResult


class WatchArgs(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """The session whose screen is wanted, or no longer."""

    session_id: str
    on: bool


def watch(client: Client, command: Command, sessions: Mapping[TerminalId, Session]) -> tuple[CommandResult, list[Effect]]:
    """The command's result, and what is to be done after it was told."""
    try:
        args = msgspec.convert(command.args, WatchArgs)
    except msgspec.ValidationError as error:
        return failed(command.request_id, "malformed", f"args do not fit the command: {error}."), []
    session = sessions.get(TerminalId(args.session_id))
    if session is None or session.ended:
        return failed(command.request_id, "unknown_session", "There is no such session."), []
    try:
        effects = session.screen.watch(client.id) if args.on else session.screen.leave(client.id)
    except NotShared as problem:
        return failed(command.request_id, "not_shared", str(problem)), []
    return CommandResult(request_id=command.request_id, ok=True), effects
