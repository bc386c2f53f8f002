"""Promise: a typed line is either exactly one answer to its prompt, or is explained and not sent."""

from __future__ import annotations

from typing import Any

import pytest

from mirrord.cli.attach_answers import Explain, read_answer
from mirrord.wire.messages import ExtensionUIRequest, ExtensionUIResponse
from tests.cli.prompts import confirm, line_input, select

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
    ],
)
def test_a_line_that_does_not_fit_is_explained(prompt: ExtensionUIRequest, line: str, sentence: str) -> None:
    explained = read_answer(prompt, line, "r")
    assert isinstance(explained, Explain)
    assert sentence in explained.text
