"""Promise: every block of a native surface is plain text, no state is told by colour alone, and nothing in it moves a cursor."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest

from mirrord.attach.blocks import CARET, surface_lines
from mirrord.wire.messages import Truncation
from mirrord.wire.surfaces import (
    Accessibility,
    ActivityRow,
    Block,
    Caret,
    Fallback,
    NativeSurface,
    Presentation,
    TextSpan,
)
from tests.attach.test_view import EVIL


def surface(*blocks: Block, fallback: Fallback | None = None, subtitle: str | None = None) -> NativeSurface:
    return NativeSurface(1, "widget:w", "widget", Presentation("surfacePanel", "W", subtitle), blocks, fallback)


def shown(*blocks: Block, **more: Any) -> list[str]:
    return list(surface_lines(surface(*blocks, **more), ()))


LINKED = TextSpan("the log", link="https://example.org/log")
ROW = ActivityRow("a", "Review", "2 files", "reads a.py\nand b.py", "running", 0.4, "oppi://session/7")


@pytest.mark.parametrize(
    ("block", "lines"),
    [
        (Block("text", spans=(TextSpan("see "), LINKED, TextSpan("."))), ["see the log <https://example.org/log>."]),
        (Block("text", spans=(TextSpan("https://x.org", link="https://x.org"),)), ["https://x.org"]),
        (Block("text", spans=(TextSpan("a\nb"),)), ["a", "b"]),
        (Block("markdown", markdown="# Plan\n\n- one"), ["# Plan", "", "- one"]),
        (Block("section", title="Jobs", subtitle="2", blocks=(Block("text", spans=(TextSpan("x"),)),)), ["Jobs · 2", "  x"]),
        (Block("activityList", rows=(ActivityRow("a", "Tests"),)), ["- Tests"]),
        (
            Block("activityList", rows=(ROW,)),
            ["[running, 40 %] Review · 2 files <oppi://session/7>", "  reads a.py", "  and b.py"],
        ),
        (
            Block("activityList", rows=(ActivityRow("a", "A", state="error", children=(ActivityRow("b", "B", state="queued"),)),)),
            ["[failed] A", "  [queued] B"],
        ),
        (Block("progress", label="Upload", value=0.5), ["Upload [##########----------] 50 %"]),
        (Block("progress", value=7.0), ["[####################] 100 %"]),
        (Block("progress", label="Upload", indeterminate=True), ["Upload: under way"]),
        (Block("progress", accessibility=Accessibility(label="Index"), value=0.0), ["Index [--------------------] 0 %"]),
        (Block("progress"), ["under way"]),
        (Block("terminal", lines=((TextSpan("a  b", role="danger"),), ())), ["a  b", ""]),
        (Block("terminal", lines=((TextSpan("name: "), TextSpan("Ada")),), caret=Caret(0, 7)), [f"name: A{CARET}da"]),
        (Block("code", language="python", text="if x:\n    y()"), ["(python)", "│ if x:", "│     y()"]),
        (Block("divider"), ["─" * 20]),
        (Block("spacer", size="large"), [""]),
    ],
    ids=lambda value: value.type if isinstance(value, Block) else None,
)
def test_each_block_is_text(block: Block, lines: list[str]) -> None:
    assert shown(block) == lines


UNKNOWN = (Block("chart"), Block("text", spans=(TextSpan("kept"),)), Block("map"))


@pytest.mark.parametrize(
    ("fallback", "drawn", "lines"),
    [
        (Fallback(lines=("● one", "○ two")), ("drawn",), ["● one", "○ two", "kept"]),
        (Fallback(text="one\ntwo"), ("drawn",), ["one", "two", "kept"]),
        (Fallback(), ("drawn",), ["drawn", "kept"]),
        (None, (), ["(a block of the kind chart, which this version cannot show)", "kept"]),
    ],
)
def test_in_the_place_of_unknown_blocks_is_what_the_surface_has_for_that_once(
    fallback: Fallback | None, drawn: tuple[str, ...], lines: list[str]
) -> None:
    assert list(surface_lines(surface(*UNKNOWN, fallback=fallback), drawn)) == lines


def test_without_blocks_it_is_what_was_drawn_and_each_cut_is_said() -> None:
    cut = Truncation("widgetLines", 160, 10_000)
    assert list(surface_lines(None, ("a   b",), (cut,))) == ["a   b", "(widgetLines is shortened: 160 of 10000)"]


def test_the_subtitle_comes_first() -> None:
    assert shown(Block("divider"), subtitle="2 run")[0] == "2 run"


def test_nothing_in_a_surface_moves_a_cursor() -> None:
    evil = TextSpan(EVIL, link=EVIL)
    row = ActivityRow(EVIL, EVIL, EVIL, EVIL, "running", 0.1, EVIL, (ActivityRow(EVIL, EVIL),))
    blocks = (
        Block("text", spans=(evil,)),
        Block("markdown", markdown=EVIL),
        Block("section", title=EVIL, subtitle=EVIL, blocks=(Block("text", spans=(evil,)),)),
        Block("activityList", rows=(row,)),
        Block("progress", label=EVIL, value=0.1),
        Block("terminal", lines=((evil,), (evil,)), caret=Caret(1, 3)),
        Block("code", language=EVIL, text=EVIL),
        Block(EVIL),
    )
    lines = [
        *shown(*blocks, subtitle=EVIL),
        *shown(*blocks, fallback=Fallback(EVIL)),
        *shown(*blocks, fallback=Fallback(lines=(EVIL,))),
        *surface_lines(None, (EVIL,), (Truncation(EVIL, 1, 2),)),
    ]
    for line in lines:
        assert not [character for character in line if unicodedata.category(character) in ("Cc", "Cf", "Cs")], repr(line)
