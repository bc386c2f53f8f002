"""Promise (design FIXED 7): what is typed freely reaches the terminal and nobody else: no other client, no file, no log, no status.

A canary is typed into every kind of prompt that takes text, and sent to Pi in every kind of message; then everything that the daemon
wrote or sent is searched for it.
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

from bridge import chat
from bridge import messages as bridge
from mirrord.client import Local, Remote, connect
from mirrord.client.connection import Connection
from mirrord.detached import spawn_detached
from mirrord.settings import Settings
from mirrord.testing import FakeExtension, fake_extension, hello
from mirrord.wire import messages as wire
from mirrord.wire.capabilities import SERVER_CAPABILITIES
from mirrord.wire.chat import ChatAction, ChatSubscribe, Receipt

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


async def test_a_canary_in_a_view_is_seen_by_who_may_answer_and_kept_nowhere(at_home: Settings, pi_pid: int) -> None:
    info = await anyio.to_thread.run_sync(spawn_detached, at_home)
    prompt = bridge.Prompt(id="notes", method="custom", title="A dialog of notes", opened_at=1, cancellable=False)
    heard: list[str] = []
    try:
        async with (
            connect(Local(info.socket), name="owner", kind="test", capabilities=SERVER_CAPABILITIES) as owner,
            fake_extension(at_home.paths.bridge_socket, hello(pi_pid), prompt) as extension,
        ):
            paired = await owner.request("pair", dict, {"name": "wall", "role": "observer"})
            async with connect(Remote(paired["url"], paired["token"]), name="wall", kind="test", capabilities=SERVER_CAPABILITIES) as wall:
                session = wall.welcome.sessions[0].session_id
                await owner.subscribe(session)
                cursor = (await wall.subscribe(session)).cursor
                for end in range(1, len(CANARY) + 1):
                    view = bridge.View(seq=0, id="notes", lines=(f"> {CANARY[:end]}",), width=80, overlay=False, typing=True)
                    await extension.say(view)
                with anyio.fail_after(10):
                    while (await owner.until(wire.ExtensionUINotification)).widget_lines != (f"> {CANARY}",):
                        pass
                await wall.send(wire.Subscribe(session_id=session, since=cursor))
                await extension.say(bridge.PromptSettled(seq=0, id="notes", outcome="answered", winner="terminal", at=2))
                with anyio.fail_after(10):
                    over = False
                    while not over:
                        message = await wall.receive()
                        heard.append(msgspec.json.encode(message).decode())
                        over = isinstance(message, wire.ExtensionUINotification) and message.typing is None
            heard.append(msgspec.json.encode(await owner.request("status", dict)).decode())
    finally:
        os.kill(info.pid, signal.SIGTERM)
    views = [text for text in heard if "setCustomView" in text]
    assert [('"typing":true' in text, "widgetLines" in text) for text in views] == [(True, False), (True, False), (False, False)]
    assert not any(CANARY[:5] in text for text in heard)
    for path in files(at_home):
        assert CANARY.encode() not in path.read_bytes(), path.name


TURNS: dict[str, dict[str, Any]] = {
    "a prompt": {"text": CANARY},
    "a long prompt": {"parts": 2},
    "a command": {"kind": "command", "text": f"/{CANARY}"},
    "a shell command": {"kind": "bash", "text": CANARY, "excluded": True},
    "one that nobody rules on": {"text": CANARY, "kind": "steer"},
}


async def take(extension: FakeExtension, given: list[str], whole: anyio.Event) -> None:
    """The terminal takes messages and an action, or does not; `whole` once it has heard all of them."""
    pieces = ""
    while True:
        message = await extension.hear()
        match message:
            case chat.TurnPart(text=piece):
                pieces += piece
            case chat.Turn(client_turn_id=turn, text=text):
                given.append(pieces if text is None else text)
                ruled = chat.TurnResult(seq=0, client_turn_id=turn, stage="accepted")
                refused = chat.TurnResult(seq=0, client_turn_id=turn, stage="rejected", reason="Pi has no such command.")
                if message.kind != "steer":
                    await extension.say(refused if message.kind == "command" else ruled)
            case chat.Action(request_id=request, args=args):
                given.append(str(args))
                await extension.say(chat.ActionResult(seq=0, request_id=request, ok=True))
        if len(given) == len(TURNS) + 1:
            whole.set()


async def test_a_canary_in_a_message_to_pi_reaches_pi_and_nobody_else(at_home: Settings, pi_pid: int) -> None:
    info = await anyio.to_thread.run_sync(spawn_detached, at_home)
    greeting = msgspec.structs.replace(hello(pi_pid), capabilities=("chat",))
    given: list[str] = []
    whole = anyio.Event()
    heard: list[str] = []
    told: list[str] = []
    try:
        async with (
            connect(Local(info.socket), name="owner", kind="test", capabilities=SERVER_CAPABILITIES) as owner,
            connect(Local(info.socket), name="other", kind="test", capabilities=SERVER_CAPABILITIES) as other,
            fake_extension(at_home.paths.bridge_socket, greeting) as extension,
            anyio.create_task_group() as tasks,
        ):
            paired = await owner.request("pair", dict, {"name": "phone", "role": "controller"})
            async with connect(
                Remote(paired["url"], paired["token"]), name="phone", kind="test", capabilities=SERVER_CAPABILITIES
            ) as phone:
                session = phone.welcome.sessions[0].session_id
                await other.send(ChatSubscribe(session_id=session))
                tasks.start_soon(everything, other, heard)
                tasks.start_soon(take, extension, given, whole)
                for turn, fields in TURNS.items():
                    id_ = turn.replace(" ", "-")
                    if "parts" in fields:
                        await phone.send(wire.ContentPart(response_id=id_, part=0, parts=2, text=CANARY))
                        await phone.send(wire.ContentPart(response_id=id_, part=1, parts=2, text="x" * 300_000))
                    await phone.send(ChatAction(session_id=session, client_turn_id=id_, action="submit", **fields))
                    if fields.get("kind") != "steer":
                        with anyio.fail_after(10):
                            told.append(msgspec.json.encode(await phone.until(Receipt)).decode())
                await phone.request("compact", object, {"sessionId": session, "instructions": CANARY})
                asked = {"sessionId": session, "clientTurnIds": [turn.replace(" ", "-") for turn in TURNS]}
                told.append(str(await phone.request("chat_receipts", dict, asked)))
            told.append(msgspec.json.encode(await owner.request("status", dict)).decode())
            with anyio.fail_after(10):
                await whole.wait()
            tasks.cancel_scope.cancel()
    finally:
        os.kill(info.pid, signal.SIGTERM)
    assert len(given) == len(TURNS) + 1
    assert all(CANARY in text for text in given)
    assert heard
    for text in (*heard, *told):
        assert CANARY not in text
    stored = {path.name: path.read_bytes() for path in files(at_home)}
    assert any(b"a-prompt" in content for content in stored.values()), "its receipt is kept"
    assert [name for name, content in stored.items() if CANARY.encode() in content] == []
