"""Promise: a client gets typed messages in order, skips what it does not know, and says in one sentence why it cannot go on."""

from __future__ import annotations

import socket
from http import HTTPStatus
from pathlib import Path

import anyio
import anyio.abc
import msgspec
import pytest

from bridge.private import ForeignSocket, NotASocket
from mirrord.client import (
    BadCredential,
    CommandRefused,
    ConnectionLost,
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
from tests.cli.prompts import select, session
from tests.client.scripted_daemon import WELCOME, Peer, Script, control_socket, network

PATIENCE = 5.0


class Pong(msgspec.Struct):
    pong: int


async def silent(peer: Peer) -> None:
    """Welcomes and then says nothing until the client leaves."""
    await peer.welcome()
    await peer.socket.wait_closed()


def then(script: Script) -> Script:
    """Welcomes, follows the script, and waits until the client leaves."""

    async def follow(peer: Peer) -> None:
        await peer.welcome()
        await script(peer)
        await peer.socket.wait_closed()

    return follow


async def fails_with(endpoint: Endpoint) -> MirrordError:
    with pytest.raises(MirrordError) as caught, anyio.fail_after(PATIENCE):
        async with connect(endpoint, name="test", kind="test"):
            pass
    return caught.value


# ---- getting in ------------------------------------------------------------------------------------------------------


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


async def test_a_socket_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with control_socket(tmp_path, silent) as daemon:
        owner = daemon.socket.stat().st_uid
        monkeypatch.setattr("mirrord.client.endpoint.os.getuid", lambda: owner + 1)
        monkeypatch.setattr("mirrord.client.endpoint.ForeignDirectory", ForeignSocket)
        with pytest.raises(ForeignSocket, match="belongs to user"):
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


# ---- talking ---------------------------------------------------------------------------------------------------------


async def test_messages_of_unknown_types_are_skipped_but_their_frames_are_kept(tmp_path: Path) -> None:
    async def script(peer: Peer) -> None:
        await peer.say({"type": "from_the_future", "x": 1}, wire.Gap("1-1", "e:1"))
        await peer.say({"type": "from_the_future", "x": 2}, wire.Gap("1-1", "e:2"))

    async with control_socket(tmp_path, then(script)) as daemon, connect(daemon, name="t", kind="cli") as connection:
        assert await connection.receive() == wire.Gap("1-1", "e:1")
        frame = await connection.receive_frame()
        assert frame.message is None
        assert '"x":2' in frame.text


async def test_unknown_fields_are_ignored(tmp_path: Path) -> None:
    async def script(peer: Peer) -> None:
        await peer.say({"type": "gap", "sessionId": "1-1", "since": "e:1", "colour": "red"})

    async with control_socket(tmp_path, then(script)) as daemon, connect(daemon, name="t", kind="cli") as connection:
        assert await connection.receive() == wire.Gap("1-1", "e:1")


async def test_a_request_gets_its_own_result_and_the_rest_stays_in_order(tmp_path: Path) -> None:
    async def script(peer: Peer) -> None:
        asked = await peer.hear()
        assert (asked["type"], asked["name"], asked["args"]) == ("command", "ping", {"n": 1})
        await peer.say(wire.Gap("1-1", "e:1"), wire.CommandResult("other", ok=True), wire.Gap("1-1", "e:2"))
        await peer.say(wire.CommandResult(asked["requestId"], ok=True, data={"pong": 1}))

    async with control_socket(tmp_path, then(script)) as daemon, connect(daemon, name="t", kind="cli") as connection:
        assert (await connection.request("ping", Pong, {"n": 1})).pong == 1
        assert [await connection.receive() for _ in range(3)] == [
            wire.Gap("1-1", "e:1"),
            wire.CommandResult("other", ok=True),
            wire.Gap("1-1", "e:2"),
        ]


@pytest.mark.parametrize(
    ("result", "error", "words"),
    [
        ({"ok": False, "error": {"code": "forbidden", "message": "Not\x1b[2J you."}}, CommandRefused, "^Not you.$"),
        ({"ok": False}, CommandRefused, "refused `ping` without a reason"),
        ({"ok": True, "data": {"pong": "one"}}, ProtocolMismatch, "the answer to `ping` cannot be read"),
    ],
)
async def test_a_refused_request_is_told(tmp_path: Path, result: dict[str, object], error: type[MirrordError], words: str) -> None:
    async def script(peer: Peer) -> None:
        asked = await peer.hear()
        await peer.say({"type": "command_result", "requestId": asked["requestId"], **result})

    async with control_socket(tmp_path, then(script)) as daemon, connect(daemon, name="t", kind="cli") as connection:
        with pytest.raises(error, match=words):
            await connection.request("ping", Pong)


async def test_an_answer_waits_for_its_own_verdict(tmp_path: Path) -> None:
    async def script(peer: Peer) -> None:
        said = await peer.hear()
        assert (said["type"], said["id"], said["index"]) == ("extension_ui_response", "p", 0)
        await peer.say(wire.ResponseResult(response_id="other", id="p", accepted=False, reason="settled"))
        await peer.say(wire.ResponseResult(response_id=said["responseId"], id="p", accepted=True))

    async with control_socket(tmp_path, then(script)) as daemon, connect(daemon, name="t", kind="cli") as connection:
        assert (await connection.answer("p", index=0)).accepted


def snapshot(session_id: str = "1-1") -> wire.Snapshot:
    return wire.Snapshot(
        session_id=session_id,
        cursor="e:1",
        session=session(session_id),
        prompts=(select(),),
        statuses=(),
        title=None,
        working=wire.Working(active=False, since=1),
    )


async def test_subscribing_gives_the_snapshot(tmp_path: Path) -> None:
    async def script(peer: Peer) -> None:
        assert await peer.hear() == {"type": "subscribe", "sessionId": "1-1"}
        await peer.say(wire.Gap("1-1", "e:1"), snapshot())

    async with control_socket(tmp_path, then(script)) as daemon, connect(daemon, name="t", kind="cli") as connection:
        assert await connection.subscribe("1-1") == snapshot()
        assert isinstance(await connection.receive(), wire.Gap)


async def test_subscribing_to_nothing_is_told(tmp_path: Path) -> None:
    async def script(peer: Peer) -> None:
        await peer.hear()
        await peer.say(wire.Error(code="unknown_session", message="There is no such session."))

    async with control_socket(tmp_path, then(script)) as daemon, connect(daemon, name="t", kind="cli") as connection:
        with pytest.raises(CommandRefused, match="no such session"):
            await connection.subscribe("9-9")


# ---- the end ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "reason", "sentence"),
    [
        (1001, "the daemon stops", "the daemon stopped (the daemon stops)"),
        (1001, "", "the daemon stopped"),
        (
            1013,
            "slow: age",
            "the daemon closed the connection because this client fell behind (slow: age); connect again to see where things are",
        ),
        (1008, "no\x07hello", "the daemon closed the connection (nohello)"),
        (4000, "", "the daemon closed the connection (code 4000)"),
    ],
)
async def test_a_close_says_why(tmp_path: Path, code: int, reason: str, sentence: str) -> None:
    async def script(peer: Peer) -> None:
        await peer.socket.close(code, reason)

    async with control_socket(tmp_path, then(script)) as daemon, connect(daemon, name="t", kind="cli") as connection:
        with pytest.raises(ConnectionLost) as lost:
            await connection.receive()
        assert (str(lost.value), lost.value.code) == (sentence, code)
        with pytest.raises(ConnectionLost):
            await connection.send(wire.Unsubscribe("1-1"))


async def test_a_broken_connection_is_told(tmp_path: Path) -> None:
    async def script(peer: Peer) -> None:
        peer.socket.transport.abort()

    async with control_socket(tmp_path, then(script)) as daemon, connect(daemon, name="t", kind="cli") as connection:
        with pytest.raises(ConnectionLost, match="broke"):
            await connection.receive()


async def test_a_cancelled_client_leaves_no_open_socket(tmp_path: Path) -> None:
    left = anyio.Event()

    async def script(peer: Peer) -> None:
        await silent(peer)
        left.set()

    async with control_socket(tmp_path, script) as daemon:
        with anyio.move_on_after(0.1):
            async with connect(daemon, name="t", kind="cli") as connection:
                await connection.receive()
        with anyio.fail_after(PATIENCE):
            await left.wait()
