"""Promise: the page for extension authors has the blocks, fields, words, levels and limits that there are; its links and commands work."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, get_args

from bridge import limits as bridge
from mirrord.cli import VERBS
from mirrord.wire import surface_limits as limits
from mirrord.wire.capabilities import SERVER_CAPABILITIES
from mirrord.wire.surfaces import BLOCK_FIELDS, ActivityRow, ActivityState, SpacerSize
from sanitize.spans import ROLES, TRAITS

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = (ROOT / "docs" / "extension-authors.md").read_text()
EXAMPLES: Final = (ROOT / "examples" / "README.md").read_text()


def names(text: str) -> set[str]:
    return set(re.findall(r'"(\w+)"', text))


def declared(interface: str) -> str:
    found = re.search(rf"^interface {interface} {{\n(.*?)^}}", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def test_it_has_every_block_with_its_fields() -> None:
    blocks = {kind: set(re.findall(r"(\w+)\??:", rest)) for kind, rest in re.findall(r'^  \| { type: "(\w+)"(.*)}', PAGE, re.MULTILINE)}
    assert blocks == {kind: {*fields} - {"caret", "columns"} for kind, fields in BLOCK_FIELDS.items()}
    assert set(get_args(SpacerSize)) <= names(PAGE)


def test_it_has_every_field_of_rows_and_spans_and_every_word_for_them() -> None:
    assert set(re.findall(r"^  (\w+)\??:", declared("Row"), re.MULTILINE)) == set(ActivityRow.__struct_fields__)
    assert names(declared("Row")) == set(get_args(ActivityState))
    assert names(declared("Span")) == {*ROLES, *TRAITS}


def test_its_limits_are_the_ones_that_hold() -> None:
    table = dict(re.findall(r"^\| (.+?) \| (\d+(?: KiB)?) \|$", PAGE, re.MULTILINE))
    assert list(table.values()) == [
        str(limits.BLOCKS),
        str(limits.DEPTH),
        str(limits.ROWS),
        str(limits.TERMINAL_LINES),
        str(limits.SPANS),
        f"{limits.SURFACE_TEXT_BYTES // bridge.KIB} KiB",
        f"{limits.SURFACE_BYTES // bridge.KIB} KiB",
        str(bridge.WIDGETS),
        str(bridge.STATUSES),
        str(1000 // bridge.UPDATE_MS),
    ]


def test_it_has_every_level_that_a_client_can_claim() -> None:
    levels = {name for name in SERVER_CAPABILITIES if name.startswith("extension-native-ui:")}
    assert set(re.findall(r"extension-native-ui:v1:[a-z0-9-]+", PAGE)) == levels


def test_links_lead_to_files_and_commands_exist() -> None:
    for page, folder in ((PAGE, ROOT / "docs"), (EXAMPLES, ROOT / "examples")):
        links = [link for link in re.findall(r"\]\(([^)]+)\)", page) if "://" not in link]
        assert links
        assert [link for link in links if not (folder / link).exists()] == []
        assert set(re.findall(r"^    mirrord ([a-z]+)", page, re.MULTILINE)) <= set(VERBS)


def test_every_example_is_listed() -> None:
    assert {file.name for file in (ROOT / "examples").glob("*.ts")} == set(re.findall(r"^\| \[([\w.-]+)\]", EXAMPLES, re.MULTILINE))
