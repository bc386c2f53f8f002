"""`mirrord attach --json`: one server message a line out, client messages as JSON lines in.

Lines out are pure ASCII: a program reads the same characters, and a terminal gets no control character. Fields and
message types that this build does not know are passed on as they came. Four things are not from the daemon: `error`
for a line that cannot be sent, `connection_lost`, `not_confirmed {responseId, id, final}` (`{clientTurnId}` of a message) and
`session_gone`. The session's conversation is followed too.
"""

from __future__ import annotations

import json
import sys
import uuid
from typing import Final

import anyio
import msgspec

from bridge.limits import CONTENT_BYTES
from mirrord.attach.follow import UNCONFIRMED, VERDICT_SECONDS
from mirrord.attach.stdin_lines import LineSplitter, chunks
from mirrord.client import Answer, Decided, Following, Frame, NotConfirmed, Pending
from mirrord.client.clean import one_line
from mirrord.client.talking import Talking
from mirrord.client.turns import Turn
from mirrord.errors import MirrordError
from mirrord.wire import chat
from mirrord.wire import messages as wire

_Accepted = wire.ExtensionUIResponse | wire.ContentPart | wire.Command | wire.Subscribe | wire.Unsubscribe | chat.ChatClientMessage
_LINE: Final[msgspec.json.Decoder[_Accepted]] = msgspec.json.Decoder(_Accepted)


class JsonFollower:
    """One session as lines of JSON; answers may be given for any session, because they name their prompt.

    A `mirrord.client.following.Watcher`.
    """

    def __init__(self, session_id: str, fd: int | None, pending: Pending) -> None:
        """`fd` is where lines come from; None takes none."""
        self._session_id = session_id
        self._fd = fd
        self._pending = pending
        self._pieces: list[wire.ContentPart] = []
        self._following: Following
        self._talking = Talking(session_id, self._unconfirmed_turns)

    async def run(self, following: Following) -> int:
        """0 once the session or the input has ended, UNCONFIRMED when an answer had no verdict by then.

        Raises what connecting again cannot mend.
        """
        status = 0
        self._following = following
        async with anyio.create_task_group() as tasks:

            async def follow() -> None:
                await following.run()
                tasks.cancel_scope.cancel()

            async def take() -> None:
                nonlocal status
                status = await self._take()
                tasks.cancel_scope.cancel()

            tasks.start_soon(follow)
            tasks.start_soon(self._talking.keep_time)
            if self._fd is not None:
                tasks.start_soon(take)
        return status

    # ---- what the following tells ------------------------------------------------------------------------------------

    async def welcomed(self, frame: Frame, welcome: wire.Welcome, again: bool) -> None:
        """A line; the second one and later ones say that the connection stands again."""
        self._write(frame.text)
        await self._talking.welcomed(self._following, welcome, again)

    async def received(self, frame: Frame) -> bool:
        """A line; True at the session's end."""
        self._write(frame.text)
        await self._talking.received(frame)
        match frame.message:
            case wire.SessionChanged(change=change, session=session) if session.session_id == self._session_id:
                return change == "removed" or session.status.state == "ended"
            case wire.Snapshot(session_id=self._session_id, session=session):
                return session.status.state == "ended"
            case _:
                return False

    async def decided(self, frame: Frame, decided: Decided) -> None:
        """The verdict as it came; of one that is not certain, nobody knows any more."""
        if not decided.certain:
            self._tell("not_confirmed", responseId=decided.result.response_id, id=decided.result.id, final=True)
        self._write(frame.text)

    async def unconfirmed(self, action: NotConfirmed) -> None:
        """A line of our own."""
        self._tell("not_confirmed", responseId=action.response_id, id=action.prompt_id, final=False)

    async def _unconfirmed_turns(self, turns: list[Turn]) -> None:
        for each in turns:
            self._tell("not_confirmed", clientTurnId=each.id)

    async def lost(self, why: MirrordError) -> None:
        """A line of our own."""
        self._talking.lost()
        self._tell("connection_lost", message=f"{why}; connecting again")

    async def gone(self) -> None:
        """A line of our own."""
        self._tell("session_gone", sessionId=self._session_id)

    # ---- what comes in -----------------------------------------------------------------------------------------------

    async def _take(self) -> int:
        assert self._fd is not None
        splitter = LineSplitter()
        async for chunk in chunks(self._fd):
            for line in splitter.feed(chunk):
                await self._say(line)
        for line in splitter.close():
            await self._say(line)
        with anyio.move_on_after(VERDICT_SECONDS):
            await self._following.decided()
            await self._talking.settled()
        return UNCONFIRMED if len(self._pending) or self._talking.turns.waiting else 0

    async def _say(self, line: bytes | None) -> None:
        if line is None:
            self._complain("the line is too long")
            return
        if not line.strip():
            return
        try:
            message = _LINE.decode(line)
        except msgspec.DecodeError as error:
            self._complain(f"the line is no message that can be sent: {one_line(str(error))}")
            return
        match message:
            case wire.ContentPart():
                self._collect(message)
            case wire.ExtensionUIResponse():
                await self._following.answer(self._answer(message))
            case chat.ChatAction(action="submit", session_id=self._session_id):
                await self._submit(message)
            case chat.ChatSubscribe(session_id=self._session_id) | chat.ChatUnsubscribe(session_id=self._session_id):
                await self._talking.say(message)
            case _:
                await self._pass_on(message)

    async def _pass_on(self, message: wire.ClientMessage) -> None:
        """Send once, as soon as a connection stands."""
        sent = False
        while not sent:
            await self._following.connected()
            sent = await self._following.send(message)

    def _collect(self, piece: wire.ContentPart) -> None:
        """Keep the pieces of one text until its response comes, as the daemon does: they are sent again with it."""
        if self._pieces and piece.response_id != self._pieces[0].response_id:
            self._pieces.clear()
        if sum(len(kept.text) for kept in self._pieces) + len(piece.text) > CONTENT_BYTES:
            self._pieces.clear()
            self._complain(f"the pieces of one text hold more than {CONTENT_BYTES} bytes")
            return
        self._pieces.append(piece)

    def _answer(self, response: wire.ExtensionUIResponse) -> Answer:
        """The answer with its pieces. One without a response id gets one, so that it can be tried again and counts once."""
        named = response if response.response_id else msgspec.structs.replace(response, response_id=str(uuid.uuid4()))
        pieces, self._pieces = tuple(self._pieces), []
        return Answer(named.response_id or "", named, pieces if response.parts is not None else ())

    async def _submit(self, action: chat.ChatAction) -> None:
        """Submit as soon as a connection stands."""
        await self._talking.begun()
        if not self._talking.supported:
            return await self._pass_on(action)
        pieces, self._pieces = tuple(self._pieces), []
        new = Turn(action, action.text or "", pieces if action.parts is not None else ())
        given = False
        while not given:
            await self._talking.ready()
            given = await self._talking.give(new)

    # ---- what goes out -----------------------------------------------------------------------------------------------

    def _complain(self, text: str) -> None:
        self._write(msgspec.json.encode(wire.Error(code="malformed", message=text)).decode())

    def _tell(self, kind: str, **fields: str | bool) -> None:
        self._write(json.dumps({"type": kind, **fields}))

    def _write(self, frame: str) -> None:
        sys.stdout.write(json.dumps(json.loads(frame), ensure_ascii=True, separators=(",", ":")) + "\n")
        sys.stdout.flush()
