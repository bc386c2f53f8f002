"""A peer on the bridge that tells far more than anybody can read: what of it a client gets, how late what matters is, and what it costs."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import anyio
import msgspec

from bench.crowd import STAMP, stamp
from bench.load import Stage, stage
from bench.report import Goal, Row
from bench.surfaces import QUICK_STORM_MS, STORM, STORM_MS, cpu_ms
from bench.websocket import WebSocket, websocket
from bench.world import NotMeasured
from bridge import messages as bridge
from mirrord.wire import messages as wire

STEP_SECONDS: Final = 0.01
KEYS: Final = 2
"""Statuses and widgets have so many keys each."""

PROMPT_SECONDS: Final = 0.1
ROUNDS: Final = 3
LATE_SECONDS: Final = 3.0
"""How long it is waited for what was said last."""

SECOND_NS: Final = 1_000_000_000
MILLION: Final = 1e6

KEY_GOAL: Final = Goal("p50", 20)
CLIENT_GOAL: Final = Goal("p50", 60)
LAST_GOAL: Final = Goal("p50", 250)
PROMPT_GOAL: Final = Goal("p99", 100)
CORE_GOAL: Final = Goal("p50", 1000)


@dataclass(slots=True)
class Heard:
    """What a client read, in ns."""

    moments: list[int] = field(default_factory=list)
    """Of every message but prompts and their settlements, which wait for nothing."""
    by_key: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    prompts: list[float] = field(default_factory=list)
    """From each prompt's beginning to its end, in ms."""
    last: dict[str, int] = field(default_factory=dict)
    """Key → when its last value came."""

    def take(self, now: int, text: str) -> None:
        """One message."""
        said: dict[str, Any] = msgspec.json.decode(text)
        if said["type"] == "extension_ui_settled":
            return
        if said["type"] == "extension_ui_request":
            self.prompts += [(now - int(at)) / MILLION for at in STAMP.findall(text.encode())]
            return
        self.moments.append(now)
        key = said.get("statusKey") or said.get("widgetKey")
        if key is not None:
            self.by_key[key].append(now)
            if "the last" in text:
                self.last.setdefault(key, now)


def most_in_a_second(moments: Sequence[int]) -> int:
    """How many of these, which are in order, lie within one second at most."""
    most, first = 0, 0
    for place, moment in enumerate(moments):
        while moment - moments[first] >= SECOND_NS:
            first += 1
        most = max(most, place - first + 1)
    return most


async def measure(quick: bool, profile: Path | None = None) -> list[Row]:
    """All rows. Raises NotMeasured."""
    ms = QUICK_STORM_MS if quick else STORM_MS
    heard: list[Heard] = []
    late: list[float] = []
    used: list[float] = []
    async with stage(profile) as here:
        for _ in range(1 if quick else ROUNDS):
            one, last_said, cpu = await _storm(here, ms)
            if len(one.last) != 2 * KEYS:
                raise NotMeasured(f"after {LATE_SECONDS:g} s the last value of {2 * KEYS - len(one.last)} keys had not come")
            heard.append(one)
            late.append((max(one.last.values()) - last_said) / MILLION)
            used.append(cpu)
    return rows(heard, late, used)


def rows(heard: Sequence[Heard], late: Iterable[float], used: Iterable[float]) -> list[Row]:
    """The samples as rows: one for each storm, but for prompts."""
    rates = ", ".join(f"{rate:,} {name}" for name, rate in STORM.items())
    what = f"of {rates} a second, told by a peer on the bridge, in the fullest second:"
    keys = tuple(float(max(map(most_in_a_second, one.by_key.values()))) for one in heard)
    clients = tuple(float(most_in_a_second(one.moments)) for one in heard)
    prompts = tuple(took for one in heard for took in one.prompts)
    return [
        Row("storm, one key", f"{what} messages to a client about one thing", keys, "messages", goal=KEY_GOAL),
        Row("storm, client", f"{what} messages to a client in all", clients, "messages", goal=CLIENT_GOAL),
        Row("storm, last value", "the last values are told → a client has read all of them", tuple(late), "ms", goal=LAST_GOAL),
        Row("storm, prompt", "a prompt is told meanwhile → a client has read it", prompts, "ms", goal=PROMPT_GOAL),
        Row("storm, daemon", "CPU of the daemon for each second", tuple(used), "ms", goal=CORE_GOAL),
    ]


async def _storm(here: Stage, ms: int) -> tuple[Heard, int, float]:
    """What was heard, when the last values were said, and the daemon's CPU in ms for each second."""
    heard = Heard()
    async with websocket(here.remote) as one, anyio.create_task_group() as tasks:
        one.say_hello("reader")
        one.write(one.frame(wire.Subscribe(session_id=here.session)))
        tasks.start_soon(_read, one, heard)
        await anyio.sleep(1)
        tasks.start_soon(_ask, here)
        before, begun = cpu_ms(here.world.daemon.pid), time.monotonic()
        await _blow(here, ms)
        seconds = time.monotonic() - begun
        used = (cpu_ms(here.world.daemon.pid) - before) / seconds
        last_said = time.monotonic_ns()
        await here.say(*_changes("the last"))
        with anyio.move_on_after(LATE_SECONDS):
            while len(heard.last) < 2 * KEYS:  # noqa: ASYNC110 - the reader fills it
                await anyio.sleep(STEP_SECONDS)
        tasks.cancel_scope.cancel()
    return heard, last_said, used


async def _blow(here: Stage, ms: int) -> None:
    """The storm; what a step owes to a late one before is made up for."""
    begun, told = time.monotonic(), dict.fromkeys(STORM, 0)
    while (passed := time.monotonic() - begun) * 1000 < ms:
        owed = {name: int(rate * passed) - told[name] for name, rate in STORM.items()}
        notes = [bridge.Notification(seq=0, message=f"note {told['notify'] + number}") for number in range(owed["notify"])]
        statuses = [_status(number % KEYS, f"step {told['status'] + number}") for number in range(owed["status"])]
        widgets = [_widget(number % KEYS, f"step {told['widget'] + number}") for number in range(owed["widget"])]
        await here.say(*notes, *statuses, *widgets)
        told = {name: told[name] + owed[name] for name in STORM}
        await anyio.sleep(STEP_SECONDS)


def _changes(text: str) -> list[bridge.Status | bridge.Widget]:
    """Every key has this text."""
    return [change(key, text) for change in (_status, _widget) for key in range(KEYS)]


def _status(key: int, text: str) -> bridge.Status:
    return bridge.Status(seq=0, key=f"status {key}", text=text)


def _widget(key: int, text: str) -> bridge.Widget:
    return bridge.Widget(seq=0, key=f"widget {key}", placement="aboveEditor", lines=(f"line {text}",) * 3, width=100)


async def _ask(here: Stage) -> None:
    """A prompt after the other; each is settled at the terminal before the next."""
    while True:
        now = stamp()
        await here.say(bridge.PromptOpened(seq=0, prompt=bridge.Prompt(id=f"p{now}", method="confirm", title=now, opened_at=0)))
        await anyio.sleep(PROMPT_SECONDS)
        await here.say(bridge.PromptSettled(seq=0, id=f"p{now}", outcome="cancelled", winner="terminal", at=0))


async def _read(one: WebSocket, heard: Heard) -> None:
    while True:
        now, texts = await one.read_texts()
        for text in texts:
            heard.take(now, text)
