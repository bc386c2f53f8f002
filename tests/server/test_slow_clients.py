"""Promise: who never reads is cut within the deadline; who reads slowly stays and loses no prompt; the others notice nothing.

Everything is real here: the daemon is a process of its own, and the slow ones are sockets with small buffers.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import signal
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import anyio
import anyio.to_thread
import msgspec
import pytest

from bridge import messages as bridge
from mirrord.client import Local, Remote, connect
from mirrord.client.connection import Connection
from mirrord.detached import spawn_detached
from mirrord.server.socket import DEVICE_PLACES
from mirrord.settings import Settings
from mirrord.testing import FakeExtension, fake_extension, hello
from mirrord.wire import messages as wire
from mirrord.wire.limits import OUTBOX_SECONDS

HEALTHY: Final = 50
BUFFER_BYTES: Final = 8_192
SLOW_BYTES_A_SECOND: Final = 8_192
KEYS: Final = 4
STEP_SECONDS: Final = 0.1
FLOOD_SECONDS: Final = 3 * OUTBOX_SECONDS
"""The deadline, what the kernel's buffers hold of the flood (they grow with the machine's memory), and a busy machine."""


@dataclass(slots=True)
class Raw:
    """A WebSocket client with a receive buffer of its own size, which reads only when told to."""

    sock: socket.socket
    received: bytes = b""

    @classmethod
    def connect(cls, url: str, token: str, session: str, through: int | None = None) -> Raw:
        """Connect, say hello and follow the session; nothing is read but the handshake's answer. `through`: a port that leads there."""
        host, port = url.removeprefix("ws://").split("/")[0].split(":")
        sock = socket.socket()
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER_BYTES)
        sock.settimeout(10)
        sock.connect((host, through or int(port)))
        request = (
            f"GET /v1/ws HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            f"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: mirrord.v1\r\nAuthorization: Bearer {token}\r\n\r\n"
        )
        sock.sendall(request.encode())
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += sock.recv(1)
        assert answer.startswith(b"HTTP/1.1 101")
        client = cls(sock)
        info = {"name": "slow", "kind": "test"}
        caps = ["extension-native-ui:v1:prompt-native"]
        client.say({"type": "hello", "client": info, "protocol": {"min": 1, "max": 1}, "capabilities": caps})
        client.say({"type": "subscribe", "sessionId": session})
        return client

    def say(self, message: dict[str, Any]) -> None:
        """Send one masked text frame (the mask is zero)."""
        body = json.dumps(message).encode()
        assert len(body) < 65_536
        length = bytes([0x80 | len(body)]) if len(body) < 126 else bytes([0x80 | 126]) + len(body).to_bytes(2, "big")
        self.sock.sendall(b"\x81" + length + b"\0\0\0\0" + body)


@dataclass(slots=True)
class Scene:
    """A daemon, a session that its extension fills with changes, and who follows it."""

    daemon: int
    url: str
    tokens: tuple[str, ...]
    """Of as many devices as it takes for so many connections."""
    session: str
    owner: Connection
    extension: FakeExtension
    _speaking: anyio.Lock = field(default_factory=anyio.Lock)

    @property
    def token(self) -> str:
        """Of one of them."""
        return self.tokens[0]

    async def say(self, *messages: bridge.FromExtension) -> None:
        """Whoever speaks for the extension, one after another."""
        async with self._speaking:
            await self.extension.say(*messages)

    async def flood(self) -> None:
        """Change statuses and notify, about 100 KB/s, for as long as the test runs."""
        step = 0
        while True:
            step += 1
            changes: list[bridge.FromExtension] = [
                bridge.Status(seq=0, key=f"key {number}", text=f"{step} ".ljust(150, "·")) for number in range(KEYS)
            ]
            await self.say(*changes, bridge.Notification(seq=0, message="·" * 4_000))
            await anyio.sleep(STEP_SECONDS)

    async def listen(self) -> None:
        """Take the daemon's acknowledgements, as an extension does."""
        while True:
            await self.extension.hear()


@asynccontextmanager
async def scene(settings: Settings, pi_pid: int) -> AsyncIterator[Scene]:
    """The daemon runs in a process of its own."""
    info = await anyio.to_thread.run_sync(spawn_detached, settings)
    try:
        async with scene_at(info.pid, settings, pi_pid) as made:
            yield made
    finally:
        os.kill(info.pid, signal.SIGTERM)


@asynccontextmanager
async def scene_at(daemon: int, settings: Settings, pi_pid: int) -> AsyncIterator[Scene]:
    """The same with the daemon of these settings, which runs."""
    async with connect(Local(settings.paths.control_socket), name="owner", kind="test") as owner:
        places = range(math.ceil((HEALTHY + 1) / DEVICE_PLACES))
        paired = [await owner.request("pair", dict, {"name": f"phone {place}", "role": "controller"}) for place in places]
        first = hello(pi_pid)
        async with fake_extension(settings.paths.bridge_socket, first) as extension:
            yield Scene(daemon, paired[0]["url"], tuple(each["token"] for each in paired), first.terminal.id, owner, extension)


async def clients(owner: Connection) -> list[str]:
    """Who is connected, by name."""
    return [client["name"] for client in (await owner.request("status", dict))["clients"]]


@pytest.mark.timeout(90)
async def test_a_client_that_never_reads_is_cut_within_its_deadline_and_fifty_others_miss_nothing(at_home: Settings, pi_pid: int) -> None:
    async with scene(at_home, pi_pid) as stage, AsyncExitStack() as stack, anyio.create_task_group() as tasks:
        healthy = [
            await stack.enter_async_context(connect(Remote(stage.url, token), name=f"healthy {number}", kind="test"))
            for number, token in zip(range(HEALTHY), itertools.cycle(stage.tokens), strict=False)
        ]
        seen: dict[int, list[str]] = {number: [] for number in range(HEALTHY)}

        async def read(number: int, client: Connection) -> None:
            await client.subscribe(stage.session)
            while True:
                message = await client.receive()
                if isinstance(message, wire.ExtensionUIRequest):
                    seen[number].append(message.id)

        for number, client in enumerate(healthy):
            tasks.start_soon(read, number, client)
        stalled = await anyio.to_thread.run_sync(Raw.connect, stage.url, stage.token, stage.session)
        stack.callback(stalled.sock.close)
        assert "slow" in await clients(stage.owner)
        tasks.start_soon(stage.flood)
        tasks.start_soon(stage.listen)
        # The kernel's buffers fill within some seconds of the flood; the deadline runs from the write that then waits.
        with anyio.fail_after(FLOOD_SECONDS):
            while "slow" in await clients(stage.owner):  # noqa: ASYNC110 - the daemon is another process
                await anyio.sleep(0.25)
        counters = (await stage.owner.request("status", dict))["counters"]
        assert counters["clientsEvicted"] == 1
        for number in range(3):
            prompt = bridge.Prompt(id=f"p{number}", method="confirm", title="Still there?", opened_at=1)
            await stage.say(bridge.PromptOpened(seq=0, prompt=prompt))
        with anyio.fail_after(20):
            while not all(ids == ["p0", "p1", "p2"] for ids in seen.values()):  # noqa: ASYNC110 - fifty readers fill it
                await anyio.sleep(0.05)
        assert len(await clients(stage.owner)) == HEALTHY + 1
        tasks.cancel_scope.cancel()


@pytest.mark.timeout(90)
async def test_a_client_that_reads_8_kb_a_second_stays_and_loses_no_prompt(at_home: Settings, pi_pid: int) -> None:
    async with scene(at_home, pi_pid) as stage, AsyncExitStack() as stack, anyio.create_task_group() as tasks:
        slow = await anyio.to_thread.run_sync(Raw.connect, stage.url, stage.token, stage.session)
        stack.callback(slow.sock.close)
        assert "slow" in await clients(stage.owner)
        tasks.start_soon(stage.flood)
        tasks.start_soon(stage.listen)

        async def read(seconds: float, pause: float) -> None:
            with anyio.move_on_after(seconds):
                while b'"last prompt"' not in slow.received:
                    slow.received += await anyio.to_thread.run_sync(slow.sock.recv, SLOW_BYTES_A_SECOND // 4)
                    await anyio.sleep(pause)

        await read(OUTBOX_SECONDS + 2, pause=0.25)
        assert "slow" in await clients(stage.owner)
        prompt = bridge.Prompt(id="p", method="confirm", title="last prompt", opened_at=1)
        await stage.say(bridge.PromptOpened(seq=0, prompt=prompt))
        # It stayed; what comes now is only to be there, so the rest is read as fast as it goes.
        await read(20, pause=0.01)
        assert b'"last prompt"' in slow.received
        assert "slow" in await clients(stage.owner)
        tasks.cancel_scope.cancel()


@pytest.mark.timeout(90)
async def test_a_daemon_that_stood_still_cuts_nobody_for_it(at_home: Settings, pi_pid: int) -> None:
    async with (
        scene(at_home, pi_pid) as stage,
        connect(Remote(stage.url, stage.token), name="phone", kind="test") as phone,
        anyio.create_task_group() as tasks,
    ):
        await phone.subscribe(stage.session)
        tasks.start_soon(stage.flood)
        tasks.start_soon(stage.listen)
        await phone.until(wire.ExtensionUINotification)
        os.kill(stage.daemon, signal.SIGSTOP)
        await anyio.sleep(OUTBOX_SECONDS + 1)
        os.kill(stage.daemon, signal.SIGCONT)
        prompt = bridge.Prompt(id="p", method="confirm", title="Still there?", opened_at=1)
        await stage.say(bridge.PromptOpened(seq=0, prompt=prompt))
        with anyio.fail_after(20):
            assert (await phone.until(wire.ExtensionUIRequest)).id == "p"
        assert "phone" in await clients(stage.owner)
        tasks.cancel_scope.cancel()


def test_the_flood_is_larger_than_what_the_slow_one_reads() -> None:
    changes: tuple[wire.ServerMessage, ...] = (
        *(
            wire.ExtensionUINotification(session_id="s", method="setStatus", status_key=f"key {n}", status_text="·" * 150)
            for n in range(KEYS)
        ),
        wire.ExtensionUINotification(session_id="s", method="notify", message="·" * 4_000),
    )
    assert sum(len(msgspec.json.encode(change)) for change in changes) / STEP_SECONDS > 10 * SLOW_BYTES_A_SECOND
