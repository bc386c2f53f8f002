"""Promise: when a hundred devices and the terminal answer within 5 ms, one of them wins, and every other is told who it was."""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import anyio
import pytest

from mirrord.client.frames import encode
from mirrord.wire import messages as wire
from tests.e2e.play import verdict_of
from tests.e2e.remote import Remote
from tests.e2e.stage import Stage, stage
from tests.harness.exerciser import slash
from tests.harness.pi import FULLSCREEN

SOCKETS: Final = 100
ROUNDS: Final = 100
# Each side wins at least so many of them.
WINS: Final = 10
# All answers are given within this, the terminal's too. A round in which the machine did not manage that does not count.
TOGETHER: Final = 0.005
MOST_ROUNDS: Final = 3 * ROUNDS
# The key is pressed so much earlier or later than in the last round, so that the side that lost has better chances.
STEP: Final = 0.0004
JITTER: Final = 0.0006
SEED: Final = 20_261_130

FRUIT: Final = ("apple", "banana", "cherry")


@dataclass(slots=True)
class Crowd:
    """A hundred paired devices that follow one session."""

    here: Stage
    devices: Sequence[Remote]

    def forget(self) -> None:
        for device in self.devices:
            device.forget()

    def answers(self, prompt_id: str) -> list[tuple[str, wire.ExtensionUIResponse]]:
        """One for each device, and its id; never what the terminal chooses."""
        made = []
        for number in range(len(self.devices)):
            response_id = str(uuid.uuid4())
            made.append((response_id, wire.ExtensionUIResponse(id=prompt_id, response_id=response_id, index=1 + number % 2)))
        return made


def fire(crowd: Crowd, answers: Sequence[wire.ExtensionUIResponse], key: Callable[[], None], delay: float) -> float:
    """All answer, and the key is pressed `delay` s after the first did, or so much before it. Returns how long it all took, in s."""

    async def prepared() -> list[tuple[Remote, bytes]]:
        return [(device, device.prepared(encode(answer))) for device, answer in zip(crowd.devices, answers, strict=True)]

    frames = crowd.here.call(prepared)

    async def now() -> float:
        start = time.perf_counter()
        if delay < 0:
            key()
            await anyio.sleep(-delay)
        first = time.perf_counter()
        for device, frame in frames:
            device.write(frame)
        if delay >= 0:
            await anyio.sleep(max(0.0, first + delay - time.perf_counter()))
            key()
        return time.perf_counter() - start

    return crowd.here.call(now)


def play_round(crowd: Crowd, number: int, delay: float) -> tuple[bool, float]:
    """Whether the terminal won, and how long it took until all had answered. There is one winner, and everybody knows it."""
    here, title = crowd.here, f"Round {number}?"
    crowd.forget()
    here.pi.settle(0.05)
    here.pi.line(slash("t-select", id=title, title=title))
    (prompt_id,) = {device.prompt(title).id for device in crowd.devices}
    here.pi.wait_for(lambda text: title in text and "/t-select" not in text)
    answers = crowd.answers(prompt_id)
    took = fire(crowd, [answer for _, answer in answers], lambda: here.pi.send("\r"), delay)

    results = [device.result(response_id) for device, (response_id, _) in zip(crowd.devices, answers, strict=True)]
    value = here.log.result("t-select", title).value
    accepted = [place for place, result in enumerate(results) if result.accepted]
    (verdict,) = {verdict_of(device.settled(prompt_id)) for device in crowd.devices}
    assert len(accepted) == (verdict.winner == "remote")
    assert (verdict.outcome, verdict.answer) == ("answered", value)
    if accepted:
        assert verdict.winner_name == crowd.devices[accepted[0]].name
        assert value == FRUIT[1 + accepted[0] % 2]
    else:
        assert (verdict.winner, verdict.winner_name, value) == ("terminal", None, "apple")
    for place, result in enumerate(results):
        assert result.settled == verdict
        assert result.reason == (None if place in accepted else "settled")
    for device in crowd.devices:
        assert len(device.all(wire.ExtensionUISettled)) == len(device.all(wire.ResponseResult)) == 1
    here.pi.wait_gone(title)
    return not accepted, took


@pytest.mark.timeout(300)
def test_a_hundred_devices_and_the_terminal_answer_at_once() -> None:
    dice = random.Random(SEED)
    with stage(FULLSCREEN) as here:
        crowd = Crowd(here, [here.remote(f"device {number}") for number in range(SOCKETS)])
        terminal_won: list[bool] = []
        delay = 0.002
        for number in range(MOST_ROUNDS):
            won, took = play_round(crowd, number, delay + dice.uniform(-JITTER, JITTER))
            delay += STEP if won else -STEP
            delay = max(-TOGETHER / 2, min(TOGETHER - STEP - JITTER, delay))
            if took <= TOGETHER:
                terminal_won.append(won)
            if len(terminal_won) >= ROUNDS:
                break
        assert len(terminal_won) == ROUNDS
        assert WINS <= sum(terminal_won) <= ROUNDS - WINS
