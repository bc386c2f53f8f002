"""Promise: keys meant for a dialog that a remote has just answered reach neither the next dialog nor Pi's editor; others do.

A typist presses ten keys a second. On the real Pi, all forms of it.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import pytest

from bridge.messages import PromptOpened, PromptSettled
from mirrord.demo.terminal import Terminal
from tests.e2e.recorded import DOORBELL, Recorded, recorded
from tests.e2e.stage import until
from tests.harness.pi import KINDS, ROOT, PiKind

EXTENSION: Final = ROOT / "bridge" / "extension" / "index.ts"
GAP: Final = 0.1
"""Seconds between two keys."""
QUIET: Final = 0.6
"""Twice the pause after which keys count again."""


class Typist(threading.Thread):
    """Presses the same key every GAP seconds until it is told to stop; counts its keys."""

    def __init__(self, pi: Terminal, key: str) -> None:
        super().__init__(daemon=True)
        self._pi, self._key = pi, key
        self._over = threading.Event()
        self.keys = 0

    def run(self) -> None:
        while not self._over.wait(GAP):
            self._pi.send(self._key)
            self.keys += 1

    def stop(self) -> None:
        self._over.set()
        self.join()


@contextmanager
def typing(here: Recorded, key: str) -> Iterator[Typist]:
    """Somebody types; three keys have been pressed when this starts."""
    typist = Typist(here.pi, key)
    typist.start()
    try:
        until(lambda: typist.keys >= 3, 10, "nobody types")
        yield typist
    finally:
        typist.stop()


@pytest.fixture(scope="module", params=KINDS, ids=str)
def here(request: pytest.FixtureRequest) -> Iterator[Recorded]:
    """One Pi for the tests of this file; its editor is empty before and after each."""
    kind: PiKind = request.param
    with recorded(kind, extensions=[DOORBELL, EXTENSION]) as one:
        yield one


def opened(here: Recorded, command: str, title: str) -> PromptOpened:
    """That dialog, on the screen and offered."""
    here.run(command, id=title, title=title)
    prompt = here.recorder.prompt(title)
    here.pi.wait_for(title)
    return prompt


def more(typist: Typist, keys: int) -> None:
    before = typist.keys
    until(lambda: typist.keys >= before + keys, 10, "the typist fell asleep")


def test_no_key_reaches_the_editor_and_later_ones_do(here: Recorded) -> None:
    prompt = opened(here, "t-input", "Typed into")
    with typing(here, "q") as typist:
        here.pi.wait_for("qq")
        here.recorder.answer(prompt, text="from afar")
        assert here.log.result("t-input", "Typed into").value == "from afar"
        more(typist, 5)
    here.pi.settle(QUIET)
    assert "qq" not in here.pi.screen_text()
    here.pi.send("zz")
    here.pi.wait_for("zz")
    here.pi.keys("backspace", "backspace")
    here.pi.wait_gone("zz")


def test_no_key_answers_the_next_dialog(here: Recorded) -> None:
    outer = opened(here, "t-select", "Underneath")
    here.pi.keys("escape")
    here.recorder.settlement(outer)
    before = here.recorder.count(PromptSettled)
    here.run("t-nested")
    outer = here.recorder.prompt("Outer")
    inner = here.recorder.prompt("Inner?")
    here.pi.wait_for("Inner?")
    here.pi.keys("down")
    here.pi.settle(0.05)
    here.recorder.answer(inner, confirmed=True)
    here.recorder.settlement(inner)
    # What the person meant for the first would choose in the second.
    here.pi.keys("enter")
    here.pi.settle(QUIET)
    assert here.recorder.count(PromptSettled) == before + 1
    here.recorder.answer(outer, index=1)
    assert here.log.result("outer").value == "banana"


def test_an_answer_to_a_dialog_that_another_covers_takes_no_key_of_the_other(here: Recorded) -> None:
    beneath = opened(here, "t-input", "Beneath")
    here.pi.send("qq")
    here.pi.wait_for("qq")
    here.ring("select", id="over", title="Over it")
    here.recorder.prompt("Over it")
    here.pi.wait_for("Over it")
    here.pi.settle(0.05)
    here.recorder.answer(beneath, text="from afar")
    here.recorder.settlement(beneath)
    here.pi.keys("down", "enter")
    assert here.log.result("bell", "over").value == "banana"
    assert here.log.result("t-input", "Beneath").value == "from afar"


def test_a_dialog_in_which_nobody_types_swallows_nothing(here: Recorded) -> None:
    prompt = opened(here, "t-input", "Left alone")
    here.recorder.answer(prompt, text="from afar")
    here.log.result("t-input", "Left alone")
    here.pi.wait_gone("Left alone")
    here.pi.send("zz")
    here.pi.wait_for(re.compile("^ *zz", re.MULTILINE))
    here.pi.keys("backspace", "backspace")
    here.pi.wait_gone("zz")
