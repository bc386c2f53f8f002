"""Promise: whatever of the extension throws, Pi lives and its terminal does what it does without us.

A copy of the extension throws at one site at a time, before or after what the callback does, as a file says that it reads
again at each call. So one Pi goes through all sites. What must happen at start-up has a Pi of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

import pytest

from bridge.chat import Action, ChatRowTold, Turn
from bridge.messages import By
from mirrord.demo.pi_home import PiHome
from tests.e2e.recorded import Recorded, recorded
from tests.e2e.stage import until
from tests.harness.extension_copy import ORIGINAL, extension_copy
from tests.harness.pi import FULLSCREEN, GENERATIONS, OLD, ROOT, PiKind, quit_pi
from tests.harness.recorder import places

ROUND: Final = ROOT / "tests" / "harness" / "round.ts"

FAULTS: Final = """\
import { appendFileSync, readFileSync } from "node:fs";

import type { Site } from "./sites.ts";

const FILE = process.env.FAULT ?? "";

export function fault(site: Site, side = "before"): void {
  const chosen = `${side} ${site}`;
  if (readFileSync(FILE, "utf8") !== chosen) return;
  appendFileSync(`${FILE}.hits`, `${chosen}\\n`);
  throw new Error(`thrown ${chosen}`);
}
"""
GUARD: Final = (
    "    fault(site);\n    return run();\n",
    '    fault(site);\n    const made = run();\n    fault(site, "after");\n    return made;\n',
)
SIDES: Final = ("before", "after")

SITES: Final = tuple(re.findall(r'^  "([\w.]+)",$', (ORIGINAL / "sites.ts").read_text(), re.MULTILINE))

NEVER_CALLED: Final[Mapping[str, frozenset[str]]] = {
    # Only a Pi that does not say in which mode it runs has to show itself after we were attached to it.
    FULLSCREEN.name: frozenset({"hook.capture"}),
    # That has a test of its own; and this Pi has no such events.
    OLD.name: frozenset({"hook.capture", "event.session_info_changed", "event.agent_settled"}),
}

SILENCES: Final = frozenset(
    {"factory", "dialog.prepare", "dialog.offer", "dialog.answer", "event.session_start"}
    | {"link.put", "link.place", "link.connected", "link.data"}
)
"""Where a throw costs the remote's answer. Everywhere else it arrives all the same."""

SILENCES_AFTER: Final = frozenset({"dialog.prepare"})
"""The same for a throw after the callback has done its work."""

UNHOOKED: Final = frozenset({"before factory.hooks", "after factory"})
"""Where a throw at the start costs every hook, without which 0.73.1 cannot show that it runs in a terminal."""

PARTS: Final = 4
"""The sites are shared among so many tests, so that each ends within its time."""

AT_THE_START: Final = (
    "factory",
    "factory.hooks",
    "hook.context",
    "event.session_start",
    "event.session_shutdown",
    "link.place",
    "link.data",
)

# A remote answers within milliseconds; a person types when it has not.
PATIENCE: Final = 5.0
GRACE: Final = 0.15
# What is looked at every 2.5 s, or tried again after up to 5 s.
REACHED: Final = 8.0


class Faults:
    """The file that says where to throw, and where it has been thrown."""

    def __init__(self, home: PiHome) -> None:
        self._file = home.root / "fault"
        self._hits = home.root / "fault.hits"
        self._hits.touch()
        self.choose("")

    def environment(self) -> Mapping[str, str]:
        return {"FAULT": str(self._file)}

    def choose(self, fault: str) -> None:
        """From now on this is thrown, "before SITE" or "after SITE", and no other."""
        new = self._file.with_name("fault.new")
        new.write_text(fault)
        new.rename(self._file)

    def hits(self) -> set[str]:
        return set(self._hits.read_text().splitlines())


@contextmanager
def faulty(kind: PiKind, fault: str = "", *, attach: bool = False) -> Iterator[tuple[Recorded, Faults]]:
    """A Pi whose remote answers each prompt that is called Remote. `fault` is thrown once we are loaded, at the start or by /reload."""
    ours = extension_copy("faults", {"guard.ts": GUARD}, {"faults.ts": FAULTS})
    made: list[Faults] = []

    def prepare(home: PiHome) -> Mapping[str, str]:
        made.append(Faults(home))
        made[0].choose(fault)
        config = places(home).config_file
        config.parent.mkdir(parents=True, exist_ok=True)
        config.write_text("ask_tool = true\n")
        return made[0].environment()

    with recorded(kind, extensions=[ROUND] if attach else [ours, ROUND], prepare=prepare) as here:
        here.recorder.chooses = lambda title: 2 if title.startswith("Remote") else None
        if attach:
            here.attach(ours)
        yield here, made[0]


def play_round(here: Recorded, name: str, *, silent: bool, large: bool = False) -> None:
    """One of each thing at the terminal, all as without us. The last prompt is answered by the remote, unless it is `silent`."""
    here.run("round", name=name, large=large)
    here.pi.wait_for(f"Keys {name}")
    here.pi.wait_for(f"noted {name}")
    here.pi.wait_for(f"status {name}")
    here.pi.wait_for(f"drawn {name}")
    here.pi.settle(0.05)
    assert here.pi.snapshot().title == f"title {name}"
    here.pi.keys("down", "enter")
    here.pi.wait_gone(f"Keys {name}")
    if silent:
        here.pi.wait_for(f"Remote {name}")
        here.pi.settle(GRACE)
        here.pi.keys("down", "enter")
    values = here.log.result("round", name, PATIENCE).value
    assert values == ["banana", None, "banana" if silent else "cherry"]
    here.pi.wait_gone(re.compile(f"(Remote|Aborted) {re.escape(name)}"))
    assert "thrown" not in here.pi.screen_text()


def say(here: Recorded, word: str) -> None:
    """A turn of the agent."""
    here.pi.settle(0.05)
    here.pi.line(f"hello {word}")
    here.pi.wait_for(f"Echo: hello {word}")


def provoke(here: Recorded, faults: Faults, site: str, fault: str) -> None:
    """Has the site called if a round and a turn have not reached it."""
    if site == "command":
        here.pi.settle(0.05)
        here.pi.line("/mirrord status")
    if site == "link.linger":
        here.reload()
    if site.startswith("ask.") and site != "ask.tool":
        ask(here, site)
    if site.startswith("pair."):
        pair(here, faults, site, fault)
    if site == "typing.end":
        type_ahead(here, site)
    if site.startswith("view."):
        look_on(here, site)
    if site == "turn.stop":
        here.recorder.stop()
    if site in ("chat.turn", "chat.action", "event.user_bash", "event.session_tree"):
        converse(here, site)
    if site == "ui.ask":
        # Only a shortcut makes another `ctx.ui`.
        here.pi.keys("ctrl+alt+k")
        here.pi.wait_for("From a shortcut")
        here.pi.keys("escape")
        here.pi.wait_gone("From a shortcut")
    if site in ("link.failed", "link.closed", "link.attempt"):
        with here.recorder.refusing():
            reached(faults, fault)
    reached(faults, fault)


def converse(here: Recorded, site: str) -> None:
    """What a remote does in the conversation, or the person at the terminal."""
    by = By(name="recorder", kind="test")
    first = next(told.row for told in here.recorder.all(ChatRowTold) if told.row.entry_id is not None and told.row.kind == "assistant")
    # Pi rests: it goes nowhere in the tree in the middle of a turn.
    here.pi.settle(0.3)
    match site:
        case "chat.turn":
            here.recorder.say(Turn(seq=0, client_turn_id="turn", kind="prompt", by=by, text="from afar"))
        case "chat.action":
            here.recorder.say(Action(seq=0, request_id="action", name="navigate_tree", by=by, args={"entryId": first.id}))
        case "event.session_tree":
            here.recorder.say(Action(seq=0, request_id="tree", name="navigate_tree", by=by, args={"entryId": first.id}))
        case "event.user_bash":
            here.pi.line("!true")


def ask(here: Recorded, site: str) -> None:
    """An ask with a countdown and a key, which its caller ends; with a caller that gets what it waits for."""
    here.run("t-ask", id=site, timeout=9_000, abortAfter=1_500)
    if site != "ask.open":
        here.recorder.prompt("2 questions")
        here.pi.keys("down")
    assert here.log.result("t-ask", site).value == {"answers": {}, "allIgnored": True}
    here.pi.wait_gone("Which database?")


def pair(here: Recorded, faults: Faults, site: str, fault: str) -> None:
    """The dialog with a code, which the person closes; what throws may have closed it before."""
    here.pi.settle(0.05)
    here.pi.line("/mirrord pair")
    if site not in ("pair.key", "pair.end"):
        reached(faults, fault)
    else:
        here.pi.wait_for("Pair a device")
    here.pi.settle(0.05)
    here.pi.keys("escape")
    reached(faults, fault)
    here.pi.wait_gone("Pair a device")


def look_on(here: Recorded, site: str) -> None:
    """A custom dialog in which a letter is typed."""
    here.run("t-view", id=site, lines=[f"Seen {site}"])
    here.pi.wait_for(f"Seen {site}")
    here.pi.send(b"x")
    here.pi.keys("enter")
    assert here.log.result("t-view", site).value == "done"
    here.pi.wait_gone(f"Seen {site}")


def type_ahead(here: Recorded, site: str) -> None:
    """A remote answers a dialog in which a key was pressed just before."""
    here.run("t-select", id=site, title=f"Typed {site}")
    opened = here.recorder.prompt(f"Typed {site}")
    here.pi.wait_for(f"Typed {site}")
    here.pi.keys("down")
    here.pi.settle(0.05)
    here.recorder.answer(opened, index=2)
    assert here.log.result("t-select", site).value == "cherry"


def reached(faults: Faults, fault: str) -> None:
    until(lambda: fault in faults.hits(), REACHED, f"nothing was thrown {fault}")


def sides(kind: PiKind, number: int, turn: int) -> tuple[str, ...]:
    """On which sides of its work the site throws: first before it on one generation and after it on the other, in the other turn reversed.

    Where one generation alone calls it, it throws there on both at once.
    """
    callers = [kind for kind in GENERATIONS if SITES[number] not in NEVER_CALLED[kind.name]]
    if kind not in callers:
        return ()
    if len(callers) == 1:
        return SIDES if turn == 0 else ()
    return (SIDES[(number // PARTS + GENERATIONS.index(kind) + turn) % 2],)


def test_each_site_throws_on_each_side_and_on_each_generation_that_calls_it() -> None:
    numbers = range(len(SITES))
    at_once = {(kind, SITES[number], side) for kind in GENERATIONS for number in numbers for side in sides(kind, number, 0)}
    in_the_end = at_once | {(kind, SITES[number], side) for kind in GENERATIONS for number in numbers for side in sides(kind, number, 1)}
    called = {(kind, site) for kind in GENERATIONS for site in SITES if site not in NEVER_CALLED[kind.name]}
    assert {(kind, site) for kind, site, _ in at_once} == called
    assert {(site, side) for _, site, side in at_once} == {(site, side) for _, site in called for side in SIDES}
    assert in_the_end == {(kind, site, side) for kind, site in called for side in SIDES}


def test_the_sites_were_found() -> None:
    assert len(SITES) > 30
    assert {site for sites in (*NEVER_CALLED.values(), SILENCES, SILENCES_AFTER, AT_THE_START) for site in sites} <= set(SITES)
    assert {fault.partition(" ")[2] for fault in UNHOOKED} <= set(SITES)


@pytest.mark.timeout(150)
@pytest.mark.parametrize("kind", GENERATIONS, ids=str)
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("turn", [0, pytest.param(1, marks=pytest.mark.soak)])
def test_a_throw_at_any_site_leaves_the_terminal_as_it_is(kind: PiKind, part: int, turn: int) -> None:
    with faulty(kind) as (here, faults):
        thrown = set()
        for number, site in list(enumerate(SITES))[part::PARTS]:
            for side in sides(kind, number, turn):
                fault = f"{side} {site}"
                faults.choose(fault)
                here.reload()
                silent = site in (SILENCES if side == "before" else SILENCES_AFTER)
                play_round(here, fault, silent=silent, large=site == "link.drained")
                say(here, fault)
                provoke(here, faults, site, fault)
                thrown.add(fault)
        faults.choose("")
        here.reload()
        play_round(here, "at last", silent=False)
        assert quit_pi(here.pi) == 0
        assert faults.hits() == thrown


@pytest.mark.parametrize("kind", GENERATIONS, ids=str)
@pytest.mark.parametrize("site", AT_THE_START)
@pytest.mark.parametrize("side", ["before", pytest.param("after", marks=pytest.mark.soak)])
def test_a_throw_from_start_to_end_leaves_the_terminal_as_it_is(kind: PiKind, site: str, side: str) -> None:
    fault = f"{side} {site}"
    with faulty(kind, fault) as (here, faults):
        silences = SILENCES if side == "before" else SILENCES_AFTER
        play_round(here, "first", silent=site in silences or (kind is OLD and fault in UNHOOKED))
        assert quit_pi(here.pi) == 0
        assert faults.hits() == {fault}


@pytest.mark.parametrize("side", SIDES)
def test_a_throw_where_an_attached_pi_shows_itself_leaves_the_terminal_as_it_is(side: str) -> None:
    """0.73.1 does not say that it runs in a terminal: after /reload we wait for the first sign of it."""
    with faulty(OLD, f"{side} hook.capture", attach=True) as (here, faults):
        play_round(here, "first", silent=side == "before")
        assert faults.hits() == {f"{side} hook.capture"}
        faults.choose("")
        here.reload()
        play_round(here, "second", silent=False)
        assert quit_pi(here.pi) == 0
