"""Promise: a client must say hello in time, its mistakes cost at most its own connection, and one that does not read is cut."""

from __future__ import annotations

import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from mirrord.clock import SystemClock
from mirrord.core.model import ClientId
from mirrord.daemon.daemon import Daemon
from mirrord.place import Place
from mirrord.server.client import ClientConnection as ServedClient
from mirrord.settings import Settings
from mirrord.testing import running_daemon
from mirrord.wire.limits import CLIENT_FRAME_BYTES
from mirrord.wire.roles import Role

HELLO = json.dumps({"type": "hello", "client": {"name": "phone", "kind": "phone"}, "protocol": {"min": 1, "max": 1}})
KIB = 1024


@asynccontextmanager
async def daemon_and_token(settings: Settings, place: Place) -> AsyncIterator[tuple[Daemon, str]]:
    """A running daemon and a controller's token."""
    async with running_daemon(place, settings, SystemClock()) as daemon:
        yield daemon, (await place.store.mint("phone", Role.CONTROLLER)).token


def dial(daemon: Daemon, token: str, sock: socket.socket | None = None) -> connect:
    """A connection of our own, below mirrord's client library."""
    return connect(
        daemon.runner.url,
        additional_headers={"Authorization": f"Bearer {token}"},
        subprotocols=[Subprotocol("mirrord.v1")],
        compression=None,
        proxy=None,
        ping_interval=None,
        close_timeout=1,
        max_size=None,
        sock=sock,
    )


def served(daemon: Daemon, number: int = 1) -> ServedClient:
    """The daemon's side of the connection."""
    return daemon.clients._open[ClientId(number)]


async def farewell(client: ClientConnection) -> tuple[list[dict[str, object]], int | None, str]:
    """Everything that still comes, then the close code and reason."""
    frames = []
    with anyio.fail_after(5):
        while True:
            try:
                frames.append(json.loads(await client.recv()))
            except ConnectionClosed:
                return frames, client.close_code, client.close_reason or ""


async def test_hello_is_answered_with_welcome_over_our_subprotocol(own_settings: Settings, own_place: Place) -> None:
    async with daemon_and_token(own_settings, own_place) as (daemon, token), dial(daemon, token) as client:
        assert client.subprotocol == "mirrord.v1"
        await client.send(HELLO)
        welcome = json.loads(await client.recv())
        assert (welcome["type"], welcome["role"], welcome["protocol"]) == ("welcome", "controller", 1)


async def test_small_frames_to_the_network_do_not_wait_for_each_others_acknowledgement(own_settings: Settings, own_place: Place) -> None:
    async with daemon_and_token(own_settings, own_place) as (daemon, token), dial(daemon, token) as client:
        await client.send(HELLO)
        await client.recv()
        ours = served(daemon)._socket.transport.get_extra_info("socket")
        assert ours.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


async def test_without_a_hello_in_time_the_connection_is_closed(
    own_settings: Settings, own_place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mirrord.server.client.HELLO_SECONDS", 0.05)
    async with daemon_and_token(own_settings, own_place) as (daemon, token), dial(daemon, token) as client:
        frames, code, reason = await farewell(client)
        assert (frames, code) == ([], 1008)
        assert reason.startswith("no hello within")


@pytest.mark.parametrize(
    ("frame", "code"),
    [("nonsense", 1007), (b"binary", 1003), ('{"type":"telepathy"}', 1008), ('{"type":"unsubscribe","sessionId":"s"}', 1008)],
)
async def test_a_first_frame_that_is_no_hello_is_told_so_and_closes(
    own_settings: Settings, own_place: Place, frame: str | bytes, code: int
) -> None:
    async with daemon_and_token(own_settings, own_place) as (daemon, token), dial(daemon, token) as client:
        await client.send(frame)
        frames, closed, reason = await farewell(client)
        assert [message["type"] for message in frames] == ["error"]
        assert (closed, reason) == (code, "no hello")


async def test_after_hello_mistakes_are_told_and_nothing_closes(own_settings: Settings, own_place: Place) -> None:
    async with daemon_and_token(own_settings, own_place) as (daemon, token), dial(daemon, token) as client:
        await client.send(HELLO)
        await client.recv()
        for frame in ("nonsense", b"binary", '{"type":"telepathy"}', '{"type":"unsubscribe"}', HELLO):
            await client.send(frame)
            assert json.loads(await client.recv())["type"] == "error"
        await client.send('{"type":"command","requestId":"r","name":"status"}')
        assert json.loads(await client.recv())["error"]["code"] == "forbidden"


@pytest.mark.parametrize(("size", "code"), [(CLIENT_FRAME_BYTES, None), (CLIENT_FRAME_BYTES + 1, 1009)])
async def test_a_frame_of_the_largest_size_is_read_and_a_larger_one_closes(
    own_settings: Settings, own_place: Place, size: int, code: int | None
) -> None:
    async with daemon_and_token(own_settings, own_place) as (daemon, token), dial(daemon, token) as client:
        await client.send(HELLO)
        await client.recv()
        await client.send("x" * size)
        if code is None:
            assert json.loads(await client.recv())["code"] == "malformed"
        else:
            assert (await farewell(client))[1] == code


def lazy_socket(port: int) -> socket.socket:
    """A connection with so small a receive buffer that what is not read piles up at the daemon."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 * KIB)
    sock.connect(("127.0.0.1", port))
    sock.setblocking(False)
    return sock


async def test_a_client_that_does_not_read_is_cut_when_its_outbox_is_full_and_others_notice_nothing(
    own_settings: Settings, own_place: Place
) -> None:
    async with daemon_and_token(own_settings, own_place) as (daemon, token):
        stalled = lazy_socket(daemon.runner.port)
        async with dial(daemon, token, stalled) as lazy, dial(daemon, token) as healthy:
            for client in (lazy, healthy):
                await client.send(HELLO)
                await client.recv()
            lazy.transport.pause_reading()
            victim, other = served(daemon, 1), served(daemon, 2)
            frame = json.dumps("x" * 64 * KIB).encode()
            with anyio.fail_after(20):
                while victim.evicted is None:
                    victim.put(frame, "must")
                    other.put(frame, "must")
                    assert len(await healthy.recv()) == len(frame)
            assert victim.evicted == "slow: pending"
            with anyio.fail_after(5):
                await daemon.clients.wait_until_gone(but=1)
            assert daemon.clients.evicted == 1
            await healthy.send('{"type":"unsubscribe","sessionId":"s"}')
            other.put(b'"still here"', "must")
            assert await healthy.recv() == '"still here"'
            lazy.transport.abort()


async def test_a_write_that_nobody_takes_is_given_up_at_its_deadline(
    own_settings: Settings, own_place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mirrord.server.client.OUTBOX_SECONDS", 0.1)
    async with (
        daemon_and_token(own_settings, own_place) as (daemon, token),
        dial(daemon, token, lazy_socket(daemon.runner.port)) as lazy,
    ):
        await lazy.send(HELLO)
        await lazy.recv()
        lazy.transport.pause_reading()
        victim = served(daemon)
        victim.put(json.dumps("x" * 3000 * KIB).encode(), "must")
        with anyio.fail_after(5):
            await daemon.clients.wait_until_gone()
        assert victim.evicted == "slow: age"
        lazy.transport.abort()


async def test_the_reason_of_an_eviction_reaches_a_client_that_reads_again_in_time(own_settings: Settings, own_place: Place) -> None:
    async with daemon_and_token(own_settings, own_place) as (daemon, token), dial(daemon, token) as client:
        await client.send(HELLO)
        await client.recv()
        client.transport.pause_reading()
        victim = served(daemon)
        while victim.evicted is None:
            victim.put(json.dumps("x" * 512 * KIB).encode(), "must")
        client.transport.resume_reading()
        frames, code, reason = await farewell(client)
        assert (code, reason) == (1013, "slow: pending")
        assert len(frames) < 8


async def test_a_close_comes_after_what_waits(own_settings: Settings, own_place: Place) -> None:
    async with daemon_and_token(own_settings, own_place) as (daemon, token), dial(daemon, token) as client:
        await client.send(HELLO)
        await client.recv()
        for number in range(50):
            served(daemon).put(json.dumps({"n": number}).encode(), "must")
        served(daemon).close(1002, "protocol")
        served(daemon).close(1001, "a later word")
        served(daemon).put(b'"too late"', "must")
        frames, code, reason = await farewell(client)
        assert [frame["n"] for frame in frames] == list(range(50))
        assert (code, reason) == (1002, "protocol")


async def rests(client: ServedClient) -> None:
    """Its writer has nothing to do."""
    with anyio.fail_after(5):
        while not client._resting:
            await anyio.lowlevel.checkpoint()


async def test_a_frame_for_a_client_that_keeps_up_is_with_the_system_when_put_returns(own_settings: Settings, own_place: Place) -> None:
    async with daemon_and_token(own_settings, own_place) as (daemon, token), dial(daemon, token) as client:
        await client.send(HELLO)
        await client.recv()
        await rests(served(daemon))
        served(daemon).put(b'"now"', "must")
        assert (len(served(daemon).outbox), served(daemon)._socket.waiting) == (0, 0)
        assert await client.recv() == '"now"'


async def test_frames_keep_their_order_whichever_way_they_go(own_settings: Settings, own_place: Place) -> None:
    async with daemon_and_token(own_settings, own_place) as (daemon, token), dial(daemon, token) as client:
        await client.send(HELLO)
        await client.recv()
        sizes = [1, 300 * KIB, 1, 1, 300 * KIB, 1]
        for turn in range(3):
            await rests(served(daemon))
            for number, size in enumerate(sizes):
                served(daemon).put(json.dumps([turn, number, "x" * size]).encode(), "must")
            assert [json.loads(await client.recv())[:2] for _ in sizes] == [[turn, number] for number in range(len(sizes))]


@pytest.mark.skipif(not hasattr(socket, "TCP_NOTSENT_LOWAT"), reason="this system has no bound for what it has not sent")
async def test_who_reads_again_has_the_newest_state_behind_few_older_ones(own_settings: Settings, own_place: Place) -> None:
    async with (
        daemon_and_token(own_settings, own_place) as (daemon, token),
        dial(daemon, token, lazy_socket(daemon.runner.port)) as lazy,
    ):
        await lazy.send(HELLO)
        await lazy.recv()
        lazy.transport.pause_reading()
        for number in range(500):
            served(daemon).put(json.dumps([number, "x" * KIB]).encode(), "latest", "status")
            await anyio.lowlevel.checkpoint()
        lazy.transport.resume_reading()
        seen = [-1]
        with anyio.fail_after(5):
            while seen[-1] != 499:
                seen.append(json.loads(await lazy.recv())[0])
        assert len(seen) * KIB < 32 * KIB
