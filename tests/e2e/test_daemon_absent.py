"""Promise: a daemon that comes late, dies or comes back changes nothing in the terminal, and finds every prompt where it was."""

from __future__ import annotations

import signal
import time
from dataclasses import replace

import pytest

from tests.e2e.play import KEYS_COUNT_AGAIN, Asked, Play
from tests.e2e.stage import Start, stage, until
from tests.harness.exerciser import slash
from tests.harness.pi import GENERATIONS, PiKind

# The extension looks for a daemon at least every 5 s.
OFFERED = 6.0


@pytest.mark.parametrize("start", ["-e", "attach"])
@pytest.mark.parametrize("kind", GENERATIONS, ids=str)
def test_a_prompt_opened_before_any_daemon_ran_is_offered_and_answered(kind: PiKind, start: Start) -> None:
    with stage(kind, start, daemon=False) as here:
        here.pi.settle(0.05)
        before = here.pi.snapshot()
        here.pi.line(slash("t-select", id="early", title="Early?"))
        here.pi.wait_for(lambda text: "Early?" in text and "/t-select" not in text)
        here.daemon.start()
        started = time.monotonic()
        until(lambda: [session.open_prompts for session in here.sessions()] == [1], OFFERED, "the prompt was not offered")
        assert time.monotonic() - started < OFFERED
        play = Play(here)
        asked = Asked(play.offered("Early?"), "t-select", "early", before)
        assert play.phone.answer(asked.id, index=1).accepted
        assert play.value(asked) == "banana"
        play.everybody_is_told(asked, "answered", "remote", by="phone", answer="banana")
        play.screen_is_back(asked)


def test_a_daemon_that_is_killed_and_started_again_offers_the_same_prompt(play: Play) -> None:
    asked = play.ask("select")
    play.stage.daemon.end(signal.SIGKILL)
    play.phone.wait_lost()
    play.stage.pi.keys("down")
    play.stage.pi.wait_for("→ banana")
    play.restart()
    assert play.offered(asked.prompt.title) == asked.prompt
    assert "→ banana" in play.stage.pi.screen_text()
    assert play.phone.answer(asked.id, index=2).accepted
    assert play.value(asked) == "cherry"
    play.everybody_is_told(asked, "answered", "remote", by="phone", answer="cherry")
    play.screen_is_back(asked)
    play.stage.pi.settle(KEYS_COUNT_AGAIN)


def test_a_prompt_that_the_terminal_answers_while_no_daemon_runs_is_told_to_who_answers_later(play: Play) -> None:
    asked = play.ask("confirm")
    play.stage.daemon.end(signal.SIGKILL)
    play.stage.pi.keys("enter")
    assert play.value(asked) is True
    play.screen_is_back(asked)
    play.restart()
    late = play.phone.answer(asked.id, confirmed=False)
    assert (late.accepted, late.reason) == (False, "settled")
    assert late.settled is not None
    assert (late.settled.outcome, late.settled.winner, late.settled.answer) == ("answered", "terminal", "Yes")


def test_statuses_and_the_title_are_told_to_the_next_daemon(play: Play) -> None:
    play.stage.run("t-status", key="job", text="half done")
    play.stage.run("t-title", title="our title")
    play.stage.daemon.end()
    play.restart()
    until(lambda: play.phone.subscribe(play.stage.session_id).title == "our title", OFFERED, "the title was not told")
    assert [(status.key, status.text) for status in play.phone.subscribe(play.stage.session_id).statuses] == [("job", "half done")]
    play.stage.run("t-status", key="job")


def test_a_daemon_that_stands_still_leaves_the_terminal_alone_and_catches_up(play: Play) -> None:
    first = play.ask("select")
    play.stage.daemon.signal(signal.SIGSTOP)
    try:
        play.stage.pi.keys("down", "enter")
        assert play.value(first) == "banana"
        play.screen_is_back(first)
        play.stage.run("t-input", id="frozen", title="Frozen?")
        play.stage.pi.wait_for(lambda text: "Frozen?" in text and "/t-input" not in text)
    finally:
        play.stage.daemon.signal(signal.SIGCONT)
    play.everybody_is_told(first, "answered", "terminal", answer="banana")
    second = replace(first, prompt=play.offered("Frozen?"), name="t-input", run="frozen")
    assert play.phone.answer(second.id, value="thawed").accepted
    assert play.value(second) == "thawed"
    play.everybody_is_told(second, "answered", "remote", by="phone")
    play.screen_is_back(second)
