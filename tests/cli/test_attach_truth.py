"""Promise: an answer given through `mirrord attach` gets its true verdict, also when the daemon that passed it on was killed."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import anyio
import anyio.to_thread
import pytest
from anyio.abc import Process

from bridge import messages as bridge
from mirrord.testing import fake_extension, hello
from tests.cli.commands import MIRRORD, PATIENCE, environment
from tests.cli.daemons import daemon

PROMPT = bridge.Prompt(id="p1", method="select", title="Pick a fruit", opened_at=1_000, options=("apple", "banana"), option_count=2)


def ruling(winner: bridge.Winner, response_id: str | None) -> bridge.PromptSettled:
    return bridge.PromptSettled(
        seq=0,
        id="p1",
        outcome="answered",
        winner=winner,
        at=2_000,
        response_id=response_id,
        answer=bridge.Answer(index=1, label="banana"),
    )


class Lines:
    """What a process writes, as it comes."""

    def __init__(self, process: Process) -> None:
        assert process.stdout is not None
        self._out = process.stdout
        self.text = ""

    async def show(self, words: str) -> None:
        """Return once the words are there."""
        with anyio.fail_after(PATIENCE):
            while words not in self.text:
                self.text += (await self._out.receive()).decode()


@asynccontextmanager
async def running(root: Path) -> AsyncIterator[int]:
    """A daemon of this root, by its pid; the block may kill it."""
    block = daemon(root)
    process = await anyio.to_thread.run_sync(block.__enter__)
    try:
        yield process.pid
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(partial(block.__exit__, None, None, None))


@asynccontextmanager
async def attach(root: Path, *arguments: str) -> AsyncIterator[tuple[Process, Lines]]:
    async with await anyio.open_process([*MIRRORD, "attach", *arguments], env=environment(root)) as process:
        try:
            yield process, Lines(process)
        finally:
            if process.returncode is None:
                process.kill()


async def type_line(process: Process, line: str) -> None:
    assert process.stdin is not None
    await process.stdin.send(f"{line}\n".encode())


@pytest.mark.parametrize(
    ("winner", "verdict"),
    [("remote", "Your answer was taken."), ("terminal", "The prompt had ended already; your answer changed nothing.")],
)
async def test_the_next_daemon_tells_the_verdict_of_an_answer_that_the_killed_one_passed_on(
    runtime: Path, pi_pid: int, winner: bridge.Winner, verdict: str
) -> None:
    root, socket = runtime.parent, runtime / "bridge.sock"
    async with running(root) as pid, fake_extension(socket, hello(pi_pid), PROMPT) as extension, attach(root) as (process, lines):
        await lines.show("Type a number")
        await type_line(process, "2")
        response = await extension.until(bridge.Response)
        os.kill(pid, signal.SIGKILL)
        await lines.show("connecting again")
        async with running(root):
            await lines.show("- connected again; its Pi has not come back yet")
            async with fake_extension(socket, hello(pi_pid)) as again:
                await again.say(ruling(winner, response.response_id if winner == "remote" else None))
                await lines.show(verdict)
                assert lines.text.count("Your answer was taken.") == (winner == "remote")


async def test_an_answer_that_was_on_its_way_is_given_once(runtime: Path, pi_pid: int) -> None:
    root, socket = runtime.parent, runtime / "bridge.sock"
    async with running(root) as pid, fake_extension(socket, hello(pi_pid), PROMPT) as extension, attach(root, "--json") as (process, lines):
        await lines.show('"type":"snapshot"')
        await type_line(process, json.dumps({"type": "extension_ui_response", "id": "p1", "responseId": "r", "index": 1}))
        first = await extension.until(bridge.Response)
        os.kill(pid, signal.SIGKILL)
        async with running(root), fake_extension(socket, hello(pi_pid), PROMPT) as again:
            second = await again.until(bridge.Response)
            assert second.response_id == first.response_id, "the extension knows by the id that it is the same answer"
            await again.say(ruling("remote", second.response_id))
            await lines.show('"type":"response_result"')
            results = [json.loads(line) for line in lines.text.splitlines() if '"type":"response_result"' in line]
            assert [(result["responseId"], result["accepted"]) for result in results] == [("r", True)]
