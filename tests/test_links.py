"""Promise: the daemon believes the kernel about processes: gone is withdrawn, alive is detached, and no terminal is taken over."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import anyio
import msgspec
import pytest

from bridge import messages as bridge
from bridge.limits import CONTENT_BYTES
from bridge.process import Peer
from mirrord.client import Connection, DaemonStatus, Local, connect, text_answer
from mirrord.clock import SystemClock
from mirrord.daemon import Daemon
from mirrord.links import REFUSALS, identify
from mirrord.place import Place
from mirrord.settings import Settings
from mirrord.testing import FakeExtension, fake_extension, hello, running_daemon
from mirrord.wire import messages as wire
from mirrord.wire.capabilities import SERVER_CAPABILITIES
from tests.places import stand_in_for_pi

PROMPT = bridge.Prompt(id="p1", method="confirm", title="Delete?", opened_at=1_000, message="notes.txt")


@pytest.fixture
def another_pi_pid() -> Iterator[int]:
    with stand_in_for_pi() as pid:
        yield pid


@asynccontextmanager
async def daemon_with_owner(settings: Settings, place: Place) -> AsyncIterator[tuple[Daemon, Connection]]:
    """A daemon and the person at this machine, all within ten seconds."""
    with anyio.fail_after(10):
        async with (
            running_daemon(place, settings, SystemClock()) as daemon,
            connect(Local(settings.paths.control_socket), name="me", kind="cli", capabilities=SERVER_CAPABILITIES) as owner,
        ):
            yield daemon, owner


async def becomes(client: Connection, state: wire.State) -> wire.Session:
    """The session once it is in this state."""
    return (await client.until(wire.SessionChanged, lambda message: message.session.status.state == state)).session


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
        monkeypatch.setattr("bridge.listener.peer_of", lambda _: Peer(1, os.getuid()))
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
            (link,) = (await owner.request("status", DaemonStatus)).links
            assert link.refused is None


async def test_only_so_many_refusals_are_remembered(own_settings: Settings, own_place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    too_new = msgspec.structs.replace(hello(), protocol=bridge.ProtocolRange(7, 8))
    async with daemon_with_owner(own_settings, own_place) as (daemon, _):
        for number in range(REFUSALS + 1):
            monkeypatch.setattr("bridge.listener.peer_of", lambda _, pid=number + 1: Peer(pid, os.getuid()))
            async with await anyio.connect_unix(str(own_settings.paths.bridge_socket)) as stream:
                extension = FakeExtension(stream)
                await extension.say(too_new)
                await extension.hear()
                with pytest.raises((anyio.EndOfStream, anyio.BrokenResourceError)):
                    await extension.hear()
        while len(daemon.links.infos()) < REFUSALS:
            await anyio.lowlevel.checkpoint()
        assert len(daemon.links.infos()) == REFUSALS


def test_a_process_that_says_who_it_is_is_believed_when_there_is_such_a_process(pi_pid: int) -> None:
    told = hello(pi_pid).terminal
    process = identify(told, os.getpid())
    assert (process.pid, process.start) == (pi_pid, told.start_time)


def test_a_process_that_is_not_what_it_says_is_the_one_that_the_kernel_names(pi_pid: int) -> None:
    lied = msgspec.structs.replace(hello(os.getpid()).terminal, pid=pi_pid)
    assert identify(lied, os.getpid()).pid == os.getpid()
    from_elsewhere = msgspec.structs.replace(hello().terminal, pid=2**22 + 1, start_time="1")
    assert identify(from_elsewhere, pi_pid).pid == pi_pid
    assert identify(from_elsewhere, None).pid == 2**22 + 1


async def test_what_pi_started_descends_from_pi_also_while_its_link_is_down(
    own_settings: Settings, own_place: Place, pi_pid: int, another_pi_pid: int
) -> None:
    async with daemon_with_owner(own_settings, own_place) as (daemon, owner):
        async with fake_extension(own_settings.paths.bridge_socket, hello(pi_pid)):
            assert daemon.links.descends_from_pi(pi_pid)
            assert not daemon.links.descends_from_pi(another_pi_pid)
            assert not daemon.links.descends_from_pi(os.getpid())
        await becomes(owner, "detached")
        assert daemon.links.descends_from_pi(pi_pid)
        os.kill(pi_pid, signal.SIGKILL)
        await becomes(owner, "ended")
        assert not daemon.links.descends_from_pi(pi_pid)
        assert daemon.links._processes == {}


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
