"""Promise: under a service manager the daemon is ready when it says so, lives while it says so, ends in order, and comes back whole."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from shutil import which

import anyio
import anyio.to_thread
import pytest

from bridge import messages as bridge
from bridge.daemon_lock import read_holder
from mirrord.client import ConnectionLost, Local, connect
from mirrord.settings import Settings
from mirrord.testing import fake_extension, hello
from mirrord.wire import messages as wire
from mirrord.wire.capabilities import SERVER_CAPABILITIES
from tests.cli.commands import PATIENCE
from tests.places import wait_until_dead
from tests.service.supervisor import Supervisor

PROMPT = bridge.Prompt(id="p1", method="select", title="Pick a fruit", opened_at=1_000, options=("apple", "banana"), option_count=2)
TOLD = ("NOTIFY_SOCKET", "WATCHDOG_USEC")
"""What systemd tells a service, besides the sockets."""

PROC = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="what a process has is read from /proc")


@pytest.fixture
def manager(own_settings: Settings) -> Iterator[Supervisor]:
    with Supervisor(own_settings) as made:
        yield made


@PROC
async def test_from_ready_to_its_orderly_end(manager: Supervisor, own_settings: Settings) -> None:
    process = manager.start()
    ready = await anyio.to_thread.run_sync(manager.hear)
    assert ready == {"READY": "1", "STATUS": f"ws://127.0.0.1:{manager.port}/v1/ws: sessions 0, prompts waiting 0, clients 0"}
    holder = read_holder(own_settings.paths.lock_file)
    assert holder is not None
    assert holder.pid == process.pid
    environ = manager.environ()
    assert "ANTHROPIC_API_KEY" not in environ
    assert environ["XDG_RUNTIME_DIR"] == str(manager.root)

    async with connect(Local(own_settings.paths.control_socket), name="me", kind="cli") as me:
        manager.configure('[notify]\ncommand = ["true"]\n')
        process.send_signal(signal.SIGHUP)
        assert "MONOTONIC_USEC" in await anyio.to_thread.run_sync(manager.until, "RELOADING")
        assert (await anyio.to_thread.run_sync(manager.until, "READY"))["STATUS"].endswith("clients 1")
        assert (await me.request("status", dict))["pid"] == process.pid
        await anyio.to_thread.run_sync(manager.until_logged, "changed=notify.command")

        status, took = await anyio.to_thread.run_sync(manager.end, signal.SIGTERM)
        assert (status, took < 2) == (0, True)
        assert "STOPPING" in await anyio.to_thread.run_sync(manager.hear)
        with pytest.raises(ConnectionLost) as lost:
            await me.until(wire.CommandResult)
    assert lost.value.code == 1001
    # They are the manager's, who may start it again.
    assert own_settings.paths.control_socket.exists()


async def test_killed_and_started_anew_on_the_same_sockets_it_has_sessions_and_prompts_again(
    manager: Supervisor, own_settings: Settings, pi_pid: int
) -> None:
    paths = own_settings.paths
    manager.start()
    await anyio.to_thread.run_sync(manager.until, "READY")
    async with fake_extension(paths.bridge_socket, hello(pi_pid), PROMPT):
        assert (await anyio.to_thread.run_sync(manager.end, signal.SIGKILL))[0] == -signal.SIGKILL

    async with anyio.create_task_group() as tasks:
        back = anyio.Event()

        async def come_back() -> None:
            # Nobody runs that could accept it: the socket is there all the same, and who connects waits.
            async with fake_extension(paths.bridge_socket, hello(pi_pid), PROMPT):
                back.set()
                await anyio.sleep_forever()

        tasks.start_soon(come_back)
        await anyio.wait_all_tasks_blocked()
        manager.start()
        await anyio.to_thread.run_sync(manager.until, "READY")
        with anyio.fail_after(PATIENCE):
            await back.wait()
        async with connect(Local(paths.control_socket), name="attach", kind="attach", capabilities=SERVER_CAPABILITIES) as client:
            (session,) = client.welcome.sessions
            await client.send(wire.Subscribe(session_id=session.session_id))
            snapshot = await client.until(wire.Snapshot)
            assert [prompt.title for prompt in snapshot.prompts] == ["Pick a fruit"]
        tasks.cancel_scope.cancel()


def test_the_watchdog_hears_it_twice_in_its_time_and_not_while_its_loop_stands_still(own_settings: Settings) -> None:
    with Supervisor(own_settings, watchdog=1.0) as manager:
        process = manager.start()
        manager.until("READY")
        begun = time.monotonic()
        for _ in range(3):
            assert manager.hear()["WATCHDOG"] == "1"
        assert time.monotonic() - begun < 3.0
        process.send_signal(signal.SIGSTOP)
        assert manager.silence(1.2)
        process.send_signal(signal.SIGCONT)
        assert manager.hear()["WATCHDOG"] == "1"


def test_a_service_that_was_written_for_another_place_ends_with_one_sentence(manager: Supervisor, own_settings: Settings) -> None:
    foreign = manager.root / "other.sock"
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(str(foreign))
        sock.listen()
        manager.sockets.append(sock)
        assert manager.start().wait(PATIENCE) == 1
    assert not own_settings.paths.lock_file.exists()


def test_a_hangup_of_a_daemon_that_nobody_manages_is_its_end(own_settings: Settings, manager: Supervisor) -> None:
    variables = manager.variables()
    for name in ("NOTIFY_SOCKET", "LISTEN_FDS", "LISTEN_FDNAMES", "WATCHDOG_USEC"):
        del variables[name]
    for sock, path in zip(
        manager.sockets[1:],
        (own_settings.paths.control_socket, own_settings.paths.bridge_socket, own_settings.paths.screen_socket),
        strict=True,
    ):
        sock.close()
        path.unlink()
    command = [sys.executable, "-P", "-m", "mirrord", "serve", "--port", "0"]
    with subprocess.Popen(command, env=variables, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        next(line for line in process.stderr if "daemon: ready" in line)
        process.send_signal(signal.SIGHUP)
        assert process.wait(PATIENCE) == 0


@pytest.mark.skipif(which("systemd-socket-activate") is None, reason="systemd-socket-activate is missing: run `tools/setup.py programs`")
def test_systemds_own_activation_starts_it_for_the_first_who_connects_and_its_watchdog_hears_it_until_it_stops(
    own_settings: Settings, manager: Supervisor
) -> None:
    paths = own_settings.paths
    manager.watchdog = 1.0
    port, variables = manager.port, manager.variables()
    for sock in manager.sockets:
        sock.close()
    for path in (paths.control_socket, paths.bridge_socket, paths.screen_socket):
        path.unlink()
    activate = ["systemd-socket-activate", "--fdname=mirrord", f"--listen=127.0.0.1:{port}"]
    activate += [f"--listen={path}" for path in (paths.control_socket, paths.bridge_socket, paths.screen_socket)]
    activate += [f"--setenv={name}={variables[name]}" for name in variables if name.startswith("XDG_") or name in TOLD]
    command = [*activate, sys.executable, "-P", "-m", "mirrord", "serve", "--port", str(port)]
    with subprocess.Popen(
        command, env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            with socket.socket(socket.AF_UNIX) as first:
                deadline = time.monotonic() + PATIENCE
                while first.connect_ex(str(paths.bridge_socket)) != 0:
                    assert time.monotonic() < deadline
                    threading.Event().wait(0.05)
                assert manager.until("READY")["STATUS"].startswith(f"ws://127.0.0.1:{port}/")
            # The program takes the place of what waited for it.
            holder = read_holder(paths.lock_file)
            assert holder is not None
            assert holder.pid == process.pid
            assert [manager.hear()["WATCHDOG"] for _ in range(2)] == ["1", "1"]
            process.send_signal(signal.SIGSTOP)
            assert manager.silence(1.2)
            process.send_signal(signal.SIGCONT)
            assert manager.hear()["WATCHDOG"] == "1"
        finally:
            process.terminate()
        assert process.wait(PATIENCE) == 0
    assert manager.until("STOPPING")["STATUS"]
    wait_until_dead(process.pid, None)
