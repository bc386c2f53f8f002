"""Promise: a follower speaks for the Pi that it was started with and no other, before or after its extension, and no agent speaks there."""

from __future__ import annotations

import os
from dataclasses import replace

import anyio
import pytest
from anyio.lowlevel import checkpoint

from bridge import messages as bridge
from bridge.process import Peer
from bridge.screen import messages as screen
from mirrord.client import Connection, Local, connect
from mirrord.clock import SystemClock
from mirrord.daemon.daemon import Daemon
from mirrord.daemon.screens import FOREIGN, STARTED_BY_PI, TAKEN
from mirrord.place import Place
from mirrord.settings import Settings
from mirrord.testing import fake_extension, hello, running_daemon
from mirrord.wire import messages as wire
from mirrord.wire.capabilities import SERVER_CAPABILITIES
from sanitize.spans import Line, Span
from tests.following import FakeFollower, follower, refused_follower
from tests.following import hello as follows
from tests.places import stand_in_for_pi

MODEL = screen.ScreenState("menu", 1_000, "model")
NONE = screen.ScreenState("none", 2_000)
CANARY = "canary-in-the-editor"


async def menu_is(client: Connection, name: str | None) -> wire.Status:
    """The session's status once it says so."""
    while True:
        told = (await client.until(wire.SessionChanged)).session.status
        if told.menu == name:
            return told


def status(daemon: Daemon) -> wire.Status:
    return daemon.core.sessions()[0].status


async def test_a_menu_is_told_within_moments_and_gone_with_the_menu_or_the_follower(
    own_settings: Settings, own_place: Place, pi_pid: int
) -> None:
    paths = own_settings.paths
    async with (
        running_daemon(own_place, own_settings, SystemClock()) as daemon,
        fake_extension(paths.bridge_socket, hello(pi_pid)),
        connect(Local(paths.control_socket), name="me", kind="test") as client,
    ):
        async with follower(paths.screen_socket, follows(pi_pid)) as following:
            await following.say(MODEL)
            told = await menu_is(client, "model")
            assert (told.state, told.source) == ("waiting", "screen")
            await following.say(NONE)
            assert (await menu_is(client, None)).state == "idle"
            await following.say(screen.ScreenState("menu", 3_000))
            assert (await menu_is(client, "question")).source == "screen"
        assert (await menu_is(client, None)).state == "idle"
        assert len(daemon.screens) == 0


async def test_what_was_said_before_the_extension_came_counts_when_it_comes(own_settings: Settings, own_place: Place, pi_pid: int) -> None:
    paths = own_settings.paths
    async with (
        running_daemon(own_place, own_settings, SystemClock()) as daemon,
        follower(paths.screen_socket, follows(pi_pid)) as following,
    ):
        for number in range(1_000):
            await following.say(screen.ScreenState("menu", number, f"menu-{number}"))
        await following.say(screen.ScreenProgram("blocked"), screen.ScreenState("menu", 17, "trust"))
        assert daemon.core.sessions() == ()
        async with fake_extension(paths.bridge_socket, hello(pi_pid)):
            assert status(daemon) == wire.Status("waiting", "screen", 17, "trust")


async def test_what_was_said_of_an_earlier_process_of_that_pid_counts_for_nothing(
    own_settings: Settings, own_place: Place, pi_pid: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = own_settings.paths
    monkeypatch.setattr("mirrord.daemon.screens.start_time", lambda pid: "some time before")
    async with (
        running_daemon(own_place, own_settings, SystemClock()) as daemon,
        follower(paths.screen_socket, follows(pi_pid, shared=True)) as following,
    ):
        await following.say(MODEL)
        async with fake_extension(paths.bridge_socket, hello(pi_pid)):
            await following.say(MODEL)
            (session,) = daemon.core.sessions()
            assert (session.status.menu, session.screen_shared) == (None, False)


async def test_a_session_that_is_made_anew_hears_again_what_is_known(own_settings: Settings, own_place: Place, pi_pid: int) -> None:
    paths = own_settings.paths
    async with (
        running_daemon(own_place, own_settings, SystemClock()) as daemon,
        follower(paths.screen_socket, follows(pi_pid)) as following,
    ):
        async with fake_extension(paths.bridge_socket, hello(pi_pid)) as extension:
            await following.say(MODEL)
            await extension.say(bridge.Bye(seq=0, reason="off"))
            await extension.settled()
            assert daemon.core.sessions() == ()
        async with fake_extension(paths.bridge_socket, hello(pi_pid, generation=2)):
            assert status(daemon).menu == "model"


async def test_a_screen_reaches_who_watches_clean_and_is_asked_for_only_then(own_settings: Settings, own_place: Place, pi_pid: int) -> None:
    paths = own_settings.paths
    async with (
        running_daemon(own_place, own_settings, SystemClock()) as daemon,
        fake_extension(paths.bridge_socket, hello(pi_pid)),
        follower(paths.screen_socket, follows(pi_pid, shared=True)) as following,
        connect(Local(paths.control_socket), name="me", kind="test", capabilities=SERVER_CAPABILITIES) as client,
    ):
        (session,) = daemon.core.sessions()
        assert session.screen_shared
        await following.say(screen.Screen(80, 24, (Line((Span("unasked", "primary"),)),)))
        await client.request("screen_watch", type(None), {"sessionId": session.session_id, "on": True})
        assert (await following.until(screen.ScreenWanted)).on
        evil = Line((Span("a\x1b[2Jb\u202e", "accent", ("bold",), link="https://example.com/"), Span("\tc", "muted")), caret=2)
        await following.say(screen.Screen(100_000, -1, (evil, Line((Span("past the last row", "primary"),)))))
        shown = await client.until(wire.Screen)
        assert (shown.columns, shown.rows, shown.caret) == (300, 1, None)
        assert [[(span.text, span.role, span.traits, span.link) for span in line] for line in shown.lines] == [
            [("ab", "accent", ("bold",), None), (" c", "muted", (), None)]
        ]
        await following.say(screen.Screen(80, 24, (Line((Span("> ", "primary"),), caret=2),), None))
        assert (await client.until(wire.Screen)).caret is not None
        await following.say(screen.Screen(80, 24, hidden="a reason of later"))
        assert (await client.until(wire.Screen)).hidden == "unknown"
        await client.request("screen_watch", type(None), {"sessionId": session.session_id, "on": False})
        assert not (await following.until(screen.ScreenWanted)).on


async def test_nothing_of_a_screen_is_logged(
    own_settings: Settings, own_place: Place, pi_pid: int, caplog: pytest.LogCaptureFixture
) -> None:
    paths = own_settings.paths
    async with (
        running_daemon(own_place, own_settings, SystemClock()) as daemon,
        fake_extension(paths.bridge_socket, hello(pi_pid)),
        follower(paths.screen_socket, follows(pi_pid, shared=True)) as following,
        connect(Local(paths.control_socket), name="me", kind="test") as client,
    ):
        (session,) = daemon.core.sessions()
        await client.request("screen_watch", type(None), {"sessionId": session.session_id, "on": True})
        drawn = screen.Screen(80, 24, (Line((Span(CANARY, "primary"),)),))
        await following.say(drawn)
        shown = await client.until(wire.Screen)
        assert shown.lines[0][0].text == CANARY
        assert CANARY not in f"{shown!r}"
    assert CANARY not in caplog.text
    assert not [file for file in paths.state_dir.rglob("*") if file.is_file() and CANARY.encode() in file.read_bytes()]


async def test_a_followed_screen_is_company_though_its_pi_has_no_session_yet(own_settings: Settings, own_place: Place, pi_pid: int) -> None:
    async with running_daemon(own_place, replace(own_settings, idle_exit=600), SystemClock()) as daemon:
        assert daemon.idle is not None
        async with follower(own_settings.paths.screen_socket, follows(pi_pid)):
            daemon._note_company()
            assert daemon.idle.ends_at is None
        while len(daemon.screens):
            await checkpoint()
        daemon._note_company()
        assert daemon.idle.ends_at is not None


# ---- who speaks ------------------------------------------------------------------------------------------------------


async def test_what_pi_started_says_nothing_of_any_screen(own_settings: Settings, own_place: Place) -> None:
    """This very process is the Pi here, so what it starts, and it itself, is the agent's."""
    paths = own_settings.paths
    async with (
        running_daemon(own_place, own_settings, SystemClock()) as daemon,
        fake_extension(paths.bridge_socket, hello()),
        refused_follower(paths.screen_socket, follows(os.getpid())) as refusal,
    ):
        assert (refusal.code, refusal.message) == ("peer", STARTED_BY_PI)
        assert len(daemon.screens) == 0


async def test_what_followed_before_its_pi_was_linked_and_is_that_pis_is_cut_then(own_settings: Settings, own_place: Place) -> None:
    """As after a restart of the daemon. This very process is the Pi."""
    paths = own_settings.paths
    async with (
        running_daemon(own_place, own_settings, SystemClock()) as daemon,
        follower(paths.screen_socket, follows(os.getpid())) as tool,
        fake_extension(paths.bridge_socket, hello()),
    ):
        with pytest.raises(anyio.EndOfStream):
            await tool.until(screen.Pong)
        assert len(daemon.screens) == 0
        assert daemon.core.sessions()[0].status.source != "screen"


async def test_a_peer_that_the_kernel_does_not_name_is_not_heard(
    own_settings: Settings, own_place: Place, pi_pid: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bridge.acceptor.peer_of", lambda _: Peer(None, os.getuid()))
    async with (
        running_daemon(own_place, own_settings, SystemClock()),
        refused_follower(own_settings.paths.screen_socket, follows(pi_pid)) as refusal,
    ):
        assert refusal.message == STARTED_BY_PI


async def test_a_pi_of_somebody_else_or_none_is_not_spoken_for(own_settings: Settings, own_place: Place) -> None:
    async with running_daemon(own_place, own_settings, SystemClock()):
        for pid in (1, 2_000_000_000, -1):
            async with refused_follower(own_settings.paths.screen_socket, follows(pid)) as refusal:
                assert (refusal.code, refusal.message) == ("peer", FOREIGN.format(pid))


async def test_one_follower_speaks_for_a_pi_until_it_comes_again_itself(
    own_settings: Settings, own_place: Place, pi_pid: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = own_settings.paths.screen_socket
    async with running_daemon(own_place, own_settings, SystemClock()) as daemon, follower(path, follows(pi_pid)) as first:
        with stand_in_for_pi() as other, monkeypatch.context() as as_another:
            as_another.setattr("bridge.acceptor.peer_of", lambda _: Peer(other, os.getuid()))
            async with refused_follower(path, follows(pi_pid)) as refusal:
                assert refusal.message == TAKEN.format(pi_pid)
        async with follower(path, follows(pi_pid)) as again:
            with pytest.raises(anyio.EndOfStream):
                await first.until(screen.Pong)
            await again.say(MODEL)
            assert len(daemon.screens) == 1


async def test_a_follower_that_breaks_the_protocol_ends_its_own_link_alone(own_settings: Settings, own_place: Place, pi_pid: int) -> None:
    path = own_settings.paths.screen_socket
    async with running_daemon(own_place, own_settings, SystemClock()) as daemon:
        for garbage in (b"", b"{}\n", b"\xff\n", b'{"type":"screen"}\n', b"x" * 600_000):
            async with await anyio.connect_unix(str(path)) as stream:
                try:
                    await stream.send(garbage)
                    await stream.send_eof()
                    while await stream.receive():
                        pass
                except (anyio.EndOfStream, anyio.BrokenResourceError):
                    pass
        async with follower(path, follows(pi_pid)) as following:
            await following.say(MODEL)
            assert isinstance(following, FakeFollower)
        assert daemon.status == 0
