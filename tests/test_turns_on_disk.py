"""Promise: the same turn never acts twice: across reconnects, restarts and kills of the daemon, and with a disk that is full."""

from __future__ import annotations

import math
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field

import anyio
import anyio.lowlevel
import msgspec
import pytest

from bridge import chat as bridge
from bridge import messages
from mirrord.client import Connection, ConnectionLost, DaemonNotRunning, Local, connect
from mirrord.clock import SystemClock
from mirrord.core.chat.conversation import CHAT
from mirrord.core.chat.turns import LINK_SECONDS, UNDONE
from mirrord.daemon.receipts import NOT_WRITABLE
from mirrord.place import Place, taking_place
from mirrord.settings import Settings
from mirrord.store import FILE_NAME
from mirrord.testing import FakeClock, FakeExtension, fake_extension, hello, running_daemon
from mirrord.wire import chat as wire
from tests.places import stand_in_for_pi, wait_until_dead

TEXT = "Plan the beds"


def chatting(pid: int) -> messages.Hello:
    """A Pi that tells its conversation."""
    return msgspec.structs.replace(hello(pid), capabilities=(CHAT,))


async def submit(client: Connection, session: str, turn: str, text: str = TEXT) -> wire.Receipt:
    """Send a turn; what the daemon says of it next."""
    await client.send(wire.ChatAction(session_id=session, client_turn_id=turn, action="submit", text=text))
    return await receipt(client, turn)


async def receipt(client: Connection, turn: str) -> wire.Receipt:
    return await client.until(wire.Receipt, lambda each: each.client_turn_id == turn)


def on_disk(settings: Settings) -> dict[str, str]:
    """Stages by turn, as another program reads them."""
    with closing(sqlite3.connect(settings.paths.state_dir / FILE_NAME)) as db:
        return dict(db.execute("SELECT client_turn_id, stage FROM receipts"))


def test_a_turn_is_on_disk_before_its_terminal_has_it_and_acts_once_across_a_restart(own_settings: Settings, pi_pid: int) -> None:
    greeting = chatting(pi_pid)
    session, local = greeting.terminal.id, Local(own_settings.paths.control_socket)

    async def before(place: Place) -> None:
        async with (
            running_daemon(place, own_settings, SystemClock()),
            fake_extension(own_settings.paths.bridge_socket, greeting) as terminal,
            connect(local, name="a", kind="cli") as client,
        ):
            await client.send(wire.ChatAction(session_id=session, client_turn_id="turn-1", action="submit", text=TEXT))
            assert (await terminal.until(bridge.Turn)).client_turn_id == "turn-1"
            assert on_disk(own_settings) == {"turn-1": "sent"}
            await terminal.say(bridge.TurnResult(seq=0, client_turn_id="turn-1", stage="accepted"))
            assert (await receipt(client, "turn-1")).stage == "accepted"

    async def after(place: Place) -> None:
        async with (
            running_daemon(place, own_settings, SystemClock()),
            fake_extension(own_settings.paths.bridge_socket, greeting) as terminal,
            connect(local, name="b", kind="cli") as client,
        ):
            refused = await submit(client, session, "turn-1", "another text")
            assert (refused.stage, refused.code) == ("rejected", "other_session")
            assert (await submit(client, session, "turn-1")).stage == "accepted"
            await client.send(wire.ChatAction(session_id=session, client_turn_id="turn-2", action="submit", text=TEXT))
            assert (await terminal.until(bridge.Turn)).client_turn_id == "turn-2", "the first one went to the terminal again"

    with taking_place(own_settings, SystemClock(), quiet=True) as place:
        anyio.run(before, place)
    assert on_disk(own_settings) == {"turn-1": "accepted"}
    with taking_place(own_settings, SystemClock(), quiet=True) as place:
        anyio.run(after, place)
    assert TEXT.encode() not in b"".join(file.read_bytes() for file in own_settings.paths.state_dir.iterdir())


@pytest.mark.parametrize("quits", ["while no daemon runs", "unlinked, before the eyes of the next one"])
def test_a_turn_of_a_pi_that_quits_without_a_link_does_not_stay_under_way(own_settings: Settings, quits: str) -> None:
    local, clock = Local(own_settings.paths.control_socket), FakeClock()

    async def before(place: Place, greeting: messages.Hello) -> None:
        async with (
            running_daemon(place, own_settings, clock),
            fake_extension(own_settings.paths.bridge_socket, greeting) as terminal,
            connect(local, name="a", kind="cli") as client,
        ):
            await client.send(wire.ChatAction(session_id=greeting.terminal.id, client_turn_id="turn-1", action="submit", text=TEXT))
            await terminal.until(bridge.Turn)
            await terminal.say(bridge.TurnResult(seq=0, client_turn_id="turn-1", stage="queued"))
            assert (await receipt(client, "turn-1")).stage == "queued"

    async def after(place: Place, session: str, pid: int) -> None:
        async with running_daemon(place, own_settings, clock) as daemon, connect(local, name="b", kind="cli") as client:
            args = {"sessionId": session, "clientTurnIds": ["turn-1"]}
            (asked,) = (await client.request("chat_receipts", dict[str, list[dict[str, object]]], args))["receipts"]
            assert asked["stage"] == "queued", "its Pi may come yet"
            if quits == "while no daemon runs":
                with anyio.fail_after(5):
                    while daemon.core.wake_at is None:
                        await anyio.lowlevel.checkpoint()
                clock.advance(LINK_SECONDS)
                daemon.waker.look()
            else:
                os.kill(pid, signal.SIGKILL)
            with anyio.fail_after(10):
                told = await receipt(client, "turn-1")
            assert (told.stage, told.reason) == ("unknown", UNDONE)
            assert (await submit(client, session, "turn-1")).stage == "unknown"

    with stand_in_for_pi() as pid:
        greeting = chatting(pid)
        with taking_place(own_settings, clock, quiet=True) as place:
            anyio.run(before, place, greeting)
        if quits == "while no daemon runs":
            os.kill(pid, signal.SIGKILL)
            wait_until_dead(pid, greeting.terminal.start_time)
        assert on_disk(own_settings) == {"turn-1": "queued"}
        with taking_place(own_settings, clock, quiet=True) as place:
            anyio.run(after, place, greeting.terminal.id, pid)
    assert on_disk(own_settings) == {"turn-1": "unknown"}


@dataclass(slots=True)
class Player:
    """A Pi's extension that takes every turn, once: what it is given again it knows."""

    given: Counter[str] = field(default_factory=Counter)
    """How often it was given each turn."""
    linked: anyio.Event = field(default_factory=anyio.Event)

    async def play(self, settings: Settings, greeting: messages.Hello) -> None:
        """For ever: be linked to whatever daemon runs there."""
        while True:
            try:
                async with await anyio.connect_unix(str(settings.paths.bridge_socket)) as stream:
                    await self._serve(FakeExtension(stream), greeting)
            except (anyio.EndOfStream, anyio.BrokenResourceError, OSError):
                await anyio.sleep(0.02)

    async def _serve(self, terminal: FakeExtension, greeting: messages.Hello) -> None:
        await terminal.say(greeting)
        await terminal.until(messages.Welcome)
        await terminal.say(messages.ResyncBegin(seq=0), messages.ResyncEnd(seq=0))
        while True:
            match await terminal.hear():
                case messages.Ack():
                    self.linked.set()
                case messages.Ping(n=n):
                    await terminal.say(messages.Pong(seq=0, n=n))
                case bridge.Turn(client_turn_id=turn):
                    self.given[turn] += 1
                    await terminal.say(bridge.TurnResult(seq=0, client_turn_id=turn, stage="accepted"))


def test_a_full_disk_rejects_turns_with_the_reason_and_none_of_them_reaches_the_terminal_until_there_is_room(
    own_settings: Settings, own_place: Place, pi_pid: int
) -> None:
    greeting, player = chatting(pi_pid), Player()
    session, local = greeting.terminal.id, Local(own_settings.paths.control_socket)

    async def run() -> None:
        async with running_daemon(own_place, own_settings, SystemClock()), anyio.create_task_group() as tasks:
            tasks.start_soon(player.play, own_settings, greeting)
            async with connect(local, name="a", kind="cli") as client:
                await player.linked.wait()
                # The file may not grow any more; what still has room on its pages is taken.
                own_place.store._db.execute("PRAGMA max_page_count = 1")
                for number in range(200):
                    told = await submit(client, session, f"turn-{number}")
                    if told.stage != "accepted":
                        break
                assert (told.stage, told.code, told.reason) == ("rejected", "store", NOT_WRITABLE)
                assert told.client_turn_id not in player.given
                assert (await submit(client, session, told.client_turn_id)).code == "store"
                own_place.store._db.execute("PRAGMA max_page_count = 100000")
                assert (await submit(client, session, told.client_turn_id)).stage == "accepted"
            tasks.cancel_scope.cancel()

    anyio.run(run)
    assert set(player.given.values()) == {1}


@contextmanager
def serving(settings: Settings) -> Iterator[subprocess.Popen[str]]:
    """A daemon in a process of its own, which may be killed."""
    base = settings.paths.runtime_dir.parent.parent
    env = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "MIRRORD"))}
    env |= {f"XDG_{name}": str(base / name.lower()) for name in ("RUNTIME_DIR", "STATE_HOME", "DATA_HOME", "CONFIG_HOME")}
    command = [sys.executable, "-m", "mirrord", "serve", "--port", "0"]
    with subprocess.Popen(command, env=env, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
        assert process.stderr is not None
        assert any("daemon: ready" in line for line in process.stderr)
        drain = threading.Thread(target=process.stderr.read)
        drain.start()
        try:
            yield process
        finally:
            process.kill()
            drain.join()


@pytest.mark.parametrize(("kills", "seed"), [(4, 9), pytest.param(200, 10, marks=[pytest.mark.soak, pytest.mark.timeout(1200)])])
def test_turns_that_are_sent_until_they_are_accepted_all_arrive_and_what_is_on_disk_is_not_given_again(
    own_settings: Settings, pi_pid: int, kills: int, seed: int
) -> None:
    greeting, player, dice = chatting(pi_pid), Player(), random.Random(seed)
    session, local = greeting.terminal.id, Local(own_settings.paths.control_socket)
    accepted, heard = anyio.create_memory_object_stream[str](math.inf)
    turns: list[str] = []

    async def keep_sending() -> None:
        """One turn after another, each until it is accepted, over as many connections as that takes."""
        while True:
            try:
                async with connect(local, name="a", kind="cli") as client:
                    while True:
                        turn = f"turn-{len(turns)}"
                        told = await submit(client, session, turn)
                        if told.stage == "accepted":
                            turns.append(turn)
                            accepted.send_nowait(turn)
                        else:
                            assert told.code in ("detached", "unknown_session", None), told
                            await anyio.sleep(0.01)
            except (ConnectionLost, DaemonNotRunning):
                await anyio.sleep(0.01)

    async def run() -> None:
        # What the time limit of the whole test raises may be lost in a callback of the loop.
        with anyio.fail_after(30 + 5 * kills):
            await kill_again_and_again()

    async def kill_again_and_again() -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(player.play, own_settings, greeting)
            tasks.start_soon(keep_sending)
            for _ in range(kills):
                with serving(own_settings) as process:
                    for _ in range(dice.randrange(5, 15)):
                        await heard.receive()
                    await anyio.sleep(0.005 * dice.random())
                    process.send_signal(signal.SIGKILL)
            tasks.cancel_scope.cancel()

    async def send_all_again(place: Place) -> None:
        async with running_daemon(place, own_settings, SystemClock()), anyio.create_task_group() as tasks:
            player.linked = anyio.Event()
            tasks.start_soon(player.play, own_settings, greeting)
            await player.linked.wait()
            async with connect(local, name="b", kind="cli") as client:
                for turn in turns:
                    told = await submit(client, session, turn)
                    # One whose verdict a kill kept from the disk may be older than what a terminal remembers.
                    assert told.stage == "accepted" or told.code == "forgotten"
            tasks.cancel_scope.cancel()

    with accepted, heard:
        anyio.run(run)
    with taking_place(own_settings, SystemClock(), quiet=True) as place:
        anyio.run(send_all_again, place)
    assert set(turns) <= set(player.given)
    # A kill may come between a turn and the word on disk of what became of it: that one is given again, now and at the next retry.
    assert player.given.total() - len(player.given) <= 2 * kills < len(turns)
