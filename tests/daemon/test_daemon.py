"""Promise: what a terminal says reaches every client, an answer from afar reaches the terminal, and the daemon stops in order."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import AsyncExitStack, suppress
from dataclasses import replace

import anyio
import anyio.lowlevel
import anyio.to_thread
import pytest

from bridge import messages as bridge
from mirrord.client import Connection, ConnectionLost, Local, Remote, connect
from mirrord.clock import SystemClock
from mirrord.config.daemon import Reloaded
from mirrord.core import commands, events
from mirrord.core.core import Core
from mirrord.core.retention import Prune
from mirrord.daemon.daemon import Daemon, run
from mirrord.place import Place
from mirrord.settings import Settings
from mirrord.testing import FakeExtension, fake_extension, hello, running_daemon
from mirrord.wire import messages as wire
from mirrord.wire.capabilities import SERVER_CAPABILITIES
from mirrord.wire.roles import Role

PROMPT = bridge.Prompt(id="p1", method="select", title="Pick a fruit", opened_at=1_000, options=("apple", "banana"), option_count=2)


async def paired(daemon: Daemon, name: str = "phone", role: Role = Role.CONTROLLER) -> Remote:
    """A new device."""
    minted = await daemon.place.store.mint(name, role)
    return Remote(daemon.runner.url, minted.token)


async def test_a_remote_answer_reaches_the_terminal_and_its_verdict_reaches_everybody(
    own_settings: Settings, own_place: Place, pi_pid: int
) -> None:
    async with (
        running_daemon(own_place, own_settings, SystemClock()) as daemon,
        fake_extension(own_settings.paths.bridge_socket, hello(pi_pid), PROMPT) as terminal,
        connect(await paired(daemon), name="Ada's phone", kind="phone", capabilities=SERVER_CAPABILITIES) as phone,
        connect(Local(own_settings.paths.control_socket), name="attach", kind="attach", capabilities=SERVER_CAPABILITIES) as local,
    ):
        assert (phone.welcome.role, local.welcome.role) == ("controller", "owner")
        (session,) = phone.welcome.sessions
        for client in (phone, local):
            await client.send(wire.Subscribe(session_id=session.session_id))
            snapshot = await client.until(wire.Snapshot)
            assert [prompt.title for prompt in snapshot.prompts] == ["Pick a fruit"]

        await phone.send(wire.ExtensionUIResponse(id="p1", response_id="attach/1", index=1))
        response = await terminal.until(bridge.Response)
        assert (response.id, response.index, response.by) == ("p1", 1, bridge.By("phone", "phone"))

        answer = bridge.Answer(index=1, label="banana")
        await terminal.say(
            bridge.PromptSettled(
                seq=0, id="p1", outcome="answered", winner="remote", at=2_000, response_id=response.response_id, answer=answer
            )
        )
        for client in (phone, local):
            settled = await client.until(wire.ExtensionUISettled)
            assert (settled.winner, settled.winner_name, settled.answer) == ("remote", "phone", "banana")
        assert (await phone.until(wire.ResponseResult)).accepted
        await terminal.settled()


# ---- the end ---------------------------------------------------------------------------------------------------------


def started(settings: Settings, port: int = 0) -> subprocess.Popen[str]:
    """`mirrord serve` as a person starts it, with the places of these settings."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "MIRRORD"))}
    env |= {f"XDG_{name}": str(settings.paths.runtime_dir.parent.parent / name.lower()) for name in XDG}
    command = [sys.executable, "-m", "mirrord", "serve", "--port", str(port)]
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_until_ready(process: subprocess.Popen[str]) -> None:
    """Return when its log says that it answers."""
    assert process.stderr is not None
    for line in process.stderr:
        if "daemon: ready" in line:
            return
    raise AssertionError("it ended before it was ready")


XDG = ("RUNTIME_DIR", "STATE_HOME", "DATA_HOME", "CONFIG_HOME")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_with_status_0_and_its_sockets_are_gone(own_settings: Settings, number: signal.Signals) -> None:
    with started(own_settings) as process:
        wait_until_ready(process)
        assert own_settings.paths.control_socket.exists()
        begun = time.monotonic()
        process.send_signal(number)
        assert process.wait(5) == 0
        assert time.monotonic() - begun < 2
    assert not own_settings.paths.control_socket.exists()
    assert not own_settings.paths.bridge_socket.exists()


async def test_it_stops_within_two_seconds_though_a_client_is_stuck_a_prompt_is_open_and_others_flood(
    own_settings: Settings, own_place: Place, pi_pid: int
) -> None:
    codes: list[int | None] = []

    async def flood(client: Connection) -> None:
        try:
            while True:
                await client.send(wire.Unsubscribe(session_id="s"))
                await anyio.lowlevel.checkpoint()
        except ConnectionLost as lost:
            codes.append(lost.code)

    async with anyio.create_task_group() as tasks, AsyncExitStack() as stack:
        daemon = await stack.enter_async_context(running_daemon(own_place, own_settings, SystemClock()))
        await stack.enter_async_context(fake_extension(own_settings.paths.bridge_socket, hello(pi_pid), PROMPT))
        remote = await paired(daemon)
        for name in ("flood", "stuck"):
            client = await stack.enter_async_context(connect(remote, name=name, kind="phone"))
            if name == "flood":
                tasks.start_soon(flood, client)
            else:
                client._socket.transport.pause_reading()
                next(served for served in daemon.clients._open.values() if served.id == 2).put(b'"' + b"x" * 3_000_000 + b'"', "must")
        begun = anyio.current_time()
        daemon.stop()
        await daemon.clients.wait_until_gone()
        assert anyio.current_time() - begun < 2
    assert codes == [1001]


async def test_a_bug_in_a_task_is_logged_with_its_traceback_and_ends_it_with_status_1(
    own_settings: Settings, own_place: Place, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(core: Core, event: events.Event) -> list[commands.Command]:
        if isinstance(event, Prune):
            return []  # happens by itself, at the start
        raise RuntimeError("a bug of ours")

    statuses: list[int] = []

    async def run_it() -> None:
        statuses.append(await run(own_place, own_settings, SystemClock(), lambda _: ready.set()))

    ready = anyio.Event()
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run_it)
            await ready.wait()
            monkeypatch.setattr(Core, "handle", broken)
            async with await anyio.connect_unix(str(own_settings.paths.bridge_socket)) as stream:
                await FakeExtension(stream).say(hello())
                with suppress(anyio.EndOfStream, anyio.BrokenResourceError):
                    while True:
                        await stream.receive()
    assert statuses == [1]
    assert "RuntimeError: a bug of ours" in caplog.text


async def test_of_two_reloads_at_once_the_later_one_counts(
    own_settings: Settings, own_place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = threading.Event(), threading.Event()
    read = iter((7, 8))

    def slow(settings: Settings, _: object) -> Reloaded:
        days = next(read)
        if days == 7:
            begun.set()
            assert go_on.wait(10)
        return Reloaded(replace(settings, retention_days=days), ("retention_days",), (), ())

    monkeypatch.setattr("mirrord.daemon.daemon.reload", slow)
    async with running_daemon(own_place, own_settings, SystemClock()) as daemon:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(daemon.reload)
            assert await anyio.to_thread.run_sync(begun.wait, 10)
            tasks.start_soon(daemon.reload)
            await anyio.wait_all_tasks_blocked()
            go_on.set()
        assert daemon.settings.retention_days == 8


async def test_what_peers_do_wrong_never_ends_it(own_settings: Settings, own_place: Place, caplog: pytest.LogCaptureFixture) -> None:
    async with running_daemon(own_place, own_settings, SystemClock()) as daemon:
        for garbage in (b"", b"\n", b"\x00" * 1000 + b"\n", b'{"type":"hello"}\n', b"x" * 600_000):
            async with await anyio.connect_unix(str(own_settings.paths.bridge_socket)) as stream:
                with suppress(anyio.BrokenResourceError):
                    await stream.send(garbage)
            async with await anyio.connect_tcp("127.0.0.1", daemon.runner.port) as stream:
                with suppress(anyio.BrokenResourceError):
                    await stream.send(garbage)
        async with connect(Local(own_settings.paths.control_socket), name="me", kind="cli") as me:
            await me.request("status", dict)
        assert daemon.status == 0
    assert "Traceback" not in caplog.text


# ---- many at once ----------------------------------------------------------------------------------------------------


def test_of_twenty_that_start_at_once_one_lives_and_the_others_say_whose_it_is(own_settings: Settings) -> None:
    racers = [started(own_settings) for _ in range(20)]
    try:
        losers = wait_for_all_but_one(racers)
        (winner,) = [racer for racer in racers if racer.poll() is None]
        for loser in losers:
            _, said = loser.communicate()
            assert loser.returncode == 1
            assert f"mirrord is already running (pid {winner.pid}, socket {own_settings.paths.control_socket})" in said
            assert said.count("\n") == 1
        with socket.socket(socket.AF_UNIX) as probe:
            probe.connect(str(own_settings.paths.control_socket))
    finally:
        for racer in racers:
            racer.terminate()
            racer.communicate()
    assert winner.returncode == 0


def wait_for_all_but_one(racers: list[subprocess.Popen[str]]) -> list[subprocess.Popen[str]]:
    """Those that ended, once there are all but one of them."""
    deadline = time.monotonic() + 40
    while time.monotonic() < deadline:
        ended = [racer for racer in racers if racer.poll() is not None]
        if len(ended) == len(racers) - 1:
            return ended
        threading.Event().wait(0.05)
    raise AssertionError("more than one lives, or none")
