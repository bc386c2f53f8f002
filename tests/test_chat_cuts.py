"""Promise: a wire that breaks after any byte, between Pi and the daemon or between the daemon and a client, changes nothing in the end:
what is shown is the conversation as it is, and every message that was sent around the break acted exactly once.

A run of the real Pi is played again through the daemon's own core, links, outbox and framing, with a clock, a disk and wires that do what a
seed says: bytes in pieces, ends that notice late, receipts that wait for the disk, a second break while everything is told again.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import msgspec
import pytest

from tests.harness import chat_cut
from tests.harness.chat_cut import Cut
from tests.harness.chat_ends import Phone
from tests.harness.chat_recording import BYTES, RUN, read

CASES = 500
GROUPS = 10
"""Of those cases, so that they share the cores."""
SHARES = 24
"""Of all bytes, for the same reason: each takes minutes."""

KINDS = {"user", "assistant", "tool", "bash", "custom", "compaction", "branch_summary"}
STATES = {"streaming", "done", "error", "aborted"}


def every_byte() -> Iterator[Cut]:
    """One cut after each byte, both ways of both hops."""
    for (hop, way), length in chat_cut.lengths().items():
        for at in range(1, length + 1):
            yield Cut(hop, way, at, seed=at)


def seeded() -> list[Cut]:
    """As many as `make test` has time for, a quarter of them on each way of each hop: what goes up to the daemon is short."""
    dice = random.Random(8)
    ways = list(chat_cut.lengths().items())
    return [Cut(hop, way, dice.randint(1, length), seed) for seed in range(CASES) for (hop, way), length in [ways[seed // 4 % 4]]]


def test_the_recording_is_short_and_holds_every_kind_of_message() -> None:
    lines = read(RUN)
    told = [line.told for line in lines if line.told is not None]
    rows = [message["row"] for message in told if message["type"] == "chat_row"]
    states = [message for message in told if message["type"] == "chat_state"]
    assert sum(len(msgspec.json.encode(message)) + 1 for message in told) <= BYTES
    assert {row["kind"] for row in rows} == KINDS
    assert {row["state"] for row in rows} == STATES
    assert {message["type"] for message in told} >= {"chat_delta", "chat_confirm", "chat_remove", "chat_queue", "chat_state", "turn_result"}
    assert {part["type"] for row in rows for part in row.get("parts", ())} == {"text", "thinking", "tool_call", "image"}
    streamed = [message for message in told if message["type"] == "chat_delta"]
    tools = {row["id"] for row in rows if row["kind"] == "tool" and row["state"] == "streaming"}
    assert any(message["id"] in tools for message in streamed), "a tool's output grows"
    assert {message["reason"] for message in told if message["type"] == "chat_reset"} == {"start", "tree"}
    assert any(state.get("retrying") for state in states)
    assert any(state.get("compacting") for state in states)
    queued = [item["kind"] for message in told if message["type"] == "chat_queue" for item in message["items"]]
    assert set(queued) == {"steer", "follow_up"}
    assert {line.submitted.kind for line in lines if line.submitted} == {"prompt", "steer", "follow_up", "command", "bash"}


def test_what_is_shown_of_the_run_is_what_pi_told() -> None:
    play = chat_cut.Play(None)
    end = play.run()
    for message, row in zip(end.messages, play.terminal.fold.rows, strict=True):
        told = msgspec.to_builtins(row)
        assert [part.get("text") or part.get("args") for part in message.get("parts", ())] == [
            part.get("text") or part.get("args") for part in told.get("parts", ())
        ]
        assert (message["state"], message.get("liveId")) == (told["state"], told.get("liveId"))
    assert end.fields["streaming"] is False


@pytest.mark.parametrize("group", range(GROUPS))
def test_a_cut_after_any_byte_of_any_way_leaves_the_conversation_as_it_is(group: int) -> None:
    for cut in seeded()[group::GROUPS]:
        chat_cut.check(cut)


@pytest.mark.soak
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("share", range(SHARES))
def test_a_cut_after_every_byte_of_every_way_leaves_the_conversation_as_it_is(share: int) -> None:
    for number, cut in enumerate(every_byte()):
        if number % SHARES == share:
            chat_cut.check(cut)


def test_a_case_that_fails_says_how_to_play_it_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Phone, "sends_again", lambda _: None)
    monkeypatch.setattr(chat_cut, "ROUNDS", 1_000)
    cut = Cut("client", "up", 700, 3)
    with pytest.raises(AssertionError, match=re.escape("play it again: python -m tests.harness.chat_cut client up 700 3")):
        chat_cut.check(cut)
