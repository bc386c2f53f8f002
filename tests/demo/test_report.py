"""Promise: the demo's words say what the settlement says, and the steps cover every method won by each side."""

from __future__ import annotations

import json

import pytest

from mirrord.demo.report import Objects, Story
from mirrord.demo.steps import STEPS, Step
from mirrord.wire import messages as wire
from tests.cli.prompts import BASE, CHECKS, ask, editor, select, session


def end_of(step: Step) -> wire.ExtensionUISettled:
    name = "phone" if step.winner == "remote" else None
    return wire.ExtensionUISettled(
        session_id="1-1", id="p", outcome=step.outcome, winner=step.winner, at=1, winner_name=name, answer=step.told
    )


def test_each_method_is_won_by_each_side() -> None:
    won = {(step.question.method, step.winner) for step in STEPS if step.outcome == "answered"}
    assert won >= {(method, winner) for method in ("select", "confirm", "input", "editor", "ask") for winner in ("terminal", "remote")}
    assert {step.outcome for step in STEPS} >= {"answered", "cancelled", "timed_out"}
    assert any(step.refused for step in STEPS)


def test_what_is_typed_freely_is_told_to_nobody() -> None:
    assert all(step.told is None for step in STEPS if step.question.method in ("input", "editor"))


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.name)
def test_an_object_names_step_method_winner_outcome_and_time(step: Step) -> None:
    lines: list[str] = []
    report = Objects(lines.append)
    report.begin(session())
    report.step(1, step)
    report.asked(select())
    report.settled(step, end_of(step), 0.0123)
    report.done(step, end_of(step), 0.0123)
    report.end(1)
    assert [json.loads(line) for line in lines] == [
        {"step": step.name, "method": step.question.method, "winner": step.winner, "outcome": step.outcome, "ms": 12.3}
    ]


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.name)
def test_the_story_says_who_and_how(step: Step) -> None:
    lines: list[str] = []
    report = Story(lines.append)
    report.step(3, step)
    report.settled(step, end_of(step), 0.0123)
    report.done(step, end_of(step), 0.0123)
    told = "\n".join(lines)
    assert told.startswith(f"\n3. {step.name[0].upper()}{step.name[1:]}\n")
    assert step.words in told
    assert step.got in told
    assert "After 12 ms every device knows: " in told
    for words, belongs in (("in the terminal.", step.winner == "terminal"), ("by “phone”.", step.winner == "remote")):
        assert (words in told) is belongs
    if step.told is not None:
        assert f"“{step.told}”" in told


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        (select(), "on the phone: Which fruit? [apple / banana / cherry]"),
        (ask(BASE, CHECKS), "on the phone: 2 questions [base? / checks?]"),
        (editor(), "on the phone: Edit the plan"),
    ],
)
def test_what_is_asked_is_told_with_what_can_be_chosen(prompt: wire.ExtensionUIRequest, words: str) -> None:
    lines: list[str] = []
    Story(lines.append).asked(prompt)
    assert lines[0].endswith(words)


def test_seconds_are_told_as_seconds() -> None:
    lines: list[str] = []
    Story(lines.append).settled(STEPS[0], end_of(STEPS[0]), 2.04)
    assert "After 2.0 s" in lines[1]
