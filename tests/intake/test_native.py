"""Promise: of what `renderNative()` gives everything valid is kept, the rest is left out or made valid, and nothing dirty passes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mirrord.wire.surfaces import BLOCK_TYPES, Block, Fallback, NativeSurface, Presentation
from sanitize.links import safe_link
from tests.intake.surfaces import CONTRACT, HOSTILE, ROOT, Json, as_json, blocks, drawn, native, of_schema, texts
from tests.sanitize.invariants import forbidden

EVERY_BLOCK: Json = next(
    example["message"]["nativeSurface"]
    for example in map(json.loads, (ROOT / "fixtures" / "wire" / "messages.jsonl").read_text("utf-8").splitlines())
    if example["name"] == "extension_ui_notification setWidget with every block"
)
SEVERAL_LINES = ("markdown", "text")
"""Fields whose texts keep their lines, besides the spans of a `text` block and a fallback's text."""


@pytest.mark.parametrize("example", CONTRACT, ids=lambda example: example["name"])
def test_the_contracts_own_examples_come_out_as_they_are_but_for_their_id(example: Json) -> None:
    surface = drawn(example["native"], tuple(example["native"]["fallback"]["lines"]), key=example["key"])
    assert as_json(surface.native) == example["native"] | {"id": f"widget:{example['key']}"}
    assert surface.truncated == ()


def test_each_block_type_comes_out_as_it_is() -> None:
    seen: set[str] = set()

    def note(given: list[Json]) -> None:
        for block in given:
            seen.add(block["type"])
            note(block.get("blocks", []))

    note(EVERY_BLOCK["blocks"])
    assert set(BLOCK_TYPES) < seen, "and one of a later version"
    surface = drawn(EVERY_BLOCK, ("Beds ready",), key="garden")
    assert as_json(surface.native) == EVERY_BLOCK
    assert surface.truncated == ()


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        pytest.param({"type": "spacer", "size": "huge"}, {"type": "spacer"}, id="an unknown size is none"),
        pytest.param({"type": "divider", "spans": [{"text": "x"}]}, {"type": "divider"}, id="fields of another type"),
        pytest.param({"type": "divider", "later": {"x": [1]}}, {"type": "divider"}, id="fields of a later version"),
        pytest.param({"type": "divider", "id": 7, "accessibility": "no"}, {"type": "divider"}, id="wrong types"),
        pytest.param({"type": "progress", "value": 7}, {"type": "progress", "value": 1.0}, id="a value above the range"),
        pytest.param({"type": "progress", "value": -0.5}, {"type": "progress", "value": 0.0}, id="a value below the range"),
        pytest.param({"type": "progress", "value": 10**400}, {"type": "progress", "value": 1.0}, id="a value beyond all floats"),
        pytest.param({"type": "progress", "value": "0.5", "indeterminate": 1}, {"type": "progress"}, id="no number, no flag"),
        pytest.param({"type": "progress", "value": True}, {"type": "progress"}, id="a flag is no number"),
        pytest.param({"type": "code", "text": "a\tb\n", "language": 3}, {"type": "code", "text": "a\tb\n"}, id="code keeps its lines"),
        pytest.param(
            {"type": "section", "blocks": [None, {"type": "divider"}]}, {"type": "section", "blocks": [{"type": "divider"}]}, id="no block"
        ),
        pytest.param(
            {"type": "text", "spans": ["a", 3, {"text": 4}]}, {"type": "text", "spans": [{"text": "a"}]}, id="spans that are none"
        ),
        pytest.param(
            {"type": "text", "spans": [{"text": "a", "role": "shiny", "traits": ["blink", "bold", 7, "bold"]}]},
            {"type": "text", "spans": [{"text": "a", "traits": ["bold"]}]},
            id="an unknown role or trait is none",
        ),
        pytest.param(
            {"type": "text", "spans": [{"text": "a", "role": ["x"], "traits": "bold", "link": 3}]},
            {"type": "text", "spans": [{"text": "a"}]},
            id="no role, no traits, no link",
        ),
        pytest.param(
            {"type": "text", "spans": [{"text": "here", "link": "javascript:alert(1)"}, {"text": " or there", "link": "file:///x"}]},
            {"type": "text", "spans": [{"text": "here or there"}]},
            id="links that may not leave, and spans that then look alike",
        ),
        pytest.param(
            {"type": "text", "spans": [{"text": "bank.example", "link": "https://evil.example/"}]},
            {"type": "text", "spans": [{"text": "bank.example"}]},
            id="a text that names another host",
        ),
        pytest.param(
            {
                "type": "text",
                "spans": [
                    {"text": "bank", "role": "accent", "link": "https://evil.example/"},
                    {"text": ".example", "link": "https://evil.example/"},
                ],
            },
            {"type": "text", "spans": [{"text": "bank", "role": "accent"}, {"text": ".example"}]},
            id="a text over two spans that names another host",
        ),
        pytest.param(
            {"type": "text", "spans": [{"text": "o"}, {"text": "\u0301" * 9 + "k", "role": "danger"}]},
            {"type": "text", "spans": [{"text": "o"}, {"text": "k", "role": "danger"}]},
            id="marks at the start of a span",
        ),
        pytest.param(
            {"type": "terminal", "lines": [[{"text": "a\tb\nc"}], "\x1b[31md\x1b[0m", 7]},
            {"type": "terminal", "lines": [[{"text": "a   b c"}], [{"text": "d", "role": "danger"}], []]},
            id="lines of spans, of raw text, of nothing",
        ),
        pytest.param(
            {"type": "terminal", "text": "\x1b[32mok\x1b[0m\nnext"},
            {"type": "terminal", "lines": [[{"text": "ok", "role": "success"}], [{"text": "next"}]]},
            id="the raw text of a later contract",
        ),
        pytest.param(
            {"type": "terminal", "lines": [["x"]], "caret": {"row": 0, "column": 0}, "columns": 3},
            {"type": "terminal", "lines": [[{"text": "x"}]]},
            id="fields that are ours",
        ),
        pytest.param(
            {
                "type": "activityList",
                "rows": [{"title": "a", "state": "lost", "progress": 2, "link": "data:x", "children": "no"}, {"id": "b"}, 3],
            },
            {"type": "activityList", "rows": [{"id": "row-1", "title": "a", "progress": 1.0}]},
            id="rows",
        ),
        pytest.param(
            {"type": "activityList", "rows": [{"id": "a", "title": "see bank.example", "link": "https://evil.example/"}]},
            {"type": "activityList", "rows": [{"id": "a", "title": "see bank.example"}]},
            id="a row that names another place than its link",
        ),
        pytest.param(
            {"type": "activityList", "rows": [{"id": "a", "title": "b", "link": "oppi://session/0198c0de-0000"}]},
            {"type": "activityList", "rows": [{"id": "a", "title": "b", "link": "oppi://session/0198c0de-0000"}]},
            id="a link to a session",
        ),
        pytest.param(
            {
                "type": "chart",
                "id": "c",
                "title": "Rain",
                "value": 3,
                "bars": [1],
                "text": "a\x1b[31mb",
                "rows": [{"id": "r", "title": "t"}],
            },
            {"type": "chart", "id": "c", "title": "Rain", "value": 1.0, "text": "ab", "rows": [{"id": "r", "title": "t"}]},
            id="a block of a later version keeps what is known",
        ),
    ],
)
def test_a_block_is_made_valid(given: Json, kept: Json) -> None:
    (block,) = blocks(given)
    block.pop("accessibility", None)
    assert block == kept


@pytest.mark.parametrize(
    "given",
    [
        None,
        7,
        "text",
        [],
        {},
        {"type": ""},
        {"type": 3},
        {"type": "text"},
        {"type": "text", "spans": "hello"},
        {"type": "markdown"},
        {"type": "markdown", "markdown": ["x"]},
        {"type": "section", "title": "Empty"},
        {"type": "activityList", "rows": {}},
        {"type": "terminal"},
        {"type": "code", "language": "sh"},
    ],
)
def test_what_is_no_block_is_left_out_and_counted(given: object) -> None:
    surface = drawn(native({"type": "divider"}, given))
    assert as_json(surface.native)["blocks"] == [{"type": "divider"}]
    assert [(cut.field, cut.shown, cut.total) for cut in surface.truncated] == [("nativeSurface.blocks", 1, 2)]


@pytest.mark.parametrize(
    "given",
    [
        None,
        "<b>",
        [],
        {},
        {"version": 1},
        {"version": 1, "blocks": {}},
        {"version": 1, "blocks": [None, {"type": "text"}]},
        {"version": 2, "blocks": [{"type": "divider"}]},
        {"version": "1", "blocks": [{"type": "divider"}]},
    ],
)
def test_rubbish_falls_back_to_the_drawn_lines(given: object) -> None:
    surface = drawn(given, ("\x1b[31mfailed\x1b[0m",))
    assert as_json(surface.native) == {
        "version": 1,
        "id": "widget:jobs",
        "source": "widget",
        "presentation": {"style": "surfacePanel", "title": "jobs"},
        "blocks": [
            {"type": "terminal", "accessibility": {"label": "failed"}, "lines": [[{"text": "failed", "role": "danger"}]], "columns": 80}
        ],
        "fallback": {"lines": ["failed"]},
    }
    assert surface.lines == ("failed",)
    assert surface.heading is None


def test_a_surface_without_blocks_is_its_heading() -> None:
    surface = drawn(native(presentation={"title": "Idle", "subtitle": "\x1b[2mnothing to do"}), ("idle",))
    assert as_json(surface.native)["presentation"] == {"style": "surfacePanel", "title": "Idle", "subtitle": "nothing to do"}
    assert (surface.native.blocks, surface.heading) == ((), "Idle · nothing to do")


def test_a_fallback_is_made_of_the_drawn_lines_when_the_author_gave_none() -> None:
    for none in (None, {}, {"lines": [3]}, "text"):
        assert as_json(drawn(native({"type": "divider"}, fallback=none), ("a", "b")).native)["fallback"] == {"lines": ["a", "b"]}
    assert as_json(drawn(native({"type": "divider"}, fallback={"text": "\x1b[1mall\x07"}), ("a",)).native)["fallback"] == {"text": "all"}
    own = {"lines": ["\x1b[31mown", "a\nb"]}
    assert as_json(drawn(native({"type": "divider"}, fallback=own), ("a",)).native)["fallback"] == {"lines": ["own", "a", "b"]}


def test_without_any_line_the_heading_is_the_text() -> None:
    assert drawn(native({"type": "divider"})).lines == ("Jobs",)


@settings(max_examples=200, deadline=None)
@given(st.lists(of_schema(Block), max_size=5), of_schema(Presentation), of_schema(Fallback))
def test_no_string_and_no_link_of_any_field_comes_out_dirty(raw: list[Any], presentation: Any, fallback: Any) -> None:
    surface = drawn(native(*raw, presentation=presentation, fallback=fallback), HOSTILE)
    for path, shown in texts(surface.native):
        several = path.endswith(SEVERAL_LINES) or path.endswith((".spans.text", ".fallback.text"))
        assert not forbidden(shown, text=several), path
        if path.endswith(".link"):
            assert safe_link(shown) == shown
    assert not any(forbidden(line) for line in surface.lines)
    assert all(isinstance(block, Block) for block in surface.native.blocks)
    assert surface.native.id == "widget:jobs"


@settings(max_examples=50, deadline=None)
@given(of_schema(NativeSurface))
def test_whatever_comes_there_is_a_surface(raw: Any) -> None:
    assert drawn(raw, ("drawn",)).native.id == "widget:jobs"
