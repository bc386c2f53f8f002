"""How long an answer takes to the extension that asked, and back to the remote: on the real Pi, beside `pi --mode rpc`.

All Pis live at once and are served in turn, in a new order each round, so whatever else the machine does meets each alike.
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from bench.phone import phone
from bench.pi import OPTIONS, Asked, Given, Rpc, Tui, asked, rpc_pi, tui_pi
from bench.report import Goal, Row
from bench.world import EXTENSION, NotMeasured, world
from tests.harness.pi import GENERATIONS, PiKind

ROUNDS: Final = 300
QUICK_ROUNDS: Final = 30

WARM_UP: Final = 10
"""First rounds that do not count: code that runs for the first time is being compiled."""

THINKING_SECONDS: Final = 0.03
"""From the question's arrival to the answer: the dialog is drawn by then and Pi is idle again."""

REMOTE_GOAL: Final = Goal("ratio", 2.5)
"""A bare socket in the extension takes 1.85 times what RPC takes; the daemon and a WebSocket may add a third of that."""


@dataclass(slots=True)
class Way:
    """One way to answer one Pi, and the answers that were given so."""

    answer: Callable[[float], Awaitable[Given]]
    given: list[Given] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Pair:
    """One generation of Pi, without a terminal and in one."""

    kind: PiKind
    rpc: Rpc
    tui: Tui
    by_rpc: Way
    by_remote: Way
    by_terminal: Way

    @property
    def ways(self) -> tuple[Way, ...]:
        return (self.by_rpc, self.by_remote, self.by_terminal)


async def measure(quick: bool, profile: Path | None = None) -> list[Row]:
    """The rows of every generation. Raises NotMeasured."""
    rounds = (QUICK_ROUNDS if quick else ROUNDS) + WARM_UP
    async with AsyncExitStack() as stack:
        here = await stack.enter_async_context(world(profile))
        one = await stack.enter_async_context(phone(await here.paired("phone")))
        pairs: list[Pair] = []
        for kind in GENERATIONS:
            rpc = await stack.enter_async_context(rpc_pi(here, kind))
            tui = await stack.enter_async_context(tui_pi(here, kind, one, [EXTENSION]))
            pairs.append(Pair(kind, rpc, tui, Way(rpc.answer), Way(tui.answer_remotely), Way(tui.answer_at_the_terminal)))
        for pair in pairs:
            await pair.rpc.ask(rounds)
            await pair.tui.ask(2 * rounds)
        await _play(pairs, rounds)
        return [row for pair in pairs for row in _rows(pair, await asked(pair.rpc.start), await asked(pair.tui.start))]


async def _play(pairs: list[Pair], rounds: int) -> None:
    ways = [way for pair in pairs for way in pair.ways]
    for _ in range(rounds):
        random.shuffle(ways)
        for way in ways:
            way.given.append(await way.answer(THINKING_SECONDS))


def _rows(pair: Pair, by_rpc: Mapping[int, Asked], by_tui: Mapping[int, Asked]) -> Iterator[Row]:
    version = f"Pi {pair.kind.version}"
    rpc = Row(
        f"{version}, rpc → resolved",
        "line written to the stdin of `pi --mode rpc` → the extension's promise has resolved",
        resolved_after(pair.by_rpc.given, by_rpc),
        "µs",
    )
    yield rpc
    yield Row(
        f"{version}, remote → resolved",
        "answer given to a WebSocket client on TCP, through the daemon → the extension's promise has resolved",
        resolved_after(pair.by_remote.given, by_tui),
        "µs",
        ("rpc", rpc.p50),
        REMOTE_GOAL,
    )
    yield Row(
        f"{version}, remote → settled",
        "answer given to a WebSocket client → the same client has read extension_ui_settled",
        seen_after(pair.by_remote.given),
        "µs",
        ("rpc", rpc.p50),
    )
    key = Row(
        f"{version}, key → resolved",
        "Enter written to Pi's terminal → the extension's promise has resolved",
        resolved_after(pair.by_terminal.given, by_tui),
        "µs",
        ("rpc", rpc.p50),
    )
    yield key
    yield Row(
        f"{version}, key → settled",
        "Enter written to Pi's terminal → a WebSocket client has read extension_ui_settled",
        seen_after(pair.by_terminal.given),
        "µs",
        ("key → resolved", key.p50),
    )


def resolved_after(given: list[Given], asked: Mapping[int, Asked]) -> tuple[float, ...]:
    """From each answer to its promise, in µs, without the warm-up. NotMeasured when a promise gave what somebody else had answered."""
    for one in given:
        if asked[one.number].value != OPTIONS[one.by]:
            raise NotMeasured(f"question {one.number} gave {asked[one.number].value!r}, and {OPTIONS[one.by]!r} was answered")
    return tuple((int(asked[one.number].resolved) - one.begun) / 1000 for one in given[WARM_UP:])


def seen_after(given: list[Given]) -> tuple[float, ...]:
    """From each answer to the moment a remote had read the settlement, in µs, without the warm-up."""
    return tuple((one.seen - one.begun) / 1000 for one in given[WARM_UP:] if one.seen is not None)
