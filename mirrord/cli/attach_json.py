"""`mirrord attach --json`: one server message a line out, client messages as JSON lines in.

Lines out are pure ASCII: a program reads the same characters, and a terminal gets no control character. Fields and
message types that this build does not know are passed on as they came.
"""

from __future__ import annotations

import json
import sys
from typing import Final

import anyio
import msgspec

from mirrord.cli.attach_follow import VERDICT_SECONDS
from mirrord.cli.stdin_lines import LineSplitter, chunks
from mirrord.client import Connection
from mirrord.client.clean import one_line
from mirrord.wire import messages as wire

_Accepted = wire.ExtensionUIResponse | wire.Command | wire.Subscribe | wire.Unsubscribe
_LINE: Final[msgspec.json.Decoder[_Accepted]] = msgspec.json.Decoder(_Accepted)


class JsonFollower:
    """One session as lines of JSON; answers may be given for any session, because they name their prompt."""

    def __init__(self, connection: Connection, session_id: str, fd: int | None) -> None:
        """`fd` is where lines come from; None takes none."""
        self._connection = connection
        self._session_id = session_id
        self._fd = fd
        self._waiting: set[str] = set()
        self._answered = anyio.Event()

    async def run(self) -> int:
        """0 once the session or the input has ended. Raises `ConnectionLost` when the daemon goes first."""
        self._write(self._connection.welcome_frame.text)
        await self._connection.send(wire.Subscribe(session_id=self._session_id))
        async with anyio.create_task_group() as tasks:

            async def read() -> None:
                await self._read()
                tasks.cancel_scope.cancel()

            async def take() -> None:
                await self._take()
                tasks.cancel_scope.cancel()

            tasks.start_soon(read)
            if self._fd is not None:
                tasks.start_soon(take)
        return 0

    async def _read(self) -> None:
        while True:
            frame = await self._connection.receive_frame()
            self._write(frame.text)
            match frame.message:
                case wire.ResponseResult(id=prompt_id):
                    self._waiting.discard(prompt_id)
                    self._answered.set()
                case wire.SessionChanged(change=change, session=session) if session.session_id == self._session_id:
                    if change == "removed" or session.status.state == "ended":
                        return
                case _:
                    pass

    async def _take(self) -> None:
        assert self._fd is not None
        splitter = LineSplitter()
        async for chunk in chunks(self._fd):
            for line in splitter.feed(chunk):
                await self._say(line)
        for line in splitter.close():
            await self._say(line)
        with anyio.move_on_after(VERDICT_SECONDS):
            while self._waiting:
                self._answered = anyio.Event()
                await self._answered.wait()

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
        if isinstance(message, wire.ExtensionUIResponse):
            self._waiting.add(message.id)
        await self._connection.send(message)

    def _complain(self, text: str) -> None:
        self._write(msgspec.json.encode(wire.Error(code="malformed", message=text)).decode())

    def _write(self, frame: str) -> None:
        sys.stdout.write(json.dumps(json.loads(frame), ensure_ascii=True, separators=(",", ":")) + "\n")
        sys.stdout.flush()
