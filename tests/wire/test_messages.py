"""Promise: every message of mirrord.v1 has an example in fixtures/wire that decodes and encodes to itself, also with later fields."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from mirrord.wire import messages as wire
from mirrord.wire.roles import MINIMUM_COMMAND_ROLE, MINIMUM_ROLE

FIXTURE = Path(__file__).parents[2] / "fixtures" / "wire" / "messages.jsonl"
UNIONS: dict[str, Any] = {"client": wire.ClientMessage, "server": wire.ServerMessage}

Example = dict[str, Any]
EXAMPLES: list[Example] = [json.loads(line) for line in FIXTURE.read_text("utf-8").splitlines()]


def tags(union: object) -> set[str]:
    """The types of the messages in a union."""
    return {kind.__struct_config__.tag for kind in get_args(union)}


def shown(side: str) -> set[str]:
    """The types that have an example."""
    return {example["message"]["type"] for example in EXAMPLES if example["from"] == side}


def test_every_message_of_both_sides_has_an_example_and_no_other_has() -> None:
    for side, union in UNIONS.items():
        assert shown(side) == tags(union)


def test_no_two_examples_have_one_name() -> None:
    assert len({example["name"] for example in EXAMPLES}) == len(EXAMPLES)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["name"])
def test_an_example_decodes_and_encodes_to_itself(example: Example) -> None:
    message = msgspec.json.decode(json.dumps(example["message"]), type=UNIONS[example["from"]])
    assert json.loads(msgspec.json.encode(message)) == example["message"]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["name"])
def test_fields_that_a_later_version_adds_are_ignored(example: Example) -> None:
    later = example["message"] | {"addedLater": {"nested": [1]}}
    message = msgspec.json.decode(json.dumps(later), type=UNIONS[example["from"]])
    assert json.loads(msgspec.json.encode(message)) == example["message"]


def test_every_message_and_every_command_of_a_client_has_a_role() -> None:
    assert set(MINIMUM_ROLE) == tags(wire.ClientMessage)
    commands = {example["message"]["name"] for example in EXAMPLES if example["message"]["type"] == "command"}
    assert set(MINIMUM_COMMAND_ROLE) == commands


def test_what_is_typed_freely_is_in_no_repr() -> None:
    assert "hunter2" not in repr(wire.ExtensionUIResponse(id="p", response_id="r", value="hunter2"))
