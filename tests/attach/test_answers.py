"""Promise: a typed line is either exactly one answer to its prompt, or is explained and not sent."""

from __future__ import annotations

from typing import Any

import pytest

from mirrord.attach.answers import SendFile, read_answer
from mirrord.attach.ask import Explain
from mirrord.wire.messages import ExtensionUIRequest, ExtensionUIResponse
from tests.cli.prompts import BASE, CHECKS, NOTE, ask, at_the_terminal, confirm, editor, line_input, select

NUMBERS = select(options=("3", "1", "2"))
TWINS = select(options=("same", "same", "other"))
OWN_NUMBERS = select(options=("1", "2"))


@pytest.mark.parametrize(
    ("prompt", "line", "answer"),
    [
        (select(), "1", {"index": 0}),
        (select(), " 3 ", {"index": 2}),
        (select(), "#2", {"index": 1}),
        (select(), "banana", {"index": 1}),
        (select(), "  banana ", {"index": 1}),
        (select(count=500), "499", {"index": 498}),
        (TWINS, "2", {"index": 1}),
        (TWINS, "other", {"index": 2}),
        (NUMBERS, "#1", {"index": 0}),
        (OWN_NUMBERS, "2", {"index": 1}),
        (confirm(), "y", {"confirmed": True}),
        (confirm(), "YES", {"confirmed": True}),
        (confirm(), "n", {"confirmed": False}),
        (confirm(), " no ", {"confirmed": False}),
        (line_input(), "Ada", {"value": "Ada"}),
        (line_input(), "  Ada  ", {"value": "  Ada  "}),
        (line_input(), "/etc/hosts", {"value": "/etc/hosts"}),
        (line_input(), "y", {"value": "y"}),
        (select(), "/cancel", {"cancelled": True}),
        (confirm(), "/cancel", {"cancelled": True}),
        (line_input(), " /cancel ", {"cancelled": True}),
        (line_input(), "/keep", {"value": "/keep"}),
        (editor(), "/keep", {"unchanged": True}),
        (editor(), " /keep ", {"unchanged": True}),
        (editor(), "/cancel", {"cancelled": True}),
        (ask(BASE), "2", {"answers": {"base": "v:develop"}}),
        (ask(BASE), "/ignore", {"answers": {}}),
        (ask(BASE), "/cancel", {"cancelled": True}),
        (
            ask(BASE, CHECKS, NOTE),
            "2 ; 1,3 ; my own text",
            {"answers": {"base": "v:develop", "checks": ("v:lint", "v:tests"), "note": "my own text"}},
        ),
    ],
)
def test_a_line_that_fits_is_one_answer(prompt: ExtensionUIRequest, line: str, answer: dict[str, Any]) -> None:
    assert read_answer(prompt, line, "r") == ExtensionUIResponse(id=prompt.id, response_id="r", **answer)


@pytest.mark.parametrize(
    ("prompt", "line", "sentence"),
    [
        (select(), "0", "number from 1 to 3"),
        (select(), "4", "number from 1 to 3"),
        (select(), "-1", "number from 1 to 3"),
        (select(), "²", "number from 1 to 3"),
        (select(), "Banana", "number from 1 to 3"),
        (select(), "ban", "number from 1 to 3"),
        (select(), "1234567890", "number from 1 to 3"),
        (select(), "", "empty line"),
        (select(), "   ", "empty line"),
        (TWINS, "same", "2 options have this text"),
        (NUMBERS, "1", "type #1 for number 1, #2 for the other"),
        (confirm(), "yeah", "Type y or n"),
        (confirm(), "1", "Type y or n"),
        (confirm(), "", "empty line"),
        (line_input(), "", "empty line"),
        (line_input(), "two\nlines", "one line"),
        (line_input(), "two\rlines", "one line"),
        (editor(), "a line", "a typed line is not sent"),
        (editor(), "/file", "a typed line is not sent"),
        (editor(), "/file  ", "a typed line is not sent"),
        (editor(), "/files x", "a typed line is not sent"),
        (editor(), "", "empty line"),
        (ask(BASE), "", "empty line"),
        (at_the_terminal(), "x", "use it at the terminal. Nothing was sent."),
        (at_the_terminal(), "/cancel", "only be closed at the terminal"),
        (at_the_terminal("other"), "1", "use it at the terminal. Nothing was sent."),
        (editor(prefill=None, terminal_only="Its text is too large."), "/keep", "Its text is too large. Nothing was sent."),
    ],
)
def test_a_line_that_does_not_fit_is_explained(prompt: ExtensionUIRequest, line: str, sentence: str) -> None:
    explained = read_answer(prompt, line, "r")
    assert isinstance(explained, Explain)
    assert sentence in explained.text


def test_a_file_answers_an_editor() -> None:
    assert read_answer(editor(), " /file  a plan.md ", "r") == SendFile("e", "r", "a plan.md")


def test_a_prompt_that_only_the_terminal_answers_can_be_cancelled_where_it_says_so() -> None:
    prompt = editor(prefill=None, terminal_only="Its text is too large.")
    assert read_answer(prompt, "/cancel", "r") == ExtensionUIResponse(id="e", response_id="r", cancelled=True)
