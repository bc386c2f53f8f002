"""Commands of clients that the core answers itself: pages of sessions and options, pieces of a prefill, how prompts ended, stopping turns.

A command's arguments come from a client: each is checked here, and what is wrong is one sentence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from bridge.limits import OPTIONS_SENT, PROMPT_BYTES
from mirrord.core.commands import ForwardStop
from mirrord.core.listing import SessionsArgs, listed
from mirrord.core.model import Client, ClientId, LinkId, Prompt, PromptId, TerminalId
from mirrord.core.prompts import prefill_part, prefill_parts
from mirrord.core.session import Session
from mirrord.wire.messages import Command, CommandError, CommandResult

ANSWERED_HERE: Final = frozenset(("sessions", "options", "prefill", "verdict", "handoff", "stop_turn"))
"""Names of the commands that this file carries out."""

PENDING_STOPS: Final = 64
"""Requests to stop that have no answer yet; a terminal answers within milliseconds or is gone."""


class RefusedError(Exception):
    """A command that cannot be carried out: a code, and one sentence."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class OptionsArgs(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """`id` of an open select, and the place of the first option wanted."""

    id: str
    offset: int = 0


class PrefillArgs(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """`id` of an open editor, and which piece of its prefill, from 0."""

    id: str
    part: int


class VerdictArgs(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """`id` of a prompt that is over."""

    id: str


class HandoffArgs(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """`id` of a long text that was handed to the editor of this session, and which piece of it, from 0."""

    session_id: str
    id: str
    part: int


class StopArgs(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """The session whose turn is to be stopped."""

    session_id: str


@dataclass(slots=True)
class Requests:
    """Requests that wait for a terminal. Keys are ours: clients' request ids are not unique."""

    _stops: dict[str, tuple[ClientId, str, LinkId]] = field(default_factory=dict)
    _number: int = 0

    def run(
        self, client: Client, command: Command, sessions: Mapping[TerminalId, Session]
    ) -> tuple[CommandResult | None, ForwardStop | None]:
        """The command's result, or what is to be forwarded so that one comes."""
        try:
            if command.name == "stop_turn":
                return self._stop(client, command, sessions)
            data = _DATA[command.name](command, sessions)
        except RefusedError as error:
            return failed(command.request_id, error.code, str(error)), None
        return CommandResult(request_id=command.request_id, ok=True, data=data), None

    def finished(self, key: str, ok: bool, message: str | None) -> tuple[ClientId, CommandResult] | None:
        """The terminal's answer to a stop: who asked, and the result. None when nobody did."""
        asked = self._stops.pop(key, None)
        if asked is None:
            return None
        client, request_id, _ = asked
        result = CommandResult(request_id=request_id, ok=True) if ok else failed(request_id, "refused", message or "Pi did not stop.")
        return client, result

    def link_lost(self, link: LinkId) -> list[tuple[ClientId, CommandResult]]:
        """Nothing more comes over this link."""
        keys = [key for key, (_, _, asked) in self._stops.items() if asked == link]
        lost = [self._stops.pop(key) for key in keys]
        return [(client, failed(request, "detached", UNREACHABLE)) for client, request, _ in lost]

    def _stop(
        self, client: Client, command: Command, sessions: Mapping[TerminalId, Session]
    ) -> tuple[CommandResult | None, ForwardStop | None]:
        session = sessions.get(TerminalId(_convert(command.args, StopArgs).session_id))
        if session is None or session.ended:
            raise RefusedError("unknown_session", "There is no such session.")
        if session.link is None:
            raise RefusedError("detached", UNREACHABLE)
        if len(self._stops) >= PENDING_STOPS:
            raise RefusedError("busy", "Too many requests wait for their terminals.")
        self._number += 1
        # Like the key of an answer: what the terminal cancels for it names it, and by that the credential.
        key = f"{client.credential}/stop.{self._number}"
        self._stops[key] = client.id, command.request_id, session.link
        return None, ForwardStop(session.link, key, client.credential, client.kind)


UNREACHABLE: Final = "The terminal cannot be reached right now; try again."


def failed(request_id: str, code: str, message: str) -> CommandResult:
    """The result of a command that did not happen."""
    return CommandResult(request_id=request_id, ok=False, error=CommandError(code=code, message=message))


def _convert(args: dict[str, Any], kind: type[msgspec.Struct]) -> Any:  # noqa: ANN401 - the kind asked for
    try:
        return msgspec.convert(args, kind)
    except msgspec.ValidationError as error:
        raise RefusedError("malformed", f"args do not fit the command: {error}.") from None


def _sessions(command: Command, sessions: Mapping[TerminalId, Session]) -> dict[str, Any]:
    """`{sessions, cursor?}`."""
    return listed((session.view() for session in sessions.values()), _convert(command.args, SessionsArgs))


def _open_prompt(id_: str, sessions: Mapping[TerminalId, Session]) -> Prompt:
    for session in sessions.values():
        prompt = session.prompts.get(PromptId(id_))
        if prompt is not None:
            return prompt
    raise RefusedError("unknown_prompt", "There is no such open prompt.")


def _options(command: Command, sessions: Mapping[TerminalId, Session]) -> dict[str, Any]:
    """`{offset, options, optionCount}`: at most OPTIONS_SENT options, and no more than fit a prompt."""
    args = _convert(command.args, OptionsArgs)
    prompt = _open_prompt(args.id, sessions)
    if not 0 <= args.offset < max(prompt.option_count, 1):
        raise RefusedError("malformed", f"offset must be between 0 and {max(prompt.option_count - 1, 0)}.")
    page: list[str] = []
    room = PROMPT_BYTES
    for option in prompt.options[args.offset : args.offset + OPTIONS_SENT]:
        room -= len(option.encode())
        if room < 0:
            break
        page.append(option)
    return {"offset": args.offset, "options": page, "optionCount": prompt.option_count}


def _prefill(command: Command, sessions: Mapping[TerminalId, Session]) -> dict[str, Any]:
    """`{part, parts, text}`."""
    args = _convert(command.args, PrefillArgs)
    prompt = _open_prompt(args.id, sessions)
    text = prefill_part(prompt, args.part)
    if text is None:
        raise RefusedError("malformed", "This prompt's prefill has no such piece.")
    return {"part": args.part, "parts": prefill_parts(prompt), "text": text}


def _verdict(command: Command, sessions: Mapping[TerminalId, Session]) -> dict[str, Any]:
    """A `Verdict`."""
    prompt = PromptId(_convert(command.args, VerdictArgs).id)
    for session in sessions.values():
        verdict = session.prompts.verdict(prompt)
        if verdict is not None:
            told: dict[str, Any] = msgspec.to_builtins(verdict)
            return told
    raise RefusedError("unknown_prompt", "There is no such prompt, or nobody remembers how it ended.")


def _handoff(command: Command, sessions: Mapping[TerminalId, Session]) -> dict[str, Any]:
    """`{part, parts, text}`."""
    args = _convert(command.args, HandoffArgs)
    session = sessions.get(TerminalId(args.session_id))
    if session is None:
        raise RefusedError("unknown_session", "There is no such session.")
    piece = session.display.handoffs.piece(args.id, args.part)
    if piece is None:
        raise RefusedError("malformed", "There is no such text any more, or it has no such piece.")
    text, parts = piece
    return {"part": args.part, "parts": parts, "text": text}


_DATA: Final = {"sessions": _sessions, "options": _options, "prefill": _prefill, "verdict": _verdict, "handoff": _handoff}
