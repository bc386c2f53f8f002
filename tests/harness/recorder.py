"""Stands in for the daemon on the bridge socket and keeps every message, so that a test can count what Pi's extension says.

It speaks through the daemon's own `bridge.link.Link`, so what is no message of docs/bridge.md ends the link here too and
is kept in `broken`. It decides nothing: an answer goes out when the test says so.
"""

from __future__ import annotations

import os
import socket
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Self, TypedDict, TypeVar, Unpack

from bridge.link import Closed, Link, State, Taken
from bridge.messages import (
    By,
    DaemonInfo,
    FromExtension,
    Hello,
    PairCode,
    PairCodeRequest,
    PromptOpened,
    PromptSettled,
    Response,
    Stop,
    ToExtension,
)
from bridge.paths import Paths, locate
from bridge.private import ensure_private_dir
from bridge.process import peer_of
from mirrord.demo.pi_home import PiHome

CHUNK: Final = 65536
PATIENCE: Final = 10.0
"""How long anything may take that takes milliseconds on an idle machine, in seconds."""

_Message = TypeVar("_Message", bound=FromExtension)


@dataclass(frozen=True, slots=True)
class Heard:
    """One message: on which connection, counted from 1, and from which process."""

    connection: int
    pid: int
    message: FromExtension


class Given(TypedDict, total=False):
    """An answer; one of them is given."""

    index: int
    confirmed: bool
    text: str
    answers: dict[str, str | tuple[str, ...]]


class _Connection:
    def __init__(self, number: int, sock: socket.socket, daemon: DaemonInfo) -> None:
        self.number = number
        self.sock = sock
        self.pid = peer_of(sock).pid or 0
        self.link = Link(daemon, time.monotonic())
        self.open = True


def places(home: PiHome) -> Paths:
    """Where Pi's extension and the daemon of this home look for each other."""
    env = home.environment()
    return locate(env, sys.platform, os.getuid(), env["HOME"])


class Recorder:
    """Listens from construction until `close`; a context manager. `reads=False` accepts and never reads a byte."""

    def __init__(self, home: PiHome, *, reads: bool = True) -> None:
        self.chooses: Callable[[str], int | None] = lambda title: None
        """Called with each new prompt's title; an index that it returns is the answer at once."""
        self._paths = places(home)
        self._daemon = DaemonInfo(version="recorder", instance=uuid.uuid4().hex, pid=os.getpid())
        self._changed = threading.Condition()
        self._connections: list[_Connection] = []
        self._heard: list[Heard] = []
        self.broken: list[str] = []
        """What was wrong with links that broke the protocol."""
        self._reads = reads
        self._threads: list[threading.Thread] = []
        ensure_private_dir(self._paths.runtime_dir)
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(os.fsencode(self._paths.bridge_socket))
        self._paths.bridge_socket.chmod(0o600)
        self._listener.listen()
        self._start(self._accept)

    # ---- what was heard ----------------------------------------------------------------------------------------------

    @property
    def accepted(self) -> int:
        """Connections so far."""
        with self._changed:
            return len(self._connections)

    @property
    def standing(self) -> int:
        """Connections that are open now."""
        with self._changed:
            return sum(connection.open for connection in self._connections)

    def heard(self) -> tuple[Heard, ...]:
        """Everything so far, in the order it came."""
        with self._changed:
            return tuple(self._heard)

    def all(self, kind: type[_Message]) -> list[_Message]:
        """All messages of this type so far."""
        return [heard.message for heard in self.heard() if isinstance(heard.message, kind)]

    def count(self, kind: type[_Message], where: Callable[[_Message], bool] = lambda _: True) -> int:
        """How many such messages have come so far."""
        return sum(map(where, self.all(kind)))

    def terminals(self) -> set[str]:
        """The sessions a daemon would have listed by now, by id."""
        return {hello.terminal.id for hello in self.all(Hello)}

    def wait(
        self, kind: type[_Message], where: Callable[[_Message], bool] = lambda _: True, *, count: int = 1, timeout: float = PATIENCE
    ) -> _Message:
        """The `count`-th such message; TimeoutError, with everything heard, when it does not come."""

        def found() -> list[_Message]:
            return [message for message in self.all(kind) if where(message)]

        with self._changed:
            if self._changed.wait_for(lambda: len(found()) >= count, timeout):
                return found()[count - 1]
            lines = "\n".join(map(str, self._heard)) or "(nothing)"
        raise TimeoutError(f"no {kind.__name__} (number {count}) within {timeout} s; heard\n{lines}\nbroken links: {self.broken}")

    def prompt(self, title: str, **options: float) -> PromptOpened:
        """The prompt with this title, once it was offered."""
        return self.wait(PromptOpened, lambda opened: opened.prompt.title == title, timeout=options.get("timeout", PATIENCE))

    def settlement(self, opened: PromptOpened) -> PromptSettled:
        """How that prompt ended, once it has."""
        return self.wait(PromptSettled, lambda settled: settled.id == opened.prompt.id)

    def wait_standing(self, count: int) -> None:
        """Returns once so many connections are open."""
        with self._changed:
            if not self._changed.wait_for(lambda: self.standing == count, PATIENCE):
                raise TimeoutError(f"{self.standing} connections are open, not {count}")

    # ---- what is said ------------------------------------------------------------------------------------------------

    def answer(self, opened: PromptOpened, **answer: Unpack[Given]) -> str:
        """Answer a prompt on the connection that told of it last; returns the response's id."""
        response = _response(opened, **answer)
        with self._changed:
            told = [
                heard.connection
                for heard in self._heard
                if isinstance(heard.message, PromptOpened) and heard.message.prompt == opened.prompt
            ]
            connection = self._connections[told[-1] - 1]
            if connection.link.state is State.READY:
                connection.link.send(response)
                self._write(connection)
        return response.response_id

    def stop(self) -> None:
        """Ask the newest connection to stop the agent's run."""
        with self._changed:
            connection = self._connections[-1]
            connection.link.send(Stop(seq=0, request_id=str(uuid.uuid4()), by=By(name="recorder", kind="test")))
            self._write(connection)

    def say(self, message: ToExtension) -> None:
        """Say it on the newest connection."""
        with self._changed:
            connection = self._connections[-1]
            connection.link.send(message)
            self._write(connection)

    @contextmanager
    def refusing(self) -> Iterator[None]:
        """Nobody listens on the socket's file during the block, and all connections are cut at its beginning."""
        path = self._paths.bridge_socket
        aside = path.with_name("aside")
        path.rename(aside)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as deaf:
            deaf.bind(os.fsencode(path))
            path.chmod(0o600)
            self.cut()
            yield
        path.unlink()
        aside.rename(path)

    def cut(self) -> None:
        """Close every connection that is open now; new ones are welcome."""
        with self._changed:
            for connection in self._connections:
                if connection.open:
                    connection.sock.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """No connection is open and nobody listens when this returns; the socket's file is gone."""
        self._paths.bridge_socket.unlink(missing_ok=True)
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        with self._changed, suppress(OSError):
            self.cut()
        for thread in self._threads:
            thread.join()
        self._listener.close()
        for connection in self._connections:
            connection.sock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    # ---- threads -----------------------------------------------------------------------------------------------------

    def _start(self, run: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=run, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            with self._changed:
                connection = _Connection(len(self._connections) + 1, sock, self._daemon)
                self._connections.append(connection)
                self._changed.notify_all()
            if self._reads:
                self._start(self._read, connection)

    def _read(self, connection: _Connection) -> None:
        while True:
            try:
                data = connection.sock.recv(CHUNK)
            except OSError:
                data = b""
            with self._changed:
                if not data or not self._take(connection, data):
                    connection.open = False
                    self._changed.notify_all()
                    break
                self._changed.notify_all()
        with suppress(OSError):
            connection.sock.shutdown(socket.SHUT_RDWR)

    def _take(self, connection: _Connection, data: bytes) -> bool:
        for event in connection.link.receive(data, time.monotonic(), time.time_ns() // 1_000_000):
            match event:
                case Taken(message=message):
                    self._heard.append(Heard(connection.number, connection.pid, message))
                    if isinstance(message, PromptOpened) and (index := self.chooses(message.prompt.title)) is not None:
                        connection.link.send(_response(message, index=index))
                    if isinstance(message, PairCodeRequest):
                        connection.link.send(_code(message))
                case Closed(why=why, detail=detail):
                    if why == "broken":
                        self.broken.append(detail)
                    self._write(connection)
                    return False
        connection.link.acknowledge()
        self._write(connection)
        return True

    def _write(self, connection: _Connection) -> None:
        with suppress(OSError):
            connection.sock.sendall(connection.link.take_outgoing())


def _code(asked: PairCodeRequest) -> PairCode:
    """A code that pairs nobody."""
    url = "http://127.0.0.1:1/#pair=K7QF2M9XTB"
    return PairCode(
        seq=0,
        request_id=asked.request_id,
        code="K7QF2M9XTB",
        url=url,
        page="http://127.0.0.1:1/",
        role=asked.role,
        expires_at=round(time.time() * 1000) + 120_000,
        qr=("█▀▄",),
    )


def _response(opened: PromptOpened, **answer: Unpack[Given]) -> Response:
    by = By(name="recorder", kind="test")
    return Response(seq=0, response_id=str(uuid.uuid4()), id=opened.prompt.id, by=by, **answer)
