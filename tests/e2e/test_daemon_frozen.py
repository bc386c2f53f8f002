"""Promise: a daemon that stands still for 10 s under load costs Pi no prompt, no key, no frame and little time, and then knows everything.

Two Pis play the same session at the same time, one with our extension and a daemon, one without; they share the machine's noise.
"""

from __future__ import annotations

import re
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

import msgspec
import pytest

from mirrord.demo.pi_home import temporary_pi_home
from mirrord.demo.scripted_model import ScriptedModel
from mirrord.demo.terminal import Terminal
from mirrord.wire import messages as wire
from tests.e2e.remote import Remote
from tests.e2e.stage import Stage, stage, until
from tests.harness.exerciser import ExerciserLog, slash
from tests.harness.pi import EXERCISER, GENERATIONS, ROOT, PiKind, running_pi

LOAD = ROOT / "tests" / "harness" / "load.ts"

FROZEN_SECONDS = 10.0
MORE_DELAY_MS = 250.0
BUFFER_BYTES = 1024 * 1024
# Less would mean that the load never filled what the system holds, and the bound was not tried.
FILLED_BYTES = 64 * 1024
# A busy machine delays one of two equal Pis by more than the bound now and then.
ROUNDS = 3

WORDS = 330
STREAM = f"slow {WORDS} 30"
"""At least 9.9 s; all its words fit the screen at once."""
ROWS = 70
STREAMED = 40.0
TYPED = "the quick brown fox jumps over it"
KEY_EVERY = 0.02
CONVERGED = 10.0


class Cost(msgspec.Struct, frozen=True, rename="camel"):
    """What load.ts measured."""

    delay_ms: float
    waiting: int
    rounds: int


@dataclass(frozen=True, slots=True)
class Player:
    """One Pi and the keys that are typed into it."""

    pi: Terminal
    log: ExerciserLog
    model: ScriptedModel

    def begin(self) -> None:
        """The load is on, and the model's reply comes."""
        self.pi.settle(0.1)
        self.pi.line("/load")
        self.pi.wait_for(re.compile(r"load \d+"))
        self.pi.line(STREAM)
        self.pi.wait_for(re.compile(r"word3\b"))

    def use(self, round: int) -> None:
        """Dialogs and the editor while the reply comes, to the reply's end; every answer is right, every key and word is there."""
        self._open("t-select", f"select-{round}", options=["apple", banana(round)])
        self.pi.keys("down", "enter")
        assert self.log.result("t-select", f"select-{round}").value == banana(round)
        self._open("t-input", f"input-{round}")
        self._type(TYPED)
        self.pi.keys("enter")
        assert self.log.result("t-input", f"input-{round}").value == TYPED
        self._type(said(round))
        self.pi.wait_for(said(round))
        self.pi.keys("enter")
        self.pi.wait_for(f"Echo: {said(round)}", STREAMED)
        assert [message.text for message in self.model.heard()][-2:] == [STREAM, said(round)]
        assert re.findall(r"\bword\d+", self.pi.screen_text())[-WORDS:] == [f"word{number}" for number in range(WORDS)]
        self._open("t-confirm", f"confirm-{round}")

    def end(self, round: int) -> Cost:
        """Every dialog is over; what the round cost."""
        self.log.result("t-confirm", f"confirm-{round}")
        self.pi.wait_gone(f"confirm-{round}")
        self.pi.line("/unload")
        cost = msgspec.convert(self.log.result("unload", count=round).value, Cost)
        self.pi.wait_for(f"last of {cost.rounds}")
        return cost

    def _open(self, command: str, name: str, **arguments: object) -> None:
        self.pi.line(slash(command, id=name, title=f"{name}?", **arguments))
        self.pi.wait_for(lambda text: f"{name}?" in text and f"/{command}" not in text)

    def _type(self, text: str) -> None:
        never = threading.Event()
        for key in text:
            self.pi.send(key)
            never.wait(KEY_EVERY)


def banana(round: int) -> str:
    return f"banana {round}"


def said(round: int) -> str:
    return f"typed in round {round}"


@contextmanager
def without_us(kind: PiKind) -> Iterator[Player]:
    """A Pi with the same test extensions, and none of ours."""
    with ScriptedModel() as model, temporary_pi_home(model.base_url) as home:
        log = ExerciserLog(home.root / "exerciser.jsonl")
        with running_pi(kind, home, extensions=(LOAD, EXERCISER), env=log.environment(), rows=ROWS) as pi:
            yield Player(pi, log, model)


def plain_round(player: Player, round: int) -> Cost:
    player.begin()
    player.use(round)
    player.pi.keys("enter")
    return player.end(round)


def frozen_round(here: Stage, player: Player, round: int) -> Cost:
    """The same with a daemon that stands still; a remote then answers what was left open, and is told all the rest."""
    phone = here.remote("phone")
    player.begin()
    seen = [cursor for message in list(phone.received) if isinstance(cursor := getattr(message, "cursor", None), str)][-1]
    here.daemon.signal(signal.SIGSTOP)
    try:
        frozen_at = time.monotonic()
        player.use(round)
        until(lambda: time.monotonic() - frozen_at >= FROZEN_SECONDS, FROZEN_SECONDS, "time stands still too")
    finally:
        here.daemon.signal(signal.SIGCONT)
    # A client that was away meanwhile comes back by its cursor; that one which stayed is not cut has a test of its own (test_slow_clients).
    phone = here.remote("phone", follow=False)
    phone.send(wire.Subscribe(session_id=here.session_id, since=seen))
    assert phone.answer(phone.prompt(f"confirm-{round}?", CONVERGED).id, confirmed=False).accepted
    assert player.log.result("t-confirm", f"confirm-{round}").value is False
    cost = player.end(round)
    converges(here, phone, round, f"last of {cost.rounds}")
    return cost


def converges(here: Stage, phone: Remote, round: int, last: str) -> None:
    """Events and a new snapshot say what is true now; a new prompt is offered and answered."""
    answered = phone.wait(wire.ExtensionUISettled, lambda settled: settled.answer == banana(round), CONVERGED)
    assert (answered.outcome, answered.winner) == ("answered", "terminal")
    phone.wait(wire.ExtensionUINotification, lambda told: told.method == "notify" and told.message == last, CONVERGED)
    phone.wait(wire.ExtensionUINotification, lambda told: told.method == "setStatus" and told.status_text == last, CONVERGED)
    until(lambda: phone.subscribe(here.session_id).title == last, CONVERGED, "the title is not the last")
    # 0.73.1 does not say when it rests: the extension looks a moment after the last event.
    until(lambda: not phone.subscribe(here.session_id).working.active, CONVERGED, "it works for ever")
    snapshot = phone.subscribe(here.session_id)
    assert {status.text for status in snapshot.statuses} == {last}
    assert snapshot.prompts == ()
    here.run("t-select", id=f"after-{round}", title=f"after-{round}?")
    assert phone.answer(phone.prompt(f"after-{round}?", CONVERGED).id, index=2).accepted
    assert here.log.result("t-select", f"after-{round}").value == "cherry"


@pytest.mark.timeout(150)
@pytest.mark.parametrize("kind", GENERATIONS, ids=str)
def test_ten_seconds_without_the_daemon_under_load_cost_pi_nothing(kind: PiKind) -> None:
    excess: list[float] = []
    with (
        ThreadPoolExecutor(1) as threads,
        without_us(kind) as plain,
        stage(kind, extensions=(LOAD, EXERCISER), ours_first=False, rows=ROWS) as here,
    ):
        player = Player(here.pi, here.log, here.model)
        for round in range(1, ROUNDS + 1):
            beside = threads.submit(plain_round, plain, round)
            cost = frozen_round(here, player, round)
            excess.append(cost.delay_ms - beside.result().delay_ms)
            assert FILLED_BYTES < cost.waiting <= BUFFER_BYTES
            if excess[-1] <= MORE_DELAY_MS:
                break
    assert min(excess) <= MORE_DELAY_MS, excess
