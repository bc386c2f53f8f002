"""Promise: `mirrord attach` shows what extensions show: in place in a terminal, in short lines in a pipe, unchanged as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import msgspec
import pytest

from mirrord.demo.terminal import Terminal
from mirrord.wire import messages as wire
from mirrord.wire.capabilities import CHAT, CHAT_APPENDS, OSC8_LINKS, PROMPT_NATIVE, SURFACE_NATIVE, TEXT_FALLBACK
from mirrord.wire.surfaces import ActivityRow, Block, NativeSurface, Pill, Presentation, Strips, Surface
from tests.cli.attached import ENDED, piped, snapshot
from tests.cli.commands import MIRRORD, PATIENCE, environment
from tests.cli.prompts import select
from tests.client.scripted_daemon import Peer, control_socket

FLOOD = 500


def jobs(state: str) -> NativeSurface:
    row = ActivityRow("a", "Review", state=state)  # type: ignore[arg-type]
    return NativeSurface(1, "widget:jobs", "widget", Presentation("surfacePanel", "Jobs"), (Block("activityList", rows=(row,)),))


def widget(surface: NativeSurface | None, *lines: str) -> wire.ExtensionUINotification:
    return wire.ExtensionUINotification(
        "1-1", "setWidget", widget_key="jobs", widget_placement="aboveEditor", widget_lines=lines or None, native_surface=surface
    )


def strip(status: str) -> wire.ExtensionUIStrips:
    return wire.ExtensionUIStrips("1-1", (Pill("widget:jobs", "widget", "jobs", "Jobs", status),), ())


def with_widget() -> wire.Snapshot:
    strips = Strips((Pill("widget:jobs", "widget", "jobs", "Jobs", "1 run"),))
    surface = Surface("jobs", "aboveEditor", ("drawn",), jobs("running"), "plan")
    return msgspec.structs.replace(snapshot(select()), statuses=(), surfaces=(surface,), strips=strips)


async def to_the_snapshot(peer: Peer) -> dict[str, Any]:
    hello = await peer.welcome()
    await peer.hear()
    await peer.say(with_widget())
    return hello


async def test_a_pipe_gets_a_surface_whole_and_then_a_short_line_for_each_change(runtime: Path) -> None:
    async def script(peer: Peer) -> None:
        await to_the_snapshot(peer)
        await peer.say(widget(jobs("success"), "drawn"), select("again"))
        await peer.say(widget(None), ENDED)

    _, out, _ = await piped(runtime, script, "--read-only")
    lines = out.splitlines()
    assert lines[1:4] == ["- pills above: [Jobs: 1 run]", "- Jobs, by plan:", "  [running] Review"]
    assert lines[4:6] == ["", "? Which fruit?"], "what waits for an answer comes last"
    assert "- Jobs: [done] Review" in lines
    assert lines.index("- Jobs: [done] Review") < len(lines) - 1 - lines[::-1].index("? Which fruit?"), "what came first is shown first"
    assert lines[-3:] == ["- Jobs (cleared)", "- ended", "The session has ended."]


async def test_a_pipe_is_not_flooded_and_gets_the_last_value(runtime: Path) -> None:
    async def script(peer: Peer) -> None:
        await to_the_snapshot(peer)
        await peer.say(*(widget(None, f"step {n}") for n in range(FLOOD)), ENDED)

    _, out, _ = await piped(runtime, script, "--read-only")
    steps = [line for line in out.splitlines() if line.startswith("- jobs: step")]
    assert steps[-1] == f"- jobs: step {FLOOD - 1}"
    assert len(steps) < FLOOD / 10


async def test_it_says_that_it_can_show_all_of_it_and_json_carries_every_message_unchanged(runtime: Path) -> None:
    said: list[wire.ServerMessage] = [widget(jobs("running"), "x"), *(widget(None, f"step {n}") for n in range(50)), strip("2 run"), ENDED]
    hellos: list[dict[str, Any]] = []

    async def script(peer: Peer) -> None:
        hellos.append(await to_the_snapshot(peer))
        await peer.say(*said)

    _, out, _ = await piped(runtime, script, "--json", "--read-only")
    assert [json.loads(line) for line in out.splitlines()[1:]] == [json.loads(msgspec.json.encode(each)) for each in (with_widget(), *said)]
    assert hellos[0]["capabilities"] == [TEXT_FALLBACK, PROMPT_NATIVE, SURFACE_NATIVE, OSC8_LINKS, CHAT, CHAT_APPENDS]


@asynccontextmanager
async def in_a_terminal(runtime: Path, *arguments: str) -> AsyncIterator[tuple[Terminal, Peer]]:
    arrive, arrived = anyio.create_memory_object_stream[Peer](1)
    done = anyio.Event()

    async def script(peer: Peer) -> None:
        await to_the_snapshot(peer)
        await arrive.send(peer)
        await done.wait()

    async with control_socket(runtime, script):
        argv = [*MIRRORD, "attach", *arguments]
        make = partial(Terminal, argv, env=environment(runtime.parent), cwd=runtime, columns=100, rows=30)
        terminal = await anyio.to_thread.run_sync(make)
        try:
            with anyio.fail_after(PATIENCE):
                yield terminal, await arrived.receive()
        finally:
            done.set()
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(terminal.close)
            arrive.close()
            arrived.close()


async def sees(terminal: Terminal, text: str | re.Pattern[str]) -> str:
    return await anyio.to_thread.run_sync(partial(terminal.wait_for, text, PATIENCE))


@pytest.mark.parametrize("arguments", [(), ("--read-only",)], ids=["typing", "watching"])
async def test_a_terminal_shows_it_in_one_place_below_the_stream(runtime: Path, arguments: tuple[str, ...]) -> None:
    async with in_a_terminal(runtime, *arguments) as (terminal, peer):
        await sees(terminal, "  [running] Review")
        await peer.say(*(widget(jobs("queued"), f"step {n}") for n in range(FLOOD)))
        await sees(terminal, "  [queued] Review")
        await peer.say(widget(jobs("success"), "drawn"), strip("all done"), wire.ExtensionUINotification("1-1", "notify", message="hello"))
        await sees(terminal, "  [done] Review")
        screen = await sees(terminal, "[Jobs: all done]")
        assert "running" not in screen
        assert "queued" not in screen
        assert screen.count("Review") == 1
        await sees(terminal, "- notice: hello")
        # What is in one place is drawn again below it.
        screen = await sees(terminal, "[Jobs: all done]")
        assert screen.index("? Which fruit?") < screen.index("- notice: hello") < screen.index("[Jobs: all done]"), "the stream is above"
        assert terminal.history_text().count("Review") == 1, "nothing of it is left in what was scrolled away"
        await peer.say(ENDED)
        await sees(terminal, "The session has ended.")
        await anyio.to_thread.run_sync(partial(terminal.wait_exit, PATIENCE))
        assert "Review" not in terminal.screen_text()


async def test_show_prints_it_into_the_stream_of_a_terminal(runtime: Path) -> None:
    async with in_a_terminal(runtime) as (terminal, _):
        await sees(terminal, "\n>")
        await anyio.to_thread.run_sync(terminal.send, "/show\r")
        # In the stream, and in the panel below it.
        await sees(terminal, re.compile(r"- Jobs, by plan:\n  \[running\] Review\n.*\nJobs, by plan:\n", re.DOTALL))
