"""Promise: a prompt of a real daemon's terminal is answered from `mirrord tui`, and a replay is shown by it as any session."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

import anyio
import pytest

from bridge import messages as bridge
from mirrord.client import Local
from mirrord.clock import SystemClock
from mirrord.demo.terminal import Terminal
from mirrord.detached import spawn_detached
from mirrord.place import Place
from mirrord.recording.serving import Own, own_place, serving
from mirrord.settings import Settings
from mirrord.testing import fake_extension, hello, running_daemon
from tests.cli.commands import MIRRORD
from tests.harness.pi import ROOT
from tests.recording.test_recordings import recording
from tests.tui.showing import PATIENCE, Daemon, Shown, looking

PROMPT = bridge.Prompt(id="p", method="select", title="Which fruit?", opened_at=1, options=("apple", "banana"), option_count=2)
CONVERSATION = recording("conversation")


@pytest.fixture
def own() -> Iterator[Own]:
    with own_place(0) as made:
        yield made


async def test_an_answer_reaches_the_terminal_and_its_ruling_comes_back(own_place: Place, own_settings: Settings, pi_pid: int) -> None:
    async with (
        running_daemon(own_place, own_settings, SystemClock()),
        fake_extension(own_settings.paths.bridge_socket, hello(pi_pid), PROMPT) as terminal,
        looking(Local(own_settings.paths.control_socket)) as (app, pilot),
    ):
        here = Shown(app, pilot, Daemon())
        await here.until(lambda: here.painted == "p")
        await here.type("banana")
        await pilot.press("enter")
        with anyio.fail_after(10):
            answer = await terminal.until(bridge.Response)
        assert (answer.id, answer.index) == ("p", 1)
        ruling = bridge.PromptSettled(
            seq=0,
            id="p",
            outcome="answered",
            winner="remote",
            at=2,
            response_id=answer.response_id,
            answer=bridge.Answer(index=1, label="banana"),
        )
        await terminal.say(ruling)
        await here.until(lambda: not here.card)
        assert "= Which fruit?: banana" in here.stream


async def test_a_replay_is_a_session_that_can_be_looked_at(own: Own) -> None:
    async with serving(CONVERSATION, own, None), looking(Local(own.control)) as (app, pilot):
        here = Shown(app, pilot, Daemon())
        await here.until(lambda: "[!] echo from the shell: done" in here.stream)
        assert "User: run: echo tulips" in here.stream
        await here.until(lambda: "observer" in here.text("#status"))


def test_in_a_terminal_it_takes_the_screen_and_gives_it_back(at_home: Settings) -> None:
    spawn_detached(at_home)
    with Terminal([*MIRRORD, "tui"], env={**os.environ, "TERM": "xterm-256color"}, cwd=ROOT, columns=80, rows=24) as terminal:
        terminal.wait_for(re.compile("No session"), PATIENCE)
        terminal.wait_for(re.compile("mirrord .*, owner"), PATIENCE)
        terminal.keys("ctrl+q")
        assert terminal.wait_exit(PATIENCE) == 0
