"""Promise: the schemas in docs/schema/ are what `mirrord schema` prints, and what we send is valid by them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from mirrord.cli import cli
from mirrord.cli.schema import DIRECTIONS
from mirrord.cli.schema_documents import document, rendered
from tests.cli.prompts import confirm, line_input, select
from tests.client.scripted_daemon import WELCOME

FOLDER = Path(__file__).parents[2] / "docs" / "schema"


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_the_checked_in_schema_is_current(direction: str) -> None:
    again = f"mirrord schema --direction {direction} > docs/schema/{direction}.json"
    assert (FOLDER / f"{direction}.json").read_text() == rendered(document(direction)), f"run: {again}"


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_the_command_prints_one_direction(direction: str) -> None:
    shown = CliRunner().invoke(cli, ["schema", "--direction", direction])
    assert (shown.exit_code, shown.stdout) == (0, rendered(document(direction)))


def test_without_a_direction_all_are_printed() -> None:
    assert list(json.loads(CliRunner().invoke(cli, ["schema"]).stdout)) == list(DIRECTIONS)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_every_reference_leads_somewhere(direction: str) -> None:
    schema = document(direction)

    def references(part: Any) -> list[str]:
        if isinstance(part, dict):
            own = [part["$ref"]] if "$ref" in part else []
            return own + [found for value in part.values() for found in references(value)]
        return [found for value in part for found in references(value)] if isinstance(part, list) else []

    assert references(schema)
    assert {reference.removeprefix("#/$defs/") for reference in references(schema)} <= set(schema["$defs"])


def test_messages_are_valid_by_their_schema() -> None:
    validator = Draft202012Validator(document("server"))
    for message in (WELCOME, select(), confirm(), line_input()):
        validator.validate(json.loads(msgspec.json.encode(message)))
    assert not validator.is_valid({"type": "gap", "sessionId": 1})
