"""Promise: what a client shows of a conversation follows from the frames it got alone, by the contract's rules; every fixture says which.

`mirrord/web/test/core/chat/reducer.test.ts` plays the same fixtures against the reducer in TypeScript.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mirrord.client import chat_reducer
from mirrord.client.chat_reducer import ChatView, Step
from mirrord.wire.units import head, units

FIXTURES = sorted((Path(__file__).parents[2] / "fixtures" / "chat").glob("*.jsonl"))


def play(path: Path) -> None:
    """A fixture: what happens, and what must be shown after it."""
    view = ChatView()
    once: list[Step] = []
    for number, line in enumerate(path.read_text("utf-8").splitlines()[1:], start=2):
        step: dict[str, Any] = json.loads(line)
        if step.get("do") == "connect":
            view = chat_reducer.connect(view)
        elif step.get("do") == "end":
            view = chat_reducer.end(view)
        elif "frame" in step:
            once.append(chat_reducer.reduce(view, step["frame"]))
            view = once[-1].view
        else:
            check(step["expect"], view, once, f"{path.name}:{number}")
            once = []


def check(expected: dict[str, Any], view: ChatView, once: list[Step], where: str) -> None:
    """Every field that is expected is so, and what was said once is what is expected of it."""
    shown: dict[str, Any] = {
        "messages": list(view.messages),
        "keys": list(view.keys),
        "cursor": view.cursor,
        "revision": view.revision,
        "complete": view.complete,
        "error": view.error,
    }
    for name, value in expected.items():
        match name:
            case "fields":
                assert {field: view.fields.get(field, "absent") for field in value} == value, where
            case "notices":
                assert [step.notice for step in once if step.notice is not None] == value, where
            case "boundaries":
                assert [step.boundary for step in once if step.boundary is not None] == value, where
            case "gaps":
                assert [step.gap for step in once if step.gap is not None] == value, where
            case "texts":
                assert [[part.get("text", part.get("args")) for part in message.get("parts", [])] for message in view.messages] == value, (
                    where
                )
            case "ids":
                assert [message["id"] for message in view.messages] == value, where
            case _:
                assert shown[name] == value, where


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_a_fixture_is_shown_as_it_says(path: Path) -> None:
    play(path)


def test_every_fixture_quotes_the_sentence_it_proves() -> None:
    assert len(FIXTURES) >= 8
    for path in FIXTURES:
        assert json.loads(path.read_text("utf-8").splitlines()[0])["proves"]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 5) | st.text(max_size=3) | st.just("chat_event") | st.just("/messages/0"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    *("type", "revision", "cursor", "snapshot", "patches", "appends", "notice", "messages", "id", "parts", "op", "path"),
                    *("value", "message", "part", "offset", "text", "start", "event", "index", "count", "data"),
                ]
            ),
            inner,
            max_size=6,
        )
    ),
    max_leaves=12,
)


@given(st.lists(st.dictionaries(st.sampled_from(["type", "revision", "cursor", "snapshot", "patches", "appends", "data"]), json_values)))
def test_no_frame_raises_and_one_that_is_wrong_changes_nothing_that_is_shown(frames: list[dict[str, Any]]) -> None:
    view = ChatView(messages=({"id": "a", "parts": [{"type": "text", "text": "x"}]},), keys=("a",), complete=True)
    for frame in frames:
        typed = {"type": "chat_event", "cursor": "e:1"} | frame
        after = chat_reducer.reduce(view, typed).view
        if after.error is not None:
            assert (after.messages, after.keys, after.fields) == (view.messages, view.keys, view.fields)
        assert len(after.keys) == len(after.messages) == len(set(after.keys))
        view = after


@given(st.text(max_size=20), st.integers(-1, 50))
def test_offsets_count_as_javascript_does(text: str, count: int) -> None:
    encoded = text.encode("utf-16-le", "surrogatepass")
    assert units(text) == len(encoded) // 2
    try:
        expected = None if not 0 <= count <= units(text) else encoded[: count * 2].decode("utf-16-le")
    except UnicodeDecodeError:
        expected = None
    assert head(text, count) == expected
