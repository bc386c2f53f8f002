"""Promise: a component that fails, returns nonsense, or draws too much disturbs neither Pi nor the daemon, and other things are told."""

from __future__ import annotations

import json
import re
from typing import Any, Final

import pytest

from bridge.limits import LINE_BYTES
from mirrord.wire.surface_limits import SURFACE_BYTES, TERMINAL_LINES
from tests.e2e.showing import Showing, comes
from tests.e2e.stage import EXTENSION, Stage, until
from tests.harness.exerciser import slash
from tests.harness.pi import EXERCISER, GENERATIONS, running_pi

HUGE: Final = 10_000
WELL: Final = "all is well"
ERROR: Final = re.compile(r"^\S*(?:Error|Exception)\b.*$", re.MULTILINE)

CUT: Final[dict[str, dict[str, Any]]] = {
    "ten thousand lines": {"lines": {"count": HUGE, "of": "x"}},
    "huge lines": {"lines": [{"times": LINE_BYTES, "text": "\x1b[0m"}, WELL]},
    "lines of colours": {"lines": {"times": 150, "item": {"times": 40, "text": "\x1b[31mr\x1b[32mg"}}},
}
"""Drawings that are more than anybody is told."""

NONSENSE: Final[dict[str, dict[str, Any]]] = {
    "half characters": {"lines": ["\ud800", "\udfff\ud800", WELL]},
    "links to nowhere": {"lines": [*(f"\x1b]8;id={n};javascript:{n}\x07x\x1b]8;;\x07" for n in range(20)), WELL]},
    "marks without an end": {"lines": ["\x1b_pi:c\x07\x1b_pi:fc\x07", "\x1b[38;5", f"\x1b[31{WELL}", WELL]},
}

DEEP: Final = json.loads('{"type": "section", "blocks": [' * 8 + '{"type": "divider"}' + "]}" * 8)

SPEAKS: Final[dict[str, Any]] = {
    "throws": "no data today",
    "no surface": [1, 2],
    "nothing": 0,
    "another version": {"version": 2, "blocks": []},
    "no blocks": {"version": 1, "blocks": "none"},
    "blocks that are none": {"version": 1, "blocks": [1, None, {"type": 5}]},
    "deep": {"version": 1, "blocks": {"times": 60, "item": DEEP}},
    "long": {"version": 1, "blocks": [{"type": "markdown", "markdown": {"times": 20_000, "text": "long "}}]},
}
"""What `renderNative()` gives, or throws."""


def is_well(showing: Showing, key: str) -> None:
    """Pi takes keys, the daemon answers, and what is set then is told; the widget that did it can be cleared."""
    showing.run("t-widget", key=key)
    comes(lambda: key in {surface.key for surface in showing.snapshot().surfaces}, False)
    showing.phone.forget()
    showing.run("t-status", key="well", text=WELL)
    comes(lambda: [message.get("statusText") for message in showing.told("setStatus")], [WELL])
    assert showing.stage.pi.alive
    assert showing.stage.daemon.runs


def surface(showing: Showing, key: str) -> dict[str, Any]:
    """The widget as a client is shown it, once it is."""
    comes(lambda: [message["widgetKey"] for message in showing.told("setWidget")][:1], [key])
    return showing.told("setWidget")[-1]


@pytest.mark.parametrize("name", CUT)
def test_too_much_is_cut_and_it_is_said(showing: Showing, name: str) -> None:
    showing.run("t-widget", key=name, drawn=True, **CUT[name])
    told = surface(showing, name)
    assert told["truncated"]
    assert len(told["widgetLines"]) <= TERMINAL_LINES
    assert len(str(told["nativeSurface"]).encode()) <= 2 * SURFACE_BYTES
    is_well(showing, name)


@pytest.mark.parametrize("name", NONSENSE)
def test_of_nonsense_what_can_be_shown_is_shown(showing: Showing, name: str) -> None:
    showing.run("t-widget", key=name, drawn=True, **NONSENSE[name])
    told = surface(showing, name)
    assert told["widgetLines"][-1] == WELL
    assert not any(ord(letter) < ord(" ") or "\ud800" <= letter < "\ue000" for line in told["widgetLines"] for letter in line)
    is_well(showing, name)


@pytest.mark.parametrize("name", SPEAKS)
def test_what_renderNative_gives_may_be_anything(showing: Showing, name: str) -> None:
    showing.run("t-widget", key=name, drawn=True, lines=[WELL], native=SPEAKS[name])
    told = surface(showing, name)
    assert told["widgetLines"] == [WELL]
    blocks = told["nativeSurface"]["blocks"]
    assert [block["type"] for block in blocks] == ["terminal"] or told["truncated"]
    is_well(showing, name)


KILLERS: Final[dict[str, dict[str, Any]]] = {
    "throws": {"lines": [WELL], "throwsAfter": 0},
    "a number": {"returns": 5},
    "a text": {"returns": "lines"},
    "nothing": {"returns": None, "lines": []},
    "an object": {"returns": {}},
    "numbers": {"returns": [1, WELL]},
    "lists": {"returns": [WELL, [WELL]]},
}
"""What `render` does. Most of it ends Pi, with us and without."""

SELDOM: Final = (("nothing", "an object"), ("numbers", "lists"))
"""Of each two, one is tried on the one generation and one on the other; in the soak it is the other way round."""
USUAL: Final = tuple(name for name in KILLERS if not any(name in names for names in SELDOM))
COMES_TO_REST: Final = 0.7
IS_SEEN: Final = 10.0


@pytest.mark.parametrize("name", USUAL, ids=lambda name: name.replace(" ", "_"))
def test_a_component_that_ends_pi_ends_it_as_without_us(showing: Showing, name: str) -> None:
    ends_as_without_us(showing, name)


@pytest.mark.parametrize("names", SELDOM, ids=lambda names: "_or_".join(names).replace(" ", "_"))
@pytest.mark.parametrize("turn", [0, pytest.param(1, marks=pytest.mark.soak)])
def test_what_seldom_comes_ends_pi_as_without_us(showing: Showing, names: tuple[str, str], turn: int) -> None:
    ends_as_without_us(showing, names[(GENERATIONS.index(showing.stage.kind) + turn) % 2])


def standing(here: Stage) -> list[str]:
    return [session.session_id for session in here.sessions() if session.status.state != "ended"]


def ends_as_without_us(showing: Showing, name: str) -> None:
    """Pi with the component, and whether it ends and with which error, without us and with us."""
    here = showing.stage
    ends = []
    for extensions in ([EXERCISER], [EXTENSION, EXERCISER]):
        with running_pi(here.kind, here.home, extensions=extensions, env=here.log.environment()) as pi:
            pi.line(slash("t-widget", key=name, drawn=True, **KILLERS[name]))
            pi.settle(COMES_TO_REST)
            ends.append((pi.alive or pi.wait_exit(), ERROR.findall(pi.output().decode(errors="replace"))))
    assert ends[0] == ends[1]
    # The daemon hears of the death when the kernel gets to it.
    until(lambda: standing(here) == [here.session_id], IS_SEEN, "another Pi seems to live")
    is_well(showing, "another Pi's")
