"""Promise: a Pi without a terminal is asked twice and then made to end, all within five seconds, and no signal comes twice."""

from __future__ import annotations

import signal

from bridge.pty.ending import Ending


def test_each_signal_comes_in_its_time_and_once() -> None:
    ending = Ending(100.0)
    told = [(now / 10, number) for now in range(1000, 1100) if (number := ending.due(now / 10))]
    assert told == [(100.0, signal.SIGHUP), (102.0, signal.SIGTERM), (105.0, signal.SIGKILL)]


def test_it_says_how_long_to_wait() -> None:
    ending = Ending(100.0)
    assert ending.seconds_left(99.0) == 1.0
    assert ending.due(100.0) is signal.SIGHUP
    assert ending.due(100.0) is None
    assert ending.seconds_left(101.5) == 0.5
    assert ending.seconds_left(103.0) == 0.0


def test_who_was_asleep_gives_all_that_is_due_in_their_order() -> None:
    ending = Ending(100.0)
    assert [ending.due(200.0) for _ in range(4)] == [signal.SIGHUP, signal.SIGTERM, signal.SIGKILL, None]
    assert ending.seconds_left(200.0) is None
