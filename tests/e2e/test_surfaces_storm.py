"""Promise: whatever an extension floods `ctx.ui` with, a client gets at most sixty messages a second and the last value of everything.

A prompt in the middle is answered as ever, and nothing grows in the daemon.
"""

from __future__ import annotations

import bisect
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from mirrord.wire import messages as wire
from tests.e2e.remote import Remote
from tests.e2e.showing import Showing, comes
from tests.e2e.stage import stage
from tests.harness.pi import GENERATIONS, PiKind

RATES: Final = {"notify": 10_000, "status": 1_000, "widget": 500}
"""Calls a second."""

USUAL_MS: Final = 3_000
LONG_MS: Final = 10_000

MOST_A_SECOND: Final = 60
"""Messages to one client, besides those of prompts, which wait for nothing."""

SECOND: Final = 0.9
"""A second of the daemon's, in which messages left, is at least so long where they arrive."""

OF_PROMPTS: Final = (wire.ExtensionUIRequest, wire.ExtensionUISettled, wire.ResponseResult)

GROWTH_KIB: Final = 8 * 1024
"""What the daemon's memory may grow by: a quarter of what one client's outbox may hold, and no trace of 100,000 notifications."""

CALM: Final = 90.0
"""Seconds that anything may take of a Pi that is flooded, on a busy machine."""


@pytest.fixture(scope="module", params=[pytest.param(kind, id=f"{kind}+storm") for kind in GENERATIONS])
def showing(request: pytest.FixtureRequest) -> Iterator[Showing]:
    kind: PiKind = request.param
    with stage(kind) as here:
        yield Showing(here)


def memory_kib(pid: int) -> int:
    """What the process holds in memory."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") // 1024


def busiest_second(remote: Remote) -> int:
    """The most messages of any second."""
    times = [at for at, message in zip(remote.times, remote.received, strict=True) if not isinstance(message, OF_PROMPTS)]
    return max(bisect.bisect_left(times, start + SECOND) - place for place, start in enumerate(times))


def storm(showing: Showing, ms: int) -> None:
    here, phone = showing.stage, showing.phone
    phone.forget()
    showing.run("t-status", key="flood", text="before")
    showing.run("t-widget", key="flood", lines=["before"])
    comes(lambda: len(showing.told("setStatus", "setWidget")), 2)
    before = memory_kib(here.daemon.pid)
    phone.forget()
    id_ = f"storm of {ms} ms"
    with here.sleeper("asleep"):
        showing.run("t-flood", id=id_, ms=ms, title="In the middle?", **RATES)
        prompt = phone.wait(wire.ExtensionUIRequest, timeout=CALM)
        result = phone.put_answer(prompt.id, index=1)
        assert here.log.result("middle", id_, CALM).value == "banana"
        made = here.log.result("t-flood", id_, CALM).value
        assert phone.result(result).accepted
        assert isinstance(made, dict)
        assert {name: made[name] for name in RATES} == {name: rate * ms // 1000 for name, rate in RATES.items()}
        comes(lambda: last(showing, "setStatus", "statusText"), f"status {made['status'] - 1}", CALM)
        comes(lambda: last(showing, "setWidget", "widgetLines"), [f"widget {made['widget'] - 1}"], CALM)
        assert busiest_second(phone) <= MOST_A_SECOND
        assert memory_kib(here.daemon.pid) - before < GROWTH_KIB
    shown = showing.later()
    assert [status.text for status in shown.statuses if status.key == "flood"] == [f"status {made['status'] - 1}"]
    assert [surface.widget_lines for surface in shown.surfaces] == [(f"widget {made['widget'] - 1}",)]
    assert showing.told("notify")
    assert here.pi.alive


def last(showing: Showing, method: str, field: str) -> object:
    """That field of the last message of this method."""
    return next((message.get(field) for message in reversed(showing.told(method))), None)


def test_a_flood_of_calls_is_a_trickle_and_a_prompt_in_the_middle_is_answered(showing: Showing) -> None:
    storm(showing, USUAL_MS)


@pytest.mark.soak
def test_ten_seconds_of_it(showing: Showing) -> None:
    storm(showing, LONG_MS)
