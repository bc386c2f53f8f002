"""Promise: where Pi has no `ctx.ui.ask`, ours looks and works like Pi's own dialogs, at 60 and at 100 columns, in all forms of Pi."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import msgspec
import pytest

from bridge.messages import Answer
from mirrord.demo.pi_home import PiHome
from tests.e2e.recorded import Recorded, recorded
from tests.harness.pi import GENERATIONS, KINDS, OLD, REGULAR, ROOT, PiKind
from tests.harness.recorder import places

EXTENSION: Final = ROOT / "bridge" / "extension" / "index.ts"
LONG: Final = "A label that is long enough to need two lines where the terminal has sixty columns"
NARROW: Final = (12, 9, 8, 5)
"""Columns: below that, 0.73.1 draws what is too wide by itself."""
SEVERAL: Final = {
    "id": "q",
    "question": "Which?",
    "options": [{"value": "v", "label": "Long", "description": "words"}],
    "multiSelect": True,
}
QUESTION: Final = {"id": "q", "question": "Which?", "options": [{"value": "v", "label": LONG, "description": "One of them"}]}

FIRST: Final = {
    100: """\
 Question 1 of 2
 Which database?

 → PostgreSQL
     Runs as a server of its own
   SQLite
     One file
   Type an answer
   Skip

 ↑↓ navigate  enter select  tab next  shift+tab back  escape/ctrl+c cancel""",
    60: """\
 Question 1 of 2
 Which database?

 → PostgreSQL
     Runs as a server of its own
   SQLite
     One file
   Type an answer
   Skip

 ↑↓ navigate  enter select  tab next  shift+tab back
 escape/ctrl+c cancel""",
}

OVERVIEW: Final = """\
 2 questions
 Your answers

 Which database?
   SQLite
 Which parts first?
   The API, own words

 → Submit (2 of 2 answered)
   Back"""

WRAPPED: Final = """\
 → A label that is long enough to need two lines where the
   terminal has sixty columns
     One of them"""


def framed(here: Recorded) -> str:
    """What is between the borders of the dialog on the screen, and nothing else of the screen."""
    here.pi.settle(0.1)
    lines = [line.rstrip() for line in here.pi.screen_text().splitlines()]
    borders = [place for place, line in enumerate(lines) if line and set(line) == {"─"}]
    return "\n".join(lines[borders[-2] + 1 : borders[-1]]).strip("\n")


@contextmanager
def asking(kind: PiKind, columns: int, config: str = "") -> Iterator[Recorded]:
    def prepare(home: PiHome) -> Mapping[str, str]:
        file = places(home).config_file
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(config)
        return {}

    with recorded(kind, extensions=[EXTENSION], prepare=prepare) as here:
        here.pi.resize(columns, 40)
        yield here


@pytest.mark.parametrize("columns", [60, 100])
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_it_is_answered_at_the_terminal(kind: PiKind, columns: int) -> None:
    with asking(kind, columns) as here:
        here.run("t-ask")
        opened = here.recorder.prompt("2 questions")
        here.pi.wait_for("Which database?")
        assert framed(here) == FIRST[columns]
        here.pi.keys("down", "enter")
        here.pi.wait_for("Question 2 of 2")
        here.pi.send(" ")
        here.pi.keys("down", "down", "down", "enter")
        here.pi.send("own words")
        here.pi.keys("enter", "enter")
        assert framed(here).startswith(OVERVIEW)
        here.pi.keys("enter")
        assert here.log.result("t-ask").value == {"answers": {"database": "lite", "parts": ["api", "own words"]}, "allIgnored": False}
        assert here.recorder.settlement(opened).answer == Answer(labels=("SQLite", "The API"))
        here.pi.wait_gone("Which database?")


@pytest.mark.parametrize("kind", GENERATIONS, ids=str)
def test_a_long_label_goes_on_under_itself(kind: PiKind) -> None:
    with asking(kind, 60) as here:
        here.run("t-ask", questions=[QUESTION])
        here.recorder.prompt("Which?")
        assert WRAPPED in framed(here)


@pytest.mark.parametrize("kind", [REGULAR, OLD], ids=str)
def test_however_narrow_the_terminal_becomes_pi_lives(kind: PiKind) -> None:
    with asking(kind, 100) as here:
        here.run("t-ask", questions=[SEVERAL])
        opened = here.recorder.prompt("Which?")
        here.pi.wait_for("words")
        for columns in NARROW:
            here.pi.resize(columns, 40)
            here.pi.settle(0.1)
            # Pi looks at how wide lines are when it draws those that changed, and all between them.
            for key in ("down", "up"):
                here.pi.keys(key)
                here.pi.settle(0.1)
            assert here.pi.alive, f"{columns} columns"
        here.pi.resize(100, 40)
        here.pi.wait_for("words")
        here.recorder.answer(opened, answers={"q": ("v",)})
        assert here.log.result("t-ask").value == {"answers": {"q": ["v"]}, "allIgnored": False}


@pytest.mark.parametrize("kind", GENERATIONS, ids=str)
def test_a_remote_closes_it_and_the_terminal_says_who(kind: PiKind) -> None:
    with asking(kind, 100) as here:
        here.run("t-ask", questions=[QUESTION])
        opened = here.recorder.prompt("Which?")
        here.pi.wait_for("One of them")
        here.recorder.answer(opened, answers={"q": "v"})
        assert here.log.result("t-ask").value == {"answers": {"q": "v"}, "allIgnored": False}
        here.pi.wait_gone("One of them")
        here.pi.wait_for("Answered from recorder: A label that is long")


@pytest.mark.parametrize("kind", GENERATIONS, ids=str)
def test_the_person_may_do_without_ours(kind: PiKind) -> None:
    with asking(kind, 100, "ask = false\nterminal_notice = false\n") as here:
        here.run("t-ask")
        assert here.log.result("t-ask").error == "Error: there is no ctx.ui.ask"
        here.run("t-select", title="Quiet")
        here.recorder.answer(here.recorder.prompt("Quiet"), index=1)
        here.pi.wait_gone("Quiet")
        here.pi.settle(0.3)
        assert "Answered from" not in here.pi.screen_text()


@pytest.mark.parametrize("kind", GENERATIONS, ids=str)
def test_the_model_asks_where_the_person_lets_it(kind: PiKind) -> None:
    with asking(kind, 100, "ask_tool = true\n") as here:
        arguments: dict[str, Any] = {"questions": [QUESTION]}
        here.pi.settle(0.1)
        here.pi.line(f"tool: ask {msgspec.json.encode(arguments).decode()}")
        here.recorder.answer(here.recorder.prompt("Which?"), answers={"q": "v"})
        here.pi.wait_for("Tool said: q: v")
