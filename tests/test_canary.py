"""Promise (design FIXED 7): what is typed freely reaches the terminal and nobody else: no other client, no file, no log, no status.

A canary is typed into every kind of prompt that takes text; then everything that the daemon wrote or sent is searched for it.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import msgspec
import pytest

from bridge import messages as bridge
from mirrord.client import Local, Remote, connect
from mirrord.client.connection import Connection
from mirrord.detached import spawn_detached
from mirrord.settings import Settings
from mirrord.testing import FakeExtension, fake_extension, hello
from mirrord.wire import messages as wire

CANARY = "yellow canary 7f3a"
QUESTION = bridge.Question(id="q", question="Why?", options=(bridge.QuestionOption(value="v", label="Because"),))
PROMPTS = {
    "input": bridge.Prompt(id="input", method="input", title="Your name", opened_at=1),
    "password": bridge.Prompt(id="password", method="input", title="Password", opened_at=1),
    "editor": bridge.Prompt(id="editor", method="editor", title="Edit", opened_at=1, prefill="plan"),
    "long editor": bridge.Prompt(id="long editor", method="editor", title="Edit", opened_at=1, prefill="plan"),
    "ask": bridge.Prompt(id="ask", method="ask", title="A question", opened_at=1, questions=(QUESTION,)),
    "ask by value": bridge.Prompt(id="ask by value", method="ask", title="A question", opened_at=1, questions=(QUESTION,)),
}
ANSWERS: dict[str, dict[str, Any]] = {
    "input": {"value": CANARY},
    "password": {"value": CANARY},
    "editor": {"value": f"line\n{CANARY}"},
    "long editor": {"parts": 2},
    "ask": {"answers": {"q": CANARY}},
    "ask by value": {"value": f'{{"q":"{CANARY}"}}'},
}


def files(settings: Settings) -> Iterator[Path]:
    """Everything that the daemon may have written."""
    base = settings.paths.runtime_dir.parent.parent
    return (path for path in base.rglob("*") if path.is_file())


async def everything(client: Connection, seen: list[str]) -> None:
    """Note each frame as text."""
    while True:
        seen.append(msgspec.json.encode(await client.receive()).decode())


async def settle(extension: FakeExtension, seen: list[str]) -> None:
    """The terminal takes what it is given, and says so as the extension does: without the text."""
    while True:
        message = await extension.hear()
        seen.append(repr(message))
        if isinstance(message, bridge.Response):
            settled = bridge.PromptSettled(seq=0, id=message.id, outcome="answered", winner="remote", at=2, response_id=message.response_id)
            await extension.say(settled)
        assert isinstance(message, bridge.Response | bridge.ResponsePart | bridge.Ack | bridge.Ping)


@pytest.mark.parametrize("kind", sorted(PROMPTS))
async def test_a_canary_reaches_the_terminal_and_nobody_else(at_home: Settings, pi_pid: int, kind: str) -> None:
    info = await anyio.to_thread.run_sync(spawn_detached, at_home)
    heard: list[str] = []
    told: list[str] = []
    mine: list[str] = []
    try:
        async with (
            connect(Local(info.socket), name="owner", kind="test") as owner,
            fake_extension(at_home.paths.bridge_socket, hello(pi_pid), PROMPTS[kind]) as extension,
        ):
            paired = await owner.request("pair", dict, {"name": "phone", "role": "controller"})
            async with (
                connect(Remote(paired["url"], paired["token"]), name="phone", kind="test") as phone,
                anyio.create_task_group() as tasks,
            ):
                session = phone.welcome.sessions[0].session_id
                await owner.subscribe(session)
                await phone.subscribe(session)
                tasks.start_soon(settle, extension, told)
                if kind == "long editor":
                    await phone.send(wire.ContentPart(response_id="r", part=0, parts=2, text=CANARY))
                    await phone.send(wire.ContentPart(response_id="r", part=1, parts=2, text="x" * 300_000))
                await phone.send(wire.ExtensionUIResponse(id=kind, response_id="r", **ANSWERS[kind]))
                with anyio.fail_after(10):
                    result = await phone.until(wire.ResponseResult)
                    assert result.accepted
                    mine.append(msgspec.json.encode(result).decode())
                    heard.append(msgspec.json.encode(await owner.until(wire.ExtensionUISettled)).decode())
                tasks.start_soon(everything, owner, heard)
                late = wire.ExtensionUIResponse(id=kind, response_id="late", **ANSWERS["input"])
                await phone.send(late)
                mine.append(msgspec.json.encode(await phone.until(wire.ResponseResult)).decode())
                tasks.cancel_scope.cancel()
            mine.append(msgspec.json.encode(await owner.request("status", dict)).decode())
    finally:
        os.kill(info.pid, signal.SIGTERM)
    assert heard
    assert told
    for text in (*heard, *told, *mine):
        assert CANARY not in text
    looked = 0
    for path in files(at_home):
        looked += 1
        assert CANARY.encode() not in path.read_bytes(), path.name
    assert looked >= 2, "the store and the log are there to be searched"
