"""Clients that read little or nothing: when they are cut and what they cost, how far behind they are, and what fifty others notice."""

from __future__ import annotations

import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final, Literal

import anyio
import msgspec

from bench.crowd import stamp
from bench.crowds import crowd
from bench.load import FOLLOWERS, MICRO, Stage, stage
from bench.report import Goal, Row
from bench.websocket import WebSocket, websocket
from bench.world import NotMeasured
from bridge import messages as bridge
from mirrord.client import Connection
from mirrord.wire import messages as wire
from mirrord.wire.limits import OUTBOX_SECONDS

BUFFER_BYTES: Final = 4_096
"""What the system holds for a client here: a phone's network holds more, and that is not ours to bound."""

FLOOD_BYTES: Final = 6_250
PACE_SECONDS: Final = 0.125
"""50 KB/s to each client, 2.5 MB/s to all, with room below the ten a second that a client is sent at most."""

SLOW_READ_BYTES: Final = 1_024
SLOW_READ_SECONDS: Final = 0.125
"""8 KB/s."""

SLOW_SECONDS: Final = 30.0
QUICK_SLOW_SECONDS: Final = 10.0
WARM_UP_SECONDS: Final = 3.0
PROMPT_SECONDS: Final = 2.0
LOOK_SECONDS: Final = 0.05
PATIENCE_SECONDS: Final = 3 * OUTBOX_SECONDS

CUT_MS: Final = (OUTBOX_SECONDS + 1) * 1000
HELD_MB: Final = 8.0
HEALTHY_MS: Final = 10.0
BEHIND_MS: Final = 2_000.0

_WIDGET_STAMP: Final = re.compile(r'"setWidget".*?@(\d{10,20})@')
_NAME: Final = "slow"


async def measure(quick: bool, profile: Path | None = None) -> list[Row]:
    """Who reads nothing, then who reads slowly. Raises NotMeasured."""
    async with stage(profile, FOLLOWERS + 1) as here:
        return [*await stalled(here), *await slow(here, QUICK_SLOW_SECONDS if quick else SLOW_SECONDS)]


# ---- who reads nothing -----------------------------------------------------------------------------------------------


async def stalled(here: Stage) -> list[Row]:
    """One that never reads beside fifty that do, and these for as long without it."""
    async with crowd(here.remotes, FOLLOWERS, here.session) as others, flooding(here, "notes"):
        await anyio.sleep(WARM_UP_SECONDS)
        await others.report()
        await anyio.sleep(OUTBOX_SECONDS)
        alone, before = tuple((await others.report()).delays), await _memory(here.owner)
        async with _reader(here):
            cut, most = await _until_cut(here.owner)
        delays = tuple((await others.report()).delays)
    name, what = "stalled reader", f"{FLOOD_BYTES / 1000:g} kB eight times a second → each of {FOLLOWERS} others has read it"
    peer = Row(f"{FOLLOWERS} without it", what, alone, "µs")
    return [
        Row(f"{name}, cut", "from when frames wait for a client that never reads until it is gone", (cut,), "ms", goal=Goal("p50", CUT_MS)),
        Row(
            f"{name}, memory",
            "the daemon's most meanwhile above what it had before",
            (max(most - before, 0.0),),
            "MB",
            goal=Goal("p50", HELD_MB),
        ),
        peer,
        Row(f"{FOLLOWERS} beside it", f"{what}, meanwhile", delays, "µs", (peer.name, peer.p50), Goal("p99", HEALTHY_MS * MICRO)),
    ]


async def _memory(owner: Connection) -> float:
    """The daemon's, in MB."""
    status = await owner.request("status", dict[str, Any])
    return float(status["memory"]["rss"]) / 1e6


async def _until_cut(owner: Connection) -> tuple[float, float]:
    """ms from when something waited for good until the slow one is gone, and the most memory in between."""
    waits_since, most = time.monotonic(), 0.0
    with anyio.move_on_after(PATIENCE_SECONDS):
        while True:
            now, status = time.monotonic(), await owner.request("status", dict[str, Any])
            if not any(client["name"] == _NAME for client in status["clients"]):
                return (now - waits_since) * 1000, most
            if not status["memory"]["held"]["outboxes"]:
                waits_since = now
            most = max(most, status["memory"]["rss"] / 1e6)
            await anyio.sleep(LOOK_SECONDS)
    raise NotMeasured(f"who reads nothing is still there after {PATIENCE_SECONDS:.0f} s")


# ---- who reads slowly ------------------------------------------------------------------------------------------------


async def slow(here: Stage, seconds: float) -> list[Row]:
    """One that reads 8 KB/s of 60."""
    behind: list[float] = []
    late: dict[str, float] = {}
    asked: dict[str, int] = {}
    async with _reader(here) as reader, anyio.create_task_group() as tasks:

        async def ask() -> None:
            while True:
                prompt = bridge.Prompt(id=f"slow {len(asked)}", method="confirm", title="Still there?", opened_at=0)
                asked[prompt.id] = time.monotonic_ns()
                await here.say(bridge.PromptOpened(seq=0, prompt=prompt))
                await anyio.sleep(PROMPT_SECONDS)

        async with flooding(here, "widget"):
            tasks.start_soon(ask)
            newest, end = time.monotonic_ns(), time.monotonic() + seconds
            while time.monotonic() < end:
                now, texts = await reader.read_texts(SLOW_READ_BYTES)
                for text in texts:
                    newest = max([newest, *map(int, _WIDGET_STAMP.findall(text))])
                    late |= {name: (now - asked[name]) / 1e6 for name in _prompts(text) if name in asked}
                if end - time.monotonic() < seconds - WARM_UP_SECONDS:
                    behind.append((now - newest) / 1e6)
                await anyio.sleep(SLOW_READ_SECONDS)
        tasks.cancel_scope.cancel()
    lost = sum(1 for name, at in asked.items() if name not in late and time.monotonic_ns() - at > PATIENCE_SECONDS * 1e9 / 10)
    return [
        Row(
            "slow reader, behind",
            "how old the newest widget is that a reader of 8 KB/s has",
            tuple(behind),
            "ms",
            goal=Goal("p99", BEHIND_MS),
        ),
        Row("slow reader, prompts", "a prompt is opened → that reader has it", tuple(late.values()), "ms", goal=Goal("p99", BEHIND_MS)),
        Row("slow reader, prompts lost", "prompts that it did not get", (lost,), "messages", goal=Goal("p50", 0)),
    ]


def _prompts(text: str) -> list[str]:
    """The id of the prompt that the frame opens, if it does."""
    message = msgspec.json.decode(text)
    return [message["id"]] if message["type"] == "extension_ui_request" else []


# ---- both ------------------------------------------------------------------------------------------------------------


@asynccontextmanager
async def flooding(here: Stage, stamps: Literal["notes", "widget"]) -> AsyncIterator[None]:
    """During the block a notification of FLOOD_BYTES comes and a widget and a status change, eight times a second.

    `stamps`: where the moment is. A change may be held for 33 ms, a notification is not.
    """

    async def flood() -> None:
        step = 0
        while True:
            step += 1
            status = bridge.Status(seq=0, key="step", text=f"{step} ".ljust(150, "."))
            widget = bridge.Widget(
                seq=0, key="newest", placement="aboveEditor", lines=(str(step) if stamps == "notes" else stamp(),), width=100
            )
            noise = (stamp() if stamps == "notes" else "").ljust(FLOOD_BYTES, ".")
            await here.say(status, bridge.Notification(seq=0, message=noise), widget)
            await anyio.sleep(PACE_SECONDS)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(flood)
        yield
        tasks.cancel_scope.cancel()


@asynccontextmanager
async def _reader(here: Stage) -> AsyncIterator[WebSocket]:
    """A client that follows the session, of which the system holds little."""
    async with websocket(here.remote, BUFFER_BYTES) as one:
        one.say_hello(_NAME)
        one.write(one.frame(wire.Subscribe(session_id=here.session)))
        yield one
