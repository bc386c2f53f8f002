"""Promise: the person at this machine is the owner, a process inside Pi only looks, and a bug of ours is never swallowed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
from contextlib import AsyncExitStack, suppress
from typing import Any

import anyio
import anyio.lowlevel
import anyio.to_thread
import pytest
from anyio.streams.buffered import BufferedByteReceiveStream
from websockets.asyncio.client import ClientConnection as ClientSocket
from websockets.asyncio.client import connect, unix_connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from bridge.process import Doubt, Peer
from mirrord.client import CommandRefused, Local
from mirrord.client import connect as connect_client
from mirrord.clock import SystemClock
from mirrord.place import Place
from mirrord.server.client import ClientConnection
from mirrord.server.socket import (
    DEVICE_PLACES,
    LATE_DOUBT,
    LOCAL_PLACES,
    OBSERVER_NOTICE,
    PROTOCOL_OPTIONS,
    UNKNOWN_PEER_NOTICE,
    ClientServer,
)
from mirrord.settings import Settings
from mirrord.testing import fake_extension, hello, running_daemon
from mirrord.wire import messages as wire
from mirrord.wire.limits import CLIENTS
from mirrord.wire.roles import Role

LOOK_AND_PAIR = textwrap.dedent("""
    import asyncio, json, sys
    from websockets.asyncio.client import unix_connect

    async def main():
        async with unix_connect(sys.argv[1], "ws://localhost/v1/ws", subprotocols=["mirrord.v1"]) as client:
            await client.send(json.dumps({"type": "hello", "client": {"name": "t", "kind": "t"}, "protocol": {"min": 1, "max": 1}}))
            welcome = json.loads(await client.recv())
            await client.send(json.dumps({"type": "command", "requestId": "r", "name": sys.argv[2], "args": json.loads(sys.argv[3])}))
            result = json.loads(await client.recv())
            while result["type"] != "command_result":
                result = json.loads(await client.recv())
            print(json.dumps({"role": welcome["role"], "notice": welcome.get("notice"), "result": result}))

    asyncio.run(main())
""")
"""What a tool that an agent runs could try."""


CONNECT_AND_EXIT = textwrap.dedent("""
    import os, socket, sys
    from websockets.asyncio import client

    ours = socket.socket(socket.AF_UNIX)
    if os.fork() == 0:
        ours.connect(sys.argv[1])
        os._exit(0)
    os.wait()
    ours.setblocking(False)
    connect_anew = client.unix_connect
    client.unix_connect = lambda path, uri, **options: connect_anew(None, uri, sock=ours, **options)
""")
"""The connection is that of a child, which is gone when the first word is said."""

PI_WITH_A_TOOL = textwrap.dedent("""
    import os, sys
    from websockets.sync.client import unix_connect

    if os.fork() == 0:
        hello = '{"type": "hello", "client": {"name": "t", "kind": "t"}, "protocol": {"min": 1, "max": 1}}'
        for _ in range(2):
            with unix_connect(sys.argv[1], "ws://localhost/v1/ws", subprotocols=["mirrord.v1"]) as client:
                client.send(hello)
                print(client.recv(), flush=True)
                try:
                    while True:
                        client.recv()
                except Exception as end:
                    print(end, flush=True)
        os._exit(0)
    os.wait()
""")
"""A Pi whose tool was connected before the daemon knew of that Pi, as after a restart of the daemon; cut, the tool comes again."""


async def test_over_the_control_socket_one_is_the_owner(own_settings: Settings, own_place: Place) -> None:
    async with (
        running_daemon(own_place, own_settings, SystemClock()) as daemon,
        connect_client(Local(own_settings.paths.control_socket), name="me", kind="cli") as me,
    ):
        assert (me.welcome.role, me.welcome.notice) == ("owner", None)
        (client,) = daemon.clients._open.values()
        assert client.pid == os.getpid()
        assert (await me.request("status", dict))["clients"] == [{"name": "me", "kind": "cli", "role": "owner", "credential": "local"}]


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("pair", {"name": "mine"}),
        ("pair_code", {}),
        ("pair_wait", {"offer": "x"}),
        ("devices", {}),
        ("device_rename", {"name": "phone", "to": "mine"}),
        ("device_revoke", {"name": "phone"}),
    ],
)
async def test_a_process_that_a_mirrored_pi_started_may_look_but_not_pair_and_is_told_so(
    own_settings: Settings, own_place: Place, name: str, args: dict[str, str]
) -> None:
    # This very process plays Pi here, so what it starts descends from Pi.
    async with (
        running_daemon(own_place, own_settings, SystemClock()) as daemon,
        fake_extension(own_settings.paths.bridge_socket, hello()),
    ):
        await own_place.store.mint("phone", Role.OBSERVER)
        command = [sys.executable, "-c", LOOK_AND_PAIR, str(own_settings.paths.control_socket), name, json.dumps(args)]
        done = await anyio.to_thread.run_sync(lambda: subprocess.run(command, capture_output=True, check=True, timeout=20))
        said = json.loads(done.stdout)
        assert (said["role"], said["notice"]) == ("observer", OBSERVER_NOTICE)
        assert said["result"]["ok"] is False
        assert said["result"]["error"]["code"] == "forbidden"
        assert [device.name for device in own_place.store.devices] == ["phone"]
        assert len(daemon.core.sessions()) == 1


@pytest.mark.parametrize("mirrored", [True, False], ids=["while its pi is mirrored", "before any pi is"])
async def test_who_has_the_connection_of_a_process_that_ended_may_look_but_not_pair(
    own_settings: Settings, own_place: Place, mirrored: bool
) -> None:
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(running_daemon(own_place, own_settings, SystemClock()))
        if mirrored:
            await stack.enter_async_context(fake_extension(own_settings.paths.bridge_socket, hello()))
        command = [sys.executable, "-c", CONNECT_AND_EXIT + LOOK_AND_PAIR, str(own_settings.paths.control_socket), "pair_code", "{}"]
        done = await anyio.to_thread.run_sync(lambda: subprocess.run(command, capture_output=True, check=True, timeout=20))
        said = json.loads(done.stdout)
        assert (said["role"], said["notice"]) == ("observer", UNKNOWN_PEER_NOTICE)
        assert said["result"]["error"]["code"] == "forbidden"


async def test_a_tool_that_was_there_before_its_pi_is_cut_when_that_is_linked_and_the_person_stays(
    own_settings: Settings, own_place: Place
) -> None:
    paths = own_settings.paths
    with anyio.fail_after(30):
        async with (
            running_daemon(own_place, own_settings, SystemClock()),
            connect_client(Local(paths.control_socket), name="me", kind="cli") as me,
            await anyio.open_process([sys.executable, "-c", PI_WITH_A_TOOL, str(paths.control_socket)], start_new_session=True) as pi,
        ):
            assert pi.stdout is not None
            lines = BufferedByteReceiveStream(pi.stdout)
            assert json.loads(await lines.receive_until(b"\n", 100_000))["role"] == "owner"
            async with fake_extension(paths.bridge_socket, hello(pi.pid)):
                assert LATE_DOUBT in (await lines.receive_until(b"\n", 1_000)).decode()
                again = json.loads(await lines.receive_until(b"\n", 100_000))
                assert (again["role"], again["notice"]) == ("observer", OBSERVER_NOTICE)
                assert (await me.request("status", dict))["clients"][0]["role"] == "owner"
            os.killpg(pi.pid, signal.SIGKILL)


async def test_a_pi_that_is_linked_while_its_tool_connects_is_heeded(
    own_settings: Settings, own_place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tool was judged before the daemon knew of the Pi, and is served after."""
    serve_client = ClientServer._serve_client

    async def after_the_pi_is_linked(self: ClientServer, *arguments: Any) -> None:
        async with fake_extension(own_settings.paths.bridge_socket, hello()):
            await serve_client(self, *arguments)

    monkeypatch.setattr(ClientServer, "_serve_client", after_the_pi_is_linked)
    async with running_daemon(own_place, own_settings, SystemClock()) as daemon:
        async with unix_connect(str(own_settings.paths.control_socket), "ws://localhost/v1/ws") as client:
            with pytest.raises(ConnectionClosed) as closed:
                await client.recv()
        assert closed.value.rcvd is not None
        assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (1008, LATE_DOUBT)
        with anyio.fail_after(5):
            while daemon.server.open:
                await anyio.lowlevel.checkpoint()


async def test_a_process_beside_pi_is_no_descendant(own_settings: Settings, own_place: Place, pi_pid: int) -> None:
    async with (
        running_daemon(own_place, own_settings, SystemClock()),
        fake_extension(own_settings.paths.bridge_socket, hello(pi_pid)),
        connect_client(Local(own_settings.paths.control_socket), name="me", kind="cli") as me,
    ):
        assert me.welcome.role == "owner"


async def test_a_peer_whose_process_is_unknown_only_looks(
    own_settings: Settings, own_place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mirrord.server.socket.peer_of", lambda _: Peer(None, os.getuid()))
    async with (
        running_daemon(own_place, own_settings, SystemClock()),
        connect_client(Local(own_settings.paths.control_socket), name="me", kind="cli") as me,
    ):
        assert (me.welcome.role, me.welcome.notice) == ("observer", UNKNOWN_PEER_NOTICE)
        with pytest.raises(CommandRefused):
            await me.request("stop", dict)


async def test_another_users_process_is_turned_away(own_settings: Settings, own_place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mirrord.server.socket.peer_of", lambda _: Peer(1, os.getuid() + 1))
    async with running_daemon(own_place, own_settings, SystemClock()) as daemon:
        with pytest.raises(InvalidStatus) as refused:
            async with unix_connect(str(own_settings.paths.control_socket), "ws://localhost/v1/ws"):
                pass
        assert refused.value.response.status_code == 401
        assert daemon.server.refused == 1


@pytest.mark.parametrize(
    ("served", "doubt", "network", "control"),
    [
        (CLIENTS - LOCAL_PLACES - 1, "pi", 101, 101),
        (CLIENTS - LOCAL_PLACES, None, 503, 101),
        (CLIENTS - LOCAL_PLACES, "pi", 503, 503),
        (CLIENTS, None, 503, 503),
    ],
)
async def test_neither_the_network_nor_what_an_agent_started_can_take_the_last_places(
    own_settings: Settings, own_place: Place, served: int, doubt: Doubt | None, network: int, control: int
) -> None:
    async with running_daemon(own_place, own_settings, SystemClock()) as daemon:
        daemon.server.doubt = lambda _: doubt
        token = (await own_place.store.mint("phone", Role.OBSERVER)).token
        for opening, expected in (
            (connect(daemon.runner.url, additional_headers={"Authorization": f"Bearer {token}"}, proxy=None), network),
            (unix_connect(str(own_settings.paths.control_socket), "ws://localhost/v1/ws"), control),
        ):
            daemon.server.open = served
            status = 101
            try:
                async with opening:
                    # Noticed later than the next request it would still hold its place.
                    pass
            except InvalidStatus as error:
                status = error.response.status_code
            assert status == expected


async def test_one_device_cannot_take_the_places_of_others(own_settings: Settings, own_place: Place) -> None:
    """Not even when it says nothing, and asks for all of them at once; what it gives back it may take again."""
    async with running_daemon(own_place, own_settings, SystemClock()) as daemon, AsyncExitStack() as stack:
        tokens = {name: (await own_place.store.mint(name, Role.OBSERVER)).token for name in ("wall", "phone")}
        held: list[ClientSocket] = []
        refused: list[int] = []

        async def come(name: str) -> None:
            try:
                held.append(await connect(daemon.runner.url, additional_headers={"Authorization": f"Bearer {tokens[name]}"}, proxy=None))
            except InvalidStatus as error:
                refused.append(error.response.status_code)
            else:
                stack.push_async_callback(held[-1].close)

        async with anyio.create_task_group() as tasks:
            for _ in range(DEVICE_PLACES + 8):
                tasks.start_soon(come, "wall")
        assert (len(held), refused, daemon.server.open) == (DEVICE_PLACES, [503] * 8, DEVICE_PLACES)
        await come("phone")
        assert (len(held), daemon.server.open) == (DEVICE_PLACES + 1, DEVICE_PLACES + 1)
        await held[0].close()
        with anyio.fail_after(5):
            while daemon.server.open > DEVICE_PLACES:
                await anyio.lowlevel.checkpoint()
        await come("wall")
        await come("wall")
        assert (len(held), refused) == (DEVICE_PLACES + 2, [503] * 9)


async def test_a_place_is_given_back_by_who_never_spoke_and_by_who_left_while_it_was_judged(
    own_settings: Settings, own_place: Place
) -> None:
    request = (
        b"GET /v1/ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    judging, left = threading.Event(), threading.Event()

    def slowly(_: int) -> Doubt | None:
        judging.set()
        left.wait(5)
        return None

    async with running_daemon(own_place, own_settings, SystemClock()) as daemon:
        async with await anyio.connect_unix(str(own_settings.paths.control_socket)) as stream:
            await stream.send(request)
            assert (await stream.receive()).startswith(b"HTTP/1.1 101")
            assert daemon.server.open == 1
        daemon.server.doubt = slowly
        async with await anyio.connect_unix(str(own_settings.paths.control_socket)) as stream:
            await stream.send(request)
            await anyio.to_thread.run_sync(judging.wait, 5)
            (connection,) = [each for each in daemon.server._sockets if each.admitted is None]
        with anyio.fail_after(5):
            while not connection.is_lost:
                await anyio.lowlevel.checkpoint()
            left.set()
            while connection.admitted is None or daemon.server.open:
                await anyio.lowlevel.checkpoint()


async def test_a_connection_that_sends_no_request_is_dropped(
    own_settings: Settings, own_place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mirrord.server.socket.PROTOCOL_OPTIONS", {**PROTOCOL_OPTIONS, "open_timeout": 0.05})
    async with (
        running_daemon(own_place, own_settings, SystemClock()) as daemon,
        await anyio.connect_tcp("127.0.0.1", daemon.runner.port) as stream,
    ):
        await stream.send(b"GET /v1/ws HT")
        with anyio.fail_after(5), pytest.raises((anyio.EndOfStream, anyio.BrokenResourceError)):
            await stream.receive()


@pytest.mark.parametrize("message", [wire.Hello, wire.Subscribe], ids=["hello", "a later message"])
async def test_a_bug_in_what_handles_a_client_ends_the_daemon_with_status_one(
    own_settings: Settings, own_place: Place, monkeypatch: pytest.MonkeyPatch, message: type[wire.ClientMessage]
) -> None:
    async with running_daemon(own_place, own_settings, SystemClock()) as daemon:

        def broken(client: ClientConnection, said: wire.ClientMessage) -> None:
            if isinstance(said, message):
                raise RuntimeError("a bug")

        monkeypatch.setattr(type(daemon.clients), "said", lambda self, client, said: broken(client, said))
        async with unix_connect(str(own_settings.paths.control_socket), "ws://localhost/v1/ws") as client:
            await client.send(json.dumps({"type": "hello", "client": {"name": "n", "kind": "k"}, "protocol": {"min": 1, "max": 1}}))
            with suppress(ConnectionClosed):
                # The pong shows that the hello was read, so what follows is taken where it arrives.
                await (await client.ping())
                await client.send(json.dumps({"type": "subscribe", "sessionId": "s"}))
            with anyio.fail_after(5):
                await client.wait_closed()
        with anyio.fail_after(5):
            await daemon._stopping.wait()
        assert daemon.status == 1
