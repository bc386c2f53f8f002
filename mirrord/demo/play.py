"""Play the steps: keys through a terminal of our own, answers through the network as a paired phone. Every claim is checked."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar

import anyio
import anyio.to_thread

from mirrord.client import Connection, Paired, Remote, connect
from mirrord.demo.report import Report
from mirrord.demo.scripted_model import MODEL
from mirrord.demo.stage import Stage
from mirrord.demo.steps import STEPS, Step
from mirrord.demo.terminal import KEYS, NotShown, Terminal
from mirrord.errors import MirrordError
from mirrord.wire import messages as wire

PATIENCE_SECONDS: Final = 30.0
"""How long anything may take that takes milliseconds on an idle machine."""

START_SECONDS: Final = 20.0
"""How long Pi may take to show its first screen: 0.3 s for 1.6.0, 0.7 s for 0.73.1, more on a busy machine."""

PHONE: Final = "phone"

_Returned = TypeVar("_Returned")


class DemoFailed(MirrordError):
    """Something that the demo promises did not happen. `screen` is what the terminal showed then."""

    def __init__(self, where: str, what: str, screen: str) -> None:
        super().__init__(f"{where}: {what}")
        self.screen = screen


class _Unexpected(Exception):
    """A step went another way than it should."""


@dataclass(frozen=True, slots=True)
class Players:
    """Both sides of the play."""

    terminal: Terminal
    phone: Connection
    session: wire.Session


async def play(here: Stage, report: Report) -> None:
    """Play every step and report it. Raises `DemoFailed` at the first that goes wrong."""
    async with _players(here) as players:
        report.begin(players.session)
        for number, step in enumerate(STEPS, 1):
            report.step(number, step)
            try:
                await _play_step(players, step, report)
            except (_Unexpected, NotShown, TimeoutError) as error:
                what = str(error).partition("\n")[0] or f"nothing came within {PATIENCE_SECONDS:.0f} s"
                raise DemoFailed(f"step {number} ({step.name}) failed", what, players.terminal.screen_text()) from error
        report.end(len(STEPS))


@asynccontextmanager
async def _players(here: Stage) -> AsyncIterator[Players]:
    """A person at a terminal with Pi in it, and a paired phone that follows the same session."""
    remote = await _pair(here)
    terminal = await anyio.to_thread.run_sync(partial(Terminal, here.pi_command, env=here.env, cwd=here.home.work))
    try:
        try:
            await _at(terminal.wait_for, MODEL, START_SECONDS)
            await _at(partial(terminal.settle, timeout=PATIENCE_SECONDS))
            async with connect(remote, name=PHONE, kind="phone") as phone:
                with anyio.fail_after(PATIENCE_SECONDS):
                    session = await _first_session(phone)
                    await phone.subscribe(session.session_id)
                yield Players(terminal, phone, session)
        except (NotShown, TimeoutError) as error:
            what = str(error).partition("\n")[0] or "Pi started, and mirrord did not see it"
            raise DemoFailed("the demo could not begin", what, terminal.screen_text()) from error
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(terminal.close)


async def _pair(here: Stage) -> Remote:
    """A credential for the phone, and where to use it."""
    async with connect(here.daemon, name="mirrord demo", kind="cli") as owner:
        paired = await owner.request("pair", Paired, {"name": PHONE, "role": "controller"})
    return Remote(paired.url, paired.token)


async def _first_session(phone: Connection) -> wire.Session:
    if phone.welcome.sessions:
        return phone.welcome.sessions[0]
    return (await phone.until(wire.SessionChanged)).session


async def _play_step(players: Players, step: Step, report: Report) -> None:
    terminal, phone, question = players.terminal, players.phone, step.question
    await _at(terminal.line, question.typed)
    with anyio.fail_after(PATIENCE_SECONDS):
        prompt = await phone.until(wire.ExtensionUIRequest)
    _expect(prompt.method == question.method, f"Pi asked by {prompt.method}, not by {question.method}")
    _expect(prompt.title == question.title, f"the phone shows {prompt.title!r} as the question")
    await _at(terminal.wait_for, question.shown, PATIENCE_SECONDS)
    report.asked(prompt)
    if step.refused is not None:
        await _refuse(players, prompt, step, report)
    begun = time.monotonic()
    await _act(players, prompt, step)
    with anyio.fail_after(PATIENCE_SECONDS):
        settled = await phone.until(wire.ExtensionUISettled, lambda settled: settled.id == prompt.id)
    elapsed = time.monotonic() - begun
    _expect(settled.outcome == step.outcome, f"the outcome was {settled.outcome}, not {step.outcome}")
    _expect(settled.winner == step.winner, f"the winner was {settled.winner}, not {step.winner}")
    _expect(settled.answer == step.told, f"others were told {settled.answer!r}, not {step.told!r}")
    report.settled(step, settled, elapsed)
    await _at(terminal.wait_for, step.got, PATIENCE_SECONDS)
    await _at(terminal.wait_gone, question.shown, PATIENCE_SECONDS)
    await _at(partial(terminal.settle, timeout=PATIENCE_SECONDS))
    report.done(step, settled, elapsed)


async def _act(players: Players, prompt: wire.ExtensionUIRequest, step: Step) -> None:
    for key in step.keys:
        await _at(players.terminal.keys if key in KEYS else players.terminal.send, key)
    if step.answer:
        with anyio.fail_after(PATIENCE_SECONDS):
            result = await players.phone.answer(prompt.id, **step.answer)
        _expect(result.accepted, f"the phone's answer was refused ({result.reason})")


async def _refuse(players: Players, prompt: wire.ExtensionUIRequest, step: Step, report: Report) -> None:
    with anyio.fail_after(PATIENCE_SECONDS):
        result = await players.phone.answer(prompt.id, **(step.refused or {}))
    _expect(not result.accepted and result.reason == "invalid", "an answer that fits no option was not refused as invalid")
    _expect(step.question.shown in players.terminal.screen_text(), "an invalid answer took the dialog away")
    report.refused(result)


async def _at(act: Callable[..., _Returned], *arguments: object) -> _Returned:
    """A blocking wait at the terminal, in a thread. When cancelled the thread ends with the terminal, which its owner closes."""
    return await anyio.to_thread.run_sync(partial(act, *arguments), abandon_on_cancel=True)


def _expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise _Unexpected(otherwise)
