"""Promise: a surface at a limit is whole; one past it is cut there, keeps its beginning, and says what was cut."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from bridge.messages import Truncation as Cut
from mirrord.wire import surface_limits as limits
from mirrord.wire.surfaces import NativeSurface
from tests.intake.surfaces import Json, as_json, cuts, drawn, native

DIVIDER: Json = {"type": "divider"}


def text(*spans: str) -> Json:
    return {
        "type": "text",
        "spans": [{"text": span, "role": role} for span, role in zip(spans, ["accent", "danger"] * len(spans), strict=False)],
    }


def rows(count: int) -> Json:
    return {"type": "activityList", "rows": [{"id": f"{number}", "title": "r"} for number in range(count)]}


def terminal(count: int) -> Json:
    return {"type": "terminal", "lines": [[{"text": "x"}] for _ in range(count)]}


def nested(depth: int) -> Json:
    """Sections in each other, `depth` of them, with a divider in the innermost."""
    block = DIVIDER
    for _ in range(depth - 1):
        block = {"type": "section", "blocks": [block]}
    return block


def nested_rows(depth: int) -> Json:
    row: Json = {"id": "r", "title": "t"}
    for _ in range(depth - 2):
        row = {"id": "r", "title": "t", "children": [row]}
    return {"type": "activityList", "rows": [row]}


@pytest.mark.parametrize(
    ("at", "past", "notice"),
    [
        pytest.param([DIVIDER] * limits.BLOCKS, [DIVIDER] * (limits.BLOCKS + 2), {"nativeSurface.blocks": (80, 82)}, id="blocks"),
        pytest.param(
            [{"type": "section", "blocks": [DIVIDER] * (limits.BLOCKS - 1)}],
            [{"type": "section", "blocks": [DIVIDER] * limits.BLOCKS}, DIVIDER],
            {"nativeSurface.blocks": (80, 82)},
            id="blocks in a section",
        ),
        pytest.param([nested(limits.DEPTH)], [nested(limits.DEPTH + 1)], {"nativeSurface.depth": (0, 1)}, id="sections in each other"),
        pytest.param(
            [nested_rows(limits.DEPTH)], [nested_rows(limits.DEPTH + 1)], {"nativeSurface.depth": (0, 1)}, id="rows in each other"
        ),
        pytest.param([rows(limits.ROWS)], [rows(limits.ROWS + 3)], {"nativeSurface.rows": (160, 163)}, id="rows"),
        pytest.param(
            [terminal(limits.TERMINAL_LINES)], [terminal(limits.TERMINAL_LINES + 1)], {"nativeSurface.lines": (160, 161)}, id="lines"
        ),
        pytest.param([text(*"x" * limits.SPANS)], [text(*"x" * (limits.SPANS + 1))], {"nativeSurface.spans": (320, 321)}, id="spans"),
        pytest.param(
            [{"type": "code", "text": "x" * limits.SURFACE_TEXT_BYTES}],
            [{"type": "code", "text": "x" * (limits.SURFACE_TEXT_BYTES + 1)}],
            {"nativeSurface.text": (32_768, 32_769)},
            id="text",
        ),
    ],
)
def test_a_surface_at_the_limit_is_whole_and_one_past_it_says_so(at: list[Json], past: list[Json], notice: dict[str, Any]) -> None:
    whole = drawn(native(*at))
    assert whole.truncated == ()
    assert size(whole.native) <= limits.SURFACE_BYTES
    cut = drawn(native(*past))
    assert cuts(cut) == notice
    assert cut.native.blocks[0].type == whole.native.blocks[0].type


def size(surface: NativeSurface) -> int:
    return len(msgspec.json.encode(surface))


def test_spans_past_the_limit_keep_their_text_without_its_looks() -> None:
    (block,) = drawn(native(text(*"ab" * limits.SPANS))).native.blocks
    assert block.spans is not None
    assert len(block.spans) == limits.SPANS
    assert "".join(span.text for span in block.spans) == "ab" * limits.SPANS
    assert block.spans[-1].role is None


def test_spans_are_shared_so_that_every_drawn_line_keeps_its_text() -> None:
    colourful = "".join(f"\x1b[3{1 + number % 6}m{number % 10}" for number in range(100))
    surface = drawn(lines=(colourful,) * limits.TERMINAL_LINES)
    (block,) = surface.native.blocks
    assert block.lines is not None
    assert ["".join(span.text for span in line) for line in block.lines] == ["0123456789" * 10] * limits.TERMINAL_LINES
    assert sum(len(line) for line in block.lines) == limits.SPANS
    assert "nativeSurface.spans" in cuts(surface)


def test_drawn_lines_are_bounded_with_all_that_is_made_of_them() -> None:
    whole = drawn(lines=("x",) * limits.TERMINAL_LINES)
    assert (len(whole.lines), whole.truncated) == (160, ())
    assert cuts(drawn(lines=("x",) * 200)) == {"nativeSurface.lines": (160, 200), "widgetLines": (160, 200)}
    one_that_is_many = drawn(lines=("x\n" * 10_000,))
    assert cuts(one_that_is_many) == {"nativeSurface.lines": (160, 10_001), "widgetLines": (160, 10_001)}


def test_long_lines_are_cut_by_bytes_at_the_end_of_a_line() -> None:
    surface = drawn(lines=("é" * 1_000,) * 100)
    assert cuts(surface) == {
        "nativeSurface.text": (32_767, 36_000),
        "nativeSurface.lines": (17, 100),
        "nativeSurface.fallback": (4, 100),
        "widgetLines": (16, 100),
    }
    assert size(surface.native) <= limits.SURFACE_BYTES


def test_a_surface_never_has_more_bytes_than_its_limit() -> None:
    escaped = '"\\' * 20_000
    for block in (
        {"type": "markdown", "markdown": escaped},
        {"type": "activityList", "rows": [{"id": "i" * 80, "title": '"' * 120, "detail": "\\" * 400}] * 160},
        {
            "type": "text",
            "spans": [{"text": "x", "role": role, "link": f"https://a.example/{'y' * 2_000}{role}"} for role in ["accent", "danger"] * 99],
        },
        {"type": "code", "text": "\n" * 40_000},
        {
            "type": "section",
            "title": "s",
            "blocks": [{"type": "later", "accessibility": {"label": '"' * 400, "value": "v" * 400, "hint": "h" * 400}}] * 79,
        },
    ):
        surface = drawn(native(block, fallback={"lines": [escaped] * 9, "text": escaped}))
        assert size(surface.native) <= limits.SURFACE_BYTES
        assert cuts(surface)


def test_after_what_did_not_fit_nothing_else_is_shown() -> None:
    links = [{"text": "x", "role": role, "link": f"https://a.example/{'y' * 2_000}{role}"} for role in ["accent", "danger"] * 40]
    surface = drawn(native({"type": "text", "spans": links}, DIVIDER, text("last")))
    assert [block.type for block in surface.native.blocks] == ["text"]
    shown, total = cuts(surface)["nativeSurface"]
    assert shown <= limits.SURFACE_BYTES < total
    assert cuts(surface)["nativeSurface.blocks"] == (1, 3)


def test_what_the_extension_left_out_is_told_too() -> None:
    surface = drawn(lines=("x",), truncated=(Cut("lines", 160, 10_000), Cut("na\x1btive", 2, 9)))
    assert cuts(surface) == {"lines": (160, 10_000), "naive": (2, 9)}


def test_a_text_on_one_line_is_cut_with_a_mark() -> None:
    surface = drawn(native({"type": "section", "title": "t" * 500, "blocks": []}, presentation={"title": "p" * 500}))
    assert as_json(surface.native)["presentation"]["title"] == "p" * (limits.HEADING_CLUSTERS - 1) + "…"
    assert surface.native.blocks[0].title == "t" * (limits.HEADING_CLUSTERS - 1) + "…"


@pytest.mark.parametrize("block", [nested(60), {"type": "activityList", "rows": [{}] * 80_000}, {"type": "text", "spans": [{}] * 80_000}])
def test_what_is_hostile_in_its_shape_is_cut_like_anything_else(block: Json) -> None:
    assert drawn(native(block, *[None] * 50_000)).truncated
