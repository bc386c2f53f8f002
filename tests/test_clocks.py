"""Promise: each deadline of the daemon keeps to its clock: setting the wall clock moves none, and a sleep counts where it should.

Which clock is whose, and why, is said in docs/state.md.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Literal, NamedTuple

import anyio
import pytest

from bridge import messages as bridge
from bridge.limits import DEAD_SECONDS
from bridge.link import Link
from mirrord.client import Local, Remote, connect
from mirrord.clock import moment
from mirrord.core.model import LinkId, Moment
from mirrord.core.outdated import outdated
from mirrord.core.pace import Bucket
from mirrord.core.retention import DAY_SECONDS, Retention
from mirrord.core.wake import DOUBT_SECONDS, Doubts
from mirrord.crypto import SigningKey
from mirrord.daemon.daemon import Daemon
from mirrord.daemon.idle import Idle
from mirrord.pairing.offers import OFFER_SECONDS
from mirrord.pairing.tokens import TOKEN_SECONDS
from mirrord.place import Place
from mirrord.server.rate import BURST, FailureRate
from mirrord.settings import Settings
from mirrord.testing import FakeClock, fake_extension, hello, running_daemon
from mirrord.wire import messages as wire
from mirrord.wire.capabilities import SERVER_CAPABILITIES
from mirrord.wire.roles import Role
from tests.bridge.linking import DAEMON, HELLO, give
from tests.core.test_outdated import session

Over = Callable[[], bool]

HOUR = 3_600.0
A_LITTLE = 0.01


class Deadline(NamedTuple):
    """`begin` starts it, and returns what tells whether it is over."""

    clock: Literal["boot", "running"]
    seconds: float
    begin: Callable[[Daemon, FakeClock], Awaitable[Over]]


async def code(daemon: Daemon, clock: FakeClock) -> Over:
    await daemon.desk.offer("observer")
    return lambda: daemon.desk.offers.live(clock.boot()) is None


async def token(daemon: Daemon, clock: FakeClock) -> Over:
    device = await daemon.place.store.pair("phone", Role.OBSERVER, SigningKey.generate().public)
    daemon.desk.tokens.issue(device.id, clock.boot())
    return lambda: not daemon.desk.credentials()


async def idle(daemon: Daemon, clock: FakeClock) -> Over:
    company = Idle(600.0, clock.boot())
    return lambda: daemon._time_left(company) <= 0


async def attempts(daemon: Daemon, clock: FakeClock) -> Over:
    rate = FailureRate()
    for _ in range(BURST):
        rate.failed("127.0.0.1", clock.boot())
    return lambda: not rate.exhausted("127.0.0.1", clock.boot())


async def pace(daemon: Daemon, clock: FakeClock) -> Over:
    bucket = Bucket(1, 1)
    bucket.take(clock.boot())
    return lambda: bucket.ready_at(clock.boot()) <= clock.boot()


async def doubt(daemon: Daemon, clock: FakeClock) -> Over:
    doubts = Doubts()
    doubts.begin(LinkId(1), moment(clock))
    return lambda: doubts.overdue(moment(clock)) != []


async def ended_session(daemon: Daemon, clock: FakeClock) -> Over:
    over = session(1, clock.boot())
    return lambda: outdated([over], Retention(days=2), Moment(clock.wall(), clock.boot() - A_LITTLE / 2)) != []


async def silent_link(daemon: Daemon, clock: FakeClock) -> Over:
    """Its times are of a clock that runs only while the machine does: who sleeps cannot answer."""
    link = Link(DAEMON, clock.monotonic())
    give(link, HELLO, now=clock.monotonic())
    return lambda: link.tick(clock.monotonic()) is not None


DEADLINES = {
    "a pairing code": Deadline("boot", OFFER_SECONDS, code),
    "a device's token": Deadline("boot", TOKEN_SECONDS, token),
    "a daemon that nobody needs": Deadline("boot", 600.0, idle),
    "failed attempts of an address": Deadline("boot", 1.0, attempts),
    "changes of one thing to one client": Deadline("boot", 1.0, pace),
    "an answer that waits for a terminal's word": Deadline("boot", DOUBT_SECONDS, doubt),
    "a session that ended": Deadline("boot", 2.0 * DAY_SECONDS, ended_session),
    "a link that says nothing": Deadline("running", DEAD_SECONDS, silent_link),
}


@asynccontextmanager
async def built(place: Place, settings: Settings, clock: FakeClock) -> AsyncIterator[Daemon]:
    """A daemon of which nothing runs."""
    async with anyio.create_task_group() as tasks:
        yield Daemon.build(place, settings, clock, tasks)
        tasks.cancel_scope.cancel()


@pytest.mark.parametrize("deadline", DEADLINES.values(), ids=DEADLINES)
async def test_a_deadline_comes_neither_early_nor_late_whoever_sets_the_clock(
    own_settings: Settings, own_place: Place, deadline: Deadline
) -> None:
    clock = FakeClock()
    async with built(own_place, own_settings, clock) as daemon:
        over = await deadline.begin(daemon, clock)
        clock.advance(deadline.seconds / 2)
        for jump in (HOUR, -2 * HOUR, -1.0, 1.0):
            clock.set_wall(clock.wall() + round(jump * 1000))
            assert not over()
        clock.advance(deadline.seconds / 2 - A_LITTLE)
        assert not over()
        clock.advance(2 * A_LITTLE)
        assert over()


@pytest.mark.parametrize("deadline", DEADLINES.values(), ids=DEADLINES)
async def test_a_sleep_counts_for_deadlines_of_the_boot_clock_and_for_no_others(
    own_settings: Settings, own_place: Place, deadline: Deadline
) -> None:
    clock = FakeClock()
    async with built(own_place, own_settings, clock) as daemon:
        over = await deadline.begin(daemon, clock)
        clock.sleep(deadline.seconds + A_LITTLE)
        assert over() is (deadline.clock == "boot")


# ---- the whole daemon, after a sleep ---------------------------------------------------------------------------------

PROMPT = bridge.Prompt(id="p1", method="confirm", title="Go on?", opened_at=1, timeout=60_000, timeout_at=60_001)


async def test_after_a_sleep_the_terminal_is_asked_before_an_answer_goes_there(
    own_settings: Settings, own_place: Place, pi_pid: int
) -> None:
    clock = FakeClock()
    async with (
        running_daemon(own_place, own_settings, clock),
        fake_extension(own_settings.paths.bridge_socket, hello(pi_pid), PROMPT) as terminal,
        connect(Local(own_settings.paths.control_socket), name="a", kind="test", capabilities=SERVER_CAPABILITIES) as client,
    ):
        clock.sleep(8 * HOUR)
        await client.send(wire.ExtensionUIResponse(id="p1", response_id="r1", confirmed=True))
        while not isinstance(message := await terminal.hear(), bridge.Ping):
            assert not isinstance(message, bridge.Response)
        ended = bridge.PromptSettled(seq=0, id="p1", outcome="timed_out", winner="none", at=2)
        await terminal.say(ended, bridge.Pong(seq=0, n=message.n))
        result = await client.until(wire.ResponseResult)
        assert (result.accepted, result.reason) == (False, "settled")


async def test_after_a_sleep_who_does_not_answer_a_ping_is_cut_and_the_others_stay(
    own_settings: Settings, own_place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mirrord.server.client.PROOF_SECONDS", 0.3)
    clock = FakeClock()
    async with running_daemon(own_place, own_settings, clock) as daemon:
        minted = await own_place.store.mint("phone", Role.CONTROLLER)
        remote = Remote(daemon.runner.url, minted.token)
        async with connect(remote, name="awake", kind="awake"), connect(remote, name="gone", kind="gone") as gone:
            assert len(daemon.clients) == 2
            gone._socket.transport.pause_reading()
            clock.sleep(60)
            with anyio.fail_after(10):
                await daemon.clients.wait_until_gone(but=1)
            assert [client.kind for client in daemon.core.clients()] == ["awake"]
