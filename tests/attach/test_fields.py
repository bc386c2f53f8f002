"""Promise: what changes beside the messages is a line each, once: the queue, a retry, a stop, a reason, what Pi is set to."""

from __future__ import annotations

from typing import Any

import msgspec

from mirrord.attach.fields import boundary_lines, field_lines
from mirrord.wire.chat import (
    ChatAgent,
    ChatContext,
    ChatModel,
    ChatRetrying,
    ChatSnapshot,
    ChatStopping,
    ChatWorkspace,
    QueuedFollowUp,
)

MODEL = ChatModel("anthropic", "claude-x", "Claude X")
AGENT = ChatAgent(model=MODEL, thinking_level="medium", context=ChatContext(12_000, 200_000, 6.0))
REST = ChatSnapshot(
    queued_follow_ups=(),
    streaming=False,
    stopping=None,
    read_only_reason=None,
    agent=AGENT,
    workspace=ChatWorkspace("garden", "main", 12, 3),
)


def told(now: ChatSnapshot, before: ChatSnapshot = REST) -> list[str]:
    return list(field_lines(before, now))


def with_(**fields: Any) -> ChatSnapshot:
    return msgspec.structs.replace(REST, **fields)


def agent(**fields: Any) -> ChatSnapshot:
    return with_(agent=msgspec.structs.replace(AGENT, **fields))


def test_at_first_what_is_worth_knowing_is_told() -> None:
    assert told(REST, ChatSnapshot()) == ["- Claude X (medium), 6 % of 200,000 tokens", "- garden on main (+12 -3)"]
    assert told(ChatSnapshot(agent=None, read_only_reason="This Pi has quit."), ChatSnapshot()) == [
        "- nothing can be sent: This Pi has quit."
    ]


def test_what_is_as_before_is_not_told() -> None:
    assert told(REST) == []
    assert told(agent(context=ChatContext(13_000, 200_000, 6.5))) == [], "a context that fills is no news"


def test_the_queue_is_told_whole_with_kind_and_place() -> None:
    queue = (QueuedFollowUp("steer", 0, "north first"), QueuedFollowUp("follow_up", 1, "then\nthe roses"))
    assert told(with_(queued_follow_ups=queue)) == ["- 2 waiting in Pi:", "    1. (steers) north first", "    2. (follows) then …"]
    sent = (QueuedFollowUp("follow_up", 0, "then water", "t1", "the\x1b[2J phone"),)
    assert told(with_(queued_follow_ups=sent)) == ["- 1 waiting in Pi:", "    1. (follows, from the phone) then water"]
    ours = (QueuedFollowUp("steer", 0, "then sand", "t2", "local"),)
    assert told(with_(queued_follow_ups=ours))[1:] == ["    1. (steers, from this machine) then sand"]
    assert told(REST, with_(queued_follow_ups=queue)) == ["- nothing waits in Pi any more"]


def test_a_retry_a_compaction_and_why_pi_cannot_run_are_told() -> None:
    retrying = agent(retrying=ChatRetrying(1, 3, 2_000, "529 overloaded"))
    assert told(retrying) == ["- the model failed, attempt 1 of 3 in 2.0 s: 529 overloaded"]
    assert told(REST, retrying) == []
    assert told(agent(compacting=True)) == ["- compacting the conversation"]
    assert told(REST, agent(compacting=True)) == ["- the compaction is over"]
    assert told(agent(cannot_run="No API key found.")) == ["- Pi says: No API key found."]


def test_a_stop_names_who_stopped() -> None:
    assert told(with_(stopping=ChatStopping(1, "phone"))) == ["- being stopped (by phone)"]


def test_being_read_only_is_told_when_it_begins_and_ends() -> None:
    away = with_(read_only_reason="The terminal cannot be reached right now.")
    assert told(away) == ["- nothing can be sent: The terminal cannot be reached right now."]
    assert told(REST, away) == ["- it can be written to again"]


def test_another_model_is_told() -> None:
    other = agent(model=ChatModel("openai", "gpt", "GPT"), thinking_level="off", context=None)
    assert told(other) == ["- GPT"]


def test_another_folder_or_branch_is_told_and_changed_lines_alone_are_not() -> None:
    assert told(with_(workspace=ChatWorkspace("garden", "roses"))) == ["- garden on roses"]
    assert told(with_(workspace=ChatWorkspace("garden", "main", 13, 3))) == []
    assert told(with_(workspace=None)) == []


def test_a_boundary_that_a_reader_sees_has_a_heading() -> None:
    assert list(boundary_lines("new")) == ["", "--- Another conversation was begun at the terminal."]
    assert list(boundary_lines("resync")) == []
    assert list(boundary_lines("of a later pi")) == []
