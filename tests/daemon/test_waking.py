"""Promise: the core is woken when what it holds back may go, neither never nor for nothing; so the last value of everything arrives."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import anyio
import anyio.lowlevel

from bridge import messages as bridge
from mirrord.client import Local, connect
from mirrord.clock import SystemClock
from mirrord.core import events
from mirrord.core.core import Core
from mirrord.daemon.waking import Waker
from mirrord.place import Place
from mirrord.settings import Settings
from mirrord.testing import FakeClock, fake_extension, hello, running_daemon
from mirrord.wire import messages as wire
from mirrord.wire.capabilities import SERVER_CAPABILITIES

PATIENCE = 10.0


class Plan(Core):
    """A core that only wants to be woken at a moment."""

    planned: float | None = None

    @property
    def wake_at(self) -> float | None:
        return self.planned


@asynccontextmanager
async def waking(clock: FakeClock) -> AsyncIterator[tuple[Plan, Waker, Callable[[], list[float]]]]:
    """A waker at work, and when it woke so far."""
    plan = Plan(wire.ServerInfo("mirrord", "0", "run1"), "run1")
    woken: list[float] = []

    def happen(event: events.Event) -> None:
        woken.append(event.at.boot)
        plan.planned = None

    waker = Waker(plan, clock, happen)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(waker.run)
        await anyio.lowlevel.checkpoint()
        yield plan, waker, lambda: woken
        tasks.cancel_scope.cancel()


async def a_while() -> None:
    """Everything that can run has run."""
    for _ in range(20):
        await anyio.lowlevel.checkpoint()


async def test_a_moment_that_has_come_is_told_at_once_and_only_once() -> None:
    clock = FakeClock()
    async with waking(clock) as (plan, waker, woken):
        await a_while()
        assert woken() == []
        plan.planned = clock.boot()
        waker.look()
        with anyio.fail_after(PATIENCE):
            while not woken():
                await anyio.lowlevel.checkpoint()
        await a_while()
        assert woken() == [clock.boot()]


async def test_a_sooner_moment_is_kept_instead_of_a_later_one() -> None:
    clock = FakeClock()
    async with waking(clock) as (plan, waker, woken):
        plan.planned = clock.boot() + 3_600
        waker.look()
        await a_while()
        plan.planned = clock.boot()
        waker.look()
        with anyio.fail_after(PATIENCE):
            while not woken():
                await anyio.lowlevel.checkpoint()


async def test_a_later_moment_disturbs_nothing() -> None:
    clock = FakeClock()
    async with waking(clock) as (plan, waker, woken):
        plan.planned = clock.boot() + 3_600
        waker.look()
        await a_while()
        plan.planned = clock.boot() + 7_200
        waker.look()
        await a_while()
        assert woken() == []


async def test_the_last_value_arrives_and_a_prompt_in_the_middle_waits_for_nothing(
    own_settings: Settings, own_place: Place, pi_pid: int
) -> None:
    prompt = bridge.Prompt(id="p1", method="confirm", title="Go on?", opened_at=1)
    async with (
        running_daemon(own_place, own_settings, SystemClock()) as daemon,
        fake_extension(own_settings.paths.bridge_socket, hello(pi_pid)) as extension,
        connect(Local(own_settings.paths.control_socket), name="a", kind="test", capabilities=SERVER_CAPABILITIES) as client,
    ):
        (session,) = client.welcome.sessions
        await client.send(wire.Subscribe(session_id=session.session_id))
        await client.until(wire.Snapshot)
        flood = [
            bridge.Widget(seq=0, key="jobs", placement="aboveEditor", lines=(f"\x1b[31mstep {number}",), width=80) for number in range(500)
        ]
        await extension.say(*flood[:250], bridge.PromptOpened(seq=0, prompt=prompt), *flood[250:])
        frames = 0
        with anyio.fail_after(PATIENCE):
            assert (await client.until(wire.ExtensionUIRequest)).id == "p1"
            while True:
                message = await client.until(wire.ExtensionUINotification)
                frames += 1
                if message.widget_lines == ("step 499",):
                    break
        assert message.native_surface is not None
        assert frames < 100
        assert daemon.core.wake_at is None
