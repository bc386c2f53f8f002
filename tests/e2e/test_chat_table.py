"""Promise: whatever happens in a conversation, every client shows what Pi's session file holds: one that was there all along, one that
joined late, one that was cut off and came back, and all after the daemon was killed in the middle. What was sent from afar acted once.

Every row of tests/e2e/chat_table.py is played here, on both generations of Pi, with one Pi for all rows of a generation.
"""

from __future__ import annotations

import random
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Final, get_args

import pytest

from mirrord.client import chat_reducer
from mirrord.demo.screen import Run
from mirrord.demo.terminal import Terminal
from tests.e2e.chat_scenes import NOTES, PLAYS, SETTINGS, Scene
from tests.e2e.chat_table import PAGE, REFUSALS, SCENARIOS, Moment, Refusal, page
from tests.e2e.stage import Stage, is_reload, stage, until
from tests.e2e.viewers import SHOWN, Viewer, branch, of_entry, of_message, persons_words, text_of
from tests.harness.pi import EXERCISER, FULLSCREEN, GENERATIONS, PiKind

pytestmark = pytest.mark.timeout(150)

SEED: Final = 8
# Two or three words of an answer, or the whole of a short one.
MOST_PAUSE: Final = 0.06
PAGE_UP: Final = "\x1b[5~"
CONTROL_END: Final = "\x1b[1;5F"
JUMP: Final = "Jump to latest message"
# The column from which on Pi draws its bar.
BAR: Final = 98
MOMENTS: Final[tuple[Moment, ...]] = get_args(Moment)


@dataclass(slots=True)
class Talk:
    """The shared Pi."""

    here: Stage
    numbers: Iterator[int] = field(default_factory=lambda: count(1))
    pauses: threading.Event = field(default_factory=threading.Event)


@pytest.fixture(scope="session", params=[pytest.param(kind, id=f"{kind}+talk") for kind in GENERATIONS])
def talk(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Talk]:
    kind: PiKind = request.param
    notes = tmp_path_factory.mktemp("extensions") / "notes.ts"
    notes.write_text(NOTES)
    with stage(kind, extensions=(EXERCISER, notes), settings=SETTINGS, rows=40) as here:
        yield Talk(here)


@contextmanager
def viewer(here: Stage, name: str) -> Iterator[Viewer]:
    made = Viewer(here, name)
    try:
        yield made
    finally:
        made.leave()


def play(talk: Talk, along: Viewer, name: str, events: list[Callable[[], None]], dice: random.Random, *, restarts: bool = False) -> Scene:
    """The scene, with these events in their order at points that are drawn, or a little later."""
    scene = Scene(talk.here, along, next(talk.numbers), restarts)
    start, points = PLAYS[name]
    places = sorted(dice.randrange(points) for _ in events)
    reached = 0
    for _ in start(scene):
        for place, event in zip(places, events, strict=True):
            if place == reached:
                talk.pauses.wait(dice.uniform(0, MOST_PAUSE))
                event()
        reached += 1
    assert reached == points
    return scene


def same_everywhere(scene: Scene, viewers: list[Viewer]) -> None:
    """All show the same, which is what Pi's file holds; what was sent is in it once."""
    scene.along.wait(lambda _: scene.rests(), "shows no rest")
    # That Pi rests may be told a moment before the last message is told whole.
    scene.along.wait(lambda _: all(one.entry_id and one.state != "streaming" for one in scene.along.messages), "shows what is not over")
    last: list[object] = []

    def entries() -> list[chat_reducer.Json]:
        return branch(scene.here.home.agent / "sessions", scene.along.fields["conversationId"])

    def same() -> bool:
        views = [(one.view.messages, {**one.fields, "workspace": None}) for one in viewers]
        last[:] = views
        # A daemon that has just begun has clients before Pi has told it the conversation.
        return len(views[0][0]) == len(entries()) and all(view == views[0] for view in views)

    until(same, SHOWN, "the clients do not come to show the same")
    messages = scene.along.messages
    assert [of_message(message) for message in messages] == [of_entry(entry) for entry in entries()]
    assert all(message.id == message.entry_id for message in messages)
    acted_once(scene)


def acted_once(scene: Scene) -> None:
    """What was sent is in Pi's files once, under the id that its receipt names, also where a branch or a conversation was left."""
    written = persons_words(scene.here.home.agent / "sessions")
    said = Counter([*scene.sent.values(), *scene.typed])
    for turn_id, text in scene.sent.items():
        receipt = scene.along.became(turn_id, "consumed")
        assert [words for entry, words in written.items() if entry == receipt.row_id] == [text]
        assert [*written.values()].count(text) == said[text], text


@pytest.mark.parametrize("name", PLAYS)
def test_who_joins_late_and_who_comes_back_show_what_who_was_there_shows(talk: Talk, name: str) -> None:
    dice = random.Random(f"{SEED} {name}")
    with (
        viewer(talk.here, "along") as along,
        viewer(talk.here, "late") as late,
        viewer(talk.here, "back") as back,
        viewer(talk.here, "last") as last,
    ):
        along.join()
        back.join()
        events = [back.leave, back.join]
        events.insert(dice.randrange(3), late.join)
        scene = play(talk, along, name, events, dice)
        last.join()
        same_everywhere(scene, [along, late, back, last])


@pytest.mark.parametrize("name", PLAYS)
def test_the_daemon_is_killed_in_the_middle_and_everybody_shows_the_same_again(talk: Talk, name: str) -> None:
    dice = random.Random(f"{SEED} {name} killed")

    def killed() -> None:
        talk.here.daemon.end(signal.SIGKILL)
        talk.here.daemon.start()

    fresh(talk.here)
    with viewer(talk.here, "along") as along, viewer(talk.here, "last") as last:
        along.join()
        scene = play(talk, along, name, [killed], dice, restarts=True)
        talk.here.wait_session()
        last.join()
        same_everywhere(scene, [along, last])


def fresh(here: Stage) -> None:
    """The extension is loaded anew, so that it does not wait for seconds because the last daemons lived for seconds."""
    reloads = sum(map(is_reload, here.log.records()))
    here.pi.settle(0.05)
    here.pi.line("/reload")
    here.log.wait(is_reload, count=reloads + 1)
    here.wait_session()


# ---- what is refused ------------------------------------------------------------------------------------------------------


@contextmanager
def moment(scene: Scene, during: Moment) -> Iterator[None]:
    """Pi does that, for the length of the block."""
    match during:
        case "rest":
            yield
        case "empty":
            scene.type("/new")
            scene.until(lambda rows: rows == [], "an empty conversation")
            yield
        case "turn":
            scene.send("slow 400 20")
            scene.writes("word3")
            yield
            scene.act("stop_turn")
            scene.ended("aborted")
        case "bash":
            scene.send("sleep 30", "bash")
            scene.field("agent", lambda agent: agent.get("bash") is True)
            yield
            scene.act("abort_bash")
            scene.until(lambda rows: scene.rests() and rows[-1].cancelled, "that it was stopped")
        case "compaction":
            scene.send(f"long {'z' * 400}")
            scene.answered(f"Echo: long {'z' * 400}")
            # The scripted model's summary takes a second and a half.
            scene.act("compact")
            scene.field("agent", lambda agent: agent.get("compacting") is True)
            yield
            assert scene.along.fields["agent"].get("compacting") is True, "it was over before all was asked"
            scene.until(lambda rows: scene.rests() and rows[-1].kind == "compaction", "a compaction")


@pytest.mark.parametrize("during", MOMENTS)
def test_what_cannot_be_done_from_afar_is_refused_with_its_reason_and_reaches_nobody(talk: Talk, during: Moment) -> None:
    rows = [refusal for refusal in REFUSALS if refusal.during == during]
    with viewer(talk.here, "along") as along:
        along.join()
        scene = Scene(talk.here, along, next(talk.numbers), restarts=False)
        with moment(scene, during):
            before, heard = [row.id for row in along.messages], len(talk.here.model.heard())
            assert {row.what: refused(along, row) for row in rows} == {row.what: row.sentence for row in rows}
            assert [row.id for row in along.messages] == before
            assert len(talk.here.model.heard()) == heard
        same_everywhere(scene, [along])


def refused(along: Viewer, row: Refusal) -> str | None:
    """What the client is told."""
    return along.command(row.command, row.args) if row.command else along.became(along.submit(row.text, row.kind), "rejected").reason


# ---- what the terminal keeps ----------------------------------------------------------------------------------------------


def test_a_line_that_is_half_typed_stays_with_its_cursor_whatever_is_sent(talk: Talk) -> None:
    pi = talk.here.pi
    with viewer(talk.here, "along") as along:
        along.join()
        scene = Scene(talk.here, along, next(talk.numbers), restarts=False)
        pi.settle(0.1)
        pi.send("half a line")
        pi.wait_for("half a line")
        pi.keys("left", "left", "left", "left")
        pi.settle(0.1)
        line = half_typed(pi)
        for act in (
            lambda: scene.send(f"slow 60 15 {scene.number}"),
            lambda: scene.send(f"steers {scene.number}", "steer"),
            lambda: scene.send(f"follows {scene.number}", "follow_up"),
            lambda: scene.answered(f"Echo: follows {scene.number}"),
            lambda: scene.send(f"echo shell {scene.number}", "bash"),
            lambda: scene.act("set_session_name", name=f"name {scene.number}"),
            lambda: scene.act("set_thinking_level", level="high"),
            lambda: scene.act("navigate_tree", entryId=scene.along.messages[-1].id),
            lambda: scene.send("/note", "command"),
        ):
            act()
            pi.settle(0.1)
            assert half_typed(pi) == line
        pi.send("typed ")
        pi.wait_for("half a typed line")
        pi.keys("ctrl+c")
        pi.wait_gone("half a typed line")
        same_everywhere(scene, [along])


# The other one leaves scrolling to the terminal.
@pytest.mark.parametrize("talk", [pytest.param(FULLSCREEN, id=f"{FULLSCREEN}+talk")], indirect=True)
def test_the_place_that_the_person_scrolled_to_stays_whatever_is_sent(talk: Talk) -> None:
    pi = talk.here.pi
    with viewer(talk.here, "along") as along:
        along.join()
        scene = Scene(talk.here, along, next(talk.numbers), restarts=False)
        for _ in range(4):
            scene.send(f"run: seq {next(talk.numbers)}000 {next(talk.numbers)}020")
            scene.until(lambda rows: scene.rests() and text_of(rows[-1]).startswith("Tool said:"), "the answer")
        pi.settle(0.1)
        pi.send(PAGE_UP)
        pi.wait_for(JUMP)
        pi.settle(0.1)
        before = scrolled(pi)
        scene.send(f"from afar {scene.number}")
        scene.answered(f"Echo: from afar {scene.number}")
        along.became(scene.send(f"echo shell {scene.number}", "bash"), "consumed")
        scene.act("set_session_name", name=f"scrolled {scene.number}")
        scene.act("set_thinking_level", level="medium")
        pi.settle(0.1)
        assert scrolled(pi) == before
        pi.send(CONTROL_END)
        pi.wait_for(f"shell {scene.number}")


def scrolled(pi: Terminal) -> list[str]:
    """What is shown of the conversation, without the bar at its right and the line that tells how to get to its end."""
    shown, _, _ = pi.screen_text().partition(JUMP)
    return [line[:BAR].rstrip() for line in shown.split("\n")[:-1]]


def half_typed(pi: Terminal) -> tuple[Run, ...]:
    """The line with its colours: Pi draws its cursor as one."""
    return next(line for line in pi.snapshot().lines if "half a line" in "".join(run.text for run in line))


# ---- the table itself ----------------------------------------------------------------------------------------------------


def test_every_row_is_played() -> None:
    assert [scenario.name for scenario in SCENARIOS] == [*PLAYS]


def test_the_page_is_current() -> None:
    assert PAGE.read_text() == page(), "write it anew: python -m tests.e2e.chat_table"
