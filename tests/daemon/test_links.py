"""Promise: the daemon believes the kernel about processes: gone is withdrawn, alive is detached, and no terminal is taken over."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import anyio.to_thread
import msgspec
import pytest

from bridge import messages as bridge
from bridge.limits import CONTENT_BYTES
from bridge.process import Peer, Suspect, is_alive, start_time
from mirrord.client import Connection, DaemonStatus, Local, connect, text_answer
from mirrord.clock import SystemClock
from mirrord.daemon.daemon import Daemon, itself
from mirrord.daemon.links import ENDED, REFUSALS, identify
from mirrord.demo.terminal import Terminal
from mirrord.place import Place
from mirrord.service.activation import Activated
from mirrord.service.managed import Managed
from mirrord.settings import Settings
from mirrord.testing import FakeExtension, fake_extension, hello, running_daemon
from mirrord.wire import messages as wire
from mirrord.wire.capabilities import SERVER_CAPABILITIES
from tests.places import stand_in_for_pi

SAY_HELLO_AS_INIT = """
import socket, sys
link = socket.socket(socket.AF_UNIX)
link.connect(sys.argv[1])
link.sendall(sys.argv[2].encode() + b"\\n")
while link.recv(1000):
    pass
"""

PI_WITH_A_JOB = """
import os, sys, time
if os.fork() == 0:
    print(os.getpid(), flush=True)
while True:
    time.sleep(1)
"""

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


def test_a_process_that_says_who_it_is_is_believed_when_there_is_such_a_process(pi_pid: int) -> None:
    told = hello(pi_pid).terminal
    process = identify(told, os.getpid())
    assert (process.pid, process.start) == (pi_pid, told.start_time)


@pytest.mark.parametrize("name", ["init", "the person's shell", "another tab"])
def test_nobody_names_a_process_that_is_not_its_own_child(name: str, pi_pid: int, another_pi_pid: int) -> None:
    """Everything that descends from it would be taken for Pi's, and the person locked out."""
    named = {"init": 1, "the person's shell": os.getpid(), "another tab": another_pi_pid}[name]
    told = msgspec.structs.replace(hello(pi_pid).terminal, pid=named, start_time=start_time(named))
    assert identify(told, pi_pid).pid == pi_pid
    assert not is_alive(named, identify(told, None).start), "nobody vouches for it"


async def test_a_tool_that_says_it_is_init_locks_nobody_out(own_settings: Settings, own_place: Place) -> None:
    async with daemon_with_owner(own_settings, own_place) as (daemon, owner):
        tool = [sys.executable, "-c", SAY_HELLO_AS_INIT, str(own_settings.paths.bridge_socket), msgspec.json.encode(hello(1)).decode()]
        async with await anyio.open_process(tool) as process:
            await becomes(owner, "idle")
            assert daemon.links.doubt(os.getpid()) is None
            async with connect(Local(own_settings.paths.control_socket), name="again", kind="cli") as again:
                assert again.welcome.role == "owner"
            process.kill()


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
            assert daemon.links.doubt(pi_pid) == "pi"
            assert daemon.links.doubt(another_pi_pid) is None
            assert daemon.links.doubt(os.getpid()) is None
        await becomes(owner, "detached")
        assert daemon.links.doubt(pi_pid) == "pi"
        os.kill(pi_pid, signal.SIGKILL)
        await becomes(owner, "ended")
        assert daemon.links._processes == {}


async def test_what_a_pi_left_running_is_no_owner_after_its_end(own_settings: Settings, own_place: Place) -> None:
    async with daemon_with_owner(own_settings, own_place) as (daemon, owner):
        pi = await anyio.open_process([sys.executable, "-c", PI_WITH_A_JOB], start_new_session=True)
        assert pi.stdout is not None
        job = int(await pi.stdout.receive())
        async with fake_extension(own_settings.paths.bridge_socket, hello(pi.pid)):
            assert daemon.links.doubt(job) == "pi"
        await becomes(owner, "detached")
        pi.kill()
        await becomes(owner, "ended")
        assert daemon.links.doubt(job) == "pi"
        while daemon.links._looking:
            await anyio.lowlevel.checkpoint()
        assert [ended.pid for ended in daemon.links._ended] == [pi.pid]
        assert await anyio.to_thread.run_sync(daemon.links.doubt, job) == "pi"
        assert daemon.links.doubt(os.getpid()) is None
        os.kill(job, signal.SIGKILL)
        await pi.aclose()


async def test_a_pi_that_left_nothing_is_forgotten_and_of_others_so_many_are_remembered(
    own_settings: Settings, own_place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[set[Suspect]] = []

    def only_the_second(ended: set[Suspect]) -> set[Suspect]:
        asked.append(ended)
        return {one for one in ended if one.pid == second}

    monkeypatch.setattr("mirrord.daemon.links.left_something", only_the_second)
    async with daemon_with_owner(own_settings, own_place) as (daemon, owner):
        with stand_in_for_pi() as first, stand_in_for_pi() as second:
            for pid in (first, second):
                async with fake_extension(own_settings.paths.bridge_socket, hello(pid)):
                    pass
                await becomes(owner, "detached")
                os.kill(pid, signal.SIGKILL)
                await becomes(owner, "ended")
                while daemon.links._looking:
                    await anyio.lowlevel.checkpoint()
        assert [ended.pid for ended in daemon.links._ended] == [second]
        assert {one.pid for ended in asked for one in ended} == {first, second}
        monkeypatch.setattr("mirrord.daemon.links.left_something", lambda ended: ended)
        daemon.links._ended = tuple(Suspect(pid, "1") for pid in range(ENDED))
        with stand_in_for_pi() as third:
            async with fake_extension(own_settings.paths.bridge_socket, hello(third)):
                pass
            await becomes(owner, "detached")
            os.kill(third, signal.SIGKILL)
            await becomes(owner, "ended")
        assert len(daemon.links._ended) == ENDED
        assert daemon.links._ended[-1].pid == third


async def test_what_the_daemon_started_is_no_owner(own_settings: Settings, own_place: Place, pi_pid: int) -> None:
    """Here this process is the daemon, and what stands for a Pi is its helper."""
    async with daemon_with_owner(own_settings, own_place) as (daemon, _):
        assert daemon.links.doubt(pi_pid) is None
        daemon.links.daemon = itself(None)
        assert daemon.links.doubt(pi_pid) == "daemon"
        assert daemon.links.doubt(os.getppid()) is None


@pytest.mark.parametrize(
    ("managed", "ours", "parents", "known"),
    [(True, "service", "init", True), (False, "tab", "init", False), (True, "", "", False), (True, "all", "all", False)],
)
def test_what_the_daemon_left_behind_is_told_where_it_has_a_group_of_its_own(
    monkeypatch: pytest.MonkeyPatch, managed: bool, ours: str, parents: str, known: bool
) -> None:
    """Elsewhere a program that the person starts after it would be taken for one of its own."""
    groups = {os.getpid(): ours, os.getppid(): parents}
    monkeypatch.setattr("bridge.process.control_group", groups.get)
    monkeypatch.setattr("mirrord.daemon.daemon.control_group", groups.get)
    noted = itself(Managed(None, Activated()) if managed else None)
    assert noted.pid == os.getpid()
    assert (noted.info is not None) is known


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
