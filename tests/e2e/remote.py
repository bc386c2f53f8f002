"""A paired device for tests that are no coroutines: a task reads all the time, and what came can be waited for by its contents."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from anyio.from_thread import BlockingPortal

from mirrord.client import Connection, ConnectionLost, Endpoint, connect
from mirrord.wire import messages as wire
from mirrord.wire.capabilities import SERVER_CAPABILITIES

# A hundred times what a message needs on an idle machine.
ARRIVES = 10.0
# Messages that a failure shows.
SHOWN = 12

_Message = TypeVar("_Message", bound=wire.ServerMessage)
_Found = TypeVar("_Found")


class NotReceived(TimeoutError):
    """The message did not come; the text holds the last that did."""


class Remote:
    """A connection that follows a session. `received` is everything that came, in order."""

    def __init__(self, portal: BlockingPortal, connection: Connection, name: str) -> None:
        self.name = name
        self.welcome = connection.welcome
        self.received: list[wire.ServerMessage] = []
        self.texts: list[str] = []
        """The same, as it was on the wire."""
        self.times: list[float] = []
        """When each of them came, in seconds of a clock that never goes back."""
        self._portal = portal
        self._connection = connection
        self._changed = threading.Condition()
        self._lost: ConnectionLost | None = None

    def send(self, message: wire.ClientMessage) -> None:
        self._portal.call(self._connection.send, message)

    def prepared(self, text: str) -> bytes:
        """A message as bytes for `write`. Only in the thread of the remotes' sockets: another loses or doubles what passes meanwhile."""
        protocol = self._connection._socket.protocol
        protocol.send_text(text.encode())
        return b"".join(protocol.data_to_send())

    def write(self, prepared: bytes) -> None:
        """Gives the bytes to the system; only in the thread of the remotes' sockets, where it takes microseconds."""
        self._connection._socket.transport.write(prepared)

    def wait(self, kind: type[_Message], where: Callable[[_Message], bool] = lambda _: True, timeout: float = ARRIVES) -> _Message:
        """The first message of this kind for which `where` holds, among all that ever came; NotReceived when none comes in time."""
        return self._first(lambda message: [message] if isinstance(message, kind) and where(message) else [], timeout, kind.__name__)

    def all(self, kind: type[_Message], where: Callable[[_Message], bool] = lambda _: True) -> list[_Message]:
        """Every message of this kind so far for which `where` holds."""
        with self._changed:
            return [message for message in self.received if isinstance(message, kind) and where(message)]

    def forget(self) -> None:
        """From now on only what comes later counts."""
        with self._changed:
            self.received.clear()
            self.texts.clear()
            self.times.clear()

    def wait_lost(self, timeout: float = ARRIVES) -> None:
        """Returns once the connection has ended."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._lost is not None, timeout):
                raise NotReceived(f"{self.name}: still connected after {timeout} s")

    def subscribe(self, session_id: str) -> wire.Snapshot:
        """The session's state as it is now; its events follow."""
        known = self.all(wire.Snapshot)
        self.send(wire.Subscribe(session_id=session_id))
        return self.wait(wire.Snapshot, lambda snapshot: all(snapshot is not old for old in known))

    def prompt(self, title: str, timeout: float = ARRIVES) -> wire.ExtensionUIRequest:
        """The prompt with that title, told by a snapshot or as it opened."""

        def offered(message: wire.ServerMessage) -> list[wire.ExtensionUIRequest]:
            match message:
                case wire.ExtensionUIRequest():
                    prompts: tuple[wire.ExtensionUIRequest, ...] = (message,)
                case wire.Snapshot():
                    prompts = message.prompts
                case _:
                    prompts = ()
            return [prompt for prompt in prompts if prompt.title == title]

        return self._first(offered, timeout, f"prompt {title!r}")

    def settled(self, prompt_id: str, timeout: float = ARRIVES) -> wire.ExtensionUISettled:
        """How the prompt ended, as every client is told."""
        return self.wait(wire.ExtensionUISettled, lambda settled: settled.id == prompt_id, timeout)

    def put_answer(
        self,
        prompt_id: str,
        *,
        index: int | None = None,
        value: str | None = None,
        confirmed: bool | None = None,
        answers: dict[str, str | tuple[str, ...]] | None = None,
        unchanged: bool | None = None,
        cancelled: bool | None = None,
        response_id: str | None = None,
    ) -> str:
        """Sends an answer and returns its response id without waiting for what becomes of it."""
        response_id = response_id or str(uuid.uuid4())
        self.send(
            wire.ExtensionUIResponse(
                id=prompt_id,
                response_id=response_id,
                index=index,
                value=value,
                confirmed=confirmed,
                answers=answers,
                unchanged=unchanged,
                cancelled=cancelled,
            )
        )
        return response_id

    def result(self, response_id: str) -> wire.ResponseResult:
        """What became of that answer."""
        return self.wait(wire.ResponseResult, lambda result: result.response_id == response_id)

    def answer(
        self,
        prompt_id: str,
        *,
        index: int | None = None,
        value: str | None = None,
        confirmed: bool | None = None,
        answers: dict[str, str | tuple[str, ...]] | None = None,
        unchanged: bool | None = None,
        cancelled: bool | None = None,
    ) -> wire.ResponseResult:
        """Answers, and returns what became of it."""
        return self.result(
            self.put_answer(
                prompt_id, index=index, value=value, confirmed=confirmed, answers=answers, unchanged=unchanged, cancelled=cancelled
            )
        )

    def _first(self, pick: Callable[[wire.ServerMessage], list[_Found]], timeout: float, what: str) -> _Found:
        """The first thing that `pick` takes out of a message."""
        found: list[_Found] = []

        def holds() -> bool:
            found[:] = [thing for message in self.received for thing in pick(message)][:1]
            return bool(found) or self._lost is not None

        with self._changed:
            self._changed.wait_for(holds, timeout)
            if found:
                return found[0]
            last = "\n".join(map(repr, self.received[-SHOWN:]))
            raise NotReceived(f"{self.name}: no {what} within {timeout} s ({self._lost or 'connected'}); the last were\n{last}")

    async def read(self) -> None:
        """Runs until the connection ends."""
        try:
            while True:
                frame = await self._connection.receive_frame()
                with self._changed:
                    self.texts.append(frame.text)
                    self.times.append(time.monotonic())
                    if frame.message is not None:
                        self.received.append(frame.message)
                    self._changed.notify_all()
        except ConnectionLost as lost:
            with self._changed:
                self._lost = lost
                self._changed.notify_all()


@contextmanager
def connected(portal: BlockingPortal, endpoint: Endpoint, name: str) -> Iterator[Remote]:
    """A remote that is connected and follows nothing yet."""
    with portal.wrap_async_context_manager(connect(endpoint, name=name, kind="test", capabilities=SERVER_CAPABILITIES)) as connection:
        remote = Remote(portal, connection, name)
        reading = portal.start_task_soon(remote.read)
        try:
            yield remote
        finally:
            reading.cancel()
