"""Clients that show a conversation, as `mirrord attach` does it, and the session file that they are compared with.

A viewer goes and comes back as it is told to, and by itself when the daemon goes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, suppress
from itertools import count
from pathlib import Path
from typing import Any, Final

import anyio
import msgspec

from mirrord.client import CommandRefused, Decided, Following, Frame, Local, NotConfirmed, Pending, connect
from mirrord.client.chat import CLAIMS, read_message
from mirrord.client.chat_reducer import ChatView, Json
from mirrord.client.connection import Connection
from mirrord.client.talking import Talking
from mirrord.client.turns import SAME_ID, Turn, turn
from mirrord.errors import MirrordError
from mirrord.wire import chat
from mirrord.wire import messages as wire
from tests.e2e.stage import Stage

# The extension is back within 5 s, a client within a few, and a message goes out again after 5 s.
SHOWN: Final = 25.0
AGAIN: Final = 0.25

_KINDS: Final = {"user": "user", "assistant": "assistant", "toolResult": "tool", "bashExecution": "bash"}


class Viewer:
    """One client. What it shows outlives its connections; `boundaries` are those that it was told."""

    def __init__(self, here: Stage, name: str) -> None:
        self.name = name
        self.boundaries: list[str] = []
        self.receipts: dict[str, list[chat.Receipt]] = {}
        """By `clientTurnId`, as they came."""
        self._here = here
        self._talking = Talking(here.wait_session(), self._unconfirmed)
        self._following: Following | None = None
        self._changed = threading.Condition()
        self._task: Future[None] | None = None

    # ---- what a person does --------------------------------------------------------------------------------------------

    def join(self) -> None:
        """Connects, and returns once the conversation is shown."""
        assert self._task is None
        self._task = self._here.begin(self._run)
        self.wait(lambda view: view.complete, "is told no conversation")

    def leave(self) -> None:
        """Cuts the connection, wherever it is."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            with suppress(BaseException):
                task.result(SHOWN)

    def submit(self, text: str, kind: chat.SubmitKind = "prompt") -> str:
        """Sends it, and again under its id while it is told that nobody knows or nobody could be reached; gives its `clientTurnId`."""
        made = turn(self._talking.session_id, kind, text)
        with self._changed:
            self.receipts.setdefault(made.id, [])

        async def give() -> None:
            await self._talking.give(made)

        self._here.call(give)
        return made.id

    def command(self, name: str, args: Mapping[str, object]) -> str | None:
        """Has the daemon do it, over a connection of its own; gives the reason where it is not done."""
        try:
            self._here.daemon.ask(name, type(None), sessionId=self._talking.session_id, **args)
        except CommandRefused as refused:
            return str(refused)
        return None

    # ---- what it shows -------------------------------------------------------------------------------------------------

    @property
    def view(self) -> ChatView:
        return self._talking.conversation.view

    @property
    def fields(self) -> Json:
        return self.view.fields

    @property
    def messages(self) -> list[chat.ChatMessage]:
        return [read_message(message) for message in self.view.messages]

    def said(self, kind: str) -> list[str]:
        """The texts of the messages of this kind, without thinking."""
        return [text_of(message) for message in self.messages if message.kind == kind]

    def wait(self, holds: Callable[[ChatView], bool], what: str, timeout: float = SHOWN) -> None:
        with self._changed:
            if not self._changed.wait_for(lambda: holds(self.view), timeout):
                shown = "\n".join(map(str, [*self.view.messages[-8:], self.view.fields, *list(self.receipts.values())[-3:]]))
                raise AssertionError(f"{self.name}: {what} after {timeout} s; it shows\n{shown}\n{self._here.pi.screen_text()}")

    def became(self, turn_id: str, *stages: chat.Stage) -> chat.Receipt:
        """The receipt of that submission with one of these stages."""

        def told() -> list[chat.Receipt]:
            return [receipt for receipt in self.receipts[turn_id] if receipt.stage in stages]

        self.wait(lambda _: bool(told()), f"is not told that {turn_id} is {' or '.join(stages)}, but {self.receipts[turn_id]}")
        return told()[0]

    # ---- what a following tells ----------------------------------------------------------------------------------------

    async def welcomed(self, frame: Frame, welcome: wire.Welcome, again: bool) -> None:
        assert self._following is not None
        await self._talking.welcomed(self._following, welcome, again)
        self._told()

    async def received(self, frame: Frame) -> bool:
        taken = await self._talking.received(frame)
        with self._changed:
            if isinstance(frame.message, chat.Receipt):
                self.receipts.setdefault(frame.message.client_turn_id, []).append(frame.message)
            if taken is not None and not isinstance(taken, Turn) and taken.step.boundary is not None:
                self.boundaries.append(taken.step.boundary)
            assert self.view.error is None, self.view.error
        self._told()
        return False

    async def decided(self, frame: Frame, decided: Decided) -> None: ...

    async def unconfirmed(self, action: NotConfirmed) -> None: ...

    async def lost(self, why: MirrordError) -> None:
        self._talking.lost()

    async def gone(self) -> None: ...

    async def _unconfirmed(self, turns: list[Turn]) -> None: ...

    def _dial(self, cursors: dict[str, str]) -> AbstractAsyncContextManager[Connection]:
        endpoint = Local(self._here.daemon.paths.control_socket)
        return connect(endpoint, name=self.name, kind="test", capabilities=CLAIMS, resume=cursors)

    async def _run(self) -> None:
        try:
            async with self._dial({}) as first, anyio.create_task_group() as tasks:
                session = self._talking.session_id
                self._following = Following(first, self._dial, session, self, pending=Pending(), alive=lambda: True)
                tasks.start_soon(self._talking.keep_time)
                tasks.start_soon(self._try_again)
                tasks.start_soon(self._following.run)
        finally:
            self._talking.lost()

    async def _try_again(self) -> None:
        """As a person does who sees that something was not taken."""
        turns = self._talking.turns
        for _ in count():
            await anyio.sleep(AGAIN)
            failed = [kept.turn for kept in turns.kept.values() if kept.stage == "unknown" or kept.code in SAME_ID]
            for each in failed if turns.connected else ():
                await self._talking.give(each)

    def _told(self) -> None:
        with self._changed:
            self._changed.notify_all()


def text_of(message: chat.ChatMessage) -> str:
    return "".join(part.text or "" for part in message.parts if part.type == "text").rstrip()


# ---- Pi's own file -------------------------------------------------------------------------------------------------------


def branch(sessions: Path, conversation_id: str) -> list[Json]:
    """The entries of the conversation's current branch that show, the oldest first. Pi makes no file before the first answer."""
    files = [*sessions.rglob(f"*{conversation_id}.jsonl")]
    entries: list[dict[str, Any]] = [msgspec.json.decode(line) for file in files for line in file.read_bytes().splitlines()]
    by_id = {entry["id"]: entry for entry in entries if entry["type"] != "session"}
    found: list[Json] = []
    at: dict[str, Any] | None = entries[-1] if entries else None
    while at is not None and at["type"] != "session":
        found.insert(0, at)
        at = by_id.get(at["parentId"])
    return [entry for entry in found if _shows(entry)]


def persons_words(sessions: Path) -> dict[str, str]:
    """Every entry of what a person said or had the shell do, of all conversations and branches; a fork has the ids of what it came from."""
    found: dict[str, str] = {}
    for file in sessions.rglob("*.jsonl"):
        for line in file.read_bytes().splitlines():
            entry = msgspec.json.decode(line)
            message = entry.get("message", {})
            if message.get("role") == "user":
                found[entry["id"]] = "".join(block["text"] for block in message["content"])
            elif message.get("role") == "bashExecution":
                found[entry["id"]] = message["command"]
    return found


def _shows(entry: Json) -> bool:
    if entry["type"] == "message":
        return entry["message"]["role"] in _KINDS
    return entry["type"] in {"custom_message", "compaction", "branch_summary"}


def of_entry(entry: Json) -> dict[str, object]:
    """What `of_message` says of the message that this entry is."""
    message = entry.get("message", entry)
    role = message.get("role")
    told: dict[str, object] = {"id": entry["id"], "kind": _KINDS.get(role, entry["type"].removesuffix("_message"))}
    if role == "bashExecution":
        output = message["output"]
        return {**told, "parts": [("text", output)] if output else [], "how": (message["command"], message.get("exitCode"))}
    if role == "toolResult":
        told["how"] = (message["toolCallId"], message["toolName"], message["isError"])
    elif role == "assistant":
        told["how"] = (message["provider"], message["model"], message["stopReason"], message.get("errorMessage"))
    content = message.get("content", message.get("summary"))
    return {**told, "parts": [("text", content)] if isinstance(content, str) else [_block(block) for block in content]}


def _block(block: Json) -> tuple[object, ...]:
    match block["type"]:
        case "toolCall":
            return "tool_call", block["id"], block["name"], block["arguments"]
        case "thinking":
            return "thinking", block["thinking"]
        case _:
            return block["type"], block["text"]


def of_message(message: chat.ChatMessage) -> dict[str, object]:
    """What is compared with Pi's entry: which it is, all that it says, and how it came about."""
    parts = [
        (part.type, part.tool_call_id, part.name, msgspec.json.decode(part.args or ""))
        if part.type == "tool_call"
        else (part.type, part.text)
        for part in message.parts
    ]
    told: dict[str, object] = {"id": message.entry_id, "kind": message.kind, "parts": parts}
    match message.kind:
        case "bash":
            told["how"] = (message.command, message.exit_code)
        case "tool":
            told["how"] = (message.tool_call_id, message.tool_name, message.is_error)
        case "assistant":
            told["how"] = (message.provider, message.model, message.stop_reason, message.error)
    return told
