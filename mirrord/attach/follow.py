"""Follow one session for a person: the stream of lines out, typed lines in, until the session or the person ends it."""

from __future__ import annotations

import time
import uuid
from collections.abc import Awaitable, Callable, Iterable, Iterator
from functools import partial
from typing import Final

import anyio

from mirrord.attach import view as view
from mirrord.attach.answer_file import read_content
from mirrord.attach.answers import SendFile
from mirrord.attach.ask import Explain
from mirrord.attach.card import card_lines
from mirrord.attach.chat import ChatPane
from mirrord.attach.panel import no_panel, panel_lines
from mirrord.attach.requests import Requests
from mirrord.attach.screen import Interrupted, Screen
from mirrord.attach.session import AttachSession, More, Show, Stop
from mirrord.attach.surfaces import Board
from mirrord.client import Answer, Decided, Following, Frame, NotConfirmed, text_answer
from mirrord.errors import MirrordError
from mirrord.wire import messages as wire

INTERRUPTED: Final = 130
"""Exit status after Ctrl+C: 128 + SIGINT."""

UNCONFIRMED: Final = 1
"""Exit status when the input ended and the verdict on an answer, or Pi's word on a message, did not come."""

VERDICT_SECONDS: Final = 12.0
"""How long what is already sent is waited for once the input has ended: two more tries."""

CHANGES_SECONDS: Final = 0.1
"""Between two looks at what changed: nobody reads faster, and what is behind by then is shown as it is then."""

NOTHING_SHOWN: Final = "No extension shows anything."
ENDED_SENTENCE: Final = "The session has ended."
REMOVED_SENTENCE: Final = "This Pi is no longer mirrored."
UNCONFIRMED_SENTENCE: Final = "Your answer is not confirmed; whether it counted is not known here."
UNTOLD_SENTENCE: Final = "Pi has not said yet whether it takes your message; that is not known here."
AWAY_SENTENCE: Final = "The daemon is away, so nothing was sent. Try again when it is back."


class Follower:
    """One attachment, from the subscription to its end. A `mirrord.client.following.Watcher`."""

    def __init__(
        self,
        session_id: str,
        screen: Screen,
        session: AttachSession,
        chat: ChatPane,
        wall: Callable[[], int] | None = None,
        cards: Callable[[wire.ExtensionUIRequest, bool], Iterator[str]] = card_lines,
    ) -> None:
        """`wall`: ms since the epoch. `cards`: how a prompt stands among the lines."""
        self._cards = cards
        self.session_id = session_id
        self.screen = screen
        self.session = session
        self.chat = chat
        self._wall = wall or (lambda: round(time.time() * 1000))
        self._ahead = 0
        self._seen: wire.Session | None = None
        self._board = Board()
        self._changed = anyio.Event()
        self._following: Following
        self._requests: Requests

    async def run(self, following: Following) -> int:
        """The exit status. Raises what connecting again cannot mend."""
        status = 0
        self._following = following
        self._requests = Requests(following.send, self.session)
        async with anyio.create_task_group() as tasks:

            async def follow() -> None:
                await following.run()
                tasks.cancel_scope.cancel()

            async def type_lines() -> None:
                nonlocal status
                try:
                    status = await self._type()
                except Interrupted:
                    status = INTERRUPTED
                tasks.cancel_scope.cancel()

            tasks.start_soon(follow)
            tasks.start_soon(self._show_changes)
            tasks.start_soon(self.chat.talking.keep_time)
            if self.screen.answers:
                tasks.start_soon(type_lines)
        if self.screen.replaces:
            self.screen.replace(no_panel)
        return status

    # ---- what the following tells ------------------------------------------------------------------------------------

    async def welcomed(self, frame: Frame, welcome: wire.Welcome, again: bool) -> None:
        """Say that the connection stands again, and what became of the session meanwhile."""
        self._ahead = welcome.server_now - self._wall()
        await self.chat.welcomed(self._following, welcome, again)
        if not again:
            return
        listed = next((session for session in welcome.sessions if session.session_id == self.session_id), None)
        lines = ["- connected again" if listed else "- connected again; its Pi has not come back yet"]
        await self.screen.show(lines + list(self._state_lines(listed) if listed else ()))
        if listed is not None:
            self._see(listed)
        await self.screen.show(await self._requests.again())

    async def received(self, frame: Frame) -> bool:
        """Show what comes; True after the session's end was shown."""
        message = frame.message
        if message is None:
            return False
        if getattr(message, "session_id", None) == self.session_id and self._board.take(message):
            self._changed.set()
            return False
        # What came before this is shown before it.
        await self._catch_up()
        if isinstance(message, wire.Snapshot) and message.session_id == self.session_id:
            self._board.replace(message)
        # Noted with the writing: a key counts for what was on screen when it was typed.
        await self.screen.show(self._lines(message), partial(self._note, message))
        await self._catch_up()
        await self.chat.received(frame)
        await self._fetch(message)
        end = self._end(message)
        if end is not None:
            await self.screen.show([end])
        return end is not None

    async def decided(self, frame: Frame, decided: Decided) -> None:
        """The verdict on an answer of ours."""
        await self.screen.show(view.result_lines(decided.result) if decided.certain else [view.UNDECIDED])

    async def unconfirmed(self, action: NotConfirmed) -> None:
        """An answer of ours without a verdict."""
        await self.screen.show([view.unconfirmed_line(self.session.open.get(action.prompt_id), self._seen, self._now())])

    async def lost(self, why: MirrordError) -> None:
        """The connection ended."""
        self.chat.lost()
        await self.screen.show([f"- {why}; connecting again"])

    async def gone(self) -> None:
        """The session ended while no daemon could tell."""
        await self.screen.show([*([UNCONFIRMED_SENTENCE] if len(self.session.pending) else ()), ENDED_SENTENCE])

    # ---- what is typed -----------------------------------------------------------------------------------------------

    async def _type(self) -> int:
        """Answer; returns at the end of the input, when what was sent has its verdict or time is up."""
        async for typed in self.screen.typed():
            if typed.text is None:
                await self.screen.show(["The line is too long; it was not sent."])
                continue
            if await self.chat.typed(typed):
                continue
            match self.session.finish_line(typed.start, typed.text, str(uuid.uuid4())):
                case Explain(text=text):
                    await self.screen.show([text])
                case wire.ExtensionUIResponse() as response:
                    await self._answer(Answer(response.response_id or "", response))
                case SendFile() as file:
                    await self._send_file(file)
                case More() as more:
                    await self._ask(self._requests.options(more))
                case Show():
                    await self.screen.show([*self._board.everything()] or [NOTHING_SHOWN])
                case Stop():
                    await self._ask(self._requests.stop(self.session_id))
        failed = True
        with anyio.move_on_after(VERDICT_SECONDS):
            await self._following.decided()
            failed = await self.chat.failed()
        if len(self.session.pending):
            await self.screen.show([UNCONFIRMED_SENTENCE])
        if self.chat.talking.turns.waiting:
            await self.screen.show([UNTOLD_SENTENCE])
        return UNCONFIRMED if failed or len(self.session.pending) else 0

    async def _answer(self, answer: Answer) -> None:
        if self.session.pending.connected:
            await self._following.answer(answer)
        else:
            await self.screen.show([AWAY_SENTENCE])

    async def _send_file(self, file: SendFile) -> None:
        content = await read_content(file.path)
        if isinstance(content, Explain):
            await self.screen.show([content.text])
        elif file.prompt_id in self.session.open:
            await self._answer(text_answer(file.prompt_id, file.response_id, content))
        else:
            await self.screen.show(["The prompt was settled meanwhile; the file was not sent."])

    # ---- what is shown -----------------------------------------------------------------------------------------------

    async def _show_changes(self) -> None:
        """Show what changed, again and again. Of what comes meanwhile only the last counts."""
        while True:
            await self._changed.wait()
            await self._catch_up()
            await anyio.sleep(CHANGES_SECONDS)

    async def _catch_up(self) -> None:
        if not self._changed.is_set():
            return
        self._changed = anyio.Event()
        if self.screen.replaces:
            self.screen.replace(partial(panel_lines, self._board, self._works()))
        elif lines := list(self._board.changes()):
            await self.screen.show(lines)

    def _works(self) -> bool:
        return self._seen is not None and self._seen.status.state == "working"

    def _now(self) -> int:
        """The daemon's clock."""
        return self._wall() + self._ahead

    def _lines(self, message: wire.ServerMessage) -> Iterable[str]:
        """What a message shows, with the state as it was before it."""
        match message:
            case wire.Snapshot(session_id=self.session_id):
                return self._snapshot_lines(message)
            case wire.ExtensionUIRequest(session_id=self.session_id):
                return self._cards(message, self.screen.answers)
            case wire.ExtensionUISettled(session_id=self.session_id):
                return self._settled_lines(message)
            case wire.ExtensionUINotification(session_id=self.session_id):
                return view.notification_lines(message)
            case wire.SessionChanged() if message.session.session_id == self.session_id:
                return self._state_lines(message.session)
            case wire.CommandResult():
                return self._requests.lines(message, self.screen.answers)
            case wire.Error():
                return view.error_lines(message)
            case _:
                return ()

    def _note(self, message: wire.ServerMessage) -> None:
        """The state after a message that is on screen by now."""
        match message:
            case wire.Snapshot(session_id=self.session_id):
                self.session.replace(message.prompts)
                self._see(message.session)
            case wire.ExtensionUIRequest(session_id=self.session_id):
                self.session.opened(message)
            case wire.ExtensionUISettled(session_id=self.session_id):
                self.session.settled(message.id)
            case wire.SessionChanged() if message.session.session_id == self.session_id:
                self._see(message.session)
            case wire.CommandResult():
                self._requests.finished(message)
            case _:
                pass

    def _see(self, session: wire.Session) -> None:
        self._seen = session
        # The working row stands in the panel as long as the agent works.
        self._changed.set()

    async def _fetch(self, message: wire.ServerMessage) -> None:
        """Ask for the text of an editor that was too long to come with its prompt."""
        match message:
            case wire.Snapshot(session_id=self.session_id):
                prompts = message.prompts
            case wire.ExtensionUIRequest(session_id=self.session_id):
                prompts = (message,)
            case _:
                return
        for prompt in prompts:
            if prompt.prefill_parts is not None:
                await self._requests.prefill(prompt)

    async def _ask(self, asked: Awaitable[bool]) -> None:
        if not await asked:
            await self.screen.show([AWAY_SENTENCE])

    def _settled_lines(self, settled: wire.ExtensionUISettled) -> Iterator[str]:
        yield from view.settled_lines(settled, self.session.open.get(settled.id))
        following = self.session.following(settled.id)
        if following is not None:
            yield ""
            yield "Still waiting:"
            yield from self._cards(following, self.screen.answers)

    def _snapshot_lines(self, snapshot: wire.Snapshot) -> Iterator[str]:
        if self._seen is not None:
            yield ""
            yield "Some events were missed; this is how things are now."
        yield from view.snapshot_lines(snapshot, self._now())
        if not self.screen.replaces:
            yield from self._board.changes()
        for prompt in snapshot.prompts:
            yield from self._cards(prompt, self.screen.answers)

    def _state_lines(self, session: wire.Session) -> Iterator[str]:
        if self._seen is None or _standing(session) != _standing(self._seen):
            yield f"- {view.state_words(session, self._now())}"

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


def _standing(session: wire.Session) -> tuple[wire.State, str | None]:
    """What a new line is shown for."""
    return session.status.state, session.status.menu
