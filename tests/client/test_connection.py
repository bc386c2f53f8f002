"""Promise: a client gets typed messages in order, skips what it does not know, and says why the connection ended."""

from __future__ import annotations

from pathlib import Path

import anyio
import anyio.abc
import msgspec
import pytest

from mirrord.client import (
    CommandRefused,
    ConnectionLost,
    ProtocolMismatch,
    connect,
)
from mirrord.errors import MirrordError
from mirrord.wire import messages as wire
from tests.cli.prompts import select, session
from tests.client.scripted_daemon import Peer, control_socket, silent, then

PATIENCE = 5.0


class Pong(msgspec.Struct):
    pong: int


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


async def test_a_tap_is_told_each_frame_as_it_passes(tmp_path: Path) -> None:
    passed: list[tuple[str, str]] = []

    async def script(peer: Peer) -> None:
        await peer.say({"type": "hologram"})
        await peer.hear()

    async with (
        control_socket(tmp_path, then(script)) as here,
        connect(here, name="t", kind="test", tap=lambda direction, text: passed.append((direction, text))) as connection,
    ):
        await connection.receive_frame()
        await connection.send(wire.Unsubscribe(session_id="1-1"))
    assert [(direction, msgspec.json.decode(text)["type"]) for direction, text in passed] == [
        ("out", "hello"),
        ("in", "welcome"),
        ("in", "hologram"),
        ("out", "unsubscribe"),
    ]
