"""Promise: whatever is in a text that arrives, nothing leaves that is invisible, turns the direction or controls anything, and links
lead where their text says.

`fixtures/sanitize/hostile.jsonl` holds an attack a line, with its `reason` and what is right for each way out that it concerns:
`lines` and `screen` (of `cols` and `rows`) are the spans of each line, `label` and `text` the two plain targets, `reads` is the text of
both paths where the spans do not matter. `caret` is where lines have their caret, `dropped` what is counted on the way to `lines`.
"""

from __future__ import annotations

from itertools import product
from typing import Any, Final

import msgspec
import pytest

from sanitize.counters import Counters
from sanitize.describe import describe
from sanitize.display import label, text
from sanitize.limits import LINE_CHARACTERS
from sanitize.spans import Line
from sanitize.terminal import Terminal
from tests.sanitize import rendering
from tests.sanitize.grammar import Grammar
from tests.sanitize.invariants import check_line, forbidden
from tests.sanitize.rendering import PENS, Case, data, fixture, lines, screen, texts

CASES: Final = fixture("hostile.jsonl")

EXAMPLES: Final = 20_000
COLUMNS: Final = 24
ROWS: Final = 5
AT_THE_END: Final = " \u0600\u06dd"
"""What a screen does not show at the end of a row: blanks, and signs that wait for the number that they enclose."""


def spans(rows: list[Line]) -> Any:
    """As they leave, in JSON."""
    return msgspec.json.decode(msgspec.json.encode([line.spans for line in rows]))


def cases_of(*targets: str) -> pytest.MarkDecorator:
    chosen = [(case, target) for case, target in product(CASES, targets) if target in case]
    return pytest.mark.parametrize(("case", "target"), chosen, ids=[f"{case['name']}, {target}" for case, target in chosen])


@cases_of("lines")
def test_what_lines_show(case: Case, target: str) -> None:
    counters = Counters()
    rows = lines([rendering.text(case)], case["cols"], counters)
    assert spans(rows) == case[target]
    if "caret" in case:
        assert [line.caret for line in rows] == [case["caret"]]
    assert counters.as_json().items() >= case.get("dropped", {}).items()


@cases_of("screen")
def test_what_a_screen_shows(case: Case, target: str) -> None:
    raw = data(case)
    rows = screen([raw], case["cols"], case["rows"])
    assert spans(rows) == case[target]
    assert screen((raw[at : at + 1] for at in range(len(raw))), case["cols"], case["rows"]) == rows


@cases_of("reads")
def test_what_both_paths_read(case: Case, target: str) -> None:
    (line,) = lines([rendering.text(case)], case["cols"])
    (row,) = screen([data(case)], case["cols"], case["rows"])
    assert line.text == row.text == case[target]


@cases_of("label", "text")
def test_what_plain_targets_show(case: Case, target: str) -> None:
    raw = rendering.text(case)
    assert (label(raw) if target == "label" else text(raw)).text == case[target]


def test_a_line_that_is_too_long_is_cut_with_a_mark_and_counted() -> None:
    counters = Counters()
    (line,) = lines(["x" * 2 * LINE_CHARACTERS], COLUMNS, counters)
    assert line.text == "x" * LINE_CHARACTERS + "…"
    assert counters.truncated == 1
    check_line(line)


def test_each_attack_has_a_reason_and_a_right_answer() -> None:
    assert len(CASES) >= 42
    for case in CASES:
        assert case["reason"].endswith("."), case["name"]
        assert case.keys() & {"lines", "screen", "reads", "label", "text"}, case["name"]


def test_nothing_forbidden_ever_leaves_and_what_left_is_not_changed_again() -> None:
    grammar = Grammar(seed=4)
    terminal = Terminal(COLUMNS, ROWS, PENS, Counters())
    for _ in range(EXAMPLES):
        raw = grammar.input(tokens=10)
        rows = lines([raw], COLUMNS)
        of_lines, of_screen = texts(rows), on_screen(terminal, grammar.as_bytes(raw))
        as_label, as_text = label(raw).text, text(raw).text
        for shown in (*of_lines, *of_screen, as_label, *(describe(line) or "" for line in rows)):
            assert not forbidden(shown), raw
        assert not forbidden(as_text, text=True), raw
        assert texts(lines(of_lines, COLUMNS)) == of_lines, raw
        assert on_screen(terminal, "\r\n".join(of_screen).encode()) == of_screen, raw
        assert (label(as_label).text, text(as_text).text) == (as_label, as_text), raw


def on_screen(terminal: Terminal, raw: bytes) -> list[str]:
    """The texts that this leaves on a screen, without empty rows at the end."""
    terminal.reset()
    terminal.feed(raw)
    rows = [line.text.rstrip(AT_THE_END) for line in terminal.lines()]
    while rows and not rows[-1]:
        rows.pop()
    return rows
