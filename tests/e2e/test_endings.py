"""Promise: a prompt that nobody answers ends for everybody when it ends in Pi; of two that are open at once the right one goes."""

from __future__ import annotations

import time

import pytest

from mirrord.wire.messages import ExtensionUIRequest, Method
from tests.e2e.play import Asked, Play
from tests.e2e.stage import until

NOTHING: dict[Method, object] = {"select": "undefined", "confirm": False, "input": "undefined"}
# Pi counts whole seconds, rounded up.
TIMEOUTS: tuple[tuple[Method, int, int], ...] = (("select", 1500, 2000), ("confirm", 700, 1000), ("input", 1000, 1000))
# How far timeoutAt may be from when Pi ended the dialog, in ms.
NEAR = 50
# A machine that does other things wakes Pi late now and then; being late three times in a row is no accident.
TRIES = 3


@pytest.mark.parametrize(("method", "timeout", "after"), TIMEOUTS, ids=NOTHING)
def test_a_timeout_ends_it_for_everybody_when_it_was_said_to(play: Play, method: Method, timeout: int, after: int) -> None:
    for _ in range(TRIES):
        asked = play.ask(method, timeout=timeout)
        assert asked.prompt.timeout == timeout
        assert asked.prompt.timeout_at == asked.prompt.opened_at + after
        assert play.value(asked) == NOTHING[method]
        verdict = play.everybody_is_told(asked, "timed_out", "none")
        play.screen_is_back(asked)
        assert play.phone.answer(asked.id, cancelled=True).settled == verdict
        difference = verdict.at - asked.prompt.timeout_at
        assert difference > -NEAR
        if difference < NEAR:
            return
    raise AssertionError(f"Pi ended it {difference} ms after timeoutAt")


@pytest.mark.parametrize("method", list(NOTHING))
def test_the_callers_own_signal_withdraws_it(play: Play, method: Method) -> None:
    asked = play.ask(method, abortAfter=400)
    assert play.value(asked) == NOTHING[method]
    verdict = play.everybody_is_told(asked, "withdrawn", "none", reason="signal")
    play.screen_is_back(asked)
    assert play.phone.answer(asked.id, cancelled=True).settled == verdict


def test_a_signal_that_has_fired_already_shows_nothing_to_anybody(play: Play) -> None:
    play.stage.run("t-select", id="fired", title="Never shown?", aborted=True)
    assert play.stage.log.result("t-select", "fired").outcome == "undefined"
    assert play.phone.subscribe(play.stage.session_id).prompts == ()
    assert play.phone.all(ExtensionUIRequest) == []


def test_an_answer_before_the_time_is_out_is_taken_and_the_countdown_is_gone(play: Play) -> None:
    asked = play.ask("select", timeout=1000)
    assert play.phone.answer(asked.id, index=1).accepted
    assert play.value(asked) == "banana"
    assert asked.prompt.timeout_at is not None
    wait_until_after(asked.prompt.timeout_at)
    play.everybody_is_told(asked, "answered", "remote", by="phone", answer="banana")
    play.screen_is_back(asked)


def wait_until_after(wall: int) -> None:
    """Returns when a countdown to that time, in ms since the epoch, would have ended."""
    until(lambda: time.time_ns() // 1_000_000 > wall + 4 * NEAR, 10, "time stands still")


def nested(play: Play, **arguments: object) -> tuple[Asked, Asked]:
    """A select, and a confirm that covers it."""
    before = play.rest()
    run = f"pair {next(play.numbers)}"
    play.stage.run("t-nested", id=run, **arguments)
    outer, inner = play.offered("Outer"), play.offered("Inner?")
    play.stage.pi.wait_for(lambda text: "Inner?" in text and "/t-nested" not in text)
    return Asked(outer, "outer", run, before), Asked(inner, "inner", run, before)


def covers(play: Play) -> bool:
    """Whether this Pi shows the outer dialog again when the inner one is gone; one with a single place for dialogs does not."""
    return "dialogs:stack" in play.session.capabilities


def test_of_two_dialogs_the_inner_is_answered_first(play: Play) -> None:
    outer, inner = nested(play)
    assert play.phone.answer(inner.id, confirmed=False).accepted
    play.everybody_is_told(inner, "answered", "remote", by="phone", answer="No")
    if covers(play):
        play.stage.pi.wait_for("→ apple")
        assert "Inner?" not in play.stage.pi.screen_text()
    else:
        play.screen_is_back(inner)
    assert play.phone.answer(outer.id, index=2).accepted
    play.everybody_is_told(outer, "answered", "remote", by="phone", answer="cherry")
    assert (play.value(outer), play.value(inner)) == ("cherry", False)
    play.screen_is_back(outer)


def test_of_two_dialogs_the_outer_is_answered_first(play: Play) -> None:
    outer, inner = nested(play)
    assert play.phone.answer(outer.id, index=2).accepted
    play.everybody_is_told(outer, "answered", "remote", by="phone", answer="cherry")
    play.still_open(inner)
    assert play.phone.answer(inner.id, confirmed=True).accepted
    play.everybody_is_told(inner, "answered", "remote", by="phone", answer="Yes")
    assert (play.value(outer), play.value(inner)) == ("cherry", True)
    play.screen_is_back(inner)


def test_the_inner_is_answered_at_the_terminal_while_a_remote_answers_the_covered_one(play: Play) -> None:
    outer, inner = nested(play)
    play.stage.pi.keys("down")
    assert play.phone.answer(outer.id, index=1).accepted
    # The key before stays where it was: the dialog on the screen was not touched.
    assert "→ No" in play.stage.pi.settle(0.05)
    play.stage.pi.keys("enter")
    play.everybody_is_told(inner, "answered", "terminal", answer="No")
    assert (play.value(outer), play.value(inner)) == ("banana", False)
    play.screen_is_back(inner)


def test_the_outer_is_answered_after_the_inner_was_at_the_terminal(play: Play) -> None:
    outer, inner = nested(play)
    play.stage.pi.keys("enter")
    play.everybody_is_told(inner, "answered", "terminal", answer="Yes")
    if covers(play):
        play.stage.pi.wait_for("→ apple")
        play.stage.pi.keys("down", "enter")
        play.everybody_is_told(outer, "answered", "terminal", answer="banana")
    else:
        assert play.phone.answer(outer.id, index=1).accepted
    assert (play.value(outer), play.value(inner)) == ("banana", True)
    play.screen_is_back(outer)


def test_the_countdown_of_a_covered_dialog_that_was_answered_does_not_take_the_one_on_the_screen(play: Play) -> None:
    outer, inner = nested(play, timeout=1000)
    assert play.phone.answer(outer.id, index=2).accepted
    assert outer.prompt.timeout_at is not None
    wait_until_after(outer.prompt.timeout_at)
    play.still_open(inner)
    play.stage.pi.keys("enter")
    assert (play.value(outer), play.value(inner)) == ("cherry", True)
    play.everybody_is_told(outer, "answered", "remote", by="phone", answer="cherry")
    play.screen_is_back(inner)
