"""Promise: the daemon believes the kernel about processes: gone is withdrawn, alive is detached, and no terminal is taken over."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import anyio
import anyio.to_thread
import msgspec
import pytest

from bridge import messages as bridge
from bridge.limits import CONTENT_BYTES
from bridge.process import Peer
from mirrord.client import DaemonStatus, text_answer
from mirrord.daemon.links import REFUSALS
from mirrord.demo.terminal import Terminal
from mirrord.place import Place
from mirrord.settings import Settings
from mirrord.testing import FakeExtension, fake_extension, hello
from mirrord.wire import messages as wire
from tests.daemon.owned import becomes, daemon_with_owner

PROMPT = bridge.Prompt(id="p1", method="confirm", title="Delete?", opened_at=1_000, message="notes.txt")


async def test_a_link_that_breaks_leaves_a_living_terminals_prompts_and_its_death_withdraws_them(
    own_settings: Settings, own_place: Place, pi_pid: int
) -> None:
    async with daemon_with_owner(own_settings, own_place) as (_, owner):
        async with fake_extension(own_settings.paths.bridge_socket, hello(pi_pid), PROMPT):
            session = await becomes(owner, "waiting")
            await owner.subscribe(session.session_id)
        detached = await becomes(owner, "detached")
        assert detached.open_prompts == 1
        os.kill(pi_pid, signal.SIGKILL)
        settled = await owner.until(wire.ExtensionUISettled)
        assert (settled.outcome, settled.winner) == ("withdrawn", "none")
        assert (await becomes(owner, "ended")).open_prompts == 0


async def test_a_terminal_that_dies_with_its_link_is_withdrawn(own_settings: Settings, own_place: Place, pi_pid: int) -> None:
    async with daemon_with_owner(own_settings, own_place) as (_, owner):
        async with fake_extension(own_settings.paths.bridge_socket, hello(pi_pid), PROMPT):
            await becomes(owner, "waiting")
            os.kill(pi_pid, signal.SIGKILL)
        await becomes(owner, "ended")


async def test_a_new_generation_replaces_the_link_of_the_old_one(own_settings: Settings, own_place: Place, pi_pid: int) -> None:
    socket = own_settings.paths.bridge_socket
    async with daemon_with_owner(own_settings, own_place) as (daemon, owner), fake_extension(socket, hello(pi_pid), PROMPT) as old:
        await becomes(owner, "waiting")
        async with fake_extension(socket, hello(pi_pid, generation=2)):
            with pytest.raises(anyio.EndOfStream):
                await old.hear()
            await becomes(owner, "idle")
            assert len(daemon.core.sessions()) == 1
            assert [link.pid for link in daemon.links.infos()] == [pi_pid]


async def test_another_process_cannot_speak_for_a_linked_terminal(
    own_settings: Settings, own_place: Place, pi_pid: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    socket = own_settings.paths.bridge_socket
    async with daemon_with_owner(own_settings, own_place) as (daemon, _), fake_extension(socket, hello(pi_pid), PROMPT) as true:
        monkeypatch.setattr("bridge.acceptor.peer_of", lambda _: Peer(1, os.getuid()))
        async with await anyio.connect_unix(str(socket)) as stream:
            thief = FakeExtension(stream)
            await thief.say(hello(pi_pid, generation=2))
            refused = await thief.hear()
        assert isinstance(refused, bridge.Refused)
        assert refused.code == "peer"
        await true.say(bridge.Ping(seq=0, n=1))
        await true.until(bridge.Pong)
        assert [link.refused is None for link in daemon.links.infos()].count(True) == 1


async def test_a_refused_link_is_shown_in_status_until_that_process_is_welcomed(own_settings: Settings, own_place: Place) -> None:
    socket = own_settings.paths.bridge_socket
    too_new = msgspec.structs.replace(hello(), protocol=bridge.ProtocolRange(7, 8))
    async with daemon_with_owner(own_settings, own_place) as (daemon, owner):
        async with await anyio.connect_unix(str(socket)) as stream:
            extension = FakeExtension(stream)
            await extension.say(too_new)
            refused = await extension.hear()
            assert isinstance(refused, bridge.Refused)
            with pytest.raises(anyio.EndOfStream):
                await extension.hear()
        while not daemon.links.infos():
            await anyio.lowlevel.checkpoint()
        (link,) = (await owner.request("status", DaemonStatus)).links
        assert (link.pid, link.refused) == (os.getpid(), refused.message)
        async with fake_extension(socket):
            (standing,) = daemon.links.infos()
            assert standing.refused is None


async def test_only_so_many_refusals_are_remembered(own_settings: Settings, own_place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    too_new = msgspec.structs.replace(hello(), protocol=bridge.ProtocolRange(7, 8))
    async with daemon_with_owner(own_settings, own_place) as (daemon, _):
        for number in range(REFUSALS + 1):
            monkeypatch.setattr("bridge.acceptor.peer_of", lambda _, pid=number + 1: Peer(pid, os.getuid()))
            async with await anyio.connect_unix(str(own_settings.paths.bridge_socket)) as stream:
                extension = FakeExtension(stream)
                await extension.say(too_new)
                await extension.hear()
                with pytest.raises((anyio.EndOfStream, anyio.BrokenResourceError)):
                    await extension.hear()
        while len(daemon.links.infos()) < REFUSALS:
            await anyio.lowlevel.checkpoint()
        assert len(daemon.links.infos()) == REFUSALS


async def test_the_largest_text_waits_for_a_pi_that_is_busy_and_arrives_whole(
    own_settings: Settings, own_place: Place, pi_pid: int
) -> None:
    whole = "\x01" * CONTENT_BYTES  # six bytes each as JSON, which no socket's buffer holds
    editor = bridge.Prompt(id="e1", method="editor", title="Edit", opened_at=1_000, prefill="")
    async with (
        daemon_with_owner(own_settings, own_place) as (_, owner),
        fake_extension(own_settings.paths.bridge_socket, hello(pi_pid), editor) as extension,
    ):
        await becomes(owner, "waiting")
        for frame in text_answer("e1", "r1", whole).frames:
            await owner.send(frame)
        # A command that came after the answer is answered, so the answer is on its way, and nobody has read of it.
        await owner.request("status", dict)
        texts: list[str] = []
        while True:
            match await extension.hear():
                case bridge.ResponsePart(text=text):
                    texts.append(text)
                case bridge.Response() as response:
                    break
        assert (response.parts, "".join(texts) == whole) == (len(texts), True)


@pytest.fixture
def deaf_pi() -> Iterator[Terminal]:
    """A program in a terminal that does not end when the terminal is closed."""
    script = "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN); print('ready', flush=True); signal.pause()"
    with Terminal([sys.executable, "-c", script], env=os.environ, cwd=Path("/")) as terminal:
        terminal.wait_for("ready")
        yield terminal


async def test_a_pi_whose_terminal_was_closed_is_over_though_it_lives_and_comes_back_no_more(
    own_settings: Settings, own_place: Place, deaf_pi: Terminal
) -> None:
    async with daemon_with_owner(own_settings, own_place) as (_, owner):
        async with fake_extension(own_settings.paths.bridge_socket, hello(deaf_pi.pid), PROMPT) as extension:
            session = await becomes(owner, "waiting")
            await owner.subscribe(session.session_id)
            await anyio.to_thread.run_sync(deaf_pi.hang_up)
            assert (await owner.until(wire.ExtensionUISettled)).outcome == "withdrawn"
            assert (await becomes(owner, "ended")).open_prompts == 0
            with pytest.raises(anyio.EndOfStream):
                await extension.until(bridge.Pong)
        assert deaf_pi.alive
        async with await anyio.connect_unix(str(own_settings.paths.bridge_socket)) as stream:
            again = FakeExtension(stream)
            await again.say(hello(deaf_pi.pid, generation=2))
            assert (await again.until(bridge.Refused)).message == "the terminal of this Pi was closed"
        assert [session.status.state for session in (await owner.request("status", DaemonStatus)).sessions] == ["ended"]


async def test_a_pi_that_stands_still_is_told_each_time_one_comes(own_settings: Settings, own_place: Place, pi_pid: int) -> None:
    async with daemon_with_owner(own_settings, own_place) as (_, owner):
        for generation in (1, 2):
            async with fake_extension(own_settings.paths.bridge_socket, hello(pi_pid, generation=generation)):
                os.kill(pi_pid, signal.SIGSTOP)
                await becomes(owner, "suspended")
                os.kill(pi_pid, signal.SIGCONT)
                await becomes(owner, "idle")
