"""A conversation as a scripted daemon tells it."""

from __future__ import annotations

from typing import Any

import msgspec

from mirrord.wire import chat as wire
from mirrord.wire.capabilities import CHAT, CHAT_APPENDS
from tests.cli.attached import snapshot
from tests.client.scripted_daemon import WELCOME, Peer

CHATTY = msgspec.structs.replace(WELCOME, capabilities=(CHAT, CHAT_APPENDS))

REST = wire.ChatSnapshot(
    messages=(),
    history=wire.ChatHistory(False, None),
    queued_follow_ups=(),
    streaming=False,
    stopping=None,
    read_only=False,
    read_only_reason=None,
    agent=wire.ChatAgent(),
    workspace=None,
)


def message(id_: str, text: str = "", kind: str = "assistant", **more: Any) -> wire.ChatMessage:
    parts = (wire.ChatPart("text", text),) if text else ()
    fields: dict[str, Any] = {"at": 1, "state": "done", "parts": parts, "entry_id": None if id_.startswith("live") else id_} | more
    return wire.ChatMessage(id=id_, kind=kind, **fields)


def event(revision: int, **more: Any) -> wire.ChatEvent:
    return wire.ChatEvent(session_id="1-1", cursor=f"e:{revision}", revision=revision, **more)


def everything(revision: int, *messages: wire.ChatMessage, **fields: Any) -> wire.ChatEvent:
    return event(revision, snapshot=msgspec.structs.replace(REST, messages=messages, **fields))


def receipt(turn: dict[str, Any], stage: wire.Stage, **more: Any) -> wire.Receipt:
    return wire.Receipt(session_id="1-1", client_turn_id=turn["clientTurnId"], stage=stage, at=1, **more)


async def follows(peer: Peer, *messages: wire.ChatMessage, **fields: Any) -> None:
    """From hello to the first event of the conversation."""
    hello = await peer.hear()
    assert {CHAT, CHAT_APPENDS} <= set(hello["capabilities"])
    await peer.say(CHATTY)
    assert (await peer.hear())["type"] == "subscribe"
    await peer.say(snapshot())
    assert await peer.hear() == {"type": "chat_subscribe", "sessionId": "1-1"}
    await peer.say(everything(1, *messages, **fields))
