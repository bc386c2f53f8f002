"""Promise: a client gets at most twenty changes a second of one thing and the last value by the next tick; what stays costs nothing."""

from __future__ import annotations

import re
import threading
import time
from itertools import pairwise
from typing import Final

from bridge.limits import UPDATE_MS
from mirrord.demo.terminal import Terminal
from tests.e2e.showing import Showing, comes
from tests.e2e.stage import until
from tests.harness.exerciser import slash
from tests.harness.pi import EXERCISER, running_pi

A_SECOND: Final = 1000 / UPDATE_MS
FRAME_MS: Final = 10
LOOKED_AT: Final = 1.0
"""Seconds: long enough for twenty changes."""

KEYS: Final = "abcdefgh"
"""Each makes Pi draw once."""

TICKS_LATE: Final = 20
"""The next tick on a machine that does much else."""

SLACK: Final = 2
"""One for either end of the time that is looked at."""


def test_a_component_that_changes_with_every_frame_is_told_twenty_times_a_second(showing: Showing) -> None:
    showing.run("t-widget", key="clock", drawn=True, lines=["{accent}clock{/}"], every=FRAME_MS)
    until(lambda: bool(showing.widget("clock")), 5, "the clock is not told")
    start, had, drawn = time.monotonic(), len(showing.widget("clock")), showing.stage.pi.screen_text()
    threading.Event().wait(LOOKED_AT)
    changes, passed = len(showing.widget("clock")) - had, time.monotonic() - start
    showing.run_at_once("t-widget", key="clock", drawn=True, lines=["{accent}at rest{/}"])
    comes(lambda: showing.widget("clock")[-1], ("at rest",))
    assert 4 <= changes <= passed * A_SECOND + SLACK
    assert "tick" in drawn


def test_the_last_of_a_thousand_values_is_there_by_the_next_tick(showing: Showing) -> None:
    showing.run("t-flood", id="thousand", status=1_000, widget=1_000, ms=1_000)
    comes(lambda: showing.widget("flood")[-1:], [("widget 999",)])
    comes(lambda: [message["statusText"] for message in showing.told("setStatus")][-1:], ["status 999"])
    made = showing.stage.log.wait(lambda record: record.is_result("t-flood", "thousand")).at / 1000
    assert max(arrived(showing, "widget 999"), arrived(showing, "status 999")) - made < TICKS_LATE * UPDATE_MS / 1000
    for changes in (showing.told("setStatus"), showing.told("setWidget")):
        assert 4 <= len(changes) <= 2 * A_SECOND
    shown = showing.later()
    assert [status.text for status in shown.statuses] == ["status 999"]
    assert [surface.widget_lines for surface in shown.surfaces] == [("widget 999",)]


def arrived(showing: Showing, text: str) -> float:
    """When the phone first had a message with that text, in seconds since the epoch."""
    since = time.time() - time.monotonic()
    return since + next(at for at, one in zip(showing.phone.times, showing.phone.texts, strict=False) if text in one)


def test_what_is_drawn_again_as_it_was_is_told_to_nobody(showing: Showing) -> None:
    showing.run("t-widget", key="still", drawn=True, lines=["still"], native={"version": 1, "blocks": [{"type": "divider"}]})
    showing.run("t-widget", key="still lines", lines=["still"])
    showing.run("t-header", lines=["still"])
    comes(lambda: len(showing.told("setWidget", "setHeader")), 3)
    showing.phone.forget()
    showing.run("t-widget", key="moving", drawn=True, lines=[], every=FRAME_MS)
    until(lambda: len(showing.widget("moving")) > 5, 5, "nothing moves")
    showing.run_at_once("t-widget", key="still lines", lines=["still"])
    showing.run_at_once("t-widget", key="moving")
    comes(lambda: showing.widget("moving")[-1], None)
    showing.rest()
    assert {message.get("widgetKey") for message in showing.told()} == {"moving"}


def test_a_component_in_the_place_of_another_like_it_is_told_to_nobody(showing: Showing) -> None:
    for _ in range(3):
        showing.run("t-widget", key="place", drawn=True, lines=["the same"])
        showing.rest()
    assert showing.widget("place") == [("the same",)]
    showing.run("t-widget", key="place", drawn=True, lines=["another"])
    comes(lambda: showing.widget("place"), [("the same",), ("another",)])


def test_nothing_is_drawn_for_us(showing: Showing) -> None:
    here = showing.stage
    with running_pi(here.kind, here.home, extensions=[EXERCISER], env=here.log.environment()) as alone:
        without = draws(alone)
    with_us = draws(here.pi)
    # One that is drawn outside of Pi's frames would be missing.
    assert with_us == without
    assert len(with_us) == 1


def draws(pi: Terminal) -> set[int]:
    """How many times Pi draws a component between two frames in which it can be seen."""
    written = len(pi.output())
    native = {"version": 1, "blocks": [{"type": "divider"}]}
    pi.line(slash("t-widget", key="counts", drawn=True, lines=["it is"], counts=True, native=native))
    pi.wait_for("drawn")
    for key in KEYS:
        pi.settle(0.05)
        pi.send(key)
    pi.settle(0.2)
    pi.keys("ctrl+u")
    numbers = [int(number) for number in re.findall(rb"drawn (\d+) times", pi.output(written))]
    assert len(numbers) >= len(KEYS)
    return {later - earlier for earlier, later in pairwise(numbers)}
