"""Promise: an answer that does not fit is refused with the reason and settles nothing; one that fits reaches the extension unchanged."""

from __future__ import annotations

from typing import Any

import pytest

from mirrord.core.answers import INPUT_BYTES
from mirrord.wire.messages import Method
from tests.e2e.play import KEYS_COUNT_AGAIN, Play

EXACTLY_ONE = "An answer needs exactly one of value, index, confirmed, answers, unchanged, parts and cancelled."
CONFIRM = "A confirmation is answered with confirmed: true or false."
INPUT = "An input is answered with value."
ONE_LINE = "An input takes one line."
CONTROLS = "An input takes no control characters."

INVALID: dict[Method, tuple[tuple[dict[str, Any], str], ...]] = {
    "select": (
        ({}, EXACTLY_ONE),
        ({"index": 1, "value": "banana"}, EXACTLY_ONE),
        ({"index": 1, "cancelled": True}, EXACTLY_ONE),
        ({"cancelled": False}, "cancelled can only be true."),
        ({"index": -1}, "index must be between 0 and 2."),
        ({"index": 3}, "index must be between 0 and 2."),
        ({"value": "Banana"}, "value is none of the options."),
        ({"value": ""}, "value is none of the options."),
        ({"confirmed": True}, "A selection is answered with index or value."),
    ),
    "confirm": (
        ({}, EXACTLY_ONE),
        ({"confirmed": True, "cancelled": True}, EXACTLY_ONE),
        ({"cancelled": False}, "cancelled can only be true."),
        ({"value": "Yes"}, CONFIRM),
        ({"index": 0}, CONFIRM),
    ),
    "input": (
        ({}, EXACTLY_ONE),
        ({"value": "Ada", "index": 0}, EXACTLY_ONE),
        ({"cancelled": False}, "cancelled can only be true."),
        ({"index": 0}, INPUT),
        ({"confirmed": True}, INPUT),
        ({"value": "Ada\nLovelace"}, ONE_LINE),
        ({"value": "Ada\rLovelace"}, ONE_LINE),
        ({"value": "Ada\x1b[2J"}, CONTROLS),
        ({"value": "Ada\t"}, CONTROLS),
        ({"value": "a" * (INPUT_BYTES + 1)}, f"An input takes at most {INPUT_BYTES} bytes."),
    ),
}
VALID: dict[Method, tuple[dict[str, Any], object]] = {
    "select": ({"value": "banana"}, "banana"),
    "confirm": ({"confirmed": False}, False),
    "input": ({"value": "  \u00c5da \U0001f9ea "}, "  \u00c5da \U0001f9ea "),
}


@pytest.mark.parametrize("method", list(INVALID))
def test_an_invalid_answer_is_refused_with_the_reason_and_a_valid_one_is_still_taken(play: Play, method: Method) -> None:
    asked = play.ask(method)
    for answer, reason in INVALID[method]:
        result = play.phone.answer(asked.id, **answer)
        assert (result.accepted, result.reason, result.detail, result.settled) == (False, "invalid", reason, None), answer
    play.still_open(asked)
    answer, value = VALID[method]
    assert play.phone.answer(asked.id, **answer).accepted
    assert play.value(asked) == value
    play.screen_is_back(asked)


def test_an_answer_to_a_prompt_that_never_was_is_refused(play: Play) -> None:
    result = play.phone.answer("00000000-0000-4000-8000-000000000000", index=0)
    assert (result.accepted, result.reason, result.settled) == (False, "unknown", None)


def test_an_empty_input_is_an_answer(play: Play) -> None:
    asked = play.ask("input")
    assert play.phone.answer(asked.id, value="").accepted
    assert play.value(asked) == ""
    play.everybody_is_told(asked, "answered", "remote", by="phone")


@pytest.mark.parametrize("place", [0, 2])
def test_twins_are_answered_by_index_and_a_value_names_neither(play: Play, place: int) -> None:
    asked = play.ask("select", options=["same", "other", "same"])
    refused = play.phone.answer(asked.id, value="same")
    assert (refused.accepted, refused.reason) == (False, "invalid")
    assert refused.detail == "value names 2 options that look the same; answer by index."
    play.still_open(asked)
    assert play.phone.answer(asked.id, index=place).accepted
    assert play.value(asked) == "same"
    play.everybody_is_told(asked, "answered", "remote", by="phone", answer="same")


def test_a_twin_is_chosen_at_the_terminal(play: Play) -> None:
    asked = play.ask("select", options=["same", "other", "same"])
    play.stage.pi.keys("down", "down", "enter")
    assert play.value(asked) == "same"
    play.everybody_is_told(asked, "answered", "terminal", answer="same")


@pytest.mark.parametrize("answer", [{"index": 1}, {"value": "delete all"}], ids=["index", "value"])
def test_an_option_is_shown_clean_and_reaches_the_extension_whole(play: Play, answer: dict[str, Any]) -> None:
    raw = "\x1b[31mdelete\x1b[0m \u202eall\u202c"
    asked = play.ask("select", options=["keep", raw])
    assert asked.prompt.options == ("keep", "delete all")
    assert play.phone.answer(asked.id, **answer).accepted
    assert play.value(asked) == raw
    play.everybody_is_told(asked, "answered", "remote", by="phone", answer="delete all")


def test_an_empty_option_is_refused_by_the_terminal_as_enter_on_it_is(play: Play) -> None:
    asked = play.ask("select", options=["", "banana"])
    play.stage.pi.keys("enter")
    result = play.phone.answer(asked.id, index=0)
    assert (result.accepted, result.reason) == (False, "invalid")
    play.still_open(asked)
    assert play.phone.answer(asked.id, index=1).accepted
    assert play.value(asked) == "banana"
    # A key was pressed in that dialog, so keys count again after a pause only.
    play.stage.pi.settle(KEYS_COUNT_AGAIN)


def test_options_that_look_the_same_are_twins_whatever_they_hide(play: Play) -> None:
    asked = play.ask("select", options=["run", "ru\u200bn"])
    assert asked.prompt.options == ("run", "run")
    assert play.phone.answer(asked.id, value="run").reason == "invalid"
    assert play.phone.answer(asked.id, index=1).accepted
    assert play.value(asked) == "ru\u200bn"


def test_an_option_past_those_that_are_sent_is_answered_by_its_index(play: Play) -> None:
    # An older Pi shows all options, and so the last ones.
    asked = play.ask("select", options=[f"o{number}" for number in range(201)], seen="escape/ctrl+c cancel")
    assert asked.prompt.options is not None
    assert (len(asked.prompt.options), asked.prompt.option_count) == (200, 201)
    assert play.phone.answer(asked.id, index=200).accepted
    assert play.value(asked) == "o200"
    play.everybody_is_told(asked, "answered", "remote", by="phone", answer="o200")
