"""Promise: the Pi that a person sits at gets a code over its link and is told what became of it; no other process does."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import anyio
import anyio.to_thread
import pytest
from anyio.abc import ByteStream

from bridge import messages as bridge
from bridge.process import Peer
from mirrord.client import Local, connect, pair
from mirrord.clock import SystemClock
from mirrord.daemon.pi_pairing import BUSY, REQUEST_ID_CHARS
from mirrord.daemon.processes import FOREIGN_PEER, STARTED_BY_PI
from mirrord.pairing.offers import OFFER_SECONDS
from mirrord.place import Place
from mirrord.qr import half_blocks, modules
from mirrord.settings import Settings
from mirrord.testing import FakeClock, FakeExtension, fake_extension, hello, running_daemon

REQUEST = bridge.PairCodeRequest(seq=0, request_id="r-1")

ASK_AS_PI = textwrap.dedent("""
    import sys
    import anyio
    from bridge import messages as bridge
    from mirrord.testing import fake_extension, hello

    async def main():
        async with fake_extension(sys.argv[1], hello()) as extension:
            await extension.say(bridge.PairCodeRequest(seq=0, request_id="r"))
            while True:
                heard = await extension.hear()
                if isinstance(heard, (bridge.PairCode, bridge.PairCodeRefused)):
                    print(heard.message if isinstance(heard, bridge.PairCodeRefused) else "a code")
                    return

    anyio.run(main)
""")
"""What an agent's tool could try: to speak on the bridge socket as if it were a Pi."""


async def test_it_gets_a_code_with_its_picture_and_is_told_who_used_it(own_settings: Settings, own_place: Place) -> None:
    async with (
        running_daemon(own_place, own_settings, SystemClock()) as daemon,
        fake_extension(own_settings.paths.bridge_socket) as extension,
    ):
        await extension.say(bridge.PairCodeRequest(seq=0, request_id="r-1", role="observer"))
        code = await extension.until(bridge.PairCode)
        assert (code.request_id, code.role, code.page) == ("r-1", "observer", f"http://127.0.0.1:{daemon.runner.port}/")
        assert code.url == f"{code.page}#pair={code.code}"
        assert list(code.qr) == half_blocks(modules(code.url))
        assert code.code not in repr(code)
        assert (await pair(code.url, code.code, "phone")).role == "observer"
        assert await extension.until(bridge.PairCodeEnded) == bridge.PairCodeEnded(
            seq=extension._heard, request_id="r-1", outcome="used", device="phone"
        )


async def test_a_code_that_nobody_uses_ends_with_its_time(own_settings: Settings, own_place: Place) -> None:
    clock = FakeClock()
    async with running_daemon(own_place, own_settings, clock), fake_extension(own_settings.paths.bridge_socket) as extension:
        await extension.say(REQUEST)
        assert (await extension.until(bridge.PairCode)).expires_at == clock.wall() + round(OFFER_SECONDS * 1000)
        clock.advance(OFFER_SECONDS)
        assert (await extension.until(bridge.PairCodeEnded)).outcome == "old"


async def test_a_second_request_replaces_the_first_and_many_at_once_are_turned_away(own_settings: Settings, own_place: Place) -> None:
    async with running_daemon(own_place, own_settings, SystemClock()), fake_extension(own_settings.paths.bridge_socket) as extension:
        await extension.say(REQUEST)
        await extension.until(bridge.PairCode)
        await extension.say(*(bridge.PairCodeRequest(seq=0, request_id=f"again {number}") for number in range(3)))
        heard: list[object] = []
        while len(heard) < 4:
            message = await extension.hear()
            if not isinstance(message, bridge.Ack):
                heard.append(message)
        assert [message.message for message in heard if isinstance(message, bridge.PairCodeRefused)] == [BUSY, BUSY]
        assert [message.request_id for message in heard if isinstance(message, bridge.PairCode)] == ["again 0"]
        assert [(m.request_id, m.outcome) for m in heard if isinstance(m, bridge.PairCodeEnded)] == [("r-1", "replaced")]


async def test_a_long_id_is_cut(own_settings: Settings, own_place: Place) -> None:
    async with running_daemon(own_place, own_settings, SystemClock()), fake_extension(own_settings.paths.bridge_socket) as extension:
        await extension.say(bridge.PairCodeRequest(seq=0, request_id="x" * 10_000))
        assert len((await extension.until(bridge.PairCode)).request_id) == REQUEST_ID_CHARS


async def test_what_a_mirrored_pi_started_gets_no_code_though_it_says_that_it_is_a_pi(own_settings: Settings, own_place: Place) -> None:
    # This very process plays Pi here, so what it starts descends from Pi.
    async with (
        running_daemon(own_place, own_settings, SystemClock()),
        fake_extension(own_settings.paths.bridge_socket, hello()),
    ):
        command = [sys.executable, "-c", ASK_AS_PI, str(own_settings.paths.bridge_socket)]
        done = await anyio.to_thread.run_sync(lambda: subprocess.run(command, capture_output=True, check=True, timeout=30))
    assert done.stdout.decode().strip() == STARTED_BY_PI


async def test_who_speaks_for_another_process_gets_no_code(own_settings: Settings, own_place: Place, pi_pid: int) -> None:
    async with (
        running_daemon(own_place, own_settings, SystemClock()),
        fake_extension(own_settings.paths.bridge_socket, hello(pi_pid)) as extension,
    ):
        await extension.say(REQUEST)
        assert (await extension.until(bridge.PairCodeRefused)).message == FOREIGN_PEER


async def test_where_the_system_names_no_peer_there_is_no_code(
    own_settings: Settings, own_place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bridge.acceptor.peer_of", lambda _: Peer(None, os.getuid()))
    async with running_daemon(own_place, own_settings, SystemClock()), fake_extension(own_settings.paths.bridge_socket) as extension:
        await extension.say(REQUEST)
        assert (await extension.until(bridge.PairCodeRefused)).message == FOREIGN_PEER


async def test_a_disk_that_takes_nothing_is_one_sentence(own_settings: Settings, own_place: Place) -> None:
    async with running_daemon(own_place, own_settings, SystemClock()), fake_extension(own_settings.paths.bridge_socket) as extension:
        own_place.store._db.execute("PRAGMA query_only = ON")
        await extension.say(REQUEST)
        sentence = (await extension.until(bridge.PairCodeRefused)).message
        assert "make room or check the disk" in sentence
        assert "\n" not in sentence


async def test_no_client_hears_of_it(own_settings: Settings, own_place: Place) -> None:
    async with (
        running_daemon(own_place, own_settings, SystemClock()),
        fake_extension(own_settings.paths.bridge_socket) as extension,
        connect(Local(own_settings.paths.control_socket), name="me", kind="cli") as me,
    ):
        snapshot = await me.subscribe(me.welcome.sessions[0].session_id)
        await extension.say(REQUEST)
        await extension.until(bridge.PairCode)
        await extension.say(bridge.Title(seq=0, title="after"))
        frames: list[str] = []
        while '"after"' not in (frames[-1] if frames else ""):
            frames.append((await me.receive_frame()).text)
        assert snapshot.prompts == ()
        assert len(frames) == 1


async def test_a_link_that_is_gone_before_its_code_harms_nobody(own_settings: Settings, own_place: Place) -> None:
    async with running_daemon(own_place, own_settings, SystemClock()) as daemon:
        stream: ByteStream
        async with await anyio.connect_unix(str(own_settings.paths.bridge_socket)) as stream:
            extension = FakeExtension(stream)
            await extension.say(hello())
            await extension.until(bridge.Welcome)
            await extension.say(REQUEST)
        async with fake_extension(own_settings.paths.bridge_socket) as again:
            await again.say(REQUEST)
            await again.until(bridge.PairCode)
        assert daemon.status == 0
        assert not daemon._stopping.is_set()
