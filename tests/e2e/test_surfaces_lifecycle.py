"""Promise: what is shown outlives breaks, and goes with what showed it; what stays the same is never cleared and set again.

All of it beside another extension that puts functions of its own in the place of those of `ctx.ui`, loaded before ours or after.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from typing import Any, Final

import pytest

from mirrord.wire import messages as wire
from tests.e2e.showing import Showing, comes, plain, play
from tests.e2e.stage import EXTENSION, Start, stage, until
from tests.e2e.surface_table import ROWS
from tests.harness.pi import EXERCISER, GENERATIONS, ROOT, PiKind, quit_pi, running_pi
from tests.harness.relay import relay

PATCHER: Final = ROOT / "tests" / "harness" / "patcher.ts"
ALWAYS: Final = ROOT / "tests" / "harness" / "always.ts"
KEYS: Final = ("always", "always drawn")
"""The widgets that ALWAYS sets."""

BACK: Final = 20.0
"""Seconds until an extension that lost its daemon has found one again: at most five, on an idle machine."""

STATE: Final = ("surfaces", "header", "footer", "statuses", "title", "workingRow", "hiddenThinkingLabel", "toolsExpanded", "strips")
"""What a snapshot has of what is shown."""


ORDERS: Final[dict[str, tuple[Start, bool]]] = {"before": ("-e", True), "after": ("-e", False), "attached": ("attach", False)}
"""How ours comes beside the other: loaded first, loaded last, or by /reload into a Pi that runs."""


# The id keeps all tests of a Pi on one worker.
@pytest.fixture(scope="module", params=[pytest.param((kind, order), id=f"{kind}+{order}") for kind in GENERATIONS for order in ORDERS])
def shared(request: pytest.FixtureRequest) -> Iterator[Showing]:
    kind: PiKind
    kind, order = request.param
    start, first = ORDERS[order]
    with stage(kind, start, extensions=(EXERCISER, PATCHER, ALWAYS), ours_first=first) as here:
        if start == "attach":
            # What others showed as they started with the first /reload, an older Pi did before it started ours.
            here.run("t-reload")
        yield Showing(here)


@pytest.fixture
def beside(shared: Showing) -> Showing:
    """Nothing is shown but what is always, and the phone has heard nothing."""
    if not shared.stage.daemon.runs:
        shared.stage.daemon.start()
    shared.rest()
    for key in {*keys(shared.snapshot())} - {*KEYS}:
        shared.run("t-widget", key=key)
    comes(lambda: sorted(keys(shared.snapshot())), sorted(KEYS))
    shared.phone.forget()
    return shared


def state(snapshot: wire.Snapshot) -> dict[str, Any]:
    """What is shown, as on the wire."""
    whole = plain(snapshot)
    return {name: whole.get(name) for name in STATE}


def keys(snapshot: wire.Snapshot) -> list[str]:
    return [surface.key for surface in snapshot.surfaces]


ONCE: Final = [row for row in ROWS if row.member != "setHeader" and "native" not in row.place]
"""The header is always there, and PATCHER puts a component around each that has no `renderNative()`."""


def test_everything_is_told_once_beside_an_extension_that_patches_ctx_ui(beside: Showing) -> None:
    for row in ONCE:
        for step in row.steps:
            beside.stage.pi.settle(0.05)
            beside.phone.forget()
            play(beside, step)
            comes(lambda step=step: [unsourced(told) for told in beside.told()], [unsourced(step.told)])  # type: ignore[misc]
        if "text" in row.steps[-1].told:
            beside.stage.pi.keys("ctrl+u")
    always = {"t-title": {"title": "always the same"}, "t-label": {"text": "always thinking"}, "t-working": {"message": "always working"}}
    for command, arguments in always.items():
        beside.run(command, **arguments)


def unsourced(told: Mapping[str, Any]) -> dict[str, Any]:
    """Without who shows it: a call that goes through another extension's function is that extension's."""
    return {name: value for name, value in told.items() if name != "source"}


def starts(beside: Showing, reason: str) -> int:
    """How often the session has started for that reason."""
    return sum((record.event, record.reason) == ("session_start", reason) for record in beside.stage.log.records())


@pytest.mark.parametrize(("command", "reason"), [("t-reload", "reload"), ("t-new", "new")])
def test_a_session_that_starts_anew_takes_away_what_is_not_set_again_and_nothing_else(beside: Showing, command: str, reason: str) -> None:
    beside.run("t-widget", key="goes", drawn=True, lines=["goes"])
    beside.run("t-status", key="goes", text="goes")
    beside.run("t-working", visible=False)
    comes(lambda: (beside.widget("goes"), "workingVisible" in str(beside.told())), ([("goes",)], True))
    standing = state(beside.snapshot())
    had = starts(beside, reason)
    beside.phone.forget()
    beside.run(command)
    until(lambda: starts(beside, reason) > had, BACK, "the session does not start anew")
    comes(lambda: beside.widget("goes"), [None], BACK)
    beside.rest()
    told = beside.told()
    assert sorted(message["method"] for message in told) == ["setStatus", "setWidget", "setWorkingVisible"]
    assert {"method": "setStatus", "statusKey": "goes"} in told
    now = state(beside.snapshot())
    assert now == {**standing, **{name: now[name] for name in ("surfaces", "statuses", "workingRow", "strips")}}
    assert now["surfaces"] == [surface for surface in standing["surfaces"] if surface["key"] != "goes"]
    assert now["statuses"] == [status for status in standing["statuses"] if status["key"] != "goes"]


def test_a_link_that_breaks_changes_nothing_but_what_changed_meanwhile(beside: Showing) -> None:
    for key in ("stays", "changes", "goes"):
        beside.run("t-widget", key=key, drawn=True, lines=["before"])
    beside.run("t-header", lines=["before"])
    comes(lambda: len(beside.told("setWidget", "setHeader")), 4)
    here = beside.stage
    here.pi_signal(signal.SIGSTOP)
    with ExitStack() as stack:
        try:
            # Pi is to find the relay, and not the daemon before the relay stands.
            here.daemon.end(signal.SIGKILL)
            here.daemon.start()
            link = stack.enter_context(relay(here.daemon.paths.bridge_socket))
        finally:
            here.pi_signal(signal.SIGCONT)
        beside.connect()
        comes(lambda: sorted(keys(beside.snapshot())), sorted([*KEYS, "changes", "goes", "stays"]), BACK)
        link.cut()
        until(lambda: here.sessions()[0].status.state == "detached", BACK, "the cut is not noticed")
        # What is not there to be told is shown as it was last.
        standing = state(beside.snapshot())
        beside.phone.forget()
        beside.run("t-widget", key="changes", drawn=True, lines=["meanwhile"])
        beside.run("t-widget", key="goes")
        beside.rest()
        link.mend()
        comes(lambda: (beside.widget("changes"), beside.widget("goes")), ([("meanwhile",)], [None]), BACK)
        beside.rest()
        assert [message["method"] for message in beside.told()] == ["setWidget", "setWidget"]
        now = state(beside.snapshot())
        assert now == {**standing, "surfaces": now["surfaces"], "strips": now["strips"]}
        for key in ("stays", "changes"):
            beside.run("t-widget", key=key)
        had = starts(beside, "reload")
        beside.run("t-reload")
        until(lambda: starts(beside, "reload") > had, BACK, "the session does not start anew")
        comes(lambda: sorted(keys(beside.snapshot())), sorted(KEYS), BACK)
    beside.connect()


def test_a_daemon_that_starts_anew_is_told_everything_as_it_is(beside: Showing) -> None:
    beside.run("t-widget", key="stays", drawn=True, lines=["stays"])
    beside.run("t-view", id="open", lines=["a dialog"])
    beside.phone.wait(wire.ExtensionUIRequest)
    comes(lambda: (len(beside.snapshot().views), keys(beside.snapshot())[-1:]), (1, ["stays"]))
    standing, views = state(beside.snapshot()), beside.snapshot().views
    with beside.restarted():
        pass
    comes(lambda: state(beside.snapshot()), standing, BACK)
    comes(lambda: beside.snapshot().views, views, BACK)
    cleared = [message for message in beside.told() if "widgetLines" not in message and message["method"] == "setWidget"]
    assert cleared == []
    beside.stage.pi.keys("enter")
    beside.phone.wait(wire.ExtensionUISettled)
    beside.run("t-widget", key="stays")


def test_a_client_that_comes_back_is_told_what_changed_and_nothing_else(beside: Showing) -> None:
    with beside.stage.visitor("tablet") as tablet:
        cursor = tablet.subscribe(beside.stage.session_id).cursor
    beside.run("t-widget", key="new", lines=["new"])
    comes(lambda: beside.widget("new"), [("new",)])
    with beside.stage.visitor("tablet", follow=False) as tablet:
        tablet.send(wire.Subscribe(session_id=beside.stage.session_id, since=cursor))
        told = tablet.wait(wire.ExtensionUINotification)
        assert (told.widget_key, told.widget_lines) == ("new", ("new",))
        beside.run("t-widget", key="new")
        tablet.wait(wire.ExtensionUINotification, lambda told: told.widget_lines is None)
        assert tablet.all(wire.Snapshot) == []
        assert [message.widget_lines for message in tablet.all(wire.ExtensionUINotification)] == [("new",), None]


def test_a_session_that_ends_shows_nothing_any_more(showing: Showing) -> None:
    here = showing.stage
    for end in ("quit", "killed"):
        with running_pi(here.kind, here.home, extensions=[EXTENSION, EXERCISER, ALWAYS], env=here.log.environment()) as pi:
            until(partial(is_known, showing, pi.pid), BACK, "the daemon knows no session of that Pi")
            (session,) = [session for session in here.sessions() if session.pid == pi.pid]
            with here.visitor("tablet", follow=False) as tablet:
                comes(lambda tablet=tablet, session=session: sorted(keys(tablet.subscribe(session.session_id))), sorted(KEYS), BACK)  # type: ignore[misc]
                tablet.forget()
                if end == "quit":
                    assert quit_pi(pi) == 0
                else:
                    os.kill(pi.pid, signal.SIGKILL)
                ended = tablet.wait(wire.SessionChanged, lambda changed: changed.session.status.state == "ended", BACK)
                snapshot = tablet.subscribe(ended.session.session_id)
                assert {name: value for name, value in state(snapshot).items() if value} == {"workingRow": {"visible": True}}
                cleared = {told.widget_key for told in tablet.all(wire.ExtensionUINotification, lambda told: told.method == "setWidget")}
                assert cleared == set(KEYS)


def is_known(showing: Showing, pid: int) -> bool:
    return pid in {session.pid for session in showing.stage.sessions() if session.status.state != "detached"}
