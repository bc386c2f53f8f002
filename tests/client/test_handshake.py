"""Promise: a client gets in, or says in one sentence why it cannot."""

from __future__ import annotations

import socket
from http import HTTPStatus
from pathlib import Path

import anyio
import anyio.abc
import msgspec
import pytest

from bridge.private import ForeignDirectory, NotASocket
from mirrord.client import (
    BadCredential,
    DaemonNotRunning,
    Endpoint,
    Local,
    NotADaemon,
    ProtocolMismatch,
    Refused,
    Remote,
    connect,
)
from mirrord.errors import MirrordError
from mirrord.wire import messages as wire
from tests.client.scripted_daemon import WELCOME, Peer, control_socket, network, silent

PATIENCE = 5.0


async def fails_with(endpoint: Endpoint) -> MirrordError:
    with pytest.raises(MirrordError) as caught, anyio.fail_after(PATIENCE):
        async with connect(endpoint, name="test", kind="test"):
            pass
    return caught.value


async def test_it_introduces_itself_and_keeps_the_welcome(tmp_path: Path) -> None:
    hellos = []

    async def script(peer: Peer) -> None:
        hellos.append(await peer.welcome())

    async with (
        control_socket(tmp_path, script) as daemon,
        connect(daemon, name="t", kind="cli", capabilities=("c",), resume={"1-1": "e:4"}) as connection,
    ):
        assert connection.welcome == WELCOME
    assert hellos == [
        {
            "type": "hello",
            "client": {"name": "t", "kind": "cli"},
            "protocol": {"min": 1, "max": 1},
            "capabilities": ["c"],
            "resume": {"1-1": "e:4"},
        }
    ]


async def test_the_token_travels_in_the_header_and_nowhere_else() -> None:
    seen = []

    async def script(peer: Peer) -> None:
        assert peer.socket.request is not None
        seen.append((peer.socket.request.path, peer.socket.request.headers["Authorization"]))
        await silent(peer)

    async with network(script) as daemon, connect(daemon, name="t", kind="cli"):
        pass
    assert seen == [("/v1/ws", "Bearer a-token")]
    assert "a-token" not in repr(daemon)


async def test_no_daemon_is_told(tmp_path: Path) -> None:
    assert str(await fails_with(Local(tmp_path / "control.sock"))) == (
        f"no mirrord daemon is running (there is no {tmp_path}/control.sock); start one with `mirrord serve`, or start Pi with `mirrord pi`"
    )


async def test_a_socket_nobody_listens_on_is_told(tmp_path: Path) -> None:
    path = tmp_path / "control.sock"
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(path))
    error = await fails_with(Local(path))
    assert isinstance(error, DaemonNotRunning)
    assert "nothing listens on" in str(error)


async def test_a_port_nobody_listens_on_is_told() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    assert isinstance(await fails_with(Remote(f"ws://127.0.0.1:{port}", "t")), DaemonNotRunning)


async def test_a_file_in_the_sockets_place_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "control.sock"
    path.write_text("")
    with pytest.raises(NotASocket):
        async with connect(Local(path), name="t", kind="cli"):
            pass


async def test_a_directory_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with control_socket(tmp_path, silent) as daemon:
        owner = daemon.socket.stat().st_uid
        monkeypatch.setattr("mirrord.client.endpoint.os.getuid", lambda: owner + 1)
        with pytest.raises(ForeignDirectory, match="belongs to user"):
            async with connect(daemon, name="t", kind="cli"):
                pass


async def test_a_bad_credential_is_told() -> None:
    async with network(silent, (HTTPStatus.UNAUTHORIZED, "a valid credential is needed\n")) as daemon:
        error = await fails_with(daemon)
    assert isinstance(error, BadCredential)
    assert str(error) == f"{daemon.url} does not know this credential; make a new one with `mirrord pair --token NAME`"


async def test_any_other_refusal_is_told_in_the_gates_words() -> None:
    async with network(silent, (HTTPStatus.TOO_MANY_REQUESTS, "too many failed\x1b[31m attempts; wait\n")) as daemon:
        error = await fails_with(daemon)
    assert isinstance(error, Refused)
    assert str(error) == f"{daemon.url} refused the connection: too many failed attempts; wait (HTTP 429)"


async def test_another_kind_of_server_is_told(tmp_path: Path) -> None:
    async with control_socket(tmp_path, silent, subprotocol=False) as daemon:
        error = await fails_with(daemon)
    assert isinstance(error, NotADaemon)
    assert "does not speak mirrord.v1" in str(error)


async def test_a_server_that_is_no_websocket_is_told() -> None:
    async def answer(stream: anyio.abc.SocketStream) -> None:
        async with stream:
            await stream.send(b"220 ready\r\n\r\n")

    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    port = listener.extra(anyio.abc.SocketAttribute.local_port)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, answer)
        error = await fails_with(Remote(f"ws://127.0.0.1:{port}", "t"))
        tasks.cancel_scope.cancel()
    await listener.aclose()
    assert isinstance(error, NotADaemon)
    assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (wire.Error(code="protocol", message="This daemon speaks protocol 2 to 3."), "speaks protocol 2 to 3"),
        ({**msgspec.to_builtins(WELCOME), "protocol": 2}, "it chose protocol 2"),
        ({"type": "welcome"}, "cannot be read"),
        ("garbage", "cannot be read"),
    ],
)
async def test_no_common_protocol_is_told(tmp_path: Path, reply: wire.ServerMessage | dict[str, object] | str, words: str) -> None:
    async def script(peer: Peer) -> None:
        await peer.hear()
        await peer.say(reply)

    async with control_socket(tmp_path, script) as daemon:
        error = await fails_with(daemon)
    assert isinstance(error, ProtocolMismatch)
    assert words in str(error)
