"""Promise: when the worker is killed or the window closed, the real Pi is gone within six seconds and no device waits for it.

`mirrord pi` runs as a person runs it, with the daemon and a paired device. It happens with a question open, and at random moments:
while Pi waits for its person, for an answer, or for the model. A failure names the moment.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Final, Literal, get_args

import pytest
from anyio.from_thread import start_blocking_portal

from mirrord.client import Paired
from mirrord.client import Remote as Address
from mirrord.demo.pi_home import temporary_pi_home
from mirrord.demo.scripted_model import ScriptedModel
from mirrord.wire import messages as wire
from tests.bridge.pty.giving_back import given_back
from tests.bridge.pty.outside import GONE, SEED, Outside, lives, outside, soon
from tests.e2e.remote import Remote, connected
from tests.e2e.stage import LINKED, Daemon
from tests.harness.exerciser import slash
from tests.harness.pi import EXERCISER, GENERATIONS, ROOT, PiKind, environment, pi_program

STARTED: Final = 60.0
TITLE: Final = "Shall I?"
AT_ONCE: Final = 2
IN_SOAK: Final = 100
LATER: Final = 0.5
"""A random moment is at most so many seconds after the state was reached."""

State = Literal["idle", "asked", "streaming"]
Death = Literal["killed", "closed"]


@dataclass(frozen=True)
class Scene:
    """A mirrored Pi in that state, at the terminal and on the phone; with a question where it has asked one."""

    terminal: Outside
    pi: int
    phone: Remote
    prompt: wire.ExtensionUIRequest | None

    def die(self, death: Death) -> None:
        """The worker is killed, or the window closed."""
        if death == "killed":
            os.kill(self.terminal.worker(), signal.SIGKILL)
            assert self.terminal.ended(GONE) == 1
            assert not lives(self.pi)
            given_back(self.terminal)
            assert b"\r\nmirrord: the process that shows Pi in this terminal ended (signal 9)" in self.terminal.output
        else:
            self.terminal.close()
            soon(lambda: not lives(self.pi) and self.terminal.process.poll() is not None, GONE)

    def is_told(self) -> None:
        """Nobody can answer any more, and everybody knows."""
        if self.prompt is not None:
            settled = self.phone.settled(self.prompt.id, GONE)
            assert (settled.outcome, settled.winner) == ("withdrawn", "none")
        self.phone.wait(wire.SessionChanged, lambda told: told.session.pid == self.pi and told.session.status.state == "ended", GONE)


@contextmanager
def scene(kind: PiKind, state: State) -> Iterator[Scene]:
    with (
        ScriptedModel() as model,
        temporary_pi_home(model.base_url) as home,
        start_blocking_portal("asyncio") as portal,
        ExitStack() as stack,
    ):
        env = environment(home)
        daemon = Daemon(portal, home, env)
        stack.callback(daemon.end)
        daemon.start()
        paired = daemon.ask("pair", Paired, name="phone", role="controller")
        program = pi_program(kind, home.root / "bin")
        words = [sys.executable, "-P", "-m", "mirrord", "pi", "--pi", str(program), "--no-pair", "-e", str(EXERCISER)]
        terminal = stack.enter_context(outside(*words, env={**env, "PYTHONPATH": str(ROOT)}))
        terminal.until(b"scripted-1", STARTED)
        pi = terminal.pi()

        def session() -> str | None:
            status = daemon.status()
            found = [] if status is None else [known.session_id for known in status.sessions if known.pid == pi]
            return found[0] if found else None

        terminal.until_holds(lambda: session() is not None, "the daemon knows no session of this Pi", LINKED)
        phone = stack.enter_context(connected(portal, Address(paired.url, paired.token), "phone"))
        phone.subscribe(str(session()))
        while terminal.read(0.3):
            pass
        prompt = None
        match state:
            case "asked":
                terminal.type(slash("t-confirm", id="a", title=TITLE, message="Really?").encode() + b"\r")
                terminal.until(TITLE.encode())
                prompt = phone.prompt(TITLE)
            case "streaming":
                terminal.type(b"slow 3000 5\r")
                terminal.until(b"word0")
        yield Scene(terminal, pi, phone, prompt)


@pytest.mark.timeout(120)
@pytest.mark.parametrize("kind", GENERATIONS, ids=str)
@pytest.mark.parametrize("death", get_args(Death))
def test_a_death_with_a_question_open_ends_the_session_for_everybody(kind: PiKind, death: Death) -> None:
    with scene(kind, "asked") as here:
        here.die(death)
        here.is_told()


@pytest.mark.timeout(120)
@pytest.mark.parametrize("number", range(AT_ONCE))
def test_a_death_at_a_random_moment_ends_the_session_for_everybody(number: int) -> None:
    dies_at_a_random_moment(number)


@pytest.mark.soak
@pytest.mark.timeout(120)
@pytest.mark.parametrize("number", range(AT_ONCE, AT_ONCE + IN_SOAK))
def test_a_death_at_a_hundred_random_moments_ends_the_session_for_everybody(number: int) -> None:
    dies_at_a_random_moment(number)


def dies_at_a_random_moment(number: int) -> None:
    """Each generation dies in turn, and each of them of both."""
    dice = random.Random(f"{SEED}-{number}")
    kind, death = GENERATIONS[number % 2], get_args(Death)[(number + number // 2) % 2]
    state: State = dice.choice(get_args(State))
    moment = dice.uniform(0, LATER)
    print(f"MIRRORD_PTY_SEED={SEED} number {number}: {kind}, {state}, {death} after {moment:.3f} s")
    with scene(kind, state) as here:
        deadline = time.monotonic() + moment
        while (left := deadline - time.monotonic()) > 0:
            here.terminal.read(left)
        here.die(death)
        here.is_told()
