"""Promise: an answer either fits its prompt and becomes exactly one reply, or is refused with a sentence."""

from __future__ import annotations

from typing import Any

import pytest

from bridge.limits import CONTENT_BYTES
from mirrord.core.answers import INPUT_BYTES, InvalidAnswerError, TerminalOnlyError, check
from mirrord.core.model import Prompt, PromptId, Reply
from mirrord.wire.messages import ExtensionUIResponse, Question, QuestionOption
from tests.core.playbook import confirm, input_, select

TWINS = select("p", options=("same", "same", "other"))
EDITOR = Prompt(id=PromptId("p"), method="editor", title="t", opened_at=1, prefill="old")
COLOURS = tuple(QuestionOption(value, value.title()) for value in ("red", "green"))
ASK = Prompt(
    id=PromptId("p"),
    method="ask",
    title="t",
    opened_at=1,
    questions=(Question("c", "Colour?", COLOURS), Question("s", "Sizes?", COLOURS, multi_select=True), Question("n", "Name?")),
)
STRICT = Prompt(id=PromptId("p"), method="ask", title="t", opened_at=1, questions=ASK.questions, allow_custom=False)
LOCKED = Prompt(id=PromptId("p"), method="select", title="t", opened_at=1, options=("a",), option_count=1, terminal_only="Too large.")
CUSTOM = Prompt(id=PromptId("p"), method="custom", title="t", opened_at=1, cancellable=False)
OTHER = Prompt(id=PromptId("p"), method="other", title="t", opened_at=1)
PAGED = Prompt(id=PromptId("p"), method="select", title="t", opened_at=1, options=("a", "b"), option_count=500)


@pytest.mark.parametrize(
    ("prompt", "answer", "reply"),
    [
        (select("p"), {"index": 0}, Reply(index=0)),
        (select("p"), {"index": 2}, Reply(index=2)),
        (select("p"), {"value": "banana"}, Reply(index=1)),
        (TWINS, {"index": 1}, Reply(index=1)),
        (TWINS, {"value": "other"}, Reply(index=2)),
        (PAGED, {"index": 499}, Reply(index=499)),
        (confirm("p"), {"confirmed": True}, Reply(confirmed=True)),
        (confirm("p"), {"confirmed": False}, Reply(confirmed=False)),
        (input_("p"), {"value": ""}, Reply(text="")),
        (input_("p"), {"value": " Ada "}, Reply(text=" Ada ")),
        (input_("p"), {"value": "x" * INPUT_BYTES}, Reply(text="x" * INPUT_BYTES)),
        (EDITOR, {"value": "new\ntext\x1b"}, Reply(text="new\ntext\x1b")),
        (EDITOR, {"value": "x" * CONTENT_BYTES}, Reply(text="x" * CONTENT_BYTES)),
        (EDITOR, {"unchanged": True}, Reply(unchanged=True)),
        (ASK, {"answers": {}}, Reply(answers={})),
        (
            ASK,
            {"answers": {"c": "red", "s": ("red", "my own"), "n": "Ada"}},
            Reply(answers={"c": "red", "s": ("red", "my own"), "n": "Ada"}),
        ),
        (ASK, {"value": '{"c":"green","s":["red"]}'}, Reply(answers={"c": "green", "s": ("red",)})),
        (STRICT, {"answers": {"c": "green", "n": "Ada"}}, Reply(answers={"c": "green", "n": "Ada"})),
        (LOCKED, {"cancelled": True}, Reply(cancelled=True)),
        (select("p"), {"cancelled": True}, Reply(cancelled=True)),
        (confirm("p"), {"cancelled": True}, Reply(cancelled=True)),
        (input_("p"), {"cancelled": True}, Reply(cancelled=True)),
    ],
)
def test_a_fitting_answer_becomes_one_reply(prompt: Prompt, answer: dict[str, Any], reply: Reply) -> None:
    assert check(prompt, ExtensionUIResponse(id="p", **answer)) == reply


@pytest.mark.parametrize(
    ("prompt", "answer", "sentence"),
    [
        (select("p"), {}, "exactly one"),
        (select("p"), {"index": 0, "value": "apple"}, "exactly one"),
        (select("p"), {"index": 0, "cancelled": True}, "exactly one"),
        (select("p"), {"cancelled": False}, "only be true"),
        (select("p"), {"index": 3}, "between 0 and 2"),
        (select("p"), {"index": -1}, "between 0 and 2"),
        (select("p"), {"value": "mango"}, "none of the options"),
        (select("p"), {"value": ""}, "none of the options"),
        (TWINS, {"value": "same"}, "names 2 options"),
        (PAGED, {"index": 500}, "between 0 and 499"),
        (select("p"), {"confirmed": True}, "index or value"),
        (confirm("p"), {"value": "yes"}, "confirmed"),
        (confirm("p"), {"index": 0}, "confirmed"),
        (input_("p"), {"index": 0}, "value"),
        (input_("p"), {"confirmed": True}, "value"),
        (input_("p"), {"value": "two\nlines"}, "one line"),
        (input_("p"), {"value": "two\rlines"}, "one line"),
        (input_("p"), {"value": "a\ttab"}, "control characters"),
        (input_("p"), {"value": "a delete\x7f"}, "control characters"),
        (input_("p"), {"value": "an escape\x9b2J"}, "control characters"),
        (input_("p"), {"value": "x" * (INPUT_BYTES + 1)}, "at most"),
        (input_("p"), {"value": "half \ud800"}, "half of a character"),
        (EDITOR, {"value": "x" * (CONTENT_BYTES + 1)}, "at most"),
        (EDITOR, {"value": "half \udfff"}, "half of a character"),
        (EDITOR, {"unchanged": False}, "only be true"),
        (EDITOR, {"parts": 2}, "not all arrived"),
        (EDITOR, {"index": 0}, "value, parts or unchanged"),
        (ASK, {"index": 0}, "answers"),
        (ASK, {"value": "no json"}, "must be JSON"),
        (ASK, {"value": "\ud800"}, "must be JSON"),
        (ASK, {"value": '{"c": 3}'}, "must be JSON"),
        (ASK, {"answers": {"strange": "x"}}, "was not asked"),
        (ASK, {"answers": {"c": ("red",)}}, "got a list"),
        (ASK, {"answers": {"s": ("red", "red")}}, "twice"),
        (ASK, {"answers": {"n": ""}}, "is empty"),
        (ASK, {"answers": {"n": "x" * (INPUT_BYTES + 1)}}, "at most"),
        (ASK, {"answers": {"s": tuple(f"{n}" + "x" * (INPUT_BYTES - 9) for n in range(5))}}, "together"),
        (STRICT, {"answers": {"c": "mauve"}}, "none of the question's options"),
        (LOCKED, {"index": 0}, "Too large"),
        (CUSTOM, {"cancelled": True}, "only be closed at the terminal"),
        (CUSTOM, {"value": "x"}, "only be answered at the terminal"),
        (OTHER, {"value": "x"}, "only be answered at the terminal"),
    ],
)
def test_an_answer_that_does_not_fit_is_refused_with_a_sentence(prompt: Prompt, answer: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidAnswerError, match=sentence):
        check(prompt, ExtensionUIResponse(id="p", **answer))


def test_neither_an_answer_nor_a_reply_shows_its_text_when_printed() -> None:
    response = ExtensionUIResponse(id="p", value="hunter2")
    reply = check(input_("p"), response)
    assert "hunter2" not in f"{response!r} {response} {reply!r} {reply}"


def test_a_text_that_came_in_pieces_is_the_answer() -> None:
    assert check(EDITOR, ExtensionUIResponse(id="p", parts=2), "whole text") == Reply(text="whole text")


@pytest.mark.parametrize("prompt", [LOCKED, CUSTOM, OTHER])
def test_what_only_the_terminal_can_answer_is_told_apart_from_an_invalid_answer(prompt: Prompt) -> None:
    with pytest.raises(TerminalOnlyError):
        check(prompt, ExtensionUIResponse(id="p", index=0))
