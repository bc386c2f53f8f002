"""Promise: a prompt's phase changes only by the table; what the table does not hold raises and changes nothing."""

from __future__ import annotations

import itertools

import pytest

from mirrord.core.model import ClientId, Reply, ResponseId
from mirrord.core.settlement import TRANSITIONS, Contender, IllegalStepError, Phase, Race, Step
from mirrord.wire.limits import CONTENDERS
from tests.core.playbook import select


def contender(key: str, client: int = 1) -> Contender:
    return Contender(ClientId(client), "phone", "test", ResponseId(key), ResponseId(key), Reply(index=0))


def race_in(phase: Phase) -> Race:
    race = Race(select("p"))
    if phase is not Phase.OPEN:
        race.respond(contender("a"))
    if phase is Phase.SETTLED:
        race.settle()
    return race


@pytest.mark.parametrize(("phase", "step"), list(itertools.product(Phase, Step)))
def test_every_pair_of_phase_and_step_is_in_the_table_or_raises_and_changes_nothing(phase: Phase, step: Step) -> None:
    race = race_in(phase)
    before = race.in_flight
    if (phase, step) in TRANSITIONS:
        race._step(step)
        assert race.phase is TRANSITIONS[phase, step]
        return
    with pytest.raises(IllegalStepError, match=phase.value):
        race._step(step)
    assert race.phase is phase
    assert race.in_flight is before


def test_a_settled_prompt_takes_no_answer() -> None:
    race = race_in(Phase.SETTLED)
    with pytest.raises(IllegalStepError):
        race.respond(contender("late"))
    assert race.in_flight is None


def test_only_the_first_answer_is_forwarded_and_the_next_when_it_is_rejected() -> None:
    race = Race(select("p"))
    first, second = contender("a"), contender("b")
    assert race.respond(first) is first
    assert race.respond(second) is None
    assert race.reject(ResponseId("a")) == (first, second)
    assert race.phase.value == "forwarded"
    assert race.reject(ResponseId("b")) == (second, None)
    assert race.phase.value == "open"


def test_rejecting_an_answer_that_is_not_with_the_terminal_does_nothing() -> None:
    race = Race(select("p"))
    race.respond(contender("a"))
    race.respond(contender("b"))
    assert race.reject(ResponseId("b")) is None
    assert race.reject(ResponseId("nobody")) is None
    assert race.in_flight == contender("a")


def test_settling_returns_every_answer_that_is_owed_a_result() -> None:
    race = Race(select("p"))
    given = [contender(key) for key in "abc"]
    for each in given:
        race.respond(each)
    assert race.settle() == tuple(given)
    assert race.in_flight is None


def test_a_retry_moves_the_verdict_to_the_new_connection() -> None:
    race = Race(select("p"))
    race.respond(contender("a", client=1))
    assert race.adopt(ResponseId("a"), ClientId(2))
    assert race.in_flight == contender("a", client=2)
    assert not race.adopt(ResponseId("other"), ClientId(2))


def test_it_is_full_at_the_limit_and_not_one_before() -> None:
    race = Race(select("p"))
    for number in range(CONTENDERS - 1):
        race.respond(contender(str(number)))
    assert not race.full
    race.respond(contender("last"))
    assert race.full
