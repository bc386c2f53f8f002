"""Promise: the harness drives the real Pi, on each generation and in each mode that we promise to work with.

Nothing of mirrord runs here. When one of these fails, the other tests with the real Pi cannot be believed.
"""

from __future__ import annotations

import re

import pytest

from mirrord.demo.pi_home import PiHome
from mirrord.demo.scripted_model import ScriptedModel
from tests.harness.exerciser import ExerciserLog, slash
from tests.harness.pi import EXERCISER, GENERATIONS, PiKind, quit_pi, run_pi, running_pi


def test_pi_echoes_a_prompt_and_runs_a_tool_and_quits(kind: PiKind, home: PiHome, model: ScriptedModel) -> None:
    with running_pi(kind, home) as pi:
        assert pi.snapshot().alternate == (kind.name == "pi-1.6.0-fullscreen")
        pi.line("hello there")
        pi.wait_for("Echo: hello there")
        pi.settle()
        pi.line("run: echo sum-$((40 + 2))")
        pi.wait_for("Tool said: sum-42")
        pi.settle()
        assert quit_pi(pi) == 0
        assert not pi.snapshot().alternate
    assert [message.role for message in model.heard()] == ["user", "user", "tool"]


def test_a_select_is_answered_by_keys(kind: PiKind, home: PiHome, log: ExerciserLog) -> None:
    with running_pi(kind, home, extensions=[EXERCISER], env=log.environment()) as pi:
        pi.line(slash("t-select", id="a", title="Which one?", options=["one", "two", "three"]))
        pi.wait_for("Which one?")
        pi.settle()
        pi.keys("down", "enter")
        assert log.result("t-select", "a").value == "two"
        pi.wait_gone("Which one?")
        assert quit_pi(pi) == 0


def test_confirm_and_input_and_escape_give_what_pi_documents(kind: PiKind, home: PiHome, log: ExerciserLog) -> None:
    with running_pi(kind, home, extensions=[EXERCISER], env=log.environment()) as pi:
        for keys, value in ((["enter"], True), (["down", "enter"], False), (["escape"], False)):
            pi.line(slash("t-confirm", id=f"{keys}", title="Really?"))
            pi.wait_for("Really?")
            pi.settle()
            pi.keys(*keys)
            assert log.result("t-confirm", f"{keys}").value is value
            pi.wait_gone("Really?")
            pi.settle()
        pi.line(slash("t-input", title="Who?"))
        pi.wait_for("Who?")
        pi.settle()
        pi.line("Ada")
        assert log.result("t-input").value == "Ada"


def test_each_way_to_ask_works_without_us(kind: PiKind, home: PiHome, log: ExerciserLog) -> None:
    env = {**log.environment(), "EXERCISER_START": '{"title":"At the start?"}'}
    with running_pi(kind, home, extensions=[EXERCISER], env=env) as pi:
        pi.wait_for("At the start?")
        pi.keys("enter")
        assert log.result("session_start").value == "apple"
        pi.wait_gone("At the start?")
        pi.settle()
        pi.keys("ctrl+alt+k")
        pi.wait_for("From a shortcut")
        pi.settle()
        pi.keys("escape")
        assert log.result("shortcut").outcome == "undefined"
        pi.settle()
        pi.line('tool: ask_user {"question": "Which colour?"}')
        pi.wait_for(re.compile(r"Which colour\?.*→ red", re.DOTALL))
        pi.settle()
        pi.keys("down", "enter")
        pi.wait_for("Tool said: the user chose green")
        pi.line(slash("t-later", after=10, title="Later?"))
        pi.wait_for("Later?")
        pi.settle()
        pi.keys("enter")
        assert log.result("t-later", count=2).value == "apple"


def test_a_timeout_and_a_signal_end_a_dialog(kind: PiKind, home: PiHome, log: ExerciserLog) -> None:
    with running_pi(kind, home, extensions=[EXERCISER], env=log.environment()) as pi:
        pi.line(slash("t-select", id="timeout", title="Quick?", timeout=1000))
        assert log.result("t-select", "timeout").outcome == "undefined"
        pi.wait_gone("Quick?")
        pi.settle()
        pi.line(slash("t-select", id="signal", title="Quick?", abortAfter=200))
        assert log.result("t-select", "signal").outcome == "undefined"
        pi.wait_gone("Quick?")


def test_reload_new_session_and_a_sub_agent_in_the_process(kind: PiKind, home: PiHome, log: ExerciserLog) -> None:
    with running_pi(kind, home, extensions=[EXERCISER], env=log.environment()) as pi:
        pi.line(slash("t-agent", prompt="from within"))
        assert "from within" in str(log.result("t-agent", timeout=20).value)
        pi.settle()
        pi.line(slash("t-reload"))
        log.wait(lambda record: record.event == "session_start" and record.reason == "reload")
        pi.settle()
        pi.line(slash("t-new"))
        log.wait(lambda record: record.event == "session_start" and record.reason == "new")
        pi.settle()
        assert quit_pi(pi) == 0


@pytest.mark.parametrize("kind", GENERATIONS, ids=str)
def test_print_mode_answers_without_a_terminal(kind: PiKind, home: PiHome) -> None:
    assert "Echo: hello" in run_pi(kind, home, "-p", "hello").stdout
