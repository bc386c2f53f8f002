"""Follow one session for a person: the stream of lines out, typed lines in, until the session or the person ends it."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import anyio

from mirrord.cli import attach_view as view
from mirrord.cli.attach_answers import Explain
from mirrord.cli.attach_screen import Interrupted, Screen
from mirrord.cli.attach_session import AttachSession
from mirrord.client import Connection
from mirrord.wire import messages as wire

INTERRUPTED: Final = 130
"""Exit status after Ctrl+C: 128 + SIGINT."""

VERDICT_SECONDS: Final = 5.0
"""How long the verdicts of answers already sent are waited for once the input has ended."""

ENDED_SENTENCE: Final = "The session has ended."
REMOVED_SENTENCE: Final = "This Pi is no longer mirrored."


@dataclass(slots=True)
class Follower:
    """One attachment, from the subscription to its end."""

    connection: Connection
    session_id: str
    screen: Screen
    session: AttachSession
    _state: wire.State | None = None
    _answered: anyio.Event = field(default_factory=anyio.Event)

    async def run(self) -> int:
        """The exit status. Raises `ConnectionLost` when the daemon goes first."""
        status = 0
        async with anyio.create_task_group() as tasks:

            async def read() -> None:
                await self._read()
                tasks.cancel_scope.cancel()

            async def type_lines() -> None:
                nonlocal status
                try:
                    await self._type()
                except Interrupted:
                    status = INTERRUPTED
                tasks.cancel_scope.cancel()

            await self.connection.send(wire.Subscribe(session_id=self.session_id))
            tasks.start_soon(read)
            if self.screen.answers:
                tasks.start_soon(type_lines)
        return status

    async def _read(self) -> None:
        """Show what comes; returns after the session's end was shown."""
        while True:
            message = await self.connection.receive()
            # Noted with the writing: a key counts for what was on screen when it was typed.
            await self.screen.show(self._lines(message), partial(self._note, message))
            end = self._end(message)
            if end is not None:
                await self.screen.show([end])
                return

    async def _type(self) -> None:
        """Answer; returns at the end of the input, when what was sent has its verdict."""
        async for typed in self.screen.typed():
            if typed.text is None:
                await self.screen.show(["The line is too long; it was not sent."])
                continue
            decided = self.session.finish_line(typed.start, typed.text, str(uuid.uuid4()))
            if isinstance(decided, Explain):
                await self.screen.show([decided.text])
            else:
                await self.connection.send(decided)
        with anyio.move_on_after(VERDICT_SECONDS):
            while self.session.sent:
                self._answered = anyio.Event()
                await self._answered.wait()

    def _lines(self, message: wire.ServerMessage) -> Iterable[str]:
        """What a message shows, with the state as it was before it."""
        match message:
            case wire.Snapshot(session_id=self.session_id):
                return self._snapshot_lines(message)
            case wire.ExtensionUIRequest(session_id=self.session_id):
                return view.card_lines(message, self.screen.answers)
            case wire.ExtensionUISettled(session_id=self.session_id):
                return self._settled_lines(message)
            case wire.ExtensionUINotification(session_id=self.session_id):
                return view.notification_lines(message)
            case wire.ResponseResult() if message.response_id in self.session.sent:
                return view.result_lines(message)
            case wire.SessionChanged() if message.session.session_id == self.session_id:
                return self._state_lines(message.session)
            case wire.Error():
                return view.error_lines(message)
            case _:
                return ()

    def _note(self, message: wire.ServerMessage) -> None:
        """The state after a message that is on screen by now."""
        match message:
            case wire.Snapshot(session_id=self.session_id):
                self.session.replace(message.prompts)
                self._state = message.session.status.state
            case wire.ExtensionUIRequest(session_id=self.session_id):
                self.session.opened(message)
            case wire.ExtensionUISettled(session_id=self.session_id):
                self.session.settled(message.id)
            case wire.ResponseResult():
                self.session.verdict(message)
                self._answered.set()
            case wire.SessionChanged() if message.session.session_id == self.session_id:
                self._state = message.session.status.state
            case _:
                pass

    def _settled_lines(self, settled: wire.ExtensionUISettled) -> Iterator[str]:
        yield from view.settled_lines(settled, self.session.open.get(settled.id))
        following = self.session.following(settled.id)
        if following is not None:
            yield ""
            yield "Still waiting:"
            yield from view.card_lines(following, self.screen.answers)

    def _snapshot_lines(self, snapshot: wire.Snapshot) -> Iterator[str]:
        if self._state is not None:
            yield ""
            yield "Some events were missed; this is how things are now."
        yield from view.snapshot_lines(snapshot)
        for prompt in snapshot.prompts:
            yield from view.card_lines(prompt, self.screen.answers)

    def _state_lines(self, session: wire.Session) -> Iterator[str]:
        if session.status.state != self._state:
            yield f"- {view.STATE_WORDS[session.status.state]}"

    def _end(self, message: wire.ServerMessage) -> str | None:
        """The sentence to leave with, when this message ends the session."""
        match message:
            case wire.SessionChanged(session=session) if session.session_id == self.session_id:
                if session.status.state == "ended":
                    return ENDED_SENTENCE
                return REMOVED_SENTENCE if message.change == "removed" else None
            case wire.Snapshot(session_id=self.session_id) if message.session.status.state == "ended":
                return ENDED_SENTENCE
            case _:
                return None
