"""Promise: a conversation is followed over many connections: it goes on where it was, and a broken stream is begun again."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from mirrord.client import ProtocolMismatch
from mirrord.client.chat import STREAM_ERRORS, Conversation, Taken, page, read_message
from mirrord.client.frames import decode, encode
from mirrord.wire import chat as wire

SESSION = "1-1"


def message(id_: str, text: str = "", **more: Any) -> wire.ChatMessage:
    parts = (wire.ChatPart("text", text),) if text else ()
    fields: dict[str, Any] = {"kind": "assistant", "at": 1, "state": "done", "entry_id": id_, "parts": parts} | more
    return wire.ChatMessage(id=id_, **fields)


def event(revision: int, *messages: wire.ChatMessage, session: str = SESSION, **more: Any) -> wire.ChatEvent:
    """With these as all messages, unless the rest says otherwise."""
    snapshot = more.pop("snapshot", wire.ChatSnapshot(messages=messages))
    return wire.ChatEvent(session_id=session, cursor=f"e:{revision}", revision=revision, snapshot=snapshot, **more)


def take(conversation: Conversation, said: wire.ChatServerMessage) -> Taken | None:
    return conversation.take(decode(msgspec.json.encode(said).decode()))


def followed(*messages: wire.ChatMessage) -> Conversation:
    conversation = Conversation(SESSION)
    conversation.subscribe()
    take(conversation, event(1, *messages))
    return conversation


def test_the_first_subscription_names_no_cursor_and_the_next_names_both() -> None:
    conversation = Conversation(SESSION)
    assert encode(conversation.subscribe()) == '{"type":"chat_subscribe","sessionId":"1-1"}'
    take(conversation, event(1, message("e1"), message("live:1", entry_id=None)))
    conversation.lost()
    again = conversation.subscribe()
    assert (again.since, again.entry_id) == ("e:1", "e1"), "the newest message that has an entry"
    assert len(conversation.view.messages) == 2, "what is shown stays"


def test_a_new_connection_begins_its_revisions_anew() -> None:
    conversation = followed(message("e1", "old"))
    conversation.lost()
    conversation.subscribe()
    taken = take(conversation, event(1, message("e1", "new")))
    assert taken is not None
    assert [each["parts"][0]["text"] for each in taken.step.view.messages] == ["new"]


def test_pieces_of_an_event_take_effect_at_the_last_one() -> None:
    conversation = followed(message("e1"))
    text = msgspec.json.encode(event(2, message("e1"), message("e2"))).decode()
    first = wire.ChatFrame(session_id=SESSION, event=2, index=0, count=2, data=text[:50])
    second = wire.ChatFrame(session_id=SESSION, event=2, index=1, count=2, data=text[50:])
    take(conversation, first)
    assert len(conversation.view.messages) == 1
    take(conversation, second)
    assert len(conversation.view.messages) == 2


def test_a_broken_stream_is_subscribed_to_again_and_shows_what_it_showed() -> None:
    conversation = followed(message("e1", "kept"))
    taken = take(conversation, event(2, snapshot=None, patches=(wire.ChatPatch("remove", "/messages/7"),)))
    assert taken is not None
    assert taken.send == wire.ChatSubscribe(session_id=SESSION, since="e:1", entry_id="e1")
    assert [each["id"] for each in conversation.view.messages] == ["e1"]
    assert conversation.view.error is None
    take(conversation, event(2, message("e1"), message("e2")))
    assert [each["id"] for each in conversation.view.messages] == ["e1", "e2"]


def test_a_stream_that_breaks_each_time_is_given_up_with_a_sentence() -> None:
    conversation = followed(message("e1"))
    wrong = event(99, snapshot=None, patches=(wire.ChatPatch("remove", "/messages/7"),))
    for _ in range(STREAM_ERRORS):
        take(conversation, wrong)
    with pytest.raises(ProtocolMismatch, match="do not understand each other"):
        take(conversation, wrong)


def test_what_is_of_another_session_or_not_followed_is_none_of_it() -> None:
    conversation = followed(message("e1"))
    assert take(conversation, event(2, session="2-2")) is None
    conversation.lost()
    assert take(conversation, event(2)) is None
    assert len(conversation.view.messages) == 1


def test_older_messages_are_asked_for_by_the_entry_in_front_of_which_they_are() -> None:
    asked = followed(message("e9")).history("e9", 1_000, "q")
    assert (asked.name, asked.args) == ("chat_history", {"sessionId": SESSION, "before": "e9", "limit": 100})
    came = page({"messages": [{"id": "e8", "kind": "user", "at": 1, "state": "done"}], "more": False, "before": None})
    assert [each.id for each in came.messages] == ["e8"]
    with pytest.raises(ProtocolMismatch):
        page({"messages": [{}]})


def test_fields_of_a_later_daemon_are_no_reason_to_fail() -> None:
    assert read_message({"id": "e1", "kind": "hologram", "at": 1, "state": "done", "depth": 3}).kind == "hologram"
    conversation = Conversation(SESSION)
    assert conversation.fields == wire.ChatSnapshot()
