"""Promise: a native surface decodes whatever its blocks are, and its JSON Schema says what each type of block needs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from jsonschema import Draft202012Validator

from bridge import limits as bridge
from mirrord.wire import surface_limits as limits
from mirrord.wire.limits import OUTBOX_BYTES
from mirrord.wire.surfaces import BLOCK_FIELDS, BLOCK_TYPES, REQUIRED_FIELD, ActivityState, Block, NativeSurface
from sanitize.spans import ROLES, TRAITS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "protocol.md").read_text("utf-8")
SURFACES: list[dict[str, Any]] = [
    json.loads(line)["native"] for line in (ROOT / "fixtures" / "wire" / "surfaces.jsonl").read_text("utf-8").splitlines()
]


def surface(*blocks: dict[str, Any]) -> dict[str, Any]:
    return SURFACES[0] | {"blocks": list(blocks)}


def schema() -> Draft202012Validator:
    document = json.loads((ROOT / "docs" / "schema" / "server.json").read_text("utf-8"))
    return Draft202012Validator({"$ref": "#/$defs/NativeSurface", "$defs": document["$defs"]})


@pytest.mark.parametrize("example", SURFACES, ids=lambda example: example["id"])
def test_the_contracts_examples_decode_and_encode_to_themselves_and_are_valid(example: dict[str, Any]) -> None:
    assert json.loads(msgspec.json.encode(msgspec.convert(example, NativeSurface))) == example
    assert schema().is_valid(example)


def test_a_block_of_a_later_version_does_not_cost_the_surface() -> None:
    later = {"type": "chart", "id": "rain", "title": "Rain", "bars": [1, 2], "axis": {"unit": "mm"}}
    decoded = msgspec.convert(surface(later, {"type": "divider"}), NativeSurface)
    assert [(block.type, block.id, block.title) for block in decoded.blocks] == [("chart", "rain", "Rain"), ("divider", None, None)]
    assert schema().is_valid(surface(later))


@pytest.mark.parametrize(("kind", "field"), REQUIRED_FIELD.items())
def test_a_block_without_what_it_shows_is_not_valid(kind: str, field: str) -> None:
    assert not schema().is_valid(surface({"type": kind}))
    assert schema().is_valid(surface({"type": kind, field: "" if field in ("markdown", "text") else []}))
    assert not schema().is_valid(surface({"type": "section", "blocks": [{"type": kind}]}))


def test_every_type_has_its_fields_and_every_field_its_type() -> None:
    assert set(BLOCK_FIELDS) == set(BLOCK_TYPES)
    fields = {name for names in BLOCK_FIELDS.values() for name in names}
    assert fields | {"type", "id", "accessibility"} == set(Block.__struct_fields__)
    for kind, field in REQUIRED_FIELD.items():
        assert field in BLOCK_FIELDS[kind]  # type: ignore[index]


def test_the_words_are_the_contracts() -> None:
    assert ROLES == ("primary", "secondary", "muted", "accent", "success", "warning", "danger", "code")
    assert set(TRAITS) == {"bold", "italic", "monospaced", "strikethrough", "underline"}
    assert get_args(ActivityState) == ("queued", "running", "success", "warning", "error", "inactive")


def test_the_limits_are_one_chain() -> None:
    assert limits.FALLBACK_BYTES < limits.SURFACE_BYTES < limits.SURFACES_BYTES <= OUTBOX_BYTES / 4
    assert limits.SURFACE_BYTES <= bridge.NATIVE_BYTES <= bridge.FRAME_BYTES
    assert limits.TERMINAL_LINES == bridge.DRAWN_LINES <= limits.SPANS


def test_the_page_names_every_block_and_every_limit() -> None:
    section = PAGE.partition("#### Native surfaces")[2].partition("\n### ")[0]
    for kind, names in BLOCK_FIELDS.items():
        row = next(line for line in section.splitlines() if line.startswith(f"| `{kind}` |"))
        assert all(f"`{name}" in row for name in names)
    for words in (
        f"{limits.SURFACE_BYTES // bridge.KIB} KiB as JSON",
        f"together: {limits.SURFACES_BYTES // bridge.KIB // bridge.KIB} MiB",
        f"{limits.BLOCKS} blocks",
        f"{limits.DEPTH} blocks or rows in each other",
        f"{limits.SURFACE_TEXT_BYTES // bridge.KIB} KiB of text",
        f"{limits.SPANS} spans",
        f"{limits.TERMINAL_LINES} lines of `terminal` blocks",
        f"{limits.ROWS} rows",
        f"{limits.FALLBACK_BYTES // bridge.KIB} KiB as JSON, {limits.TERMINAL_LINES} lines",
        f"{limits.TERMINAL_LINES} lines, {limits.WIDGET_LINES_BYTES // bridge.KIB} KiB",
        f"cut to {limits.HEADING_CLUSTERS}",
    ):
        assert words in section, words


def test_the_page_names_the_bounds_of_notifications() -> None:
    section = PAGE.partition("### extension_ui_notification")[2].partition("\n#### ")[0]
    for words in (
        f"`statusText` ({limits.STATUS_CLUSTERS} characters)",
        f"at most {limits.INDICATOR_FRAMES} `frames` of {limits.INDICATOR_FRAME_CLUSTERS} characters",
        f"from {limits.INDICATOR_MS_LEAST} to {limits.INDICATOR_MS_MOST}",
        f"at most {bridge.WIDGETS} widgets and {bridge.STATUSES} statuses",
        f"over {limits.HANDOFF_INLINE_BYTES // bridge.KIB} KiB comes in",
        f"at most {round(1 / limits.KEY_SECONDS)} times a second",
    ):
        assert words in " ".join(section.split()), words
    assert f"the last {limits.HANDOFFS} long texts" in PAGE
